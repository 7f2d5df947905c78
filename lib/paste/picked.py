"""The two values that a visitor presses in a paste, with the matrices whose rows they are."""

from collections.abc import Iterator, Sequence

from lib.paste.comparison import Comparison
from lib.paste.pairing import Pairing, Sides
from lib.paste.printed import PasteError
from lib.paste.values import Value

Places = tuple[int, int]
"""The places of two choices, in the order of the text."""


def choices(values: Sequence[Value]) -> list[tuple[Value, Value]]:
    """Return what can be pressed: numbers, vectors and the rows of matrices, each with its value."""
    return [(row, value) for value in values for row in _rows(value)]


def _rows(value: Value) -> Iterator[Value]:
    if len(value.shape) < 2:
        yield value
        return
    length = value.shape[-1]
    for start in range(0, len(value.numbers), length):
        numbers = value.numbers[start : start + length]
        span = (numbers[0].span[0], numbers[-1].span[1])
        yield value._replace(numbers=numbers, shape=(length,), span=span)


def related_by_shape(values: Sequence[Value], dtype: str) -> Pairing | None:
    """Return two values of unlike shapes, if one is the transpose or the sum of the other."""
    if len(values) != 2 or any(value.is_size or not value.shape for value in values):
        return None
    sides = Sides(*values)
    comparison = Comparison(sides, dtype)
    return (sides,) if comparison.shapes_differ and comparison.relation.name else None


def picked(values: Sequence[Value], places: Places, dtype: str) -> Sides:
    """Return the two values that are compared when two choices are pressed.

    Rows of two matrices stand for the matrices, if these can be compared.

    Raises `PasteError` if there are no such two.
    """
    given = choices(values)
    if len({*places}) < 2 or not all(0 <= place < len(given) for place in places):
        allowed = f"two different ones of 0 to {len(given) - 1}"
        raise PasteError(
            f"The values {places[0]} and {places[1]} cannot be compared: give {allowed}."
        )
    (first, whole), (second, other_whole) = (given[place] for place in places)
    alike = whole is not other_whole and whole.shape == other_whole.shape
    if alike or related_by_shape([whole, other_whole], dtype):
        return Sides(whole, other_whole)
    return Sides(first, second)
