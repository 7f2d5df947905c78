"""Every sentence of the study tabs in states of real runs, drawn at random, from the first sample
to the last.

A text is read sentence by sentence: each matches one of the claims below, which is then held
against the numbers that PyTorch gave, counted here anew. A sentence without a claim fails, and so
does a claim that no state makes.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, reduce
from importlib import import_module
from itertools import islice, product
from math import inf, isfinite, nan
from operator import sub as subtract
from pkgutil import walk_packages
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from torch.testing._comparison import default_tolerances

import lib
from lib.batch import findings
from lib.batch.arrangements import SIZES
from lib.batch.study import Batch
from lib.derivative import sentences as of_derivative
from lib.derivative.study import Derivative
from lib.discrepancy import sentences as of_discrepancy
from lib.discrepancy.component import Component
from lib.discrepancy.study import Discrepancy
from lib.experiment import choices
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.sentences import Sentence, said
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.pitfall import costs
from lib.pitfall import sentences as of_pitfall
from lib.pitfall.study import Pitfall
from lib.reference.judge import Judge
from lib.reference.pair import Pair
from lib.run.run import Run
from lib.run.runs import Runs, progress
from tests import oracles
from tests.sentences import read, share

NOW = 0.0
SAMPLES = 9
NUMBER = r"([−\d.,]+(?:e[+−-]\d+)?(?: million| billion| trillion)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
SHARE = r"((?:less than |more than )?[\d.,]+(?:e[+-]\d+)?%?|–)"
CHECK = r"`torch\.testing\.assert_close`"

FIRST_TAB = ("HEADLINE", "REASON", "LEAN", "REFERENCE", "BOUND")

ROWS = [
    *(getattr(of_discrepancy, name) for name in FIRST_TAB),
    *(getattr(findings, name) for name in ("HEADLINE", "REASON")),
    *(getattr(of_derivative, name) for name in ("HEADLINE", "REASON", "STEPS", "RULE")),
    *(getattr(of_pitfall, name) for name in ("HEADLINE", "REASON", "ROUNDING", "FIX", "NOTICE")),
    of_discrepancy.ENDS,
    costs.COSTS,
]
"""The rows of which every text is read here."""

Claim = tuple[str, Callable[..., Any]]
"""What a sentence may say, as a pattern, and whether that is true of a state, given what the
groups matched."""


def near(text: str, value: float) -> bool:
    """Whether a text is this number in two digits or more."""
    return abs(read(text) - value) <= 0.051 * abs(value)


def above(text: str, value: float) -> bool:
    """Whether a text is this number, or hardly more."""
    bound = read(text.rstrip("%")) / (100 if text.endswith("%") else 1)
    return value <= bound * (1 + 1e-12) and bound <= max(
        value * 1.011, value + 0.0011 * text.endswith("%")
    )


@dataclass(frozen=True)
class Vector:
    """What two ways gave for one sample, the exact values, S and the size of a rounding unit of
    each component."""

    first: torch.Tensor
    second: torch.Tensor
    exact: np.ndarray
    path_sums: np.ndarray
    unit: np.ndarray
    bound: float | None
    closer: np.ndarray

    @cached_property
    def finite(self) -> torch.Tensor:
        return self.first.isfinite() & self.second.isfinite()

    @cached_property
    def differences(self) -> np.ndarray:
        apart = (self.first.double() - self.second.double()).abs()
        return apart.where(self.finite, 0).numpy()

    @cached_property
    def units(self) -> np.ndarray:
        return self.differences / self.unit

    @cached_property
    def relative(self) -> np.ndarray:
        largest = (
            torch.stack([self.first, self.second]).double().abs().where(self.finite, 0).max().item()
        )
        return self.differences / largest if largest else self.differences

    @cached_property
    def fails(self) -> bool:
        return not self.passes()

    def passes(self, **tolerance: float) -> bool:
        return close_both_ways(self.first[self.finite], self.second[self.finite], **tolerance)

    @cached_property
    def left(self) -> float | None:
        """The largest share of S that is left in a component that fails the check, or differs by
        1% of the largest."""
        return max(map(self._left, self.far), default=None)

    @cached_property
    def far(self) -> list[int]:
        """The finite components that fail the check, or differ by 1% of the largest."""
        rtol, atol = default_tolerances(self.first.dtype)
        sides = self.first, self.second
        close = torch.isclose(*sides, rtol, atol) & torch.isclose(*sides[::-1], rtol, atol)
        far = ~close.numpy() | (self.relative >= 0.01)
        return np.flatnonzero(far & self.finite.numpy()).tolist()

    def _left(self, k: int) -> float:
        size = abs(self.first[k].item() if np.isnan(self.exact[k]) else self.exact[k])
        return size / self.path_sums[k] if self.path_sums[k] > 0 else 1.0


def close_both_ways(first: torch.Tensor, second: torch.Tensor, **tolerance: float) -> bool:
    """Whether `assert_close` passes in both orders of its arguments."""
    try:
        torch.testing.assert_close(first, second, **tolerance)
        torch.testing.assert_close(second, first, **tolerance)
    except AssertionError:
        return False
    return True


def vectors_of(gradients: Pair) -> list[Vector]:
    judged = gradients.judged
    arrays = judged.exact, judged.path_sums, judged.unit
    return [
        Vector(one, other, *(of[i] for of in arrays), judged.bound_units, judged.verdicts[i])
        for i, (one, other) in enumerate(zip(gradients.first, gradients.second, strict=True))
    ]


@dataclass(frozen=True)
class Pairs:
    """The state of a run that compares vectors, and the text that the tab shows of it."""

    experiment: Experiment
    vectors: tuple[Vector, ...]
    text: str
    bounds: tuple[float | None, ...] = ()
    moves: bool = False
    run: str = ""

    @property
    def components(self) -> int:
        return sum(len(vector.first) for vector in self.vectors)

    @property
    def finite(self) -> int:
        return sum(int(vector.finite.sum()) for vector in self.vectors)

    @property
    def different(self) -> int:
        return sum(int((vector.differences > 0).sum()) for vector in self.vectors)

    def most(self, of: Callable[[Vector], np.ndarray]) -> float:
        return max((float(of(vector).max(initial=0)) for vector in self.vectors), default=0.0)

    @property
    def largest(self) -> float:
        return self.most(lambda vector: vector.differences)

    @property
    def relative(self) -> float:
        return self.most(lambda vector: vector.relative)

    @property
    def units(self) -> float:
        return self.most(lambda vector: vector.units)

    @property
    def over(self) -> int:
        known = [vector for vector in self.vectors if vector.bound is not None]
        return sum(int((vector.units > vector.bound).sum()) for vector in known)

    @property
    def failing(self) -> int:
        return sum(vector.fails for vector in self.vectors)

    @property
    def left(self) -> float | None:
        return max(
            (vector.left for vector in self.vectors if vector.left is not None), default=None
        )

    @property
    def of_rounding(self) -> bool:
        return (
            bool(self.different)
            and not self.over
            and self.experiment.method not in ("finite-difference",)
        )

    def closer(self, verdict: int) -> int:
        return sum(int((vector.closer == verdict).sum()) for vector in self.vectors)

    @property
    def judged(self) -> int:
        return sum(map(self.closer, range(4)))


def digits(text: str) -> int:
    return int(text.replace(",", ""))


def counts_of_closer(s: Pairs, judged: str, *shares: str) -> bool:
    return digits(judged) == s.judged and list(shares) == [
        share(s.closer(k), s.judged) for k in range(len(shares))
    ]


def cancels(s: Pairs, where: str, kept: str | None) -> bool:
    fails, large = s.failing > 0, s.relative >= 0.01
    right = " or ".join(["fails"] * fails + ["differ by 1%"] * large)
    named = re.sub(rf"{CHECK} (fails)|they (differ by 1%) of the largest component", r"\1\2", where)
    return named == right and (above(kept, s.left) if kept else s.left == 0) and s.left <= 0.5


def counted(count: str, text: str, singular: str, plural: str) -> bool:
    """Whether a text has this many of what has a singular and a plural."""
    return text == (singular if digits(count) == 1 else plural)


def of_one_or_many(names: tuple[str, str]) -> str:
    return "({}|{})".format(*names)


def underflows(s: Pairs, count: str, total: str, _: str, size: str, dtype: str) -> bool:
    smallest = torch.finfo(getattr(torch, s.experiment.dtype)).smallest_normal
    low = [
        vector
        for vector in s.vectors
        if any(0 < vector.path_sums[k] < smallest for k in vector.far)
    ]
    return (
        digits(count) == len(low) > 0
        and digits(total) == len(s.vectors)
        and near(size, smallest)
        and dtype == s.experiment.dtype
    )


def noise(s: Pairs) -> bool:
    """Whether all that differs are gradients that are exactly 0."""
    return softmax(s) and not any(
        v.differences.any() and np.abs(v.exact).max() > 1e-9 for v in s.vectors
    )


def softmax(s: Any) -> bool:
    return s.experiment.output_activation == "softmax"


def units_of(s: Pairs, exponent: str) -> bool:
    return read(f"10{exponent}") == 10 ** np.log2(
        torch.finfo(getattr(torch, s.experiment.dtype)).eps / 2
    )


def all_pass(s: Pairs, dtype: str, rtol: str, atol: str, where: str | None) -> bool:
    tolerances = default_tolerances(getattr(torch, dtype))
    return (
        s.failing == 0
        and dtype == s.experiment.dtype
        and (float(rtol), float(atol)) == tolerances
        and bool(where) == (s.finite < s.components)
    )


def some_fail(
    s: Pairs,
    dtype: str,
    rtol: str,
    atol: str,
    count: str,
    total: str,
    _: str,
    limit: str,
    where: str,
) -> bool:
    with_it = all(vector.passes(rtol=0, atol=float(limit)) for vector in s.vectors)
    return (
        digits(count) == s.failing > 0
        and digits(total) == len(s.vectors)
        and with_it
        and dtype == s.experiment.dtype
    )


def of_pairs(
    components: tuple[str, str],
    vectors: tuple[str, str],
    first: str,
    second: str,
    where: str = r"(, wherever both sides are finite)?",
) -> list[Claim]:
    """What the verdict may say of these, by their names, of one and of many.

    `where` has a group that is there if not all are finite.
    """
    tested = r"In a test, {} {{}} with its defaults for (\w+), rtol={} and atol={}".format(
        CHECK, *[r"([\d.e-]+)"] * 2
    )
    count_of = rf"([\d,]+) {of_one_or_many(components)}"
    checks = rf"([\d,]+) {of_one_or_many(vectors)}"
    return [
        (r"Cannot be said yet: nothing is measured\.", lambda s: not s.vectors),
        (
            r"Cannot be said: no component is finite on both sides\.",
            lambda s: s.vectors and not s.finite,
        ),
        (
            r"Cannot be said: no bound below S is proved\.",
            lambda s: s.units > 64 and None in s.bounds,
        ),
        (
            r"In float64 rounding shrinks and a bug stays\.",
            lambda s: s.units > 64 and None in s.bounds and s.experiment.dtype != "float64",
        ),
        (
            r"A rounding unit is 2([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+) of the sizes of all terms together, and "
            r"what underflow may lose\.",
            units_of,
        ),
        (
            rf"No sign of one: nothing differs in {count_of} with finite values\.",
            lambda s, count, name: (
                digits(count) == s.finite and counted(count, name, *components) and not s.different
            ),
        ),
        (
            rf"No sign of one: terms cancel\. Where (.+?), (?:at most {SHARE}|nothing) of S is "
            rf"left\.",
            lambda s, where, kept: cancels(
                s, where.replace(f"component of their {vectors[0]}", "component"), kept
            ),
        ),
        (
            rf"No sign of one: underflow\. In ([\d,]+) of {checks} the terms of a component with "
            rf"a large "
            rf"difference add up, by size, to less than {NUMBER}, the smallest normal (\w+)\.",
            underflows,
        ),
        (
            rf"No sign of one: rounding\. In {checks} the difference is at most {SHARE} of the "
            rf"largest "
            rf"component of its {vectors[0]}\.",
            lambda s, count, name, size: (
                digits(count) == len(s.vectors)
                and counted(count, name, *vectors)
                and s.of_rounding
                and above(size, s.relative)
                and (s.left is None or s.left > 0.5)
            ),
        ),
        (
            rf"They differ by {NUMBER} rounding units at most\.",
            lambda s, units: above(units, s.units * (1 - 1e-9)) and None in s.bounds,
        ),
        (
            rf"They differ by {NUMBER} rounding units at most, of the {NUMBER} that rounding is "
            rf"proved to allow\.",
            lambda s, units, bound: (
                above(units, s.units * (1 - 1e-9))
                and s.units <= max(s.bounds)
                and near(bound, max(s.bounds))
            ),
        ),
        (
            rf"Both gave the same values in {count_of}\.",
            lambda s, n, name: (
                digits(n) == s.finite and counted(n, name, *components) and not s.different
            ),
        ),
        (
            rf"Of {count_of}, {first} is closer in {SHARE}, {second} in {SHARE}; {SHARE} tie\.",
            lambda s, n, name, *shares: (
                counted(n, name, *components) and counts_of_closer(s, n, *shares)
            ),
        ),
        (rf"Undecided: {SHARE}\.", lambda s, text: text == share(s.closer(3), s.judged)),
        (r"None of them has been judged\.", lambda s: s.judged == 0),
        (tested.format("passes") + rf"{where}\.", all_pass),
        (
            tested.format("fails")
            + rf", in ([\d,]+) of {checks}, in one order of its arguments or in both\. It passes "
            rf"with rtol=0 and atol=([\d.e+-]+){where}\.",
            some_fail,
        ),
        (
            rf"Look into it: in {count_of} the difference is more than rounding is proved to "
            rf"allow, up to {NUMBER} "
            r"rounding units\.",
            lambda s, n, name, units: (
                digits(n) == s.over > 0 and near(units, s.units) and counted(n, name, *components)
            ),
        ),
        (r"A bug, or code that rounds more often\.", lambda s: s.over > 0),
        (
            r"If you need its digits, compute in more precision\.",
            lambda s: s.different and s.left and not noise(s),
        ),
        (
            r"If you need its digits, compute in a dtype that reaches smaller numbers\.",
            lambda s: s.different and not softmax(s),
        ),
        (
            r"Look for the cause first: a tolerance would hide it\.",
            lambda s: s.over or s.units > 64,
        ),
        (r"Nothing to remove: no difference was seen\.", lambda s: not s.different),
    ]


def rows_are_summed(s: Pairs, outputs: str, times: str) -> bool:
    each = [
        torch.isclose(v.second.double(), int(times) * v.first.double(), rtol=0.05, atol=1e-3)
        for v in s.vectors
    ]
    return int(outputs) == int(times) == s.experiment.outputs and all(
        close[v.finite].all() for close, v in zip(each, s.vectors, strict=True)
    )


def adds_last(s: Pairs) -> bool:
    """Whether the Jacobian's rows are added after a hidden layer, in reverse mode."""
    return (
        s.experiment.outputs > 1
        and bool(s.experiment.hidden)
        and "forward" not in METHODS[s.experiment.method].mode
    )


