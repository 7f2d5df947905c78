"""Saturation: where a computed derivative is 0 although the correctly rounded one is not.

The float line is searched, not sampled: first at evenly spaced places and their neighbours, then at more places in
between wherever zeros begin or end or the sign changes. In the 16-bit dtypes that covers every number. In wider dtypes
it finds every stretch longer than the spacing of the places, a sixteenth of a binade in float64, and every stretch at
which the derivative changes sign. The search is cut off after `MOST_SEARCHED` of each kind to either side of zero: a
function such as sin(1/x) changes sign more often than anyone could wait for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch

from lib.derivative.certified import exists_at
from lib.derivative.exact_derivatives import certify
from lib.derivative.formulas import COMPUTED, Elementwise
from lib.experiment.query import Experiment
from lib.floats.line import floats_at, ordinals
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS

MOST_SEARCHED = 8
"""How many stretches, and how many changes of sign, are searched to either side of zero, from zero outwards."""


class Stretch(NamedTuple):
    """A stretch of zeros from the `first` x, seen from zero, to the `last`; `solid` says that no float in between was
    found at which the computed derivative is not 0."""

    first: float
    last: float
    solid: bool = True


class Search(NamedTuple):
    """The stretches that were found: negative x first, and outwards from zero on either side. `ends` has the x from
    which on, outwards, the search left something out, at most one to either side of zero."""

    stretches: list[Stretch]
    ends: list[float]


def saturation(experiment: Experiment) -> dict[str, Search]:
    """The stretches of x in which autograd and each formula are 0 by mistake, by name."""
    use_one_thread()
    return {
        name: _search(experiment, derivative)
        for name, derivative in COMPUTED[experiment.differentiated].derivatives.items()
    }


def _search(experiment: Experiment, derivative: Elementwise) -> Search:
    found = Search([], [])
    for sign in (-1, 1):
        line = _Line(experiment, derivative, sign)
        zeros, end = line.zeros()
        found.stretches.extend(line.stretches(zeros))
        found.ends.extend([] if end is None else [end])
    return found


Zeros = tuple[int, int, bool]
"""The first and the last place of a run of zeros, and whether it has no gap."""


@dataclass(frozen=True)
class _Line:
    """The positive or the negative floats, numbered from 1 outwards from zero, and the derivative at each."""

    experiment: Experiment
    derivative: Elementwise
    sign: int

    @property
    def dtype(self) -> torch.dtype:
        return getattr(torch, self.experiment.dtype)

    def stretches(self, zeros: list[Zeros]) -> Iterator[Stretch]:
        """The parts of runs of zeros where the derivative should not be 0."""
        for first, last, solid in sorted(zeros):
            exists = exists_at(self.experiment.differentiated, np.array([self._x_at(first), self._x_at(last)]))
            ends = (self._saturated(first), self._saturated(last)) if exists.all() else (False, False)
            if any(ends):  # correct zeros, if any, lie at one end, where the derivative goes to 0
                low, high = first, last
                while high - low > 1 and not all(ends):
                    middle = (low + high) // 2
                    low, high = (middle, high) if self._saturated(middle) == ends[0] else (low, middle)
                first, last = (first, last) if all(ends) else (first, low) if ends[0] else (high, last)
                yield Stretch(self._x_at(first), self._x_at(last), solid)

    def zeros(self) -> tuple[list[Zeros], float | None]:
        """The runs of zeros, and the x from which on the search left something out, if it did."""
        largest = int(ordinals(torch.tensor(torch.finfo(self.dtype).max, dtype=self.dtype)))
        places = _spread(1, largest - 1, POINTS)
        value, after = self._values(places), self._values(places + 1)
        near, solid = (value == 0) | (after == 0), (value == 0) & (after == 0)
        starts, stops = np.diff(near, prepend=False), np.diff(near, append=False)
        runs = list(zip(*(np.flatnonzero(ends & near).tolist() for ends in (starts, stops)), strict=True))
        found = []
        for i, j in runs[:MOST_SEARCHED]:
            first = _first(self._is_zero, int(places[max(i - 1, 0)]), int(places[i]) + 1)
            if j + 1 < places.size:
                last = _first(lambda at: ~self._is_near(at), int(places[j]), int(places[j + 1])) - 1
            else:
                last = int(places[j]) + bool(after[j] == 0)
            found.append((first, last, bool(solid[i + 1 : j].all())))
        changes = np.flatnonzero((after[:-1] * value[1:] < 0) & ~near[:-1] & ~near[1:]).tolist()
        for i in changes[:MOST_SEARCHED]:
            found += self._zeros_between(int(places[i]), int(places[i + 1]))
        beyond = [i - 1 for i, _ in runs[MOST_SEARCHED:]] + changes[MOST_SEARCHED:]
        return found, self._x_at(int(places[min(beyond)])) if beyond else None

    def _zeros_between(self, low: int, high: int) -> Iterator[Zeros]:
        """Yield the run of zeros at which the derivative changes sign between two places, if there is one."""
        while True:
            places = _spread(low, high, POINTS)
            value = self._values(places)
            zeros = places[value == 0]
            if high - low < POINTS:
                if zeros.size:
                    yield int(zeros[0]), int(zeros[-1]), bool(zeros[-1] - zeros[0] == zeros.size - 1)
                return
            change = int(np.flatnonzero(value * value[0] <= 0)[0])
            low, high = int(places[change - 1]), int(places[change])
            low, high = max(1, low - POINTS // 4), high + POINTS // 4  # with some places on either side of the change

    def _is_zero(self, places: np.ndarray) -> np.ndarray:
        return self._values(places) == 0

    def _is_near(self, places: np.ndarray) -> np.ndarray:
        """Whether a place or the next one is a zero."""
        return self._is_zero(places) | self._is_zero(places + 1)

    def _values(self, places: np.ndarray) -> np.ndarray:
        """The signs of the derivative, float64, a whole block at a time: NOTE [whole blocks] in `formulas`."""
        padded = np.pad(places, (0, -places.size % POINTS), "edge")
        x = self.sign * floats_at(padded, self.dtype)
        blocks = (self.derivative(block.to(self.experiment.device)) for block in x.split(POINTS))
        # NumPy's sign, since PyTorch's is 0 for NaN.
        return np.sign(torch.cat([block.cpu().double() for block in blocks]).numpy()[: places.size])

    def _x_at(self, place: int) -> float:
        return self.sign * floats_at(np.array([place]), self.dtype).item()

    def _saturated(self, place: int) -> bool:
        """Whether the correctly rounded derivative is known and not 0."""
        return abs(certify(self.experiment.differentiated, self._x_at(place), self.dtype).nearest) > 0


def _spread(low: int, high: int, count: int) -> np.ndarray:
    """Evenly spaced places from low to high, at most `count`, int64."""
    step = max(-((low - high) // (count - 1)), 1)  # rounded up, so that the last place is high
    return np.unique(low + np.minimum(step * np.arange(min(count, high - low + 1)), high - low))


def _first(holds: Callable[[np.ndarray], np.ndarray], low: int, high: int) -> int:
    """The first place from low to high at which the condition holds, searched by ever closer places; it must hold at
    high."""
    while True:
        places = _spread(low, high, POINTS)
        found = int(np.flatnonzero(holds(places))[0])
        if found == 0 or places[found] - places[found - 1] == 1:
            return int(places[found])
        low, high = int(places[found - 1]), int(places[found])
