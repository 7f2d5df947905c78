"""The derivatives at one x, autograd's and each formula's, beside the exact one, and the same as a picture.

An x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in `formulas`.
"""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isinf, isnan
from typing import Any, TypedDict

import torch

from lib.derivative.certified import Witness, disproof, exactly
from lib.derivative.formulas import AUTOGRAD, derivatives_at
from lib.derivative.reference import exists_at, reference
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.discrepancy.bits import Bits, bits_of_both
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS, Format
from lib.floats.line import round_once, shortest, to_float64
from lib.floats.picture import exact_text, float_line, value_text
from lib.floats.quantities import distance, floats, minus
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS, points

POSTS_X = 1.0497568845748901
"""The first positive float32 x whose derivatives the third post's printout fits: −0.9074 both ways, 2⁻²⁴ apart."""

NEAR = 12.0
"""Values farther away than so many floats are told at the end of the line."""


@dataclass(frozen=True)
class Explained:
    """One computed derivative at x: its value, and how many steps on the float line it is off, None if it has no
    place."""

    value: float
    steps: float | None


@dataclass(frozen=True)
class Explanation:
    """The derivatives at one x of a dtype, formula by formula.

    `exact` is the derivative to 30 significant digits and `nearest` its correct rounding, None if the derivative does
    not exist or is `undecided`. `fraction` is the derivative as `certified.Exact` has it, None also if it overflows.
    `is_float` says whether the derivative is known to be the float `nearest`.
    """

    x: float
    exact: str | None
    nearest: float | None
    fraction: Fraction | None
    is_float: bool
    computed: dict[str, Explained]
    undecided: bool = False

    def off(self, name: str) -> str:
        """How far off a computed derivative is. An error that was rounded to 0 is one, unless the derivative is known
        to be a float."""
        of = self.computed[name]
        if of.steps is None:
            return "not finite"
        if self.lost(name):
            return "off by 100%"
        if of.steps == 0 and self.is_float:
            return "exact"
        return f"off by {floats(of.steps) if of.steps >= 0.01 else 'less than 0.01 floats'}"

    def lost(self, name: str) -> bool:
        """Whether no digit is right: 0, infinite or NaN by mistake."""
        value = self.computed[name].value
        return self.fraction is not None and (not isfinite(value) or value == 0 != self.nearest)


def explain(function: str, x: float, dtype: str, device: str = "cpu") -> Explanation:
    """Explain every derivative at x, which is first rounded to the dtype."""
    use_one_thread()
    block = round_once(torch.full((POINTS,), x, dtype=torch.float64), getattr(torch, dtype)).to(
        device
    )
    at, values = (
        block[0].item(),
        {name: to_float64(of[:1]) for name, of in derivatives_at(function, block).items()},
    )
    found = reference(function, block[:1])
    nearest, exists = found.nearest.item(), found.exists.item()
    exact = exactly(function, at) if exists else None
    fraction = exact.fraction if exact and isfinite(nearest) else None
    return Explanation(
        at,
        exact.text if exact else None,
        nearest if exists else None,
        fraction,
        bool(exact and exact.known and isfinite(nearest) and exact.fraction == nearest),
        {
            name: Explained(value.item(), _steps(value.item(), fraction, FORMATS[dtype]))
            for name, value in values.items()
        },
        found.undecided.item(),
    )


def _steps(value: float, exact: Fraction | None, fmt: Format) -> float | None:
    """The distance of a value from the exact one in steps on the float line."""
    if exact is None or not isfinite(value):
        return None
    return float(
        abs(fmt.place(Fraction(value)) - fmt.place(max(-fmt.largest, min(exact, fmt.largest))))
    )


def example_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> float:
    """An x to look at: one that proves the formula to be another function, of 1/x in float32 the post's, else the first
    at which the formula differs from autograd. While there is none so far, it is the first that has a derivative."""
    wrong = disproved(tally, experiment, formula)
    if wrong:
        return wrong.x
    listed = (
        FUNCTIONS[experiment.differentiated].formulas == FUNCTIONS[Experiment.function].formulas
    )
    if listed and experiment.dtype == Experiment.dtype:
        return POSTS_X
    apart = tally.formulas[formula].first_apart.place if tally.samples else None
    return apart.x if apart else _first_x(experiment)


def disproved(tally: DerivativeTally, experiment: Experiment, formula: str) -> Witness | None:
    """An x at which the formula is proved to be another function, if the study looked there or near 0."""
    worst = tally.formulas.get(formula, SeriesTally()).worst.largest.place
    return disproof(experiment, formula, worst.x if worst else None) if tally.exist else None


