"""The two values that a visitor presses in a paste, with the columns or rows that they stand for."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import prod

from lib.paste.comparison import Comparison
from lib.paste.pairing import Pairing, Sides, joined, numberless
from lib.paste.printed import PasteError
from lib.paste.relations import BETWEEN_SHAPES
from lib.paste.values import Value

Places = tuple[int, int]
"""The places of two choices, in the order of the text."""


def choices(values: Sequence[Value]) -> list[tuple[Value, Value]]:
    """Return what can be pressed: numbers, vectors and the rows of matrices, each with its value."""
    return [(row, value) for value in values for row in _rows(value)]


def _rows(value: Value) -> Iterator[Value]:
    vector = value.shape[-2:] if value.is_complex else value.shape[-1:]
    length = prod(vector)
    if length == len(value.numbers):
        yield value
        return
    for start in range(0, len(value.numbers), length):
        numbers = value.numbers[start : start + length]
        span = (numbers[0].span[0], numbers[-1].span[1])
        yield value._replace(numbers=numbers, shape=vector, span=span)


def related_by_shape(values: Sequence[Value], dtype: str) -> Pairing | None:
    """Return two values of unlike shapes, if one is the transpose, sum or mean of the other."""
    if len(values) != 2 or any(value.size or not value.shape for value in values):
        return None
    sides = Sides(*values)
    return (sides,) if Comparison(sides, dtype).relation.name in BETWEEN_SHAPES else None


def picked(values: Sequence[Value], places: Places, dtype: str) -> Sides:
    """Return the two values that are compared when two choices are pressed.

    Rows of two matrices of one shape stand for the matrices. Two numbers of a line stand for their
    columns in all lines with the same labels, and two in the same place of two unlabelled lines of
    several numbers for these lines.

    Raises `PasteError` if there are no such two.
    """
    given = choices(values)
    if len({*places}) < 2 or not all(0 <= place < len(given) for place in places):
        allowed = f"two different ones of 0 to {len(given) - 1}"
        raise PasteError(f"The values {places[0]} and {places[1]} cannot be compared: give {allowed}.")
    (first, whole_first), (second, whole_second) = (given[place] for place in places)
    if whole_first is whole_second:
        return Sides(first, second)
    if whole_first.shape != whole_second.shape:
        related = related_by_shape((whole_first, whole_second), dtype)
        return related[0] if related else Sides(first, second)
    if whole_first.shape:
        return Sides(whole_first, whole_second)
    return _columns_or_rows(values, first, second)


def _columns_or_rows(values: Sequence[Value], first: Value, second: Value) -> Sides:
    numbers = [value for value in values if not value.shape]
    lines = {line: [*row] for line, row in groupby(numbers, lambda value: value.line)}
    row = lines[first.line]
    other_row = lines[second.line]
    if _labels(row) != _labels(other_row):
        return Sides(first, second)
    place = row.index(first)
    other_place = other_row.index(second)
    if first.line == second.line:
        alike = [each for each in lines.values() if _labels(each) == _labels(row)]
        column = joined([each[place] for each in alike])
        return Sides(column, joined([each[other_place] for each in alike]))
    if place == other_place and len(row) > 1 and not any(_labels(row)):
        return Sides(joined(row), joined(other_row))
    return Sides(first, second)


def _labels(row: Sequence[Value]) -> list[str]:
    """Return the labels of a line, whatever numbers are in them."""
    return [numberless(value.label) for value in row]
