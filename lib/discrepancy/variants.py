"""The study of variants of an experiment: comparisons of two ways to the gradient, side by side, each with a name.

A study of this kind is little more than a table: it lists its stages, and everything it measures is tallied by name.
Stages are measured one after the other; the variants of one stage are measured on the same samples and take turns, so
that all of them have the same number of samples at any time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from lib.discrepancy.verdict import JudgedTally
from lib.experiment.query import Experiment
from lib.floats.exact_arrays import ExactSum
from lib.floats.quantities import percent, significant
from lib.floats.tables import text_table
from lib.reference.compared import Compared, Comparisons, Gradients, Variant
from lib.run.tally import ByName, Extreme, Place, Tally

Stage = Sequence[Variant]
"""Variants that are measured on the same samples; their experiments all have the same number of samples."""


@dataclass(frozen=True)
class ComparisonTally(JudgedTally):
    """What is remembered of one comparison, judged or not. Sizes are of components that are finite on both sides."""

    samples: int = 0
    finite: int = 0
    equal: int = 0
    """Finite components with equal values: +0 equals −0, though their bits differ."""
    nonfinite: int = 0
    """Components in which a value is infinite or NaN."""
    apart: int = 0
    """Components that tell the two sides apart; here every NaN equals every other, and infinities compare by sign, so
    that "not told apart" is an equivalence."""
    max_abs: Extreme[Place] = Extreme()
    max_ulps: Extreme[Place] = Extreme()
    total: ExactSum = ExactSum()
    """The sum of abs(difference)."""

    @classmethod
    def of(cls, gradients: Gradients) -> Self:
        (one, other), finite = gradients.values, gradients.finite
        same = one == other
        alike = same | (np.isnan(one) & np.isnan(other))
        at = gradients.block, gradients.index
        distances = gradients.distance
        return replace(
            super().of(gradients) if gradients.judged else cls(),
            samples=len(gradients),
            finite=int(np.count_nonzero(finite)),
            equal=int(np.count_nonzero(finite & same)),
            nonfinite=int(np.count_nonzero(~finite)),
            apart=int(np.count_nonzero(~alike)),
            max_abs=Extreme.of(distances, *at),
            max_ulps=Extreme.of(gradients.ulps, *at),
            total=ExactSum.of(distances[finite]),
        )

    @property
    def components(self) -> int:
        return self.finite + self.nonfinite

    @property
    def share(self) -> str:
        """The share of the components that tell the two sides apart, as text."""
        return percent(self.apart, self.components)

    @property
    def texts(self) -> dict[str, str | None]:
        """What was found, as texts; None for what is not known."""
        sizes = (self.max_abs.value, self.total.mean) if self.finite else ()
        largest, mean = map(significant, sizes) if sizes else (None, None)
        return {
            "equal": percent(self.equal, self.finite),
            "largest difference": largest,
            "mean difference": mean,
            "not finite": f"{self.nonfinite:,}" if self.components else None,
        }

    def counts(self) -> dict[str, object]:
        """The numbers of components, nonfinite components and equal components, for JSON."""
        return {"components": self.components, "nonfinite": self.nonfinite, "equal": self.equal}

    def figures(self) -> dict[str, object]:
        """These, and the largest differences."""
        return self.counts() | self.max_abs.figures("max_abs") | self.max_ulps.figures("max_ulps")


@dataclass(frozen=True)
class Measured:
    """The same consecutive samples under every variant of a stage."""

    by_variant: tuple[Compared, ...]

    def __len__(self) -> int:
        return len(self.by_variant[0])

    def __iter__(self) -> Iterator[tuple[str, Gradients]]:
        """Yield every comparison with its name."""
        return (named for compared in self.by_variant for named in compared)


@dataclass(frozen=True)
class VariantsTally(Tally):
    """What the study remembers: a tally of each comparison by its name, and the total number of samples."""

    by_name: ByName[ComparisonTally] = ByName()
    samples: int = 0

    @classmethod
    def of(cls, measured: Measured) -> Self:
        return cls(
            ByName({name: ComparisonTally.of(gradients) for name, gradients in measured}),
            len(measured),
        )

    @property
    def known(self) -> dict[str, ComparisonTally]:
        """The tallies of everything measured so far, by name."""
        return self.by_name.tallies

    def __getitem__(self, name: str) -> ComparisonTally:
        """The tally of this name; an empty one if nothing was measured yet."""
        return self.known.get(name, ComparisonTally())

    def table(self, rows: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
        """A table to read, with a row for each name: what the comparison is, as `rows` says by column, and what was
        found: equal (share of the finite components), largest and mean difference, not finite (components)."""
        return text_table({**about, **self[name].texts} for name, about in rows.items())


class Variants:
    """Measures the stages of an experiment one after the other. For one thread at a time."""

    empty = VariantsTally()

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._stages = self.stages(experiment)
        self.block_size = self._stages[0][0].block_size
        self._place: int | None = None
        self._studies: list[Comparisons] = []

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        """The stages of the experiment, in the order in which they are measured."""
        raise NotImplementedError

    @classmethod
    def total(cls, experiment: Experiment) -> int:
        return sum(map(_samples, cls.stages(experiment)))

    def tally(self, measured: Measured) -> VariantsTally:
        return type(self.empty).of(measured)

    def measure(self, number: int, deadline: float) -> Measured:
        """Measure consecutive samples of the stage that the number falls in, under every variant.

        It stops at the deadline, a time of `perf_counter`, or at the end of the block or the stage. Several variants
        are measured on one sample, or on the rest of the block if batched.
        """
        place = 0
        while number >= _samples(self._stages[place]):
            number -= _samples(self._stages[place])
            place += 1
        if place != self._place:
            self._place, self._studies = (
                place,
                [Comparisons(variant) for variant in self._stages[place]],
            )
        until = deadline if len(self._studies) == 1 else 0.0
        return Measured(tuple(study.measure(number, until) for study in self._studies))


def _samples(stage: Stage) -> int:
    return stage[0].experiment.samples
