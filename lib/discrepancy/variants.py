"""Studies that compare several variants of an experiment side by side, each by its name.

All variants are measured on the same samples, in turns, so at any time each has the same number of
samples.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np
import pandas as pd

from lib.discrepancy.accuracy import JudgedTally
from lib.experiment.query import Experiment
from lib.floats.quantities import UNKNOWN, percent, significant
from lib.reference.compared import ComparedSamples, ComparisonStudy
from lib.reference.pair import Pair
from lib.run.tally import ByName, Extreme, Place, Tally


@dataclass(frozen=True)
class ComparisonTally(JudgedTally):
    """The tally of one comparison. Differences are of components that are finite on both sides."""

    samples: int = 0
    finite: int = 0
    equal: int = 0
    """Finite components with equal values: +0 equals −0, though their bits differ."""
    nonfinite: int = 0
    """Components in which a value is infinite or NaN."""
    apart: int = 0
    """Components whose two values differ; NaN equals NaN here, and so do equal infinities."""
    max_abs: Extreme[Place] = Extreme()
    max_ulps: Extreme[Place] = Extreme()

    @classmethod
    def of(cls, gradients: Pair) -> Self:
        start = gradients.block, gradients.index
        first, second = gradients.values
        finite = gradients.finite
        same = first == second
        both_nan = np.isnan(first) & np.isnan(second)
        return replace(
            super().of(gradients) if gradients.judged else cls(),
            samples=len(gradients),
            finite=int(np.count_nonzero(finite)),
            equal=int(np.count_nonzero(finite & same)),
            nonfinite=int(np.count_nonzero(~finite)),
            apart=int(np.count_nonzero(~same & ~both_nan)),
            max_abs=Extreme.of(gradients.distance, *start),
            max_ulps=Extreme.of(gradients.ulps, *start),
        )

    @property
    def components(self) -> int:
        return self.finite + self.nonfinite

    @property
    def share_text(self) -> str:
        """The share of the components in `apart`, as text."""
        return percent(self.apart, self.components)

    @property
    def texts(self) -> dict[str, str]:
        """The cells of a row of the table for display, by column."""
        known = bool(self.finite)
        return {
            "equal": percent(self.equal, self.finite),
            "largest difference": significant(self.max_abs.value) if known else UNKNOWN,
            "not finite": f"{self.nonfinite:,}" if self.components else UNKNOWN,
        }

    def counts(self) -> dict[str, object]:
        """The counts, for JSON."""
        return {"components": self.components, "nonfinite": self.nonfinite, "equal": self.equal}

    def figures(self) -> dict[str, object]:
        """The counts and the largest differences, for JSON."""
        return self.counts() | self.max_abs.figures("max_abs") | self.max_ulps.figures("max_ulps")


@dataclass(frozen=True)
class Measured:
    """The same consecutive samples under every variant."""

    by_variant: tuple[ComparedSamples, ...]

    def __len__(self) -> int:
        return len(self.by_variant[0])


@dataclass(frozen=True)
class VariantsTally(Tally):
    """What the study remembers: the samples, and a tally of each comparison by its name."""

    by_name: ByName[ComparisonTally] = ByName()
    samples: int = 0

    @classmethod
    def of(cls, measured: Measured) -> Self:
        compared = chain.from_iterable(measured.by_variant)
        tallies = {name: ComparisonTally.of(gradients) for name, gradients in compared}
        return cls(ByName(tallies), len(measured))

    @property
    def known(self) -> dict[str, ComparisonTally]:
        """The tallies of what is measured so far, by name."""
        return self.by_name.tallies

    def __getitem__(self, name: str) -> ComparisonTally:
        """The tally of this name; an empty one if nothing was measured yet."""
        return self.known.get(name, ComparisonTally())

    @property
    def why_no_claim(self) -> str:
        """Say that nothing can be claimed yet; empty if some component is finite on both sides."""
        if not self.samples:
            return "Nothing is measured yet."
        if not any(tally.finite for tally in self.known.values()):
            return "No component is finite on both sides."
        return ""

    def table(self, rows: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
        """Return a table for display, with a row for each name in `rows`.

        Args:
            rows: for each comparison, by name: the texts that describe it, by column.

        Returns:
            `equal`, the share of the finite components with equal values, which is first to be in
            sight on a phone; these columns; `largest difference`; and `not finite`, the number of
            components.
        """
        return pd.DataFrame(
            {"equal": "", **about, **self[name].texts} for name, about in rows.items()
        )


class Variants:
    """Measures the variants of an experiment. For one thread at a time."""

    empty = VariantsTally()

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._studies = self.variants(experiment)
        self.block_size = self._studies[0].block_size

    @staticmethod
    def variants(experiment: Experiment) -> list[ComparisonStudy]:
        """Return a study of each variant of the experiment, all with its number of samples."""
        raise NotImplementedError

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def tally(self, measured: Measured) -> VariantsTally:
        return type(self.empty).of(measured)

    def measure(self, number: int, deadline: float) -> Measured:
        """Measure consecutive samples from `number` on, under every variant.

        A single variant stops at the deadline, a time of `perf_counter`, or at the end of the
        block. Several are measured on one sample, or on the rest of the block if batched.
        """
        until = deadline if len(self._studies) == 1 else 0.0
        return Measured(tuple(study.measure(number, until) for study in self._studies))
