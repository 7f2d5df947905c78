"""Which values are compared with which, if only one reading is possible.

NOTE [one reading]: a text of several values can often be read in more than one way: in pairs that
follow each other, or in two blocks. A pairing is possible if the values of each pair have one shape
and are no counts, and if every third one is the difference of the two before it. If several are
possible, or if no labels tell what belongs together, one counts only if the values of each of its
pairs agree to three digits, and no other pairing does so: that is unlikely by chance. Otherwise
nothing is compared, and the visitor is asked.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from lib.paste.floats_of import Pairs
from lib.paste.formats import format_of_values, wider
from lib.paste.labels import role_of
from lib.paste.values import Value

_AGREE = 1e-3


class Sides(NamedTuple):
    """Two values that are compared, with their printed difference, or None."""

    first: Value
    second: Value
    third: Value | None = None


Pairing = tuple[Sides, ...]


def pairing_of(values: Sequence[Value], dtype: str) -> Pairing | None:
    """Return the only possible pairing, or None: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels and lines.
        dtype: the name of the dtype of numbers that tell none.
    """
    groupings = [_by_label(values)]
    if not (groupings[0] and _labels_decide(values)):
        groupings += _groupings(values)
    pairings = dict.fromkeys(_pairing(groups, dtype) for groups in groupings if groups)
    possible = [pairing for pairing in pairings if pairing]
    if len(possible) > 1 or possible and _needs_agreement(possible[0]):
        possible = [pairing for pairing in possible if all(map(_agree, _with_vectors(pairing)))]
    return _with_vectors(possible[0]) if len(possible) == 1 else None


def _with_vectors(pairing: Pairing) -> Pairing:
    """Join the numbers of a table, which have no labels of their own, into vectors."""
    are_numbers = not any(sides.first.shape for sides in pairing)
    if len(pairing) == 1 or _are_named(pairing) or not are_numbers:
        return pairing
    return (Sides(*(joined(side) for side in zip(*pairing, strict=True) if side[0])),)


def _are_named(pairing: Pairing) -> bool:
    return all(value.named for sides in pairing for value in sides[:2])


def _needs_agreement(pairing: Pairing) -> bool:
    """Whether a pairing is of two numbers with unlike labels, or of several pairs that have no
    labels of their own. A difference beside two values is enough."""
    first, second, third = pairing[0]
    if third:
        return False
    if len(pairing) > 1:
        return not _are_named(pairing)
    is_number = not first.shape and not first.is_complex
    return is_number and (first.label, first.named) != (second.label, second.named)


def _by_label(values: Sequence[Value]) -> list[list[Value]]:
    """Group the values of each label, if every label comes twice."""
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label, []).append(value)
    named = "" not in groups and not any(map(role_of, groups))
    come_twice = all(len(group) == 2 for group in groups.values())
    return [*groups.values()] if named and come_twice and len(groups) > 1 else []


def _labels_decide(values: Sequence[Value]) -> bool:
    """Whether labels that come twice name what is compared, and not the sides: a a b b, or three
    labels or more."""
    labels = [value.label for value in values]
    return all(value.named for value in values) and (len(labels) > 4 or labels[0] == labels[1])


def _groupings(values: Sequence[Value]) -> Iterator[list[list[Value]]]:
    """Yield the groups of two or three values that follow each other, or that stand in the same
    places of two or three blocks. The whole numbers before the lines of a table are no values."""
    lines = [[*line] for _, line in groupby(values, lambda value: value.line)]
    if len(lines) > 1 and all(line[0].counts and len(line) > 2 for line in lines):
        values = [value for line in lines for value in line[1:]]
    for size in (2, 3):
        if len(values) % size == 0:
            count = len(values) // size
            yield [[*values[size * place : size * (place + 1)]] for place in range(count)]
            yield [[*values[place::count]] for place in range(count)]


def _pairing(groups: Sequence[Sequence[Value]], dtype: str) -> Pairing | None:
    labels = [tuple(_numberless(value.label) for value in group) for group in groups]
    same_in_all = len(set(labels)) == 1
    if not same_in_all and not all(len(set(names)) == 1 for names in labels):
        return None
    pairing = []
    for group in groups:
        sides = _sides(group, dtype)
        if not sides or len(groups) > 1 and not _is_one_of_several(sides):
            return None
        pairing.append(sides)
    return tuple(pairing)


def _is_one_of_several(sides: Sides) -> bool:
    """Whether a pair may be one of several: counts and the lines of two steps are none."""
    first, second, _ = sides
    are_steps = first.label != second.label and _numberless(first.label) == _numberless(second.label)
    return not (first.counts or second.counts or are_steps)


def _numberless(label: str) -> str:
    """Return a label with 0 for each number in it."""
    return re.sub("[0-9]+", "0", label)


def _sides(group: Sequence[Value], dtype: str) -> Sides | None:
    """Return two values, or three of which one is the difference, if they can be compared."""
    roles = [role_of(value.label) for value in group]
    if all(value.counts for value in group) or {"limit", "relative"} & {*roles}:
        return None
    first, second, *third = sorted(group, key=lambda value: role_of(value.label) != "")
    if first.is_size or first.is_complex != second.is_complex:
        return None
    if not third:
        are_single = len(first.numbers) == len(second.numbers) == 1 + first.is_complex
        comparable = first.shape == second.shape or are_single
        return Sides(first, second) if comparable and not any(roles) else None
    says_something_else = third[0].named and "difference" not in roles
    if says_something_else or roles.count("difference") > 1:
        return None
    sides = Sides(first, second, third[0])
    return sides if is_difference(sides, dtype) else None


def is_difference(sides: Sides, dtype: str) -> bool:
    """Whether the third value can be the difference of the others, in a dtype or a wider one."""
    if len({value.shape for value in sides if value}) > 1:
        return False
    numbers = [value.numbers for value in sides if value]
    formats = wider(format_of_values(sides[:2], dtype))
    return any(Pairs.of(numbers, form).possible for form in formats)


def joined(values: Sequence[Value]) -> Value:
    """Join numbers into one vector."""
    numbers = tuple(number for value in values for number in value.numbers)
    return values[0]._replace(numbers=numbers, shape=(len(numbers),))


def _agree(sides: Sides) -> bool:
    """Whether two values agree to three digits of the largest number."""
    first, second = (np.array([number.value for number in side.numbers]) for side in sides[:2])
    with np.errstate(invalid="ignore"):
        close = np.abs(first - second) <= _AGREE * np.abs([first, second]).max()
        same = (first == second) | np.isnan(first) & np.isnan(second)
    return bool((close | same).all())
