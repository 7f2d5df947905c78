"""Which values are compared: those of the only possible reading, or the two that are pressed.

NOTE [one reading]: a text of several values can often be read in more than one way: in pairs that
follow each other, or in two blocks. A reading is possible if the values of each pair have one shape
and are no counts, and if every third one is the difference of the two before it. If several are
possible, or if no labels tell what belongs together, one counts only if the values of each of its
pairs agree to three digits, and no other reading does so: that is unlikely by chance. Otherwise
nothing is compared, and the visitor is asked.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from lib.paste.comparison import Comparison
from lib.paste.labels import role_of
from lib.paste.printed import PasteError
from lib.paste.values import Value

_AGREE = 1e-3

Pairing = tuple[Comparison, ...]
Group = Sequence[Value]
Places = tuple[int, int]
"""The places of two choices, in the order of the text."""


def pairing_of(values: Group, dtype: str) -> Pairing:
    """Return what is compared in the only possible reading, or nothing: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels and lines.
        dtype: the name of the dtype of numbers that tell none.
    """
    pairings = dict.fromkeys(_pairing(groups, dtype) for groups in _groupings(values))
    possible = [pairing for pairing in pairings if pairing]
    if len(possible) > 1 or possible and _needs_agreement(possible[0]):
        possible = [pairing for pairing in possible if all(map(_agree, _with_vectors(pairing)))]
    if len(possible) == 1:
        return _with_vectors(possible[0])
    return related_by_shape(values, dtype)


def _with_vectors(pairing: Pairing) -> Pairing:
    """Join the numbers of a table, which have no labels of their own, into vectors."""
    are_numbers = not any(comparison.first.shape for comparison in pairing)
    if len(pairing) == 1 or _are_named(pairing) or not are_numbers:
        return pairing
    columns = zip(*(comparison.values for comparison in pairing), strict=True)
    return (Comparison(pairing[0].dtype, *map(joined, columns)),)


def joined(values: Group) -> Value:
    """Join numbers into one vector, if there are several."""
    if len(values) == 1:
        return values[0]
    numbers = tuple(number for value in values for number in value.numbers)
    return values[0]._replace(numbers=numbers, shape=(len(numbers),))


def _are_named(pairing: Pairing) -> bool:
    return all(value.named for comparison in pairing for value in comparison.values[:2])


def _needs_agreement(pairing: Pairing) -> bool:
    """Whether a reading is of two numbers with unlike labels, or of several pairs that have no
    labels of their own. A difference beside two values is enough."""
    first, second = pairing[0].first, pairing[0].second
    if pairing[0].third:
        return False
    if len(pairing) > 1:
        return not _are_named(pairing)
    is_number = not first.shape and not first.is_complex
    return is_number and (first.label, first.named) != (second.label, second.named)


def _groupings(values: Group) -> Iterator[list[Group]]:
    """Yield the groups of two or three values that follow each other, or that stand in the same
    places of two or three blocks. The whole numbers before the lines of a table are no values."""
    lines = [[*line] for _, line in groupby(values, lambda value: value.line)]
    if len(lines) > 1 and all(line[0].counts and len(line) > 2 for line in lines):
        values = [value for line in lines for value in line[1:]]
    for size in (2, 3):
        if len(values) % size == 0:
            count = len(values) // size
            yield [values[size * place : size * (place + 1)] for place in range(count)]
            yield [values[place::count] for place in range(count)]


def _pairing(groups: Sequence[Group], dtype: str) -> Pairing:
    labels = [tuple(value.label for value in group) for group in groups]
    same_in_all = len(set(labels)) == 1
    same_in_each = all(len({*names}) == 1 for names in labels)
    are_steps = any(len({*names}) > len({*map(_numberless, names)}) for names in labels)
    if not (same_in_all or same_in_each) or len(groups) > 1 and are_steps:
        return ()
    pairing: list[Comparison] = []
    for group in groups:
        comparison = _comparison(group, dtype)
        if not comparison:
            return ()
        pairing.append(comparison)
    return tuple(pairing)


def _numberless(label: str) -> str:
    """Return a label with 0 for each number in it, as that of another step."""
    return re.sub("[0-9]+", "0", label)


def _comparison(group: Group, dtype: str) -> Comparison | None:
    """Compare two values, or three of which one is the difference, if that is possible."""
    roles = [role_of(value.label) for value in group]
    are_counts = all(value.counts for value in group)
    has_size = any(value.is_size for value in group)
    if are_counts or has_size or {"limit", "relative"} & {*roles}:
        return None
    first, second, *third = sorted(group, key=lambda value: role_of(value.label) != "")
    comparison = Comparison(dtype, first, second, *third)
    if comparison.shapes_differ:
        return None
    if not third:
        return None if any(roles) else comparison
    is_something_else = third[0].named and "difference" not in roles
    if is_something_else or roles.count("difference") > 1:
        return None
    return comparison if has_difference(comparison) else None


def has_difference(comparison: Comparison) -> bool:
    """Whether the third value can be the difference of the others, in some dtype."""
    alike = len({value.true_shape for value in comparison.values}) == 1
    return alike and comparison.pairs.possible


def _agree(comparison: Comparison) -> bool:
    """Whether two values agree to three digits of the largest number."""
    is_near = comparison.least_apart <= _AGREE * comparison.largest
    return is_near and not comparison.is_not_finite


def related_by_shape(values: Group, dtype: str) -> Pairing:
    """Return two values of unlike shapes, if one is the transpose or the sum of the other."""
    if len(values) != 2 or any(value.is_size or not value.shape for value in values):
        return ()
    comparison = Comparison(dtype, *values)
    return (comparison,) if comparison.shapes_differ and comparison.relation.name else ()


def choices(values: Group) -> list[tuple[Value, Value]]:
    """Return what can be pressed, each with its value: numbers, vectors, the rows of matrices."""
    return [(row, value) for value in values for row in _rows(value)]


def _rows(value: Value) -> Iterator[Value]:
    if len(value.shape) < 2:
        yield value
        return
    length = value.shape[-1]
    for start in range(0, len(value.numbers), length):
        numbers = value.numbers[start : start + length]
        yield value._replace(numbers=numbers, shape=(length,))


def picked(values: Group, places: Places, dtype: str) -> Pairing:
    """Return the comparison of two choices that are pressed.

    Rows of two matrices stand for the matrices, if these can be compared.

    Raises `PasteError` if there are no such two.
    """
    given = choices(values)
    if len({*places}) < 2 or not all(0 <= place < len(given) for place in places):
        raise PasteError(f"Give two different places from 0 to {len(given) - 1}.")
    rows, wholes = zip(*(given[place] for place in places), strict=True)
    if wholes[0] is not wholes[1] and wholes[0].shape == wholes[1].shape:
        rows = wholes
    return related_by_shape(wholes, dtype) or (Comparison(dtype, *rows),)