def share_differs(s: Pairs, text: str, some: str | None) -> bool:
    return text == share(s.different, s.finite) and bool(some) == (s.finite < s.components)


def same_function(s: Pairs) -> bool:
    """Whether both are equal in exact arithmetic; the rows of a softmax add up to 0."""
    method = s.experiment.method
    if softmax(s):
        return True
    return {"finite-difference": linear(s), "single-call": s.experiment.outputs == 1}.get(
        method, True
    )


def linear(s: Pairs) -> bool:
    return {
        s.experiment.output_activation,
        *[s.experiment.activation] * bool(s.experiment.hidden),
    } == {"identity"}


def referenced(s: Pairs) -> int:
    return sum(not np.isnan(vector.exact[0]) for vector in s.vectors)


def lean(s: Pairs, mean: str, samples: str, *ends: str) -> bool:
    """The intervals have tests of their own."""
    backward, jacobian = s.closer(0), s.closer(1)
    low, high = (read(text.rstrip("%")) / 100 for text in ends)
    exact = (backward - jacobian) / (backward + jacobian)
    near_mean = abs(read(mean.rstrip("%")) / 100 - exact) <= 0.00051
    return (
        near_mean
        and low <= exact + 0.0005
        and exact <= high + 0.0005
        and int(samples) == referenced(s)
    )


