"""The axis of x: where an x lies on it, and its bins, which are equally wide on the axis.

A bin is a whole number from 0 on, so that counts are exact and can be merged. The first and the
last bin also hold every x beyond the ends of the axis, so that no x is left out.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf, log2

import numpy as np
import torch

from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.quantities import minus
from lib.network.sampling import WIDEST, log_range

_LINEAR_BINS = 32
_LOG_BINS = 42
_ENDS = {"normal": 4.0, "uniform": WIDEST}
"""The largest abs(x) of a linear axis: one normal x in 16,000 lies beyond."""
_BINADES = {"normal": (-5, 2), "uniform": (-1, 6)}
"""A logarithmic axis goes from 2**low to 2**high: at least 97% of the abs(x) lie between."""
_SMOOTH_BINADES = (-32.0, 10.0)
"""The same for log-uniform x of a function with a derivative everywhere, but many x may lie beyond
the ends. Most such functions are nearly linear there for smaller x, and overflow or are nearly
constant for larger x."""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, divided into `bins`.

    A "linear" `scale` is linear in x. A "log" scale is linear in log2(abs(x)), so that x and −x
    are at the same place. `low` and `high` are places on that scale.
    """

    scale: str
    low: float
    high: float
    bins: int

    @cached_property
    def edges(self) -> np.ndarray:
        """The ends of the bins, as x or abs(x): float64, increasing, of shape (bins + 1,)."""
        inner = np.linspace(self.low, self.high, self.bins + 1)[1:-1]
        if self.scale == "log":
            return np.array([0, *np.exp2(inner), inf])
        return np.array([-inf, *inner, inf])

    def bin_of(self, x: np.ndarray) -> np.ndarray:
        """Return the bin of each x, int64. A bin includes its lower end, but not its upper end."""
        size = np.abs(x) if self.scale == "log" else x
        return np.searchsorted(self.edges[1:-1], size, side="right")

    def place(self, x: float) -> float:
        """Return the place of an x on the scale, perhaps beyond an end of the axis."""
        if self.scale == "log":
            return log2(abs(x)) if x else -inf
        return x

    def at(self, bins: float) -> float:
        """Return the place that is this number of bins away from the left end."""
        return self.low + (self.high - self.low) * bins / self.bins

    def text(self, bin_: int) -> str:
        """Name the x in a bin, by its ends in at most four digits."""
        low, high = self.edges[bin_ : bin_ + 2]
        name = "|x|" if self.scale == "log" else "x"
        return minus(f"{name} from {low:.4g} to {high:.4g}").replace("inf", "∞")


@lru_cache(maxsize=64)
def axis_of(experiment: Experiment) -> Axis:
    """Return the axis for the function and the dtype of an experiment, and its source of x."""
    # The derivative exists everywhere, as far as is known, if `exists` is empty.
    is_smooth = not FUNCTIONS[experiment.differentiated].exists
    if experiment.x_from == "log-uniform":
        ends = _SMOOTH_BINADES if is_smooth else log_range(getattr(torch, experiment.dtype))
        return Axis("log", *ends, _LOG_BINS)
    if is_smooth:
        end = _ENDS[experiment.x_from]
        return Axis("linear", -end, end, _LINEAR_BINS)
    return Axis("log", *_BINADES[experiment.x_from], _LOG_BINS)
