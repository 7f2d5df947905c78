"""What a study remembers of the samples it has seen: small, bounded, and mergeable.

A study's tally is a dataclass of parts. Every part has a `+` that is associative and commutative,
and counts are integers, so a tally has the same bits however its samples were sliced or shared.
"""

from collections.abc import Callable, Iterable
from dataclasses import Field, asdict, dataclass, field, fields
from operator import add
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from lib.floats.exact_arrays import sum_by_key


@dataclass(frozen=True)
class Histogram:
    """Counts by integer key.

    `keys`, int64, are increasing, and `counts`, int64, positive and of the same length.
    """

    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> Self:
        """Count each value once, or as many times as its weight.

        Args:
            values: int64 or int32, any shape without weights, else (n,).
            weights: non-negative whole numbers with a sum below 2**53, shape (n,).
        """
        if values.size == 0:
            return cls()
        # Flat without a copy, in whatever order the memory has.
        values = values.ravel("K")
        lowest = int(values.min())
        is_dense = int(values.max()) - lowest < 4 * values.size + 1024
        if is_dense:
            # Counting every key from the lowest to the highest is faster than sorting.
            places = values - lowest
        else:
            distinct, places = np.unique(values, return_inverse=True)
        counts = np.bincount(places, weights)
        kept = np.flatnonzero(counts)
        keys = kept + lowest if is_dense else distinct[kept]
        return cls(keys.astype(np.int64), counts[kept].astype(np.int64))

    def __add__(self, other: "Histogram") -> "Histogram":
        keys = np.concatenate([self.keys, other.keys])
        return Histogram.of(keys, np.concatenate([self.counts, other.counts]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Histogram)
            and np.array_equal(self.keys, other.keys)
            and np.array_equal(self.counts, other.counts)
        )

    def __getitem__(self, key: int) -> int:
        """Return the count of a key, 0 if it was never seen."""
        return int(self.counts[self.keys == key].sum())

    @property
    def total(self) -> int:
        return int(self.counts.sum())


def joined(first: dict, second: dict, join: Callable[[Any, Any], Any] = add) -> dict:
    """Merge two dictionaries; where both have a key, their values are joined."""
    shared = first.keys() & second.keys()
    return first | second | {key: join(first[key], second[key]) for key in shared}


@dataclass(frozen=True, order=True)
class Place:
    """The place of a component: block, index of its sample in the block, and its own number."""

    block: int
    index: int
    component: int


@dataclass(frozen=True, order=True)
class Point:
    """A sample of the derivative study: its number in the whole experiment, and x."""

    number: int
    x: float


Where = TypeVar("Where", bound=Place | Point)


@dataclass(frozen=True)
class Extreme(Generic[Where]):
    """The largest value above 0 seen, and its first place; 0 and None if there was none."""

    value: float = 0
    place: Where | None = None

    def figures(self, name: str) -> dict[str, Any]:
        """Return the value under this name, and its place under `name_at`, for JSON."""
        return {name: self.value, f"{name}_at": asdict(self.place) if self.place else None}

    @staticmethod
    def of(values: np.ndarray, block: int, first_index: int) -> "Extreme[Place]":
        """Find the extreme of consecutive samples of a block.

        Args:
            values: non-negative, shape (samples, components).
            block: the number of the block.
            first_index: the index of the first sample in the block.
        """
        if values.size == 0:
            return Extreme()
        # In Fortran order, the maxima of all samples are far faster than one `argmax`.
        of_samples = np.asfortranarray(values).max(1)
        sample = int(of_samples.argmax())
        component = int(values[sample].argmax())
        value = of_samples[sample].item()
        return Extreme(value, Place(block, first_index + sample, component)) if value else Extreme()

    def __add__(self, other: "Extreme[Where]") -> "Extreme[Where]":
        """Return the larger of the two; if they are equal, the one with the first place."""
        if self.place is None or other.place is None:
            return self if other.place is None else other
        return min(self, other, key=lambda extreme: (-extreme.value, extreme.place))


@dataclass(frozen=True)
class FirstPlaces:
    """The first place of each key that was seen."""

    places: dict[int, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, keys: np.ndarray, wanted: Iterable[int], block: int, first_index: int) -> Self:
        """Find the first place of each wanted key in consecutive samples of a block.

        Args:
            keys: int8, shape (samples, components).
            wanted: the keys to look for.
            block: the number of the block.
            first_index: the index of the first sample in the block.
        """
        # A byte for each key: searching is far faster than sorting.
        text = keys.tobytes()
        places = {}
        for key in wanted:
            place = text.find(key.to_bytes(signed=True))
            if place >= 0:
                index, component = divmod(place, keys.shape[1])
                places[key] = Place(block, first_index + index, component)
        return cls(places)

    def __add__(self, other: "FirstPlaces") -> "FirstPlaces":
        return FirstPlaces(dict(sorted(joined(self.places, other.places, min).items())))


_UNITS = 2**20
"""How many units of `Sums` make 1."""

LARGEST = 2.0**900
"""Larger numbers count as this one in `Sums`, so that no sum is too large for a float."""


@dataclass(frozen=True)
class Sums:
    """Sums of non-negative numbers by integer key.

    Each number is rounded to whole units of 2**-20 and the sums are exact integers, so they do not
    depend on the order of addition.
    """

    units: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, keys: np.ndarray, values: np.ndarray) -> Self:
        """Add up the values of each key.

        Args:
            keys: int64, shape (n,), n at most 2**20.
            values: finite float64, shape (n,).
        """
        is_large = values > 2.0**53 / _UNITS
        sums = sum_by_key(keys, np.rint(np.where(is_large, 0.0, values) * _UNITS))
        large = np.minimum(values[is_large], LARGEST)
        for key, value in zip(keys[is_large].tolist(), large.tolist(), strict=True):
            sums[key] += int(value * _UNITS)
        return cls(sums)

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(joined(self.units, other.units))

    def __getitem__(self, key: int) -> float:
        """Return the sum of a key, 0 if it was never seen."""
        return self.units.get(key, 0) / _UNITS

    @property
    def total(self) -> float:
        return sum(self.units.values()) / _UNITS


Value = TypeVar("Value", bound=str | float)


@dataclass(frozen=True)
class Constant(Generic[Value]):
    """A value that is the same in all tallies of an experiment; None before any sample."""

    value: Value | None = None

    def __add__(self, other: "Constant[Value]") -> "Constant[Value]":
        return other if self.value is None else self


class Tally:
    """The base class of the tallies, dataclasses of mergeable parts: a + b adds them by part."""

    # For the type checker: `fields` takes dataclasses, which all subclasses are.
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __add__(self, other: Self) -> Self:
        parts = (getattr(self, part.name) + getattr(other, part.name) for part in fields(self))
        return type(self)(*parts)

    @property
    def samples(self) -> int:
        """The number of samples that the tally covers. A tally within another may lack it."""
        raise NotImplementedError

    def figures(self) -> dict[str, Any]:
        """Return the figures for JSON. A tally that no command prints may lack them."""
        raise NotImplementedError


Each = TypeVar("Each", bound=Tally)


@dataclass(frozen=True)
class ByName(Generic[Each]):
    """Tallies of one type by name; a name that is missing in a summand is an empty tally there."""

    tallies: dict[str, Each] = field(default_factory=dict)

    def __add__(self, other: "ByName[Each]") -> "ByName[Each]":
        return ByName(joined(self.tallies, other.tallies))
