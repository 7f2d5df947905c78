"""The two sides that a visitor picks in a paste, and with them what stands in the same places of lines alike."""

from collections.abc import Iterator
from itertools import groupby, pairwise

from lib.paste.narrowing import joined
from lib.paste.printed import PasteError, Value
from lib.paste.read import Reading

Sides = tuple[int, int]
"""The places of two among the choices, in the order of the text."""


def choices(reading: Reading) -> list[tuple[Value, Value]]:
    """Return what can be picked: single numbers, vectors and rows of matrices, each with the value that it is of."""
    return [(row, value) for value in reading.values for row in _rows(value)]


def _rows(value: Value) -> Iterator[Value]:
    length = value.shape[-1] if len(value.shape) > 1 else len(value.numbers)
    for start in range(0, len(value.numbers), length):
        yield value._replace(numbers=value.numbers[start : start + length], shape=value.shape[-1:])


def picked(reading: Reading, sides: Sides) -> tuple[Value, Value]:
    """Return two of what can be picked: rows of two matrices of one shape as these.

    Single numbers of one line stand for the columns that they are in, those in one place of two plain rows for the
    rows. Raise `PasteError` if there are no such two.
    """
    given = choices(reading)
    if len({*sides}) < 2 or not all(0 <= side < len(given) for side in sides):
        raise PasteError(f"Two of {len(given)} values are compared: two different ones must be picked.")
    (one, first), (two, second) = (given[side] for side in sides)
    if first is second or first.shape != second.shape:
        return one, two
    scalars = [value for value in reading.values if not value.shape]
    rows = [tuple(row) for _, row in groupby(scalars, lambda value: value.line)]
    line, other = (next((row for row in rows if value in row), ()) for value in (first, second))
    if not line or _between(line, reading) != _between(other, reading):
        return first, second
    at, to = line.index(first), other.index(second)
    if line is other:
        alike = [row for row in rows if _between(row, reading) == _between(line, reading)]
        return joined([[row[at]] for row in alike]), joined([[row[to]] for row in alike])
    plain = at == to and not any(map(str.isalpha, "".join(_between(line, reading))))
    return (joined([line]), joined([other])) if plain else (first, second)


def _between(row: tuple[Value, ...], reading: Reading) -> list[str]:
    """Return the words and signs between the numbers of a line."""
    text = "\n".join(reading.lines)
    gaps = (text[one.numbers[0].span[1] : two.numbers[0].span[0]] for one, two in pairwise(row))
    return [" ".join(gap.split()) for gap in gaps]
