"""The correctly rounded derivative at many x, and errors against it.

NOTE [two references]: for the narrower dtypes the derivative in float64 is nearly always good
enough. It takes a few operations on x, which float64 holds exactly: IEEE 754 rounds the four basic
operations and the square root correctly, and exp and erfc are within 4 ulp in the libraries that
PyTorch calls (Sleef documents 1.0 and 1.5 ulp, MKL's high accuracy mode 1). Their errors add up to
less than 40 units of 2**-53. The bound used here, 2**-44, is more than ten times as wide, and the
tests check it against ball arithmetic. An interval of that width around the float64 value decides
the correct rounding if both its ends round to the same float. Ball arithmetic certifies the few x
where they do not, and every x in float64; the study counts them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from lib.derivative.axis import axis_of
from lib.derivative.certified import certify
from lib.derivative.formulas import AUTOGRAD, Elementwise, parsed
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.exact_floats import Format, format_of
from lib.floats.ulps import round_once, to_float64
from lib.run.tally import Point

RELATIVE = 2.0**-44
"""Bound on the error of the float64 reference, relative to the sum of its terms' sizes:
NOTE [two references]."""

_MOST_ULPS = np.finfo(np.float64).max
_UNDERFLOW = 2.0**-1000
"""Covers underflow in float64. It is far below any ulp of a narrower dtype."""


@dataclass(frozen=True)
class Reference:
    """The exact derivatives at consecutive x, on the float line of a `form`: arrays of shape (n,).

    Attributes:
        form: the format of the dtype.
        nearest: the correctly rounded derivatives, float64; infinite where that overflows, NaN
            where no derivative is known to exist.
        residual: exact derivative − nearest, in ulps, float64.
        certified: the number of x with a derivative that ball arithmetic decided.
        undecided: where even ball arithmetic does not tell whether there is a derivative or which
            float is nearest to it, bool.
    """

    form: Format
    nearest: np.ndarray
    residual: np.ndarray
    certified: int
    undecided: np.ndarray

    @cached_property
    def exists(self) -> np.ndarray:
        """Whether the derivative is known to exist, bool."""
        return ~np.isnan(self.nearest)

    def errors(self, values: np.ndarray) -> np.ndarray:
        """Return abs(value − exact derivative) in ulps of `nearest`, float64, of shape (n,).

        It is NaN where the value or `nearest` is not finite. It is at most float64's largest
        number: an error can be larger if one ulp is subnormal.
        """
        exponents = -ulp_exponents(self.nearest, self.form)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.ldexp(values, exponents) - np.ldexp(self.nearest, exponents)
            errors = np.abs(off - self.residual)
        errors = np.minimum(errors, _MOST_ULPS)
        errors[~(np.isfinite(values) & np.isfinite(self.nearest))] = np.nan
        return errors


@dataclass(frozen=True)
class ComputedDerivatives:
    """The measurements at n consecutive x.

    Attributes:
        experiment: the experiment.
        number: the number of the first x in the experiment.
        x: the x, float64 of shape (n,); float64 holds the numbers of every dtype exactly.
        computed: the derivatives by autograd and by each formula, likewise.
        reference: the exact derivatives.
    """

    experiment: Experiment
    number: int
    x: np.ndarray
    computed: dict[str, np.ndarray]
    reference: Reference

    def __len__(self) -> int:
        return len(self.x)

    def tolerances(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the tolerances with which `assert_close` passes for the values and autograd's.

        Returns:
            Two arrays, float64 of shape (n,). The first has the smallest rtol that passes with the
            default atol. It is NaN where the default rtol passes in both orders of the arguments.
            The second has abs(value − autograd's), the smallest atol that passes with rtol=0. It is
            NaN where the two are equal. Both are NaN where the derivative is not known to exist or
            where a value is not finite.
        """
        dtype = self.experiment.dtype
        rtol, atol = DTYPES[dtype].tolerances
        first = self.computed[AUTOGRAD]
        second = self.computed[name]
        kind = getattr(torch, dtype)
        actual, expected = (torch.from_numpy(side).to(kind) for side in (first, second))
        close = torch.isclose(actual, expected, rtol, atol)
        close &= torch.isclose(expected, actual, rtol, atol)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            distance = np.abs(first - second)
            smaller = np.minimum(np.abs(first), np.abs(second))
            # With room for the roundings of the check itself.
            largest = distance * (1 + 4 * float(self.reference.form.eps))
            needed = (largest - atol) / smaller
        compared = self.reference.exists & np.isfinite(distance)
        needed[~compared | close.numpy()] = np.nan
        distance[~compared | (distance == 0)] = np.nan
        return needed, distance

    @cached_property
    def bins(self) -> np.ndarray:
        """The bin of each x, int64 (`axis`)."""
        return axis_of(self.experiment).bin_of(self.x)

    def at(self, i: int) -> Point:
        return Point(self.number + i, self.x[i].item())


def ulp_exponents(nearest: np.ndarray, form: Format) -> np.ndarray:
    """Return the exponents of one ulp at finite floats: NOTE [which ulp] in `floats.ulps`."""
    exponents = np.maximum(np.frexp(nearest)[1] - form.precision, form.smallest_exponent)
    exponents[nearest == 0] = form.smallest_exponent
    return exponents


def reference(function: str, x: Tensor) -> Reference:
    """Return the exact derivatives.

    Args:
        function: the name of a listed function, or the text of a visitor's own.
        x: of shape (n,) and any dtype. No derivative exists at infinities and NaN.
    """
    points = to_float64(x)
    form = format_of(x.dtype)
    row = parsed(function)
    if x.dtype == torch.float64 or not row.terms:
        nearest = np.zeros_like(points)
        residual = np.zeros_like(points)
        by_balls = np.full(points.shape, True)
    else:
        nearest, residual, by_balls = _in_float64(row.terms, points, x.dtype)
    may_exist = np.isfinite(points)
    may_exist &= row.exists(torch.from_numpy(points)).numpy().astype(bool)
    nearest[~may_exist] = np.nan
    by_balls &= may_exist
    undecided = np.full(points.shape, False)
    for i in np.flatnonzero(by_balls):
        nearest[i], residual[i], undecided[i], _ = certify(function, points[i].item(), x.dtype)
    certified = int(np.count_nonzero(by_balls & ~np.isnan(nearest)))
    return Reference(form, nearest, residual, certified, undecided)


def _in_float64(
    functions: tuple[Elementwise, ...], x: np.ndarray, dtype: torch.dtype
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `nearest` and `residual` by the float64 reference, and which x it leaves undecided."""
    terms = [term(torch.from_numpy(x)).numpy() for term in functions]
    # What overflows float64 also overflows every narrower dtype.
    with np.errstate(invalid="ignore", over="ignore"):
        value = np.sum(terms, 0)
        bound = np.sum(np.abs(terms), 0) * RELATIVE + _UNDERFLOW
        bound[np.isinf(value)] = 0
        low = round_once(torch.from_numpy(value - bound), dtype)
        high = round_once(torch.from_numpy(value + bound), dtype)
        nearest = to_float64(round_once(torch.from_numpy(value), dtype))
        residual = np.ldexp(value - nearest, -ulp_exponents(nearest, format_of(dtype)))
    return nearest, residual, (low != high).numpy()
