"""What a study remembers of the samples it has seen: small, bounded, and mergeable.

Every part has a `+` that is associative and commutative, and counts are integers; so the tally of an experiment is the
same bits however its samples were sliced, paused or shared out. A study's tally is a dataclass of such parts.
"""

from dataclasses import dataclass, field, fields
from typing import Self

import numpy as np


@dataclass(frozen=True)
class Histogram:
    """Counts by integer key: `keys` int64, increasing; `counts` int64, positive, of the same length."""

    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """Each value counted once, or as often as its weight says.

        values are int64 or int32 of any shape; weights are whole numbers from 0 on, below 2**53 in all.
        """
        values = values.ravel()
        if values.size == 0:
            return cls()
        low, high = int(values.min()), int(values.max())
        by_counting = high - low < 4 * values.size + 1024  # which is then faster than sorting
        keys, places = (None, values - low) if by_counting else np.unique(values, return_inverse=True)
        counts = np.bincount(places, None if weights is None else weights.ravel())
        kept = np.flatnonzero(counts)
        return cls((kept + low if by_counting else keys[kept]).astype(np.int64), counts[kept].astype(np.int64))

    def __add__(self, other: "Histogram") -> "Histogram":
        return Histogram.of(np.concatenate([self.keys, other.keys]), np.concatenate([self.counts, other.counts]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Histogram)
            and np.array_equal(self.keys, other.keys)
            and np.array_equal(self.counts, other.counts)
        )

    def __getitem__(self, key: int) -> int:
        """The count of a key; 0 for one never seen."""
        return int(self.counts[self.keys == key].sum())

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.counts.nbytes


@dataclass(frozen=True)
class Place:
    """Where a component is: its block, the index of its sample there, and its index in the sample."""

    block: int
    index: int
    component: int


@dataclass(frozen=True)
class Extreme:
    """The largest value seen and the first place where it was; 0 stands for nothing and has no place."""

    value: float = 0
    place: Place | None = None

    @classmethod
    def of(cls, values: np.ndarray, block: int, first_index: int) -> Self:
        """values has shape (samples, components), of consecutive samples of a block; none is negative."""
        if values.size == 0:
            return cls()
        sample, component = divmod(int(values.argmax()), values.shape[1])
        value = values[sample, component].item()
        return cls(value, Place(block, first_index + sample, component)) if value else cls()

    def __add__(self, other: "Extreme") -> "Extreme":
        return min(self, other, key=Extreme._rank)

    def _rank(self) -> tuple[float, int, int, int]:
        place = self.place or Place(0, 0, 0)
        return (-self.value, place.block, place.index, place.component)


MOST_WHOLE = 5
"""Samples kept whole: as many as the post prints."""


@dataclass(frozen=True)
class Whole:
    """One sample kept whole: three tuples of `inputs` numbers."""

    number: int
    x: tuple[float, ...]
    backward: tuple[float, ...]
    jacobian: tuple[float, ...]


@dataclass(frozen=True)
class FirstSamples:
    """The first samples by number, kept whole; at most `MOST_WHOLE`."""

    samples: tuple[Whole, ...] = ()

    def __add__(self, other: "FirstSamples") -> "FirstSamples":
        return FirstSamples(tuple(sorted(self.samples + other.samples, key=lambda s: s.number)[:MOST_WHOLE]))


class Tally:
    """The base of a study's tally, a dataclass of mergeable parts: a + b adds part by part."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))

    @property
    def nbytes(self) -> int:
        """Memory of the histograms, the parts that grow, in bytes."""
        parts = (getattr(self, part.name) for part in fields(self))
        return sum(part.nbytes for part in parts if isinstance(part, Histogram))


def arrival_bins(numbers: np.ndarray) -> np.ndarray:
    """The bin of each sample number, int64: eight bins to an octave of number + 1, so at most 240 up to 10**9 samples.

    A pure function of the number in integer arithmetic, so that a curve over arriving samples can be a histogram too.
    """
    order = numbers.astype(np.int64) + 1
    octave = np.frexp(order.astype(np.float64))[1].astype(np.int64) - 1
    return octave * 8 + ((order * 8) >> octave) - 8