def references(s: Pairs, count: str, certified: str) -> bool:
    by_balls = int(certified)
    wide = s.experiment.dtype == "float64"
    return int(count) == referenced(s) and (
        by_balls == int(count) if wide else by_balls <= int(count)
    )


ZERO = r"The exact gradient is 0, since the outputs of softmax add up to 1\."
COMPONENTS = ("component", "components")
DISCREPANCY: list[Claim] = [
    *of_pairs(COMPONENTS, ("sample", "samples"), r"`backward\(\)`", "the Jacobian"),
    (r"Rounding, no sign of a bug:", lambda s: same_function(s) and s.different and s.of_rounding),
    (r"Two ways to one gradient:", same_function),
    (r"Not the same function:", lambda s: not same_function(s)),
    (
        r"(?:do they agree, and if not, how far apart are they\?|nothing is measured yet\.)",
        lambda s: not s.vectors,
    ),
    (r"no component is finite on both sides\.", lambda s: s.vectors and not s.finite),
    (
        r"none of the (finite )?components differs\.",
        lambda s, some: s.finite and not s.different and bool(some) == (s.finite < s.components),
    ),
    (
        rf"{SHARE} of the (finite )?components differ, by at most {SHARE} of their sample's "
        r"largest\.",
        lambda s, text, some, size: (
            share_differs(s, text, some) and above(size, s.relative) and same_function(s)
        ),
    ),
    (
        rf"{SHARE} of the (finite )?components differ\.",
        lambda s, text, some: share_differs(s, text, some) and not same_function(s),
    ),
    (r"They are not the same function\.", lambda s: not same_function(s)),
    (
        r"Each row of a single call is the sum of all (\d+) rows, so their sum is (\d+) times the "
        r"gradient: the "
        r"pitfall\.",
        rows_are_summed,
    ),
    (
        r"Finite differences approximate the gradient: their step truncates, and their difference "
        r"cancels\.",
        lambda s: s.experiment.method == "finite-difference" and not linear(s),
    ),
    (
        r"The difference quotient cancels, which magnifies rounding\.",
        lambda s: s.experiment.method == "finite-difference" and s.different,
    ),
    (ZERO, softmax),
    (r"What differs is noise\.", lambda s: softmax(s) and s.different),
    (
        rf"No sign of one\. {ZERO} All that is shown is the noise that rounding leaves, {NUMBER} "
        rf"apart at most\.",
        lambda s, size: softmax(s) and above(size, s.largest),
    ),
    (
        r"Exactly 0 is right\.",
        lambda s: softmax(s) and all(np.abs(v.exact).max() < 1e-9 for v in s.vectors),
    ),
    (
        r"Rounding makes the order matter: in (\w+), `3\*\(0\.1 \+ 0\.7\) != 3\*0\.1 \+ 3\*0\.7`\.",
        lambda s, dtype: (
            dtype == s.experiment.dtype and not softmax(s) and (s.different or not s.finite)
        ),
    ),
    (
        r"Whatever was rounded on the way, the results are equal\.",
        lambda s: s.finite and not s.different and same_function(s),
    ),
    (r"`backward\(\)` adds, then multiplies; the Jacobian multiplies, then adds\.", adds_last),
    (
        r"`backward\(\)` starts at the outputs, forward mode at the inputs\.",
        lambda s: s.experiment.method in ("jacfwd", "functional-forward") and s.experiment.hidden,
    ),
    (r"`backward\(\)`, but for rounding\.", lambda s: not same_function(s) and not softmax(s)),
    (
        r"Ask for one row per call, or use `is_grads_batched=True` with the identity matrix\.",
        lambda s: s.experiment.method == "single-call" and s.experiment.outputs > 1,
    ),
    (
        r"Use autograd\. `torch\.autograd\.gradcheck` compares it with finite differences, in "
        r"float64\.",
        lambda s: s.experiment.method == "finite-difference",
    ),
    (
        r"The `jacobian` of `net\(x\)\.sum\(\)` usually gives equal values\.",
        lambda s: s.different and s.experiment.method != "summed-output",
    ),
]
SIGNED = r"([+−]?[\d.]+%)"
DISCREPANCY += [
    (
        rf"Where one of the two is closer, the share of `backward\(\)` minus the share of the "
        rf"Jacobian is {SIGNED}\. The 95% interval of this difference, over (\d+) samples, goes "
        rf"from {SIGNED} to {SIGNED}\. An interval that contains 0 does not tell them apart\.",
        lean,
    ),
    (
        r"Samples with a reference: (\d+)\. Ball arithmetic \(Arb\) judged (\d+) of them, float64 "
        r"with "
        r"an error bound the others\.",
        references,
    ),
    (
        r"A rounding unit is u times the sizes of all terms together, plus what underflow may "
        r"lose; u is half the distance from 1 to the next (\w+)\.",
        lambda s, dtype: s.judged and dtype == s.experiment.dtype,
    ),
    (
        r"The bound counts the roundings of every operation\. A difference above it has another "
        r"cause: a bug, or a kernel, PyTorch's code for one operation, that rounds more often\. A "
        r"difference below it does not prove that there is no bug, only that rounding is enough\.",
        lambda s: all(vector.bound is not None for vector in s.vectors),
    ),
]
STATES = {
    None: ["finished"],
    "server full: this page keeps asking": ["refused"],
    "starting": ["starting"],
    "paused": ["paused"],
}
RUNS: list[Claim] = [
    *DISCREPANCY,
    (
        r"([\d,]+) of ([\d,]+) samples(?: · (.+))?",
        lambda s, done, total, state: (
            digits(done) == len(s.vectors)
            and digits(total) == SAMPLES
            and s.run in STATES.get(state, ["at work"])
        ),
    ),
    (
        r"The computation failed: the device ran out of memory\. Narrower layers or fewer outputs "
        r"need less\.",
        lambda s: s.run == "failed",
    ),
]
OF_A_BATCH: list[Claim] = [
    (
        r"Alone, or in a batch of (\d+): do outputs and gradients have the same bits\?",
        lambda s, size: not s.vectors,
    ),
    (
        rf"Alone, or in a batch of \d+: {SHARE} of outputs and {SHARE} of gradient components "
        rf"differ\.",
        lambda s, *texts: list(texts) == [share(*of) for of in apart(s)],
    ),
    (r"All outputs or all gradients are infinite or NaN\.", lambda s: not all(finite_of(s))),
    (
        r"A different batch size can run a different kernel, code that may add the same numbers in "
        r"another order\.",
        lambda s: True,
    ),
    (rf"{ZERO[:-2]}: its bits are noise\.", lambda s: softmax(s) and apart(s)[1][0]),
    (
        r"A row's place or its neighbours in the batch change its bits, too: padding to one size "
        r"is not enough\.",
        lambda s: s.moves and s.different,
    ),
    (
        r"For the same bits, pad to one size: no row's place (and no neighbours )?mattered here\.",
        lambda s, neighbours: s.different and not s.moves,
    ),
]
BATCH: list[Claim] = [
    *OF_A_BATCH,
    *of_pairs(
        ("output or gradient component", "outputs and gradient components"),
        ("vector", "vectors of outputs or gradients"),
        "alone",
        "the batch",
    ),
    (
        rf"No sign of one\. {ZERO} All that is shown is the noise that rounding leaves, {NUMBER} "
        rf"apart at most\.",
        lambda s, size: noise(s) and s.different and above(size, s.largest),
    ),
    (r"Exactly 0 is right\.", lambda s: noise(s) and s.different),
]


