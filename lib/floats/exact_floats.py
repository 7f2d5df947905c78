"""The float line in whole numbers and fractions: like `line`, but for single numbers and without rounding.

A float's *ordinal* is its place on the line: 0 for both zeros, 1 for the smallest positive float. Here the line
continues beyond the largest float as if the exponent had no upper bound. Nothing here needs torch.

NOTE [closeness in the dtype]: all three checks end in `torch.isclose`, which computes in the dtype of the tensors: it
rounds both the difference and its bound. rtol is a Python float, and its product with `expected` uses it as it is, or
as float32 if the dtype is smaller. atol is rounded to the dtype before it is added, so in float16 the 1e-8 of
`allclose` is 0. In 16-bit dtypes each step is rounded to float32 first. The CPU's kernels work this way, and the tests
compare `Tolerance.holds` with them. Every step is monotonic, so a verdict that holds at both ends of an interval holds
in between.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import log10

from lib.experiment.choices import DTYPES


@dataclass(frozen=True)
class Format:
    """A binary floating-point format: `precision` is the number of significant bits, as in `choices.DType`."""

    name: str
    precision: int
    largest_exponent: int

    @property
    def eps(self) -> Fraction:
        """The distance from 1 to the next float."""
        return Fraction(1, 1 << (self.precision - 1))

    @property
    def digits(self) -> int:
        """The number of significant decimal digits that distinguish every float from its neighbours.

        D. W. Matula, "In-and-out conversions", Communications of the ACM 11, 1968.
        """
        return 2 + int(self.precision * log10(2))

    @property
    def is_narrow(self) -> bool:
        """Whether it has less precision than float32: the dtypes of 16 bits, and TF32."""
        return self.precision < 24

    @cached_property
    def smallest_exponent(self) -> int:
        """The exponent of the smallest positive float; every float is a multiple of it."""
        return 2 - self.largest_exponent - self.precision

    @property
    def largest(self) -> Fraction:
        return self.value(self.infinity - 1)

    @property
    def infinity(self) -> int:
        """The ordinal of infinity, one more than that of the largest float."""
        return (2 * self.largest_exponent + 1) << (self.precision - 1)

    def quantum(self, bits: int) -> int:
        """Return the exponent of one ulp for numbers from 2**(bits − 1) to 2**bits."""
        return max(bits - self.precision, self.smallest_exponent)

    def value(self, ordinal: int) -> Fraction:
        """Return the float with this ordinal."""
        if ordinal < 0:
            return -self.value(-ordinal)
        binades = max(
            (ordinal >> (self.precision - 1)) - 1, 0
        )  # above the lowest binade, which the subnormals share
        units, exponent = (
            ordinal - (binades << (self.precision - 1)),
            self.smallest_exponent + binades,
        )
        return Fraction(units << exponent) if exponent > 0 else Fraction(units, 1 << -exponent)

    def floor(self, x: Fraction) -> int:
        """Return the ordinal of the largest float that is at most x."""
        if x < 0:
            return -self.ceil(-x)
        return self._floor(x)[0]

    def _floor(self, x: Fraction) -> tuple[int, int]:
        """Return the ordinal of the largest float that is at most x ≥ 0, and the sign of x − the middle above it."""
        units, rest = divmod(x.numerator << -self.smallest_exponent, x.denominator)
        binades = max(units.bit_length() - self.precision, 0)
        below = (binades << (self.precision - 1)) + (units >> binades)
        if binades:
            middle, beyond = 1 << (binades - 1), units & ((1 << binades) - 1)
            return below, (beyond > middle or beyond == middle and rest > 0) - (beyond < middle)
        return below, (2 * rest > x.denominator) - (2 * rest < x.denominator)

    def place(self, x: Fraction) -> Fraction:
        """Return where x lies on the line, in steps from 0: the ordinal of a float, and between two of them."""
        below = self.floor(x)
        low, high = self.value(below), self.value(below + 1)
        return below + (x - low) / (high - low)

    def ceil(self, x: Fraction) -> int:
        """Return the ordinal of the smallest float that is at least x."""
        below = self.floor(x)
        return below if self.value(below) == x else below + 1

    def nearest(self, x: Fraction) -> int:
        """Return the ordinal of x rounded to nearest, ties to even."""
        if x < 0:
            return -self.nearest(-x)
        below, beyond = self._floor(x)
        return below + (beyond > 0 or beyond == 0 and below % 2)

    def rounded(self, x: Fraction) -> Fraction:
        """Return the float nearest to x, ties to even, on a line that continues beyond the largest float."""
        return self.value(self.nearest(x))

    def spacing(self, ordinal: int) -> Fraction:
        """Return one ulp at a float: NOTE [which ulp] in `line`."""
        return self.value(abs(ordinal) + 1) - self.value(abs(ordinal))


FORMATS = {
    name: Format(name, dtype.precision, dtype.largest_exponent) for name, dtype in DTYPES.items()
}
"""The formats of the dtypes that can be chosen."""

TF32 = Format("TF32", precision=11, largest_exponent=127)
"""float32 with 10 bits after the leading one, to which NVIDIA's tensor cores round the factors of float32 products.

No dtype: a number that was rounded to it is printed as a float32.
"""


@cache
def format_of(dtype: object) -> Format:
    """Return the format of a `torch.dtype`."""
    return FORMATS[str(dtype).removeprefix("torch.")]


@dataclass(frozen=True)
class Tolerance:
    """Two numbers are close if abs(actual − expected) ≤ atol + rtol·abs(expected)."""

    rtol: float
    atol: float

    def holds(self, difference: Fraction, expected: Fraction, form: Format) -> bool:
        """Return whether `torch.isclose` finds two floats close: NOTE [closeness in the dtype].

        `difference` is the exact difference of the two, of either sign, and `form` is their format.
        """
        wide = max(form, FORMATS["float32"], key=lambda one: one.precision)

        def rounded(x: Fraction) -> Fraction:
            return form.rounded(wide.rounded(x))

        actual = rounded(abs(difference))
        allowed = rounded(
            rounded(Fraction(self.atol))
            + rounded(wide.rounded(Fraction(self.rtol)) * abs(expected))
        )
        return actual <= min(allowed, form.largest)


def tolerances(dtype: str) -> dict[str, Tolerance]:
    """Return the defaults with which each check compares two gradients of a dtype, by its name.

    `torch.testing.assert_close` has some for each dtype, `torch.allclose` and `torch.isclose` the same for all. Those
    of `torch.autograd.gradcheck` are meant for float64: its expected values are finite differences.
    """
    of_dtype = Tolerance(*DTYPES[dtype].tolerances)
    return {
        "assert_close": of_dtype,
        "allclose": Tolerance(1e-5, 1e-8),
        "gradcheck": Tolerance(1e-3, 1e-5),
    }
