"""Two results side by side: how far apart they are, and how they were judged."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from lib.experiment.query import Experiment
from lib.floats.ulps import steps, ulp_distance
from lib.network.sampled_study import Samples
from lib.reference.layers import columns


@dataclass(frozen=True)
class Judged:
    """The judgement of consecutive samples of one block.

    Arrays have shape (samples, components) unless noted.

    Args:
        verdicts: int8, an index into `VERDICTS`, or `UNJUDGED`.
        first_errors: float64, distances of the first side from the reference, NaN where that is
            not known.
        second_errors: the same of the second side.
        exact: float64, the reference itself, NaN where it is not known.
        sums: computes `absolute_sums`, which are not always needed.
        unit: float64, one rounding unit.
        units: float64, the discrepancy in rounding units, 0 where a value is infinite or NaN.
        referenced: bool, shape (samples,), whether the sample has a reference. On a kink it has
            none.
        certified: how many of the referenced samples ball arithmetic judged.
        bound_units: the bound on `units`, None if none is proved.
        experiment: what they are samples of.
    """

    verdicts: np.ndarray
    first_errors: np.ndarray
    second_errors: np.ndarray
    exact: np.ndarray
    sums: Callable[[], np.ndarray]
    unit: np.ndarray
    units: np.ndarray
    referenced: np.ndarray
    certified: int
    bound_units: float | None
    experiment: Experiment

    @cached_property
    def absolute_sums(self) -> np.ndarray:
        """The sum of the sizes of the terms of each exact component, float64.

        The terms of a gradient are the products along all paths. For outputs, and for a softmax,
        whose gradient is 0, the sum is the path sum S of the bound.
        """
        return self.sums()

    @cached_property
    def over(self) -> np.ndarray:
        """Whether each component is above the bound, bool."""
        return self.units > (np.inf if self.bound_units is None else self.bound_units)


@dataclass(frozen=True)
class Pair(Samples):
    """Both sides of one comparison on consecutive samples: two tensors, (samples, components).

    In the discrepancy study they are the backward gradient and the summed Jacobian. `judged` says
    which side is right; it is None if the samples were not judged. NumPy arrays have the same
    shape. All but the distances in ulps are in Fortran order: the inner loop of a reduction over
    components then runs over the many samples, which is many times as fast.
    """

    first: Tensor
    second: Tensor
    judged: Judged | None = None

    @cached_property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Both sides as float64, which holds the numbers of every dtype exactly."""
        first, second = (columns(side, torch.float64) for side in (self.first, self.second))
        return first.numpy().T, second.numpy().T

    @property
    def discrepancy(self) -> np.ndarray:
        """first − second, float64; exact for two narrower floats of similar size."""
        first, second = self.values
        # NaN and infinities are as they should be.
        with np.errstate(invalid="ignore", over="ignore"):
            return first - second

    @cached_property
    def finite(self) -> np.ndarray:
        """Whether both values of each component are finite, bool."""
        first, second = self.values
        return np.isfinite(first) & np.isfinite(second)

    @cached_property
    def all_finite(self) -> bool:
        # The largest size is NaN if any is. Then every component is checked, and also if two
        # finite float64 differ by infinity.
        return bool(np.isfinite(self._sizes.max(initial=0.0)) or self.finite.all())

    @cached_property
    def distance(self) -> np.ndarray:
        """abs(first − second), float64; 0 for components that are not `finite`."""
        return self._sizes if self.all_finite else np.where(self.finite, self._sizes, 0.0)

    @cached_property
    def ulps(self) -> np.ndarray:
        """The ulp distance, uint64; 0 for components that are not `finite`."""
        if self.first.dtype != torch.float64:
            return np.abs(self.signed_ulps).view(np.uint64)
        return ulp_distance(*self._finite_sides)

    @cached_property
    def signed_ulps(self) -> np.ndarray:
        """Steps on the float line from the second side to the first, int64, at most 2**63 − 1.

        They are 0 for components that are not `finite`.
        """
        return steps(*self._finite_sides)

    @cached_property
    def condition(self) -> np.ndarray:
        """The condition number of each component, float64. The samples must have been judged.

        It is `absolute_sums`/abs(g), and at least 1. g is the exact component, or if that is not
        known, the component of the first side, which has rounding errors. It is infinite where g
        is 0.

        0 means that there is no condition number: a value is infinite or NaN, the sum is unknown,
        or no path reaches an output, so that the sum is 0.
        """
        g = np.where(np.isnan(self.judged.exact), self.values[0], self.judged.exact)
        # Then g is 0, known or not.
        if self.judged.experiment.output_activation == "softmax":
            g = np.zeros_like(g)
        sums = self.judged.absolute_sums
        with np.errstate(divide="ignore", invalid="ignore"):
            condition = np.maximum(sums / np.abs(g), 1.0)
        return np.where((sums > 0) & self.finite, condition, 0.0)

    @property
    def _finite_sides(self) -> tuple[Tensor, Tensor]:
        if self.all_finite:
            return self.first, self.second
        finite = torch.from_numpy(self.finite)
        return self.first.where(finite, 0), self.second.where(finite, 0)

    @cached_property
    def _sizes(self) -> np.ndarray:
        discrepancy = self.discrepancy
        return np.abs(discrepancy, out=discrepancy)
