"""The axes of the error over x: where an x and a mean error lie, the bins of x, equally wide on their axis, and those
of errors.

A bin is a whole number from 0 on, so that counts are exact and can be merged. The first and the last bin also have
every x beyond the ends of the axis, so that all x are on it.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, floor, inf, log2
from sys import float_info

import numpy as np
import torch

from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import minus
from lib.network.sampling import WIDEST, log_range

_MOST_BINS = 48
_EVEN_BINS = 32
_NORMAL = 4.0  # the axis of normal x ends here: one x in 16,000 lies beyond
_BINADES = {"normal": (-5, 2), "uniform": (-1, 6)}
"""The powers of two of abs(x) between which a logarithmic axis lies: 97% of the x and more."""
_FLAT_BEYOND = (-32, 10)
"""Likewise for log-uniform x if the function is one that is flat beyond."""
_PER_ULP = 16  # bins of errors per ulp
_FINE_UP_TO = 4  # ulps; above that, one bin for each factor of two


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, divided into `bins`.

    `scale` says in what it is even: "even" in x, "log" in log2(abs(x)), so that x and −x are at the same place. `low`
    and `high` are numbers on that scale.
    """

    scale: str
    low: float
    high: float
    bins: int

    @cached_property
    def edges(self) -> np.ndarray:
        """The ends of the bins, float64, increasing, of shape (bins + 1,): numbers of the size of x if it is "log"."""
        even = np.linspace(self.low, self.high, self.bins + 1)
        with np.errstate(over="ignore"):  # the end of float64
            return np.exp2(even) if self.scale == "log" else even

    def bin_of(self, x: np.ndarray) -> np.ndarray:
        """The bin of each x, int64. The lower end of a bin is in it, the upper one is not."""
        inner = self.edges[1:-1]
        if self.scale == "log":
            x = np.abs(x)
        with np.errstate(divide="ignore"):
            at = (np.log2(x) if self.scale == "log" else x).clip(self.low, self.high)
        # A quotient takes a fraction of the time of a search, and is off by at most one bin.
        near = (
            ((at - self.low) * (self.bins / (self.high - self.low)))
            .astype(np.int64)
            .clip(max=self.bins - 1)
        )
        ends = np.array([np.nan, *inner, np.nan])  # nothing is beyond NaN
        return near - (x < ends[near]) + (x >= ends[near + 1])

    def place(self, x: float) -> float:
        """Return where an x is on the scale; one beyond an end of the axis is at that end."""
        place = x if self.scale == "even" else log2(abs(x)) if x else -inf
        return min(max(place, self.low), self.high)

    def at(self, bins: float) -> float:
        """Return the place on the scale that is so many bins away from the left end."""
        return self.low + (self.high - self.low) * bins / self.bins

    @property
    def name(self) -> str:
        return "|x|" if self.scale == "log" else "x"

    def text(self, low: int, high: int) -> str:
        """Name the x of the bins from `low` on, up to `high`; all of them have no name."""
        first, last = as_label(self.edges[low].item()), as_label(self.edges[high].item())
        if low == 0:
            return f"{self.name} up to {last}" if high < self.bins else ""
        return (
            f"{self.name} from {first} to {last}"
            if high < self.bins
            else f"{self.name} from {first} on"
        )


def as_label(x: float) -> str:
    """Write a number of few digits, with a true minus."""
    return minus(f"{x:.4g}").replace("inf", "∞")


def _power_of_two_from(number: float) -> float:
    """The smallest power of two that is at least a number."""
    return 2.0 ** ceil(log2(number))


def bin_of_error(errors: np.ndarray) -> np.ndarray:
    """The bin of each error in ulps, int32: sixteenths of an ulp up to 4 ulps, powers of two above that."""
    bins = (errors.clip(max=_FINE_UP_TO) * _PER_ULP).astype(np.int32)
    large = np.flatnonzero(errors >= _FINE_UP_TO)
    bins[large] += np.frexp(errors[large])[1] - 3
    return bins


def error_ends(bin_: int) -> tuple[float, float | None]:
    """The ends of a bin of errors: the first is in the bin, the second is not; the last bin has no end."""
    beyond = bin_ - _FINE_UP_TO * _PER_ULP
    if beyond < 0:
        return bin_ / _PER_ULP, (bin_ + 1) / _PER_ULP
    low = _FINE_UP_TO * 2.0**beyond
    return low, 2 * low if 2 * low <= float_info.max else None


@lru_cache(maxsize=64)
def axis_of(experiment: Experiment) -> Axis:
    """The axis of an experiment: by its function, its dtype, and where its x come from."""
    logarithmic = bool(FUNCTIONS[experiment.differentiated].exists)  # a pole or a jump at 0
    if experiment.x_from in _BINADES and not logarithmic:
        end = _NORMAL if experiment.x_from == "normal" else WIDEST
        return Axis("even", -end, end, _EVEN_BINS)
    low, high = _BINADES.get(experiment.x_from, _FLAT_BEYOND)
    if experiment.x_from not in _BINADES and logarithmic:
        low, high = map(round, log_range(getattr(torch, experiment.dtype)))
    width = _power_of_two_from((high - low) / _MOST_BINS)  # of a bin, in powers of two
    start = floor(low / width) * width
    bins = ceil((high - start) / width)
    return Axis("log", start, start + bins * width, bins)
