"""The reference of the derivative study: the correctly rounded derivative at many x, what is measured there, and errors
in ulps against it.

NOTE [two references]: for the narrower dtypes the derivative in float64 is nearly always good enough. It takes a few
operations on x, which float64 holds exactly: IEEE 754 rounds the four basic operations and the square root correctly,
and exp and erfc are within 4 ulp in the libraries that PyTorch calls (Sleef documents 1.0 and 1.5 ulp, MKL's high
accuracy mode 1). Their errors add up to less than 40 units of 2**-53. The bound used here, 2**-44, is more than ten
times as wide, and the tests check it against ball arithmetic. An interval of that width around the float64 value
decides the correct rounding if both its ends round to the same float. The few x where they do not, and every x in
float64, are certified in ball arithmetic; the study counts them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from lib.derivative.axis import axis_of
from lib.derivative.certified import certify
from lib.derivative.formulas import AUTOGRAD, COMPUTED
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS, format_of
from lib.floats.line import round_once, to_float64
from lib.run.tally import Point

RELATIVE = 2.0**-44
"""The bound on the float64 reference's error, relative to the sum of its terms' sizes: NOTE [two references]."""

_MOST_ULPS = np.finfo(np.float64).max
_RESIDUAL = 2.0**-20  # ulps, to which residuals are known
_UNDERFLOW = (
    2.0**-1000
)  # covers underflow in float64, and is far less than any ulp of a narrower dtype


@dataclass(frozen=True)
class Reference:
    """The derivatives at consecutive x and where they lie on the float line: arrays of shape (n,), as in `Certified`.

    `nearest`, float64, is the correctly rounded derivative, infinite where that overflows and NaN where the derivative
    does not exist. `residual` is float64 and `ulp` int32. `powers` has the indices of powers of two from which floats
    are half as far apart towards zero; there `residual` counts these.
    `certified` is the number of x with a derivative that ball arithmetic decided. `undecided`, bool, says where even it
    does not tell whether there is one, or which float is nearest to it; `nearest` is NaN there, too.
    """

    nearest: np.ndarray
    residual: np.ndarray
    ulp: np.ndarray
    powers: np.ndarray
    certified: int
    undecided: np.ndarray

    @cached_property
    def exists(self) -> np.ndarray:
        """Whether the derivative is known to exist."""
        return ~np.isnan(self.nearest)

    @cached_property
    def finite(self) -> np.ndarray:
        """Whether there is a float nearest to the derivative."""
        return np.isfinite(self.nearest)

    def errors(self, values: np.ndarray) -> np.ndarray:
        """abs(value − derivative), float64, in floats as they lie next to `nearest` on the side of either; NaN where
        one of both is not a finite float.

        An error as near to a whole number as residuals are known is that number. One beyond the range of float64, which
        can occur if one ulp is subnormal, becomes float64's largest number.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            errors = np.ldexp(values, -self.ulp) - np.ldexp(
                self.nearest, -self.ulp
            )  # their difference may overflow
            nearest = self.nearest[self.powers]
            errors[self.powers] *= 1 + (values[self.powers] * np.sign(nearest) < np.abs(nearest))
            errors -= self.residual
            np.abs(errors, out=errors)
            whole = np.rint(errors)
            np.copyto(errors, whole, where=np.abs(errors - whole) < _RESIDUAL)
        errors[errors == np.inf] = _MOST_ULPS
        errors[~(np.isfinite(values) & self.finite)] = np.nan
        return errors

    @cached_property
    def _sizes(self) -> np.ndarray:
        """abs(derivative) in ulps."""
        residual = self.residual.copy()
        residual[self.powers] /= 1 + (self.nearest[self.powers] * residual[self.powers] < 0)
        with np.errstate(over="ignore"):
            return np.abs(np.ldexp(self.nearest, -self.ulp) + residual)

    def relative(self, values: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """abs(value − derivative)/abs(derivative), float64, of values with these `errors`; NaN where the value is the
        float nearest to the derivative, or one of both is not a finite float."""
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            relative = errors / self._sizes
        nearest = self.nearest[self.powers]
        relative[self.powers] /= 1 + (values[self.powers] * np.sign(nearest) < np.abs(nearest))
        relative[values == self.nearest] = np.nan
        return relative


@dataclass(frozen=True)
class ComputedDerivatives:
    """The measurements at consecutive x; `number` is the number of the first x in the experiment.

    x and the derivatives `computed`, by name, are float64 of shape (n,), which holds the numbers of every dtype
    exactly.
    """

    experiment: Experiment
    number: int
    x: np.ndarray
    computed: dict[str, np.ndarray]
    reference: Reference

    def __len__(self) -> int:
        return len(self.x)

    def errors(self, name: str) -> np.ndarray:
        """abs(computed − exact derivative) in ulps, float64; NaN where either is not a finite float."""
        return self.reference.errors(self.computed[name])

    def tolerances(self, name: str) -> np.ndarray:
        """The rtol that `assert_close` needs beside its default atol to find a derivative close to autograd's, and the
        atol that it needs without rtol, shape (2, n); NaN where its defaults will do in both orders of its arguments,
        or one of both is not finite."""
        fmt = FORMATS[self.experiment.dtype]
        rtol, atol = DTYPES[fmt.name].tolerances
        first, second = self.computed[AUTOGRAD], self.computed[name]
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            distance, smaller = np.abs(first - second), np.minimum(np.abs(first), np.abs(second))
            most = distance * (
                1 + 4 * float(fmt.eps)
            )  # with room for the roundings of the check itself
            may_fail = most > atol + rtol * smaller
            if not may_fail.any():
                return np.full((2, len(self)), np.nan)
            may_fail &= self.reference.exists & np.isfinite(distance)
            one, other = (
                torch.from_numpy(side).to(getattr(torch, fmt.name)) for side in (first, second)
            )
            close = torch.isclose(one, other, rtol, atol) & torch.isclose(other, one, rtol, atol)
            return np.where(may_fail & ~close.numpy(), [(most - atol) / smaller, distance], np.nan)

    @cached_property
    def bins(self) -> np.ndarray:
        """The bin of each x, int64 (`axis`)."""
        return axis_of(self.experiment).bin_of(self.x)

    @cached_property
    def by_bin(self) -> tuple[np.ndarray, np.ndarray]:
        """The indices of the x sorted by bin, and how many each bin has that has any."""
        counts = np.bincount(self.bins)
        return np.argsort(self.bins.astype(np.uint8), kind="stable"), counts[
            counts > 0
        ]  # of bytes: a radix sort

    def at(self, i: int) -> Point:
        return Point(self.number + i, self.x[i].item())


def exists_at(function: str, x: np.ndarray) -> np.ndarray:
    """Whether the derivative is known to exist at each x, float64 of any shape; it never does at infinities and NaN."""
    finite, exists = np.isfinite(x), COMPUTED[function].exists
    if exists:
        return exists(torch.from_numpy(x)).numpy().astype(bool) & finite
    found = [certify(function, at, torch.float64).nearest for at in x[finite].tolist()]
    finite[finite] = ~np.isnan(found)
    return finite


def reference(function: str, x: Tensor) -> Reference:
    """The exact derivatives at x, shape (n,) and any dtype."""
    at = to_float64(x)
    if x.dtype == torch.float64 or not COMPUTED[function].terms:
        nearest, residual, ulp = np.zeros_like(at), np.zeros_like(at), np.zeros(at.shape, np.int32)
        by_balls = np.full(at.shape, True)
    else:
        nearest, residual, ulp, by_balls = _in_float64(function, at, x.dtype)
    may_exist = exists_at(function, at) if COMPUTED[function].exists else np.isfinite(at)
    nearest[~may_exist] = np.nan
    by_balls &= may_exist
    undecided = np.full(at.shape, False)
    for i in np.flatnonzero(by_balls).tolist():
        value = certify(function, at[i].item(), x.dtype)
        nearest[i], residual[i], ulp[i] = value.nearest, value.residual, value.ulp
        undecided[i] = value.undecided
    certified = int(np.count_nonzero(by_balls & ~np.isnan(nearest)))
    powers = np.flatnonzero(
        (np.abs(np.frexp(nearest)[0]) == 0.5) & (ulp > format_of(x.dtype).smallest_exponent)
    )
    residual[powers] *= 1 + (nearest[powers] * residual[powers] < 0)
    return Reference(nearest, residual, ulp, powers, certified, undecided)


def _in_float64(function: str, x: np.ndarray, dtype: torch.dtype) -> tuple[np.ndarray, ...]:
    """Return `nearest`, `residual` and `ulp` by the float64 reference, and which x it leaves undecided."""
    terms, none = (
        [term(torch.from_numpy(x)).numpy() for term in COMPUTED[function].terms],
        np.zeros(1),
    )
    with np.errstate(
        invalid="ignore", over="ignore"
    ):  # what overflows float64 overflows every narrower dtype
        value, bound = sum(terms, none), sum(map(np.abs, terms), none) * RELATIVE + _UNDERFLOW
        bound[np.isinf(value)] = 0
        rounded, low, high = (
            round_once(torch.from_numpy(end), dtype)
            for end in (value, value - bound, value + bound)
        )
        nearest = to_float64(rounded)
        residual = value - nearest
    fmt = format_of(dtype)
    ulp = np.maximum(np.frexp(nearest)[1] - fmt.precision, fmt.smallest_exponent)
    ulp[nearest == 0] = fmt.smallest_exponent
    return nearest, np.ldexp(residual, -ulp), ulp, (low != high).numpy()
