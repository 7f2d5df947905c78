"""A stretch of the float line, as it is drawn: each float takes the same room, whatever its value."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log10

from lib.floats.exact_floats import Format
from lib.paste.possible_floats import Number

_MARGIN = Fraction(5, 4)  # the width of the line, in widths of what is on it


class Window:
    """The `count` floats from the ordinal `low` on."""

    def __init__(self, middle: int, count: int) -> None:
        self.low, self.count = middle - count // 2, count

    @classmethod
    def around(cls, numbers: Sequence[Number], count: int) -> "Window":
        """Return a window around all floats that the numbers may be, a whole number of times as wide as `count` floats.

        That number has two significant digits, so that a picture can magnify by just what it says.
        """
        lowest, highest = min(number.lowest for number in numbers), max(number.highest for number in numbers)
        times = ceil(_MARGIN * (highest - lowest + 1) / count)
        unit = 10 ** max(int(log10(times)) - 1, 0)
        return cls((lowest + highest) // 2, -(-times // unit) * unit * count)

    def at(self, place: Fraction) -> float:
        """Return where an ordinal, or a place between two, is drawn."""
        return float((place - self.low + Fraction(1, 2)) / self.count)

    def stretch(self, lowest: int, highest: int) -> list[float]:
        """Return where some floats in a row begin and end, each with half of the gap to either side."""
        half = Fraction(1, 2)
        return [self.at(lowest - half), self.at(highest + half)]

    def ticks(self, form: Format) -> list[float]:
        """Return where its finite floats are drawn."""
        largest = form.infinity - 1
        inside = range(max(self.low, -largest), min(self.low + self.count, largest + 1))
        return [self.at(Fraction(ordinal)) for ordinal in inside]
