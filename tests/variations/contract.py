"""The contract of what is said of where the discrepancy comes from."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.run.tally import ByName
from lib.variations.agreement import NAMES, AgreementTally, pair
from lib.variations.controls import CONTROLS, ControlsTally, point_name
from lib.variations.equality import EqualityTally
from lib.variations.scaling import PointTally, Scaling, ScalingTally, points
from lib.variations.sentences import agreement_claim, controls_claim, scaling_claim
from tests.contract import Row, Subject, alone
from tests.states import FOUND

ANSWERS = {
    "nothing yet": None,
    "all alike": [set(NAMES)],
    "two kinds": [set(NAMES[:4]), set(NAMES[4:])],
    "backward alone": [set(NAMES[:1]), set(NAMES[1:])],
    "all different": [{name} for name in NAMES],
}


def agreed(classes: list[set[str]] | None) -> AgreementTally:
    kind = {name: k for k, members in enumerate(classes or []) for name in members}
    pairs = combinations_with_replacement(NAMES, 2) if classes else []
    apart = {pair(one, other): EqualityTally(apart=int(kind[one] != kind[other])) for one, other in pairs}
    return AgreementTally(ByName(apart), 10 if classes else 0)


AGREEMENT = [
    Row("The first samples by every method are on their way.", lambda s: s.f is None),
    Row(
        "`backward()` and the {n} methods give the same answer, compared value by value.",
        lambda s: len(s.f) == 1 and s.number("n") == len(METHODS),
    ),
    Row(
        "`backward()` and the {n} methods give {k} different answers, compared value by value.",
        lambda s: len(s.f) == s.number("k") > 1,
    ),
    Row("`backward()` agrees with {any}.", lambda s: {"backward", *re.findall("`(.+?)`", s.m["any"])} in s.f),
    Row("No method agrees with `backward()` in every value.", lambda s: {"backward"} in s.f, sometimes=True),
]

CHECKS = {
    "nothing yet": (0, 0, 0),
    "equal": (50, 50, 0),
    "not equal": (50, 40, 0),
    "overflowed": (20, 20, 30),
    "none finite": (0, 0, 50),
}
"""Components that are finite, equal, and not finite."""


def checked(counts: tuple[int, int, int]) -> ControlsTally:
    parts = {
        point_name(name, method): EqualityTally(10, *counts)
        for name, control in CONTROLS.items()
        for method in control.methods
        if any(counts)
    }
    return ControlsTally(ByName(parts), 10 * len(CONTROLS) * any(counts))


CONTROLLED = [
    Row("The first samples of the controls are on their way.", lambda s: not any(s.f)),
    Row("No control has a finite component so far.", lambda s: s.f[0] == 0 < s.f[2]),
    Row(
        "In {n} of {k} comparisons the two gradients differ, though they must not.",
        lambda s: s.f[1] < s.f[0] and s.number("n") == s.number("k"),
    ),
    Row("In all {n} comparisons so far the two gradients are equal, as they must be.", lambda s: s.f[0] == s.f[1] > 0),
]

GROWN = {"nothing yet": None, "none differs": lambda value: 0.0, "grows": float}


def grown(units: Callable[[float], float] | None) -> ScalingTally:
    parts = {}
    for point in points(Experiment()) if units else []:
        value = units(point.value)
        found = replace(FOUND["apart" if value else "equal"], samples=256, units=value)
        parts[point.name] = PointTally(found.tally())
    tally = ScalingTally(ByName(parts), 256 * len(parts))
    assert not units or tally.samples == Scaling.total(Experiment())
    return tally


SCALED = [
    Row("Networks of growing width, depth and number of outputs, one after another.", lambda s: s.f is None),
    Row("In no sweep do two points have a discrepancy.", lambda s: s.f is not None and s.f(3) == 0),
    Row(
        "From the first to the last point with a discrepancy, the largest one in rounding units changes by a factor of "
        "{x} with width, {y} with depth, {z} with outputs.",
        lambda s: [s.number(name) for name in "xyz"] == [128, 6, 64],
    ),
]

SUBJECTS = [
    Subject(agreement_claim, AGREEMENT, alone(ANSWERS, agreed)),
    Subject(controls_claim, CONTROLLED, alone(CHECKS, checked)),
    Subject(scaling_claim, SCALED, alone(GROWN, grown)),
]