def is_beside_noise(s: Pairs) -> bool:
    """Whether outputs differ, and a gradient that is exactly 0."""
    return softmax(s) and all(part.different for part in parts_of(s))


def parts_of(s: Pairs) -> tuple[Pairs, Pairs]:
    """The outputs and the gradients of a state."""
    return tuple(replace(s, vectors=s.vectors[i::2], bounds=s.bounds[i:][:1]) for i in (0, 1))


def of_outputs(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda s, *groups: right(parts_of(s)[0], *groups)


BESIDE_NOISE: list[Claim] = [
    *OF_A_BATCH,
    *(
        (pattern, of_outputs(right))
        for pattern, right in of_pairs(
            ("output", "outputs"),
            ("vector of outputs", "vectors of outputs"),
            "alone",
            "the batch",
            ", for the outputs( that are finite on both sides)?",
        )
    ),
    (
        r"For the gradient, exactly 0 is right\.",
        lambda s: all(np.abs(v.exact).max() < 1e-9 for v in parts_of(s)[1].vectors),
    ),
    (
        rf"For the gradient, rtol=0 and atol={NUMBER} pass"
        r"(, wherever both gradients are finite)?\.",
        lambda s, atol, where: (
            above(atol, parts_of(s)[1].largest)
            and bool(where) == (parts_of(s)[1].finite < parts_of(s)[1].components)
            and all(v.passes(rtol=0, atol=float(atol)) for v in parts_of(s)[1].vectors)
        ),
    ),
]
"""What is said where the outputs are judged by themselves, since the gradient is noise."""


def apart(s: Pairs) -> list[tuple[int, int]]:
    """How many outputs and how many components of the gradient differ, and of how many: NaN
    equals NaN here."""
    found = []
    for of in (s.vectors[::2], s.vectors[1::2]):
        alike = [(v.first == v.second) | v.first.isnan() & v.second.isnan() for v in of]
        found.append((sum(int((~same).sum()) for same in alike), sum(len(same) for same in alike)))
    return found


def finite_of(s: Pairs) -> list[bool]:
    return [any(vector.finite.any() for vector in of) for of in (s.vectors[::2], s.vectors[1::2])]


def hold(state: Any, claims: Sequence[Claim], made: set[str]) -> None:
    """Read a text sentence by sentence."""
    rest = state.text
    while rest:
        found = [
            (claim, match) for claim in claims if (match := re.match(claim[0] + r"(?: |$)", rest))
        ]
        assert found, f"no claim: {rest}\n{state.experiment.query}"
        (pattern, right), match = max(found, key=lambda pair: pair[1].end())
        assert right(state, *match.groups()), (
            f"false: {match[0]}\n{state.experiment.query}\n{state}"
        )
        made.add(pattern)
        rest = rest[match.end() :]


def experiments(count: int, seed: int, **fixed: object) -> Iterator[Experiment]:
    """Experiments with a network of every shape, dtype, activation and method, small enough to
    be run at once."""
    draw = random.Random(seed)
    for number in range(count):
        fields = {
            "inputs": draw.choice([1, 2, 5, 7]),
            "hidden": draw.choice([(), (3,), (10,), (33,), (6, 4), (64, 64)]),
            "outputs": draw.choice([1, 1, 2, 3, 8]),
            "activation": draw.choice(list(choices.ACTIVATIONS)),
            "output_activation": draw.choice([*choices.OUTPUT_ACTIVATIONS, "identity", "softmax"]),
            "dtype": list(choices.DTYPES)[number % 4],
            "method": list(METHODS)[number % len(METHODS)],
            "evaluation": draw.choice(list(choices.EVALUATIONS)),
            "distribution": draw.choice(list(choices.DISTRIBUTIONS)),
            "seed": draw.randrange(1000),
            "samples": draw.choice([1, 2, SAMPLES]),
        }
        yield Experiment(**fields | fixed)


def pieces(study: Any, experiment: Experiment) -> Iterator[Any]:
    """What a study measures, slice by slice, as short as they come."""
    number = 0
    while number < experiment.samples:
        yield (measured := study.measure(number, NOW))
        number += len(measured)


def of_the_first_tab(experiment: Experiment, tally: Any, vectors: list[Vector]) -> Pairs:
    found = of_discrepancy.facts(tally, experiment)
    texts = [said(getattr(of_discrepancy, name), found) for name in FIRST_TAB]
    cards = [found.cards.bug, found.cards.right, found.cards.remedy]
    assert all(texts[:2] + cards), experiment.query
    assert len(re.findall(r"\S*\w\S*", " ".join(texts[:2]))) <= 40, experiment.query
    return Pairs(
        experiment,
        tuple(vectors),
        " ".join(filter(None, texts + cards)),
        (telling(vectors[0].bound, experiment) if vectors else None,),
    )


ONE_WAY = [
    Experiment(dtype="bfloat16", samples=SAMPLES, **fields)
    for fields in (
        {
            "outputs": 8,
            "activation": "leaky_relu",
            "method": "functional-forward",
            "evaluation": "batched",
            "seed": 818,
        },
        {
            "hidden": (33,),
            "outputs": 1,
            "activation": "tanh",
            "output_activation": "elu",
            "method": "jacfwd",
        }
        | {"evaluation": "batched", "seed": 466},
        {
            "inputs": 7,
            "hidden": (6, 4),
            "outputs": 1,
            "activation": "gelu",
            "output_activation": "softplus",
        }
        | {"method": "functional-forward", "seed": 804},
    )
]
"""`assert_close` fails in one order of its arguments and passes in the other, on the machine
where they were found."""


def states_of_discrepancy() -> Iterator[Pairs]:
    deep = Experiment(
        dtype="float16",
        outputs=2,
        hidden=(1,) * 6,
        inputs=1,
        activation="sigmoid",
        seed=5,
        samples=1,
    )
    straight = Experiment(
        hidden=(), output_activation="identity", method="finite-difference", samples=1
    )
    blind = Experiment(method="finite-difference", step=-60, samples=SAMPLES)
    known = [
        deep,
        straight,
        blind,
        Experiment(output_activation="softmax", method="summed-output", samples=1),
        *ONE_WAY,
    ]
    for experiment in [*known, *experiments(80, 1)]:
        study, tally, vectors = Discrepancy(experiment), Discrepancy.empty, []
        yield of_the_first_tab(experiment, tally, vectors)
        for measured in pieces(study, experiment):
            tally, vectors = tally + study.tally(measured), vectors + vectors_of(measured)
            yield of_the_first_tab(experiment, tally, vectors)
    for experiment in experiments(8, 3, evaluation="batched", samples=SAMPLES, method="copies"):
        yield from doctored(experiment)
        yield from doctored(replace(experiment, method="functional"))


class Failing(Discrepancy):
    """A study for whose second slice there is no memory."""

    def measure(self, number: int, deadline: float) -> Pair:
        if number:
            raise MemoryError
        return super().measure(number, deadline)


def states_of_runs() -> Iterator[Pairs]:
    """What the first tab says beside its progress in every state of a run."""
    for experiment in experiments(
        12, 4, evaluation="per-sample", samples=SAMPLES, method="functional"
    ):
        for kind, slices in {
            "refused": 0,
            "starting": 0,
            "at work": 2,
            "paused": 1,
            "failed": 2,
            "finished": 9,
        }.items():
            study = Failing if kind == "failed" else Discrepancy
            run = (
                Runs(most_runs=0).request(study, experiment)
                if kind == "refused"
                else Run(study, experiment)
            )
            for _ in range(slices):
                run.advance(NOW)
            measured = list(
                islice(
                    pieces(Discrepancy(experiment), experiment), 1 if kind == "failed" else slices
                )
            )
            shown = of_the_first_tab(
                experiment, run.tally, [vector for of in measured for vector in vectors_of(of)]
            )
            state = run.rate, kind == "paused", run.refused
            told = "" if run.error else progress(run.tally.samples, SAMPLES, "samples", *state)
            yield replace(
                shown, run=kind, text=" ".join(filter(None, (shown.text, run.error, told)))
            )


def doctored(experiment: Experiment) -> Iterator[Pairs]:
    """States that no network of this size reaches: results that are infinite, NaN or far off."""
    net, x = network.build(experiment), sampling.block(experiment, 0)[:SAMPLES]
    backward, saved = backward_and_saved(net, x)
    judge = Judge(experiment).turned_to(net, x)
    unit = torch.from_numpy(judge.judge(0, Pair(0, 0, 0, x, backward, backward), saved).judged.unit)
    hole = torch.full_like(backward, nan).where(
        torch.arange(backward.numel()).view_as(backward) % 3 == 0, backward
    )
    near = backward * (1 + 2 * torch.finfo(backward.dtype).eps)
    off = (backward.double() + 1e5 * unit).to(backward.dtype)
    for second in (
        hole,
        torch.full_like(backward, inf),
        off,
        off.where(hole.isnan(), backward),
        near.where(~hole.isnan(), hole),
    ):
        gradients = judge.judge(0, Pair(0, 0, 0, x, backward, second.contiguous()), saved)
        yield of_the_first_tab(experiment, Discrepancy.tally(gradients), vectors_of(gradients))


def telling(bound: float | None, experiment: Experiment) -> float | None:
    """A bound that is below S itself."""
    return (
        bound
        if bound is not None and bound * torch.finfo(getattr(torch, experiment.dtype)).eps / 2 < 1
        else None
    )


def states_of_batches() -> Iterator[Pairs]:
    wide = Experiment(inputs=7, hidden=(64, 64), outputs=8, samples=SAMPLES)
    softmax, linear = (
        replace(wide, output_activation="softmax"),
        replace(wide, activation="identity", seed=5),
    )
    linear = replace(linear, output_activation="identity", inputs=10)
    noisy = replace(softmax, samples=8)
    cancelling = replace(linear, samples=8)  # as if its gradient were 0: that of a softmax
    shuffled = Experiment(
        inputs=2, hidden=(33,), outputs=3, activation="sigmoid", output_activation="relu", seed=112
    )
    shuffled = replace(
        shuffled, dtype="float64", samples=70
    )  # whose bits depend on the order, not on the place
    known = [
        *(noisy, softmax, linear, cancelling, shuffled),
        Experiment(samples=SAMPLES, hidden=(33, 10)),
    ]
    for experiment in [*known, *experiments(3, 2)]:
        study = Batch(noisy if experiment is cancelling else experiment)
        (measured,) = pieces(study, study.experiment)
        if experiment is noisy:
            measured = with_equal_outputs(measured)
        for known in (False, True):
            tally = study.tally(measured) if known else Batch.empty
            for size in SIZES if known else SIZES[:1]:
                both = [
                    measured.of(quantity, size)
                    for quantity in ("output", "gradient")
                    if known and has(measured, size)
                ]
                found = findings.facts(tally, experiment, size)
                texts = [said(rows, found) for rows in (findings.HEADLINE, findings.REASON)]
                vectors = tuple(
                    v for pair in zip(*map(vectors_of, both), strict=True) for v in pair
                )
                yield Pairs(
                    experiment,
                    vectors,
                    " ".join([*texts, found.cards.remedy, found.cards.bug, found.cards.right]),
                    tuple(telling(of.judged.bound_units, experiment) for of in both),
                    moves=any(
                        changed(measured, size, how, of)[0]
                        for how in ("place", "neighbours", "order")
                        for of in ("output", "gradient")
                        if both
                    ),
                )


def with_equal_outputs(measured: Any) -> Any:
    """The same, but for outputs that a batch never changes."""
    one = measured.judged["output", 1]
    same = {
        ("output", n): one
        for (of, n), pair in measured.judged.items()
        if of == "output" and len(pair) == len(one)
    }
    return replace(measured, judged=measured.judged | same)


def has(measured: Any, size: int) -> bool:
    return (size, "") in measured.given


def changed(measured: Any, size: int, condition: str, quantity: str) -> tuple[int, int]:
    """How many components a condition changes in batches of a size, and of how many."""
    if (size, condition) not in measured.given:
        return 0, 0
    pair = measured.of(quantity, size, condition)
    alike = (pair.first == pair.second) | pair.first.isnan() & pair.second.isnan()
    return int((~alike).sum()), alike.numel()


@dataclass(frozen=True)
class Derivatives:
    """The derivatives at some x by autograd and by each formula, the exact ones, and what the
    tab says of them."""

    experiment: Experiment
    x: tuple[float, ...]
    computed: dict[str, list[float]]
    formula: str
    text: str

    @cached_property
    def exact(self) -> list[Fraction | None]:
        return [exact_derivative(self.experiment, x) for x in self.x]

    @cached_property
    def nearest(self) -> list[float]:
        return [
            nan if exact is None else oracles.rounded(exact, self.experiment.dtype)
            for exact in self.exact
        ]

    @property
    def known(self) -> list[int]:
        return [i for i, exact in enumerate(self.exact) if exact is not None]

    @property
    def both(self) -> tuple[list[float], list[float]]:
        return self.computed["autograd"], self.computed[self.formula]

    def errors(self, name: str) -> dict[int, Fraction]:
        of = self.computed[name]
        finite = (i for i in self.known if isfinite(of[i]) and isfinite(self.nearest[i]))
        return {
            i: oracles.ulps_off(Fraction(of[i]), self.exact[i], self.experiment.dtype)
            for i in finite
        }

    @property
    def apart(self) -> int:
        one, other = self.both
        return sum(one[i] != other[i] for i in self.known)

    def right(self, name: str) -> int:
        return sum(self.computed[name][i] == self.nearest[i] for i in self.known)

    @property
    def shares_right(self) -> dict[str, str]:
        names = {"Autograd": "autograd", on_paper(self.formula): self.formula}
        return {label: share(self.right(name), len(self.known)) for label, name in names.items()}

    def mistaken(self, name: str) -> int:
        """How often a value is 0, infinite, NaN or finite by mistake."""
        pairs = [(self.computed[name][i], self.nearest[i]) for i in self.known]
        return sum(
            isfinite(a) != isfinite(b) or a != a or (a == 0 != b) or (a != b and not isfinite(a))
            for a, b in pairs
        )

    @property
    def wrong(self) -> bool:
        return self.experiment.df in ("3*x", "2*x+1e-30")

    @property
    def sides(self) -> list[torch.Tensor]:
        dtype = getattr(torch, self.experiment.dtype)
        return [
            torch.tensor([of[i] for i in self.known], dtype=torch.float64).to(dtype)
            for of in self.both
        ]

    def passes(self, **tolerance: float) -> bool:
        return close_both_ways(*self.sides, **tolerance)

    @property
    def failing(self) -> int:
        one, other = self.sides
        tolerances = default_tolerances(one.dtype)
        close = torch.isclose(one, other, *tolerances) & torch.isclose(other, one, *tolerances)
        return int((~close & one.isfinite() & other.isfinite()).sum())

    def relative(self, name: str) -> dict[int, float]:
        """The errors of finite values that are not the nearest floats, relative to the
        derivative, by x."""
        of = self.computed[name]
        off = (i for i in self.errors(name) if of[i] != self.nearest[i])
        pairs = {i: (abs(Fraction(of[i]) - self.exact[i]), abs(self.exact[i])) for i in off}
        return {
            i: float(error / exact) if error < 10**300 * exact else inf
            for i, (error, exact) in pairs.items()
        }


OWN: dict[str, Callable[[Any], Any]] = {"x**2": lambda x: 2 * x, "x-x*x/x": lambda x: 0 * x}
"""The derivatives of visitors' functions where they exist: not at 0 of the second, and nowhere
of others."""


def exact_derivative(experiment: Experiment, x: float) -> Fraction | None:
    if (
        experiment.function in ("sqrt", "log")
        and x <= 0
        or experiment.function in AT_0
        and x == 0
        and not experiment.f
    ):
        return None
    if experiment.f and (experiment.f not in OWN or experiment.f == "x-x*x/x" and x == 0):
        return None
    with mpmath.workprec(700):
        function = OWN[experiment.f] if experiment.f else oracles.DERIVATIVES[experiment.function]
        return oracles.as_fraction(mpmath.mpf(function(mpmath.mpf(x))))


AT_0 = ("reciprocal", "ones-over-x", "abs", "relu")


def largest_error(s: Derivatives, kind: str, count: str, dtype: str, part: str, x: str) -> bool:
    off = [s.relative(name) for name in ("autograd", s.formula)]
    worst = max(error for errors in off for error in errors.values())
    at = (
        torch.tensor(float(x.replace("−", "-")), dtype=torch.float64)
        .to(getattr(torch, dtype))
        .item()
    )
    there = [error for errors in off for i, error in errors.items() if s.x[i] == at]
    return (
        digits(count) == len(s.known)
        and dtype == s.experiment.dtype
        and (kind == "Rounding") == (worst <= 32 * torch.finfo(getattr(torch, dtype)).eps)
        and max(there) >= worst * (1 - 1e-6)
        and (worst >= 1 if part == "at least 100%" else above(part, worst))
    )


def right_more_often(s: Derivatives, better: str, more: str, less: str) -> bool:
    """Whether the named side is right more often, and the shares are those of both sides."""
    names = {"Autograd": "autograd", on_paper(s.formula): s.formula}
    (other,) = names.keys() - {better}
    shares = s.shares_right[better], s.shares_right[other]
    return s.right(names[better]) > s.right(names[other]) and shares == (more, less)


def disproved(s: Derivatives, x: str, derivative: str, formula: str, it: str) -> bool:
    at = Fraction(x.replace("−", "-"))
    by_hand = {"3*x": 3 * at, "2*x+1e-30": 2 * at + Fraction("1e-30")}[s.experiment.df]
    texts = [Fraction(text.replace("−", "-")) for text in (it, derivative)]
    return (
        s.wrong
        and formula == s.experiment.df
        and abs(texts[0] - by_hand) < Fraction("1e-9")
        and abs(texts[1] - 2 * at) < Fraction("1e-9")
    )


def same_by_hand(s: Derivatives, listed: str) -> bool:
    autograd = s.computed["autograd"]
    alike = [
        n
        for n, of in s.computed.items()
        if n != "autograd" and all(of[i] == autograd[i] for i in s.known)
    ]
    return (
        listed == re.sub(", ([^,]*)$", r" and \1", ", ".join(map(on_paper, alike)))
        or len(alike) > 1
        and all(on_paper(name) in listed for name in alike)
    )


def fails(s: Derivatives, count: str, total: str, rtol: str, atol: str, where: str | None) -> bool:
    """Whether the defaults fail so often, and the other tolerance passes."""
    known = digits(count) == s.failing > 0 and digits(total) == len(s.known)
    return known and passes(s, where, rtol=float(rtol), atol=float(atol))


def passes(s: Derivatives, where: str | None, **tolerance: float) -> bool:
    """Whether it does, and "where the derivative exists" is said if there are other x."""
    return s.passes(**tolerance) and bool(where) == (len(s.known) < len(s.x))


LETTERS = {
    **dict.fromkeys(("reciprocal", "sqrt", "exp", "tanh", "sigmoid", "relu"), "y"),
    "gelu": "p",
}
"""The letter in the formula that PyTorch uses for a function."""

EXISTS = "(, where the derivative exists)?"
DERIVATIVE: list[Claim] = [
    (r"Is autograd's derivative of .+ right\?", lambda s: not s.x),
    (
        r"The derivative of .+ is not known at any random x so far \(([\d,]+)\)\.",
        lambda s, n: digits(n) == len(s.x) and not s.known,
    ),
    (r"\S+ is not the derivative of x²\.", lambda s: s.wrong),
    (
        r"Autograd and \S+ agree at every random x so far \(([\d,]+)\)\.",
        lambda s, count: not s.apart and digits(count) == len(s.known) > 0 and not s.wrong,
    ),
    (
        rf"Autograd and \S+ differ for {SHARE} of x\.",
        lambda s, text: s.apart and text == share(s.apart, len(s.known)) and not s.wrong,
    ),
    (rf"(\S+) is right more often: {SHARE} against {SHARE}\.", right_more_often),
    (
        rf"They are right about equally often: {SHARE}\.",
        lambda s, text: s.apart and set(s.shares_right.values()) == {text},
    ),
    (rf"At x = {NUMBER} the derivative is {NUMBER}, but ` (\S+) ` gives {NUMBER}\.", disproved),
    (
        r"Right is the (\w+) nearest to the exact value\.",
        lambda s, dtype: dtype == s.experiment.dtype and "right" in s.text,
    ),
    (
        rf"Both give the (\w+) nearest to the exact value for {SHARE} of x\.",
        lambda s, dtype, text: (
            dtype == s.experiment.dtype and not s.apart and set(s.shares_right.values()) == {text}
        ),
    ),
    (r"They are different functions\.", lambda s: s.wrong),
    (r"At the random x so far, they do not\.", lambda s: not s.apart),
    (
        r"A step can also end at 0, infinity or NaN\.",
        lambda s: any(s.mistaken(name) for name in ("autograd", s.formula)),
    ),
    (
        r"In (\w+) each step rounds, and other steps round differently\.",
        lambda s, dtype: dtype == s.experiment.dtype and not s.wrong,
    ),
    (
        r"PyTorch computes ((?:[^.]|\.\d)+?)(?:, with (\w) = \S+)?\.",
        lambda s, rule, letter: (
            not s.experiment.f
            and letter == LETTERS.get(s.experiment.function)
            and "with" not in rule
        ),
    ),
    (
        r"PyTorch applies the chain rule, step by step backwards through f\.",
        lambda s: s.experiment.f,
    ),
    (r"Written by hand, (.+) gave the same values at every random x so far\.", same_by_hand),
    (
        r"No digit is right at some random x: autograd is 0, infinite, NaN or finite by mistake at "
        r"([\d,]+) of ([\d,]+) random x, "
        r"\S+ at ([\d,]+)\.",
        lambda s, first, total, second: (
            [digits(first), digits(second)]
            == [s.mistaken(name) for name in ("autograd", s.formula)]
            and digits(total) == len(s.known)
        ),
    ),
    (r"No tolerance makes another function the derivative\.", lambda s: s.wrong and s.apart),
    (
        r"A tolerance does not show that: look at the values\.",
        lambda s: any(s.mistaken(name) for name in ("autograd", s.formula)),
    ),
    (r"In floats it makes no difference so far\.", lambda s: s.wrong and not s.apart),
    (
        r"They are not the same function\. Ball arithmetic proves it\.",
        lambda s: s.wrong and s.text.count("the derivative is") <= 1,
    ),
    (
        r"(Rounding|Digits are lost on the way)\. Of the values at ([\d,]+) random x that are not "
        r"the nearest (\w+), "
        rf"the largest error is (.+?) of the exact derivative, at x = {NUMBER}\.",
        largest_error,
    ),
    (
        rf"In a test, {CHECK} passes with its defaults for \w+, rtol=\S+ and "
        rf"atol=[\d.e+-]+{EXISTS}\.",
        lambda s, where: not s.failing and passes(s, where),
    ),
    (
        rf"In a test, {CHECK} fails with its defaults for \w+, rtol=\S+ and atol=[\d.e+-]+, in "
        rf"([\d,]+) of ([\d,]+) random x, "
        rf"in one order of its arguments or in both\. It passes with rtol=([\d.e+-]+) and "
        rf"atol=([\d.e+-]+){EXISTS}\.",
        fails,
    ),
    (
        r"If you need its digits, compute in more precision\.",
        lambda s: s.apart or any(s.errors(s.formula).values()),
    ),
    (
        r"Every finite value at ([\d,]+) random x is the nearest (\w+)\.",
        lambda s, count, dtype: (
            digits(count) == len(s.known)
            and dtype == s.experiment.dtype
            and all(
                s.computed[name][i] == s.nearest[i]
                for name in ("autograd", s.formula)
                for i in s.errors(name)
            )
        ),
    ),
    (
        r"Cannot be said: no random x so far has a finite exact derivative\.",
        lambda s: not any(map(isfinite, s.nearest)),
    ),
    (r"Cannot be said yet: nothing is measured\.", lambda s: not s.x),
    (r"At the random x nothing can be compared so far\.", lambda s: not s.known),
]


def states_of_derivatives() -> Iterator[Derivatives]:
    draw = random.Random(5)
    own = [{"f": "x**2", "df": df} for df in ("2*x", "3*x", "2*x+1e-30")]
    own += [{"f": "x-x*x/x"}, {"f": "sqrt(-1-x*x)"}, {"function": "square", "df": "2*exp(log(x))"}]
    for number in range(100):
        name = draw.choice(list(FUNCTIONS))
        wide = name in ("reciprocal", "square", "sqrt", "abs", "relu")
        fields = {"function": name} if number % 5 else own[number // 5 % len(own)]
        experiment = Experiment(
            dtype=list(choices.DTYPES)[number % 4],
            x_from=draw.choice(["normal", "uniform", *["log-uniform"] * (wide or number % 5 == 0)]),
            seed=draw.randrange(99),
            samples=draw.choice([1, 2, 12]),
            **fields,
        )
        experiment = Experiment(samples=1, seed=number) if number < 8 else experiment
        experiment = replace(experiment, samples=12) if experiment.f == "x-x*x/x" else experiment
        study, tally = Derivative(experiment), Derivative.empty
        formula = experiment.df or draw.choice(FUNCTIONS[experiment.differentiated].formulas)
        for measured in [None, *pieces(study, experiment)]:
            tally = tally if measured is None else tally + study.tally(measured)
            found = of_derivative.facts_of(tally, formula, experiment)
            rows = ("HEADLINE", "REASON", "STEPS", "RULE")
            texts = [said(getattr(of_derivative, name), found) for name in rows]
            texts.append(found.verdict.matter)
            assert all(texts[:1] + texts[2:]), experiment.query
            text = " ".join(filter(None, texts))
            x = () if measured is None else tuple(measured.x.tolist())
            computed = (
                {} if measured is None else {n: of.tolist() for n, of in measured.computed.items()}
            )
            names = ("autograd", *FUNCTIONS[experiment.differentiated].formulas)
            yield Derivatives(experiment, x, {n: computed.get(n, []) for n in names}, formula, text)


@dataclass(frozen=True)
class Entries:
    """The rows of some samples, right ones and those of one call, how far off each entry is, NaN
    if it is not known."""

    experiment: Experiment
    right: np.ndarray
    single: np.ndarray
    right_off: np.ndarray
    single_off: np.ndarray
    text: str

    @property
    def several(self) -> bool:
        return self.experiment.outputs > 1

    @property
    def off(self) -> list[np.ndarray]:
        return [off[np.isfinite(off)] for off in (self.right_off, self.single_off)]

    @property
    def wrong(self) -> np.ndarray:
        right, single = self.off
        return single[single > 10 * right.max(initial=0)]


def alike(s: Entries) -> list[bool]:
    return [bool((rows == rows[:1]).all()) for rows in s.single]


def medians(s: Entries, text: str, single: str, right: str) -> bool:
    most = [float(np.median(of)) for of in (s.wrong, s.off[0])]
    part = (
        abs(
            float(text.rstrip("%").removeprefix("less than ").removeprefix("more than "))
            - 100 * len(s.wrong) / len(s.off[1])
        )
        <= 1
    )
    return part and all(starts(of, value) for of, value in zip((single, right), most, strict=True))


def starts(text: str, value: float) -> bool:
    """Whether a text has two digits of a median that is known to within 0.2%."""
    return abs(read(text) - value) <= 0.002 * value + 0.0501 * 10 ** np.floor(np.log10(value or 1))


PITFALL: list[Claim] = [
    (
        r"With one output, one call is right: there is nothing to add up\.",
        lambda s: not s.several and (s.right == s.single).all(),
    ),
    (
        r"One grad call for all rows: what does it return\?",
        lambda s: s.several and not s.right.size,
    ),
    (
        r"One grad call for all rows returns their sum in every row\.",
        lambda s: s.several and all(alike(s)) and s.right.size,
    ),
    (
        r"`grad\(\[y\[0\], y\[1\], …\], \[x, x, …\]\)` adds up the gradients of all outputs and "
        r"returns that sum for "
        r"every x\.",
        lambda s: (
            s.several and np.allclose(s.single, s.right.sum(1, keepdims=True), rtol=0.05, atol=0.01)
        ),
    ),
    (
        rf"No: {SHARE} of the entries of one call are wrong, off by {NUMBER}\. Right rows are off "
        rf"by {NUMBER} "
        r"\(medians\)\.",
        medians,
    ),
    (
        rf"It cannot be told here: the median error of one call is {NUMBER}, that of the right "
        rf"rows {NUMBER}\.",
        lambda s, *texts: not len(s.wrong) and all(map(starts, texts, map(np.median, s.off[::-1]))),
    ),
    (
        r"Cannot be said: no exact entry is known so far\.",
        lambda s: s.several and not s.off[0].size,
    ),
    (
        r"One call per row\. Or one call with `is_grads_batched=True` and the identity matrix as "
        r"`grad_outputs`\.",
        lambda s: s.several,
    ),
    (
        rf"All rows are equal in {SHARE} of ([\d,]+) sample(s?)\.",
        lambda s, text, n, plural: (
            digits(n) == len(s.right)
            and (n != "1") == bool(plural)
            and text == share(sum(alike(s)), len(s.right))
        ),
    ),
    (
        r"Equal rows are a warning sign, not a proof: right rows can be equal, too\.",
        lambda s: s.several,
    ),
    (r"With one row, there is nothing to notice\.", lambda s: not s.several),
]


def states_of_the_pitfall() -> Iterator[Entries]:
    for experiment in [
        *experiments(40, 6, method="functional"),
        Experiment(hidden=(1,), inputs=2, output_activation="relu", samples=20),
    ]:
        study, tally = Pitfall(experiment), Pitfall.empty
        arrays = [np.empty((0, experiment.outputs, experiment.inputs))] * 4
        for measured in [None, *pieces(study, experiment)]:
            if measured is not None:
                tally = tally + study.tally(measured)
                both = [rows.double().numpy() for rows in (measured.rows, measured.single)]
                new = [*both, *(np.abs(reduce(subtract, measured.exact, rows)) for rows in both)]
                arrays = [np.concatenate(pair) for pair in zip(arrays, new, strict=True)]
            found = of_pitfall.facts(tally, experiment)
            rows = ("HEADLINE", "REASON", "ROUNDING", "FIX", "NOTICE")
            text = " ".join(filter(None, (said(getattr(of_pitfall, name), found) for name in rows)))
            yield Entries(experiment, *arrays, text)


def check(states: Iterator[Any], claims: list[Claim], unmade: Sequence[str] = ()) -> None:
    made, count = set[str](), 0
    for state in states:
        hold(state, claims, made)
        count += 1
    never = [pattern for pattern, _ in claims if pattern not in made]
    assert [pattern for pattern in never if not any(text in pattern for text in unmade)] == []


def test_what_the_first_tab_says_is_true_in_every_state():
    check(states_of_discrepancy(), DISCREPANCY, ("None of them has been", "Undecided"))


def test_what_the_first_tab_says_is_true_when_its_run_is_paused_refused_or_failed():
    check(states_of_runs(), RUNS, [pattern for pattern, _ in DISCREPANCY])


RARE = (
    "None of them",
    "Cannot be said: no component",
    "Cannot be said: no bound",
    "In float64 rounding",
    "A bug, or",
    "Look",
    "All outputs or all",
    "Undecided",
    "fails with",
    "If you need",
    "padding to one",
    "underflow",
    "smaller numbers",
    "proved to allow",
)


def test_what_is_said_of_batches_is_true_in_every_state():
    states = list(states_of_batches())
    check((state for state in states if not is_beside_noise(state)), BATCH, RARE)
    beside_noise = [state for state in states if is_beside_noise(state)]
    elsewhere = ("do outputs and", "othing", "Both gave", "no row's place")
    check(iter(beside_noise), BESIDE_NOISE, (*RARE, *elsewhere))


def test_what_is_said_of_derivatives_is_true_in_every_state():
    check(states_of_derivatives(), DERIVATIVE)


def test_what_is_said_of_the_pitfall_is_true_in_every_state():
    check(states_of_the_pitfall(), PITFALL)


def closer_side(first: float, second: float, exact: Fraction | None) -> str:
    """What is right to say of a component."""
    if not (isfinite(first) and isfinite(second)):
        return "A value is infinite or NaN, so the two have no distance."
    sentences = [] if first != second else ["The two values are equal."]
    if exact is None:
        return " ".join([of_discrepancy.KINK, *sentences])
    first_error, second_error = (abs(Fraction(value) - exact) for value in (first, second))
    if first_error < second_error:
        sentences.append("`backward()` is closer to the exact value.")
    elif first_error > second_error:
        sentences.append("The Jacobian is closer to the exact value.")
    elif first != second:
        sentences.append("Both values are equally far from the exact value.")
    return " ".join(sentences)


VALUES = [(0.0, -0.0), (1.0, 2.0), (2.0, 1.0), (-3.0, 4.0), (3.0, 3.0), (inf, 1.0), (1.0, nan)]
EXACT = [None, *map(Fraction, (0, 1.5, 1.75, 10, 0.5))]


def test_what_is_said_of_a_component():
    """The values are whole numbers, which stand for places on the float line."""
    unknown = dict.fromkeys(field.name for field in fields(Component))
    for (first, second), exact in product(VALUES, EXACT):
        ulps = int(first - second) if isfinite(first) and isfinite(second) else None
        known = {"backward": first, "jacobian": second, "ulps": ulps}
        component = Component(**unknown | known | {"exact": exact, "radius": Fraction()})
        assert said(of_discrepancy.ENDS, component) == closer_side(first, second, exact)


@pytest.mark.parametrize(
    ("best", "rival", "outputs", "sentences"),
    [
        ("rows", "", 2, "**With 2 outputs, `rows` returns the rows fastest: in 100 µs.**"),
        (
            *("jacrev", "copies", 1),
            "**With 1 output, `jacrev` returns the rows fastest: in 100 µs.** "
            "As fast, as far as these timings tell: `copies`.",
        ),
    ],
)
def test_what_is_said_of_the_costs(best, rival, outputs, sentences):
    """What returns no rows takes no time, the rival hardly more than the best, all others more."""
    seconds = {name: 1e-3 if method.gives == "rows" else 1e-9 for name, method in METHODS.items()}
    seconds |= {best: 1e-4} | ({rival: 1.05e-4} if rival else {})
    rounds = [{name: t * share for name, t in seconds.items()} for share in (0.9, 1, 1.1)]
    facts = costs.facts(costs.times(rounds), Experiment(outputs=outputs))
    assert said(costs.COSTS, facts) == sentences


def test_no_sentence_is_left_out():
    """Every row at the top level of a module of `lib`, alone or in a tuple, list or dictionary."""
    sentences = set()
    for module in walk_packages(lib.__path__, "lib."):
        if not module.name.startswith("lib.page") and not module.name.endswith("__main__"):
            for value in vars(import_module(module.name)).values():
                sentences |= sentences_in(value)
    assert sentences == {row.text for rows in ROWS for row in rows}


def sentences_in(value: object) -> set[str]:
    if isinstance(value, Sentence):
        return {value.text}
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | tuple | list):
        return set()
    return {text for part in parts for text in sentences_in(part)}
