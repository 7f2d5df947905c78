"""The contract of what is said of finite differences by their step."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import inf, log2, log10

import torch

from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.run.tally import ByName
from lib.variations.difference_sentences import differences_claim, differences_reading
from lib.variations.differences import DifferencesTally, FiniteDifferences, StepTally, point_name, steps, subject
from tests.contract import Row, Said, Sayer, State, Subject, activations, has, no
from tests.states import CLASSES, experiments


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
        return DifferencesTally(ByName(parts), sum(part.samples for part in parts.values()))

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


def curves(sayer: Sayer, classes: Iterable[str], tried: Iterable[int | None]) -> Said:
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

LOST = "finite median error: x + h rounds to x, or an intermediate value overflows."

BY_STEP = [
    Row("The error of every step, in one dtype after another.", no(has(lambda f: f.complete))),
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
    return s.f.complete and drawn(s) and s.number("n") == s.f.samples


EACH = "each computed alone: the largest error of a component, next to the largest component of the exact gradient."

ROUNDING = "u·Σ|y|/h, what the rounding of the outputs alone can do."


def drawn(s: State) -> bool:
    """Whether there is a curve, or may still be one."""
    return not s.f.complete or s.f.known > 0


STEP_READING = [
    Row("There is no curve: in no sample is there an exact gradient other than 0.", no(drawn)),
    Row(f"Medians of {{n}} sample, {EACH}", lambda s: medians(s) and s.f.samples == 1),
    Row(f"Medians of {{n}} samples, {EACH}", lambda s: medians(s) and s.f.samples > 1),
    Row(f"Medians of up to {{n}} samples, {EACH}", lambda s: not s.f.complete and s.number("n") == s.f.samples),
    Row("Samples whose exact gradient is 0 or does not exist are left out.", lambda s: drawn(s) and s.f.without > 0),
    Row("Both axes are logarithmic.", drawn),
    Row(
        f"The dashed lines are computed, not fitted: the truncation h²/6·|f‴|, and {ROUNDING}",
        lambda s: drawn(s) and not activations(s) <= LINEAR,
    ),
    Row(f"The dashed line is computed, not fitted: {ROUNDING}", lambda s: drawn(s) and activations(s) <= LINEAR),
    Row(
        "The network is linear in x, so f‴ is 0, and there is no truncation.",
        lambda s: drawn(s) and activations(s) == {"identity"},
    ),
    Row(
        "Between its kinks the network is linear in x, so f‴ is 0, and there is no truncation.",
        lambda s: drawn(s) and activations(s) <= LINEAR and bool(activations(s) & KINKED),
    ),
    Row("◆ is the step used.", drawn),
    Row(
        "Where a step crosses a kink, the Taylor series ends, and the error is not ∝ h²: the longer the step, the more "
        "samples have such a kink.",
        lambda s: drawn(s) and bool(activations(s) & KINKED),
    ),
]

LINEAR, KINKED = {"identity", "relu", "leaky_relu"}, {"relu", "leaky_relu"}

SUBJECTS = [
    Subject(differences_claim, BY_STEP, partial(curves, classes=["smooth"], tried=STEPS)),
    Subject(differences_reading, STEP_READING, partial(curves, classes=CLASSES, tried=STEPS[:1])),
]