@lru_cache(maxsize=64)
def _first_x(experiment: Experiment) -> float:
    """The experiment's first x that has a derivative, or its first x."""
    x = to_float64(points(experiment, 0))
    return x[int(exists_at(experiment.differentiated, x).argmax())].item()


class DerivativeDrawing(TypedDict):
    """What `static/derivative.js` is told: see `at_one_x`; `label` says in words what is drawn."""

    title: str
    note: str
    label: str
    line: dict[str, Any] | None
    labels: list[dict[str, Any]]
    bits: Bits


def at_one_x(
    explanation: Explanation,
    experiment: Experiment,
    formula: str,
    *,
    title: str = "",
    note: str = "",
    label: str = "",
) -> DerivativeDrawing:
    """Return the drawing of the derivatives at one x.

    `line` is that of `float_line`, or None where no exact derivative is finite: then nothing is to scale. `labels` go
    from the lowest value to the highest, NaN at the end. Each has who gave the value, autograd and the formula that it
    is compared with, or else the first formula that did, one a line, then how far off it is. `kind` is "first" with
    autograd among them, "second" with the formula, else "other". `at` is the value's place in floats from the base of
    the line, or None if it is not on it. `side` says where it lies from the exact derivative: "low", "high", "none" for
    NaN, or nothing without an exact derivative. `bits` has autograd's value and the formula's.
    """
    exact, line = explanation.fraction, None
    near = {
        name: one.value
        for name, one in explanation.computed.items()
        if one.steps is not None and one.steps <= NEAR
    }
    places: dict[str, int] = {}
    if exact is not None:
        line = float_line(exact, experiment.dtype, near)
        places = {mark["text"]: mark["at"] for mark in line["marks"]}
        if not explanation.is_float:  # it may be the middle 0.99… of a ball around 1
            rounded = Context(prec=30).divide(*map(Decimal, exact.as_integer_ratio()))
            text = exact_text(Fraction(rounded), experiment.dtype)
            line["exact_text"] = text if "…" in text else f"≈ {text}"
    labels = []
    for names, one in _groups(explanation):
        kind = "first" if AUTOGRAD in names else "second" if formula in names else "other"
        named = [name for name in (AUTOGRAD, formula) if name in names] or names[:1]
        lines = [name if name == AUTOGRAD else on_paper(name) for name in named]
        if one.steps is not None:
            lines.append(explanation.off(names[0]))
        text = _text(one.value, exact, experiment.dtype)
        side = (
            "none"
            if isnan(one.value)
            else ""
            if exact is None
            else "high"
            if one.value > exact
            else "low"
        )
        labels.append(
            {"kind": kind, "lines": lines, "text": text, "at": places.get(text), "side": side}
        )
    bits = _bits(explanation, experiment.dtype, formula)
    return {
        "title": title,
        "note": note,
        "label": label,
        "line": line,
        "labels": labels,
        "bits": bits,
    }


def _bits(explanation: Explanation, dtype: str, formula: str) -> Bits:
    """Return both values as bits."""
    values = [explanation.computed[name].value for name in (AUTOGRAD, formula)]
    apart = "no distance"
    if all(map(isfinite, values)):
        first, second = (FORMATS[dtype].nearest(Fraction(value)) for value in values)
        apart = f"{distance(abs(first - second))} apart"
    return bits_of_both((AUTOGRAD, on_paper(formula)), values, dtype, apart, "Both as bits")


def _groups(explanation: Explanation) -> list[tuple[list[str], Explained]]:
    """The names that share a value, from the lowest value to the highest; all NaN are one."""
    found: dict[str, tuple[list[str], Explained]] = {}
    for name, one in explanation.computed.items():
        found.setdefault(repr(one.value + 0.0), ([], one))[0].append(
            name
        )  # + 0.0, since −0 is at the place of 0
    return sorted(found.values(), key=lambda group: (isnan(group[1].value), group[1].value))


def _text(value: float, exact: Fraction | None, dtype: str) -> str:
    """A value with as many digits as the floats of the line have, if there is a line."""
    if isnan(value) or isinf(value):
        return "not a number" if isnan(value) else "∞" if value > 0 else "−∞"
    return (
        minus(shortest(value, getattr(torch, dtype))) if exact is None else value_text(value, dtype)
    )
