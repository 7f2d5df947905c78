"""The terms of one component of the exact gradient: w·δ for each output and each unit of the first layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb


@dataclass(frozen=True)
class ExactTerms:
    """Whole numbers of shape (outputs, units), in units of 2**-bits, that add up to the component.

    Their sum is off by at most `radius` of these units.
    """

    rows: tuple[tuple[int, ...], ...]
    bits: int
    radius: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[arb]]) -> "ExactTerms":
        """Return the midpoints of the balls, which are finite."""
        middles = [[_whole(ball.mid()) for ball in row] for row in rows]
        radii = [_whole(ball.rad()) for row in rows for ball in row]
        bits = max([0, *(-exponent for row in [*middles, radii] for _, exponent in row)])
        return cls(
            tuple(tuple(mantissa << bits + exponent for mantissa, exponent in row) for row in middles),
            bits,
            sum(mantissa << bits + exponent for mantissa, exponent in radii),
        )

    def adding_up_to_zero(self) -> "ExactTerms":
        """Return the same terms for outputs whose sum is constant: the last row is exactly minus all others."""
        *others, last = self.rows
        rest = [-sum(of_unit) for of_unit in zip(*others, strict=True)] if others else [0] * len(last)
        return ExactTerms((*others, tuple(rest)), self.bits, 0)

    @cached_property
    def total(self) -> int:
        """The component, in the same units."""
        return sum(map(sum, self.rows))

    @property
    def component(self) -> Fraction:
        return Fraction(self.total, 1 << self.bits)


def _whole(number: arb) -> tuple[int, int]:
    """Return m and e of m·2**e."""
    mantissa, exponent = number.man_exp()
    return int(mantissa), int(exponent)
