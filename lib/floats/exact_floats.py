"""Formats, and the float line of single numbers in exact arithmetic; `ulps` has that of tensors.

A float's *ordinal* is its place on the line: 0 for both zeros, 1 for the smallest positive float.
Here the line continues beyond the largest float as if the exponent had no upper bound. Nothing here
needs torch.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import isfinite, log10

from lib.experiment.choices import DTYPES


@dataclass(frozen=True)
class Format:
    """A binary floating-point format; `precision` is the number of significant bits."""

    name: str
    precision: int
    largest_exponent: int

    @property
    def eps(self) -> Fraction:
        """The distance from 1 to the next float."""
        return Fraction(1, 1 << (self.precision - 1))

    @property
    def digits(self) -> int:
        """How many significant decimal digits are enough to tell every float from its neighbours.

        D. W. Matula, "In-and-out conversions", Communications of the ACM 11, 1968.
        """
        return 2 + int(self.precision * log10(2))

    @cached_property
    def smallest_exponent(self) -> int:
        """The exponent of the smallest positive float, of which every float is a multiple."""
        return 2 - self.largest_exponent - self.precision

    @property
    def largest(self) -> Fraction:
        return self.value(self.infinity - 1)

    @property
    def infinity(self) -> int:
        """The ordinal of infinity, one more than that of the largest float."""
        return (2 * self.largest_exponent + 1) << (self.precision - 1)

    def quantum(self, bits: int) -> int:
        """Return e such that one ulp is 2**e for numbers from 2**(bits − 1) to 2**bits."""
        return max(bits - self.precision, self.smallest_exponent)

    def value(self, ordinal: int) -> Fraction:
        """Return the float with this ordinal."""
        if ordinal < 0:
            return -self.value(-ordinal)
        # Subnormals share the spacing of the lowest binade.
        binades = max((ordinal >> (self.precision - 1)) - 1, 0)
        units = ordinal - (binades << (self.precision - 1))
        exponent = self.smallest_exponent + binades
        return Fraction(units << exponent) if exponent > 0 else Fraction(units, 1 << -exponent)

    def floor(self, x: Fraction) -> int:
        """Return the ordinal of the largest float that is at most x."""
        if x < 0:
            return -self.ceil(-x)
        return self._floor(x)[0]

    def _floor(self, x: Fraction) -> tuple[int, int]:
        """Return the ordinal of the float at or below x ≥ 0, and in which half of the gap x lies.

        The half is the sign of x minus the midpoint of that float and the next.
        """
        units, rest = divmod(x.numerator << -self.smallest_exponent, x.denominator)
        binades = max(units.bit_length() - self.precision, 0)
        below = (binades << (self.precision - 1)) + (units >> binades)
        # The midpoint is 2**binades half units above the float.
        half_units = 2 * (units & ((1 << binades) - 1)) - (1 << binades)
        excess = half_units * x.denominator + 2 * rest
        return below, (excess > 0) - (excess < 0)

    def place(self, x: Fraction) -> Fraction:
        """Return the place of x on the line: an ordinal, or a fraction between two ordinals."""
        below = self.floor(x)
        low = self.value(below)
        return below + (x - low) / (self.value(below + 1) - low)

    def ceil(self, x: Fraction) -> int:
        """Return the ordinal of the smallest float that is at least x."""
        below = self.floor(x)
        return below if self.value(below) == x else below + 1

    def nearest(self, x: Fraction) -> int:
        """Return the ordinal of x rounded to nearest, ties to even."""
        if x < 0:
            return -self.nearest(-x)
        below, half = self._floor(x)
        return below + (half > 0 or half == 0 and below % 2)

    def rounded(self, x: Fraction) -> Fraction:
        """Return the float nearest to x, ties to even, perhaps beyond the largest float."""
        return self.value(self.nearest(x))

    def spacing(self, ordinal: int) -> Fraction:
        """Return one ulp at a float: NOTE [which ulp] in `ulps`."""
        return self.value(abs(ordinal) + 1) - self.value(abs(ordinal))


FORMATS = {
    name: Format(name, dtype.precision, dtype.largest_exponent) for name, dtype in DTYPES.items()
}
"""The formats of the dtypes that can be chosen."""


@cache
def format_of(dtype: object) -> Format:
    """Return the format of a `torch.dtype`."""
    return FORMATS[str(dtype).removeprefix("torch.")]


def shortest(value: float, dtype: object) -> str:
    """Write a number of the `torch.dtype` in the fewest decimal digits that read back to it."""
    floats = format_of(dtype)
    if isfinite(value) and value:
        for digits in range(1, 17):
            candidate = f"{value:.{digits}g}"
            if floats.rounded(Fraction(candidate)) == value:
                return repr(float(candidate))
    return repr(value)
