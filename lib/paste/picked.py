"""The two sides that a visitor picks in a paste, and with them what stands in the same places of lines alike."""

from collections.abc import Iterator, Sequence
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
    rows = {line: tuple(row) for line, row in groupby(scalars, lambda value: value.line)}
    text = "\n".join(reading.lines)
    between = {line: _between(row, text) for line, row in rows.items()}
    line, other = first.line, second.line
    if first.shape or between[line] != between[other]:
        return first, second
    at, to = rows[line].index(first), rows[other].index(second)
    if line == other:
        alike = [row for place, row in rows.items() if between[place] == between[line]]
        return joined([[row[at]] for row in alike]), joined([[row[to]] for row in alike])
    plain = at == to and not any(map(str.isalpha, "".join(between[line])))
    return (joined([rows[line]]), joined([rows[other]])) if plain else (first, second)


def _between(row: Sequence[Value], text: str) -> list[str]:
    """Return the words and signs between the numbers of a line."""
    gaps = (text[one.numbers[0].span[1] : two.numbers[0].span[0]] for one, two in pairwise(row))
    return [" ".join(gap.split()) for gap in gaps]
