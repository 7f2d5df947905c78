"""The two sides that a visitor picks in a paste, and with them what stands in the same places of lines alike."""

from itertools import groupby, pairwise

from lib.paste.narrowing import joined
from lib.paste.printed import PasteError, Value
from lib.paste.read import Reading

Sides = tuple[int, int]
"""The places of two values among those that were read, in the order of the text."""


def picked(reading: Reading, sides: Sides) -> tuple[Value, Value]:
    """Return two of the values that were read.

    Single numbers of one line stand for the columns that they are in, those in one place of two plain rows for the
    rows. Raise `PasteError` if there are no such two.
    """
    if len({*sides}) < 2 or not all(0 <= side < len(reading.values) for side in sides):
        raise PasteError(f"Two of {len(reading.values)} values are compared: two different ones must be picked.")
    first, second = (reading.values[side] for side in sides)
    scalars = [value for value in reading.values if not value.shape]
    rows = [tuple(row) for _, row in groupby(scalars, lambda value: value.line)]
    one, other = (next((row for row in rows if value in row), ()) for value in (first, second))
    if not one or _between(one, reading) != _between(other, reading):
        return first, second
    at, to = one.index(first), other.index(second)
    if one is other:
        alike = [row for row in rows if _between(row, reading) == _between(one, reading)]
        return joined([[row[at]] for row in alike]), joined([[row[to]] for row in alike])
    plain = at == to and not any(map(str.isalpha, "".join(_between(one, reading))))
    return (joined([one]), joined([other])) if plain else (first, second)


def _between(row: tuple[Value, ...], reading: Reading) -> list[str]:
    """Return the words and signs between the numbers of a line."""
    text = "\n".join(reading.lines)
    gaps = (text[one.numbers[0].span[1] : two.numbers[0].span[0]] for one, two in pairwise(row))
    return [" ".join(gap.split()) for gap in gaps]
