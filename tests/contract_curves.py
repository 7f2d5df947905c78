"""The contract of what is said of the studies with a curve for each dtype: their states, made up, and their tables.

These are the finite differences by their step, and the lean against the number of outputs.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import inf, log2, log10

import torch

from lib.discrepancy import condition_sentences
from lib.discrepancy.verdict import VerdictTally
from lib.experiment.choices import DEVICES, EVALUATIONS
from lib.experiment.query import Experiment
from lib.reference.arb_gradient import VERDICTS
from lib.run.tally import ByName
from lib.variations import difference_sentences, lean_sentences
from lib.variations.differences import DifferencesTally, FiniteDifferences, StepTally, point_name, steps, subject
from lib.variations.lean import Lean, LeanTally
from lib.variations.lean import point_name as lean_point_name
from lib.variations.mechanisms import MECHANISMS, PLAIN
from tests.contract import Row, State, activations, always, has, no
from tests.contract_others import Said, Subject
from tests.states import CLASSES, FOUND, counted, experiments

LINEAR, KINKED = {"identity", "relu", "leaky_relu"}, {"relu", "leaky_relu"}

# The line of the condition number.


def lines() -> Said:
    for found in FOUND.values():
        yield State(Experiment(), found, {}), condition_sentences.line_claim(found.tally())


ON_THE_LINE = [
    Row("No component has a condition number.", has(lambda f: f.without == f.finite)),
    Row(
        "Of {n} components, {p} are on the dashed line or below.",
        lambda s: (
            s.number("n") == s.f.finite - s.f.without > 0
            and s.share("p", s.number("n") - s.f.above, s.f.finite - s.f.without)
        ),
    ),
]

# Finite differences.


@dataclass(frozen=True)
class Curve:
    """Errors that grow by 2 for each power of two that a step is off the `best`, where they are `lowest`.

    Of the samples, `without` have no gradient to speak of; of the others, `lost` give no numbers in steps up to
    `lost_to`. The last step of the last sample is yet to come where it is not `complete`.
    """

    samples: int = 5
    without: int = 0
    best: int | None = -8
    lowest: float = 3e-7
    lost: int = 0
    lost_to: float = -inf
    complete: bool = True

    @property
    def known(self) -> int:
        return self.samples - self.without

    def is_lost(self, dtype: str, step: int | None) -> bool:
        """Whether the median is among those that give no numbers: of two in the middle, it is the smaller error."""
        return exponent(dtype, step) <= self.lost_to and 2 * self.lost > self.known

    def error(self, dtype: str, step: int | None) -> float:
        if step == self.best:
            return self.lowest
        return max(self.lowest, 1e-9) * 2 ** (abs(exponent(dtype, step) - exponent(dtype, self.best)) + 0.5)

    def tally(self, experiment: Experiment) -> DifferencesTally:
        parts = {
            point_name(dtype, step): self.point(dtype, step)
            for dtype in (DEVICES[experiment.device].dtypes if self.samples else ())
            for step in steps(experiment, dtype)
        }
        if not self.complete and parts:
            last, point = parts.popitem()
            parts[last] = replace(point, samples=point.samples - 1)
        return DifferencesTally(ByName(parts))

    def point(self, dtype: str, step: int | None) -> StepTally:
        lost = self.lost if exponent(dtype, step) <= self.lost_to else 0
        error = self.error(dtype, step)
        histogram = StepTally.of((error, error, error)).errors
        found = [replace(histogram, counts=histogram.counts * (self.known - lost))] * 3
        return StepTally(self.samples, lost, *found) if self.known > lost else StepTally(self.samples, lost)


def exponent(dtype: str, step: int | None) -> float:
    return log2(torch.finfo(getattr(torch, dtype)).eps) / 3 if step is None else step


CURVES = {
    "nothing yet": Curve(samples=0, complete=False),
    "not all yet": Curve(complete=False),
    "one sample": Curve(samples=1),
    "complete": Curve(),
    "best by default": Curve(best=None),
    "no digit": Curve(lowest=3.0),
    "exact at the best": Curve(lowest=0.0),
    "no gradient": Curve(without=5),
    "some without a gradient": Curve(without=2),
    "all lost": Curve(lost=5, lost_to=inf),
    "most lost": Curve(without=2, lost=2, lost_to=inf),
    "short ones lost": Curve(lost=3, lost_to=-9),
    "few lost": Curve(lost=2, lost_to=inf),
    "half lost": Curve(without=1, lost=2, lost_to=inf),
}
STEPS = None, -8, -12


def curves(sayer: Callable[..., str], classes: Iterable[str], tried: Iterable[int | None]) -> Said:
    chosen = {subject(replace(e, step=step)) for e in experiments(classes=classes) for step in tried}
    shared: dict[tuple[str, str, int | None], DifferencesTally] = {}
    for experiment, (name, curve) in product(sorted(chosen, key=lambda e: e.query), CURVES.items()):
        at = replace(experiment, samples=max(1, curve.samples))
        key = name, at.device, at.step
        tally = shared.get(key) or shared.setdefault(key, curve.tally(at))
        assert (tally.samples >= FiniteDifferences.total(at)) == curve.complete
        yield State(at, curve, {}), sayer(tally, at)


def any_known(s: State) -> bool:
    """Whether a step of the dtype has a median: the longest is the last to be lost."""
    return s.f.complete and s.f.known > 0 and not s.f.is_lost(s.e.dtype, 4)


def all_lost(s: State) -> bool:
    return s.f.complete and s.f.known > 0 and s.f.is_lost(s.e.dtype, 4)


def times(step: int | None) -> str:
    power = str(step).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'eps^(1/3)' if step is None else f'2{power}'}·max(1, |x|)"


def near(shown: float, value: float) -> bool:
    return abs(shown - value) <= 0.06 * value  # two digits of a median within 1 %


def leaves(s: State, error: float) -> bool:
    return abs(s.number("y") - max(0.0, -log10(error))) <= 0.06


def smallest(s: State) -> bool:
    named = s.m["word"] == s.e.dtype and s.m["any"] == times(s.f.best)
    return any_known(s) and named and near(s.number("x"), s.f.lowest)


def of_used(s: State) -> bool:
    return any_known(s) and s.e.step != s.f.best and s.m["any"] == times(s.e.step)


SMALLEST = "In {word} the smallest error is {x} of the largest component, with steps of {any}: it leaves"
LOST = "finite median error: x + h rounds to x, or a number on the way overflows."
BY_STEP = [
    Row("The error of every step, in one dtype after the other.", no(has(lambda f: f.complete))),
    Row(
        "The exact gradient is 0 or does not exist, so there is no relative error.",
        has(lambda f: f.complete and f.known == 0),
    ),
    Row(f"In {{word}} no step has a {LOST}", lambda s: all_lost(s) and s.m["word"] == s.e.dtype),
    Row(f"{SMALLEST} {{y}} digits.", lambda s: smallest(s) and leaves(s, s.f.lowest)),
    Row(f"{SMALLEST} all digits.", lambda s: smallest(s) and s.f.lowest == 0),
    Row("That is the step used.", lambda s: any_known(s) and s.e.step == s.f.best),
    Row(f"The step used, {{any}}, has no {LOST}", lambda s: of_used(s) and s.f.is_lost(s.e.dtype, s.e.step)),
    Row(
        "The step used, {any}, leaves {y}: its error is {x}.",
        lambda s: (
            of_used(s)
            and not s.f.is_lost(s.e.dtype, s.e.step)
            and near(s.number("x"), s.f.error(s.e.dtype, s.e.step))
            and leaves(s, s.f.error(s.e.dtype, s.e.step))
        ),
    ),
]


def medians(s: State) -> bool:
    """Whether all is there, and of as many samples."""
    return s.f.complete and s.number("n") == s.f.samples


EACH = "each computed alone: the largest error of a component, next to the largest component of the exact gradient."
ROUNDING = "u·Σ|y|/h, what the rounding of the outputs alone can do."
STEP_READING = [
    Row(f"Medians of {{n}} sample, {EACH}", lambda s: medians(s) and s.f.samples == 1),
    Row(f"Medians of {{n}} samples, {EACH}", lambda s: medians(s) and s.f.samples > 1),
    Row(f"Medians of up to {{n}} samples, {EACH}", lambda s: not s.f.complete and s.number("n") == s.f.samples),
    Row("Samples whose exact gradient is 0 or does not exist are left out.", has(lambda f: f.without)),
    Row("Both axes are logarithmic.", always),
    Row(
        f"The dashed lines are computed, not fitted: the truncation h²/6·|f‴|, and {ROUNDING}",
        lambda s: not activations(s) <= LINEAR,
    ),
    Row(f"The dashed line is computed, not fitted: {ROUNDING}", lambda s: activations(s) <= LINEAR),
    Row(
        "The network is linear in x, so f‴ is 0, and there is no truncation.",
        lambda s: activations(s) == {"identity"},
    ),
    Row(
        "Between its kinks the network is linear in x, so f‴ is 0, and there is no truncation.",
        lambda s: activations(s) <= LINEAR and bool(activations(s) & KINKED),
    ),
    Row("◆ is the step used.", always),
    Row(
        "Where a step crosses a kink, the Taylor series ends, and the error is not ∝ h²: the longer the step, the more "
        "samples have such a kink.",
        lambda s: bool(activations(s) & KINKED),
    ),
]

# The lean against the number of outputs.


@dataclass(frozen=True)
class Won:
    """Components that backward and the Jacobian won on each network, and of all networks together the others."""

    networks: tuple[tuple[int, int], ...]
    tie: int = 100
    undecided: int = 0

    @property
    def decided(self) -> int:
        return sum(b + j for b, j in self.networks)

    @property
    def lean(self) -> float:
        return sum(b - j for b, j in self.networks) / self.decided

    @property
    def all_ties(self) -> bool:
        return self.decided == self.undecided == 0

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        """The leans of the networks, from the lowest to the highest; None where these do not differ."""
        leans = sorted(Fraction(b - j, b + j) for b, j in self.networks if b + j)
        return (leans[0], leans[-1]) if leans and leans[0] < leans[-1] else None

    @property
    def side(self) -> str | None:
        """Networks that agree to a few per cent of what they lean are certain of it; those on both sides are not."""
        if self.ends is None:
            return None
        low, high = self.ends
        if low <= 0 <= high:
            return "neither side for certain"
        assert min(abs(low), abs(high)) > 4 * (high - low)
        return "`backward()`" if low > 0 else "the Jacobian"

    def moves(self, plain: "Won") -> bool:
        """Whether it is far from the plain comparison, by the same measure."""
        if self.all_ties or self.ends is None:
            return self.all_ties
        (low, high), (plain_low, plain_high) = self.ends, plain.ends
        gap = max(low - plain_high, plain_low - high)
        assert gap <= 0 or gap > 3 * max(high - low, plain_high - plain_low)
        return gap > 0

    def tally(self) -> VerdictTally:
        backward, jacobian = (dict(enumerate(side)) for side in zip(*self.networks, strict=True))
        counts = sum(backward.values()), sum(jacobian.values()), self.tie, self.undecided
        return VerdictTally(
            verdicts=counted(dict(zip(range(len(VERDICTS)), counts, strict=True))),
            networks=len(self.networks),
            backward_wins=counted(backward),
            jacobian_wins=counted(jacobian),
        )


WON = {
    "to backward": Won(((700, 300), (710, 290), (690, 310))),
    "to the Jacobian": Won(((300, 700), (310, 690), (290, 710))),
    "to none": Won(((500, 510), (490, 470), (500, 500))),
    "ties": Won(((0, 0),) * 3),
    "ties, and some undecided": Won(((0, 0),) * 3, undecided=5),
    "alike": Won(((0, 50),) * 3),
}


@dataclass(frozen=True)
class Leans:
    """What the last points of the dtypes have, in turn, as they are and with each mechanism switched off."""

    plain: tuple[str, ...]
    off: tuple[str, ...]
    complete: bool = True

    def won(self, dtypes: tuple[str, ...]) -> dict[tuple[str, str], Won]:
        """By dtype and mechanism; what needs a wider dtype than float64 is not there."""
        found = {}
        for place, dtype in enumerate(dtypes):
            found[dtype, PLAIN] = WON[self.plain[place % len(self.plain)]]
            for turn, name in enumerate(name for name in MECHANISMS if name != PLAIN):
                if dtype != "float64" or name not in ("partial-sums", "rows"):
                    found[dtype, name] = WON[self.off[(place + turn) % len(self.off)]]
        return found


LEANS = {
    "nothing yet": Leans(("to none",), ("to none",), complete=False),
    "every side": Leans(("to the Jacobian", "to backward", "to none", "ties"), tuple(WON)),
    "undecided": Leans(("ties, and some undecided",), ("to none",)),
    "alike": Leans(("alike", "ties"), ("to backward",)),
    "all to backward": Leans(("to backward",), ("to backward", "alike", "ties, and some undecided")),
    "ties without": Leans(("to none",), ("ties",)),
}


def networks_of_points() -> Iterator[Experiment]:
    """All that the study depends on."""
    large = {"inputs": 64, "hidden": (256,) * 6}
    for device, evaluation, network in product(DEVICES, EVALUATIONS, (*CLASSES.values(), large)):
        yield Experiment(device=device, dtype="float32", evaluation=evaluation, **network)


def most_outputs(e: Experiment) -> int:
    """The largest power of two up to 64 with which parameters × outputs is at most four million."""

    def parameters(outputs: int) -> int:
        return sum((a + 1) * b for a, b in pairwise((e.inputs, *e.hidden, outputs)))

    return max(n for n in (2, 4, 8, 16, 32, 64) if parameters(n) * n <= 4_000_000)


def leans(sayer: Callable[..., str]) -> Said:
    tallies = {won: won.tally() for won in WON.values()}
    for experiment, found in product(networks_of_points(), LEANS.values()):
        won, outputs = found.won(DEVICES[experiment.device].dtypes), most_outputs(experiment)
        parts = {lean_point_name(dtype, outputs, name): tallies[one] for (dtype, name), one in won.items()}
        tally = LeanTally(ByName(parts), Lean.total(experiment) - (not found.complete))
        yield State(experiment, won if found.complete else None, {}), sayer(tally, experiment)


def causes() -> Said:
    """Line by line, each with its dtype as that of the experiment."""
    for state, text in leans(lean_sentences.causes):
        dtypes = DEVICES[state.e.device].dtypes if state.f else ()
        for dtype, line in zip(dtypes, text.splitlines(), strict=True):
            yield State(replace(state.e, dtype=dtype), state.f, {}), line.removeprefix("- ")


def last(s: State) -> bool:
    return s.f is not None and s.number("n") == most_outputs(s.e)


def by_side(s: State) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for (dtype, name), won in s.f.items():
        if name == PLAIN:
            found.setdefault(won.side, []).append(dtype)
    return found


def those(text: str) -> list[str]:
    return re.split(", | and ", text)


def named_sides(s: State) -> bool:
    told = dict(re.fullmatch("to (.+) in (.+)", part).groups() for part in s.m["any"].split("; "))
    return {side: those(dtypes) for side, dtypes in told.items()} == {k: v for k, v in by_side(s).items() if k}


def all_sides(s: State) -> bool:
    return None not in by_side(s)


def without_interval(s: State) -> bool:
    return those(s.m["any2"]) == by_side(s).get(None)


LEANING = "With {n} outputs the verdict leans {any}"
NO_INTERVAL = "the lean has no interval in {any2}."
BY_OUTPUTS = [
    Row(
        "Who is closer, with more and more outputs, in every dtype: one network after the other.",
        lambda s: s.f is None,
    ),
    Row(f"{LEANING}, and {NO_INTERVAL}", lambda s: last(s) and named_sides(s) and without_interval(s)),
    Row(f"{LEANING}.", lambda s: last(s) and all_sides(s) and named_sides(s)),
    Row(f"With {{n}} outputs {NO_INTERVAL}", lambda s: last(s) and without_interval(s) and len(by_side(s)) == 1),
]


def signed(share: float) -> str:
    """To a tenth of a per cent; none of these leans is so small that it would be zero."""
    return f"{'−' if share < 0 else '+'}{abs(100 * share):.1f}%"


def plain(s: State) -> Won:
    return s.f[s.e.dtype, PLAIN]


def moving(s: State) -> list[str]:
    return [
        f"{MECHANISMS[name].off} ({'all ties' if one.all_ties else f'to {signed(one.lean)}'})"
        for (dtype, name), one in s.f.items()
        if dtype == s.e.dtype and one.moves(plain(s))
    ]


def within(s: State) -> bool:
    """Whether the lean is that of the dtype, and its interval is on the side that it should be and holds the lean."""
    low, high = (float(s.m[name][:-1].replace("−", "-")) for name in "qr")
    side = "`backward()`" if low > 0 else "the Jacobian" if high < 0 else "neither side for certain"
    return s.m["p"] == signed(plain(s).lean) and low <= 100 * plain(s).lean <= high and side == plain(s).side


CAUSES = [
    Row(
        "**{word}**: the lean has no interval, so nothing can be said of its causes.",
        lambda s: s.m["word"] == s.e.dtype and plain(s).side is None,
    ),
    Row(
        "**{word}**: the lean is {p} ({q} to {r}).",
        lambda s: s.m["word"] == s.e.dtype and plain(s).side is not None and within(s),
    ),
    Row(
        "Switched off, these move it: {any}.",
        lambda s: plain(s).side is not None and s.m["any"] == ", ".join(moving(s)) != "",
    ),
    Row("Nothing here moves it for certain.", lambda s: plain(s).side is not None and not moving(s)),
]


def lean_conditions() -> Said:
    for experiment in networks_of_points():
        yield State(experiment, None, {}), lean_sentences.lean_conditions(experiment)


def on_each(s: State) -> bool:
    """Whether all samples are on so many networks, at the points of all dtypes."""
    points = len(DEVICES[s.e.device].dtypes) * (most_outputs(s.e).bit_length() - 1)
    return s.number("n") * 64 * points == Lean.total(s.e) and s.m["word"] == s.e.evaluation


LEAN_CONDITIONS = [
    Row("64 networks at each point, {n} samples on each, {word}, against `functional.jacobian`.", on_each),
    Row(
        "The lean is the share of the decided components in which `backward()` is closer, less that in which the "
        "Jacobian is.",
        always,
    ),
    Row("Intervals are 95 % and count networks.", always),
]

SUBJECTS = [
    Subject(condition_sentences.line_claim, ON_THE_LINE, lines),
    Subject(
        difference_sentences.differences_claim,
        BY_STEP,
        lambda: curves(difference_sentences.differences_claim, ["smooth"], STEPS),
    ),
    Subject(
        difference_sentences.differences_reading,
        STEP_READING,
        lambda: curves(difference_sentences.differences_reading, CLASSES, STEPS[:1]),
    ),
    Subject(lean_sentences.outputs_claim, BY_OUTPUTS, lambda: leans(lean_sentences.outputs_claim)),
    Subject(lean_sentences.causes, CAUSES, causes),
    Subject(lean_sentences.lean_conditions, LEAN_CONDITIONS, lean_conditions),
]
