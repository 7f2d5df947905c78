"""The study of named variants: comparisons under several conditions, each tallied by its name.

Variants come in stages, which are measured one after the other. The variants of one stage are measured on the same
samples and take turns, sample by sample, or block by block if batched, so that all of them have the same number of
samples at any time. A study of this kind is little more than a table: it lists its stages, and its tally says how one
comparison is tallied.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, Self

from lib.experiment.query import Experiment
from lib.reference.compared import Compared, Comparisons, Gradients, Variant, joined
from lib.run.tally import ByName, Each, Tally

Stage = Sequence[Variant]
"""Variants that are measured on the same samples; their experiments all have the same number of samples."""


@dataclass(frozen=True)
class Measured:
    """Consecutive samples of one stage, by variant."""

    by_variant: tuple[Compared, ...]

    def __len__(self) -> int:
        return len(self.by_variant[0])

    def __iter__(self) -> Iterator[tuple[str, Gradients]]:
        """Yield every comparison with its name."""
        return (named for compared in self.by_variant for named in compared)


@dataclass(frozen=True)
class NamedTally(Tally, Generic[Each]):
    """What a study of several things remembers: a tally of each by its name, and the total number of samples."""

    by_name: ByName[Each] = ByName()
    samples: int = 0

    @staticmethod
    def each() -> Each:
        """An empty tally of one thing: a subclass puts the type of its tallies here."""
        raise NotImplementedError

    @property
    def known(self) -> dict[str, Each]:
        """The tallies of everything measured so far, by name."""
        return self.by_name.tallies

    def __getitem__(self, name: str) -> Each:
        """The tally of this name; an empty one if nothing was measured yet."""
        return self.known.get(name, self.each())


@dataclass(frozen=True)
class VariantsTally(NamedTally[Each]):
    """What a study of variants remembers: a tally for each comparison, by its name."""

    @staticmethod
    def of_one(gradients: Gradients) -> Each:
        """The tally of one comparison."""
        raise NotImplementedError

    @classmethod
    def of(cls, measured: Measured) -> Self:
        return cls(ByName({name: cls.of_one(gradients) for name, gradients in measured}), len(measured))


class Variants:
    """Measures the stages of an experiment one after the other. For one thread at a time."""

    empty: VariantsTally

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

    def tally(self, measured: Measured) -> Tally:
        return type(self.empty).of(measured)

    def measure(self, number: int, deadline: float) -> Measured:
        """Measure consecutive samples of the stage that the number falls in, each under every variant before the next.

        It stops at the deadline, a time of `perf_counter`, or at the end of the block or the stage; but it measures at
        least one sample, or the rest of the block if batched.
        """
        place = 0
        while number >= _samples(self._stages[place]):
            number -= _samples(self._stages[place])
            place += 1
        if place != self._place:
            self._place, self._studies = place, [Comparisons(variant) for variant in self._stages[place]]
        size = self._studies[0].block_size
        stop = min((number // size + 1) * size, _samples(self._stages[place]))
        turns: list[list[Compared]] = []
        while not turns or (number < stop and perf_counter() < deadline):
            # A study whose deadline has passed measures one sample, or the rest of the block if batched.
            until = deadline if len(self._studies) == 1 else 0.0
            turns.append([study.measure(number, until) for study in self._studies])
            number += len(turns[-1][0])
        by_variant = map(joined, zip(*turns, strict=True))
        return Measured(tuple(study.judge(part) for study, part in zip(self._studies, by_variant, strict=True)))

    @property
    def nbytes(self) -> int:
        """The memory of the current networks, their blocks of samples and the references, in bytes."""
        return sum(study.nbytes for study in self._studies)


def _samples(stage: Stage) -> int:
    return stage[0].experiment.samples
