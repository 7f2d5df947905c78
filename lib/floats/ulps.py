"""The float line: the floats of one dtype in order, and distances in steps between them.

Read as integers, the bits of the non-negative floats count the floats in order; the negative floats
mirror them. So a float's *ordinal* is its place on the line, with both zeros at 0. The *ulp
distance* of two floats is the difference of their ordinals, also across zero, at powers of two and
among subnormals. Infinities and NaN are not a number of ulps away from anything: callers count them
separately.

NOTE [which ulp]: an ulp has been defined in several ways (J.-M. Muller, "On the definition of
ulp(x)", INRIA research report 5504, 2005). Here one ulp at a float x is the gap from abs(x) to the
next float away from zero. For a normal x with 2**e ≤ abs(x) < 2**(e + 1) and p significant bits
this is 2**(e − p + 1), the definition of D. Goldberg ("What every computer scientist should know
about floating-point arithmetic", ACM Computing Surveys 23, 1991).
"""

import numpy as np
import torch

from lib.experiment.choices import DTYPES

INTEGERS = {
    getattr(torch, name): getattr(torch, f"int{dtype.bits}") for name, dtype in DTYPES.items()
}
"""For each dtype, the integer dtype of the same width, used to read its bits."""

ZERO_BINADE = -1075
"""The binade that stands for zero: one below 2**-1074, the smallest float64."""


def ordinals(x: torch.Tensor) -> np.ndarray:
    """Return the ordinals of x, same shape: 0 for both zeros, 1 for the smallest positive float.

    They are integers as wide as the floats: narrow ones are faster.
    """
    integer = INTEGERS[x.dtype]
    bits = x.detach().cpu().view(integer).numpy()
    magnitude = bits & torch.iinfo(integer).max
    # −1 for a negative float, else 0.
    sign = bits >> (torch.iinfo(integer).bits - 1)
    return (magnitude ^ sign) - sign


def bits_of(value: float, dtype: torch.dtype) -> str:
    """Return the bits of a number of the dtype, the sign first."""
    integer = INTEGERS[dtype]
    bits = torch.tensor(value, dtype=torch.float64).to(dtype).view(integer)
    return np.binary_repr(int(bits), torch.iinfo(integer).bits)


def ulp_distance(a: torch.Tensor, b: torch.Tensor) -> np.ndarray:
    """Return the number of steps on the float line between a and b, uint64, of their shape.

    The type is unsigned because the ends of the float64 line are almost 2**64 steps apart. a and b
    must have one dtype and be finite, which is not checked.
    """
    here = ordinals(a)
    there = ordinals(b)
    higher = np.maximum(here, there).astype(np.uint64)
    lower = np.minimum(here, there).astype(np.uint64)
    with np.errstate(over="ignore"):
        # Unsigned integers wrap modulo 2**64, and the true distance is below that, so it is exact.
        return higher - lower


def steps(a: torch.Tensor, b: torch.Tensor) -> np.ndarray:
    """Return the steps on the float line from b to a, int64; in float64 at most 2**63 − 1.

    They are negative where a < b. a and b must have one dtype and be finite, which is not checked.
    """
    if a.dtype != torch.float64:
        return np.subtract(ordinals(a), ordinals(b), dtype=np.int64)
    distance = ulp_distance(a, b).clip(max=2**63 - 1).astype(np.int64)
    return np.where((a < b).cpu().numpy(), -distance, distance)


def binade(x: np.ndarray) -> np.ndarray:
    """Return e with 2**e <= abs(x) < 2**(e + 1), int32: `ZERO_BINADE` for 0, 1023 for infinity.

    x holds float64 numbers, or whole numbers that float64 represents exactly.
    """
    sizes = np.minimum(np.abs(x), np.finfo(np.float64).max)
    return np.where(sizes == 0, ZERO_BINADE, np.frexp(sizes)[1] - 1)


def to_float64(x: torch.Tensor) -> np.ndarray:
    """Return the same numbers as a float64 array: every dtype here is a subset of float64."""
    return x.detach().cpu().to(torch.float64).numpy()


def round_once(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Round float64 numbers to the dtype, to nearest with ties to even, in one step.

    PyTorch converts float64 to the 16-bit types by way of float32, which rounds twice: about one of
    16,000 uniform numbers comes out one ulp off in float16. If the first step rounds to odd, the
    second one still sees on which side of a tie the number lies (Boldo and Melquiond, "Emulation of
    FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on
    Computers 57, 2008).
    """
    if dtype in (torch.float64, torch.float32):
        return x.to(dtype)
    single = x.to(torch.float32)
    bits = single.view(torch.int32)
    back = single.to(torch.float64)
    to_odd = (back != x) & (bits % 2 == 0)
    outward = torch.where(back.abs() < x.abs(), 1, -1).to(torch.int32)
    return torch.where(to_odd, bits + outward, bits).view(torch.float32).to(dtype)
