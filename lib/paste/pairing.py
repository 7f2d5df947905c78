"""Which values are compared with which: every pairing that is possible, and the only one, if there is only one.

NOTE [one reading]: a text of several values can often be read in more than one way: as rows or as columns, in pairs
that follow each other or in two blocks. A pairing is possible if the values of each group have one shape and are no
counts, and if every third one is the difference of the two before it. If several are possible, one counts only if the
values of each of its pairs agree to three digits, and no other pairing does so: that is unlikely by chance. Otherwise
nothing is compared, and the visitor is asked.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from lib.paste.labels import role_of
from lib.paste.printed import Printed
from lib.paste.values import Value, as_complex

_AGREE = 1e-3


class Sides(NamedTuple):
    """Two values that are compared, with their printed difference, or None."""

    first: Value
    second: Value
    third: Value | None = None


Pairing = tuple[Sides, ...]
IsDifference = Callable[[Value, Value, Value], bool]


def pairing_of(values: Sequence[Value], is_difference: IsDifference) -> Pairing | None:
    """Return the only possible pairing, or None: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels and lines.
        is_difference: whether a value can be the difference of two others.
    """
    by_label = _by_label(values)
    decided = by_label and _labels_decide(values)
    groupings = [by_label] if decided else [by_label, *_groupings(values)]
    pairings: list[Pairing] = []
    for groups in groupings:
        pairing = _pairing(groups, is_difference)
        if pairing and all(_paired(pairing) != _paired(other) for other in pairings):
            pairings.append(pairing)
    if len(pairings) > 1 or pairings and _needs_agreement(pairings[0]):
        pairings = [pairing for pairing in pairings if all(map(_agree, pairing))]
    return pairings[0] if len(pairings) == 1 else None


def _needs_agreement(pairing: Pairing) -> bool:
    """Whether a pairing is of rows or columns, of two numbers with unlike labels, or of several pairs
    that have no labels of their own. A difference beside two values is enough."""
    first = pairing[0]
    names_differ = not first.first.shape and first.first.label != first.second.label
    is_table = any(sides.first.joined for sides in pairing)
    if first.third:
        return False
    return is_table or names_differ or len(pairing) > 1 and not all(sides.first.named for sides in pairing)


def _paired(pairing: Pairing) -> set[tuple[Printed, ...]]:
    """Return which numbers of a pairing are compared with which."""
    return {pair for sides in pairing for pair in zip(sides.first.numbers, sides.second.numbers, strict=False)}


def _groupings(values: Sequence[Value]) -> Iterator[list[list[Value]]]:
    """Yield every way to group values: all, in turn, in blocks, in columns and in rows."""
    count = len(values)
    lines = [[*row] for _, row in groupby(values, lambda value: value.line)]
    is_table = len(lines) > 1 and len({len(row) for row in lines}) == 1 and len(lines[0]) > 1
    if is_table and not any(value.shape for value in values):
        yield from _columns_and_rows(lines)
        return
    for size in (2, 3):
        if count % size == 0:
            yield [[*values[place : place + size]] for place in range(0, count, size)]
            step = count // size
            yield [[*values[place::step]] for place in range(step)]


def _columns_and_rows(lines: Sequence[Sequence[Value]]) -> Iterator[list[list[Value]]]:
    """Yield the columns of a table of single numbers, without an index, and its two or three rows."""
    columns = [joined(column) for column in zip(*lines, strict=True)]
    if columns[0].counts:
        columns = columns[1:]
    yield [columns]
    labels = [numberless(row[0].label) for row in lines]
    if len(lines) < 4 and (not any(labels) or len(set(labels)) == len(lines)):
        yield [[joined(row) for row in lines]]


def _by_label(values: Sequence[Value]) -> list[list[Value]]:
    """Group the values of each label, if every label has as many as the others."""
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label, []).append(value)
    sizes = {len(group) for group in groups.values()}
    named = "" not in groups and not any(map(role_of, groups))
    return [*groups.values()] if named and sizes == {2} and len(groups) > 1 else []


def _labels_decide(values: Sequence[Value]) -> bool:
    """Whether labels that come twice name what is compared, and not the sides: a a b b, or three labels or more."""
    labels = [value.label for value in values]
    own = all(value.named for value in values)
    return own and (len(labels) > 4 or labels[0] == labels[1])


def joined(values: Sequence[Value]) -> Value:
    """Join numbers into one vector."""
    numbers = tuple(number for value in values for number in value.numbers)
    span = (values[0].span[0], values[-1].span[1])
    first = values[0]
    shape = (len(values), 2) if first.is_complex else (len(numbers),)
    return first._replace(numbers=numbers, shape=shape, span=span, joined=True)


def _pairing(groups: Sequence[Sequence[Value]], is_difference: IsDifference) -> Pairing | None:
    if not _consistent(groups):
        return None
    pairing = [_sides(group, is_difference) for group in groups]
    found = tuple(sides for sides in pairing if sides)
    is_complete = len(found) == len(groups)
    has_counts = any(sides.first.counts or sides.second.counts for sides in found)
    return found if is_complete and not (has_counts and len(found) > 1) else None


def _consistent(groups: Sequence[Sequence[Value]]) -> bool:
    """Whether all groups have the same labels, or the labels of each group are the same."""
    labels = [tuple(numberless(value.label) for value in group) for group in groups]
    same = len(set(labels)) == 1
    return same or all(len(set(names)) == 1 for names in labels)


def numberless(label: str) -> str:
    """Return a label with 0 for each number in it."""
    return re.sub("[0-9]+", "0", label)


def _sides(group: Sequence[Value], is_difference: IsDifference) -> Sides | None:
    """Return two values, or three of which one is the difference, if they can be compared."""
    if len(group) not in (2, 3) or all(value.counts for value in group):
        return None
    roles = [role_of(value.label) for value in group]
    if "limit" in roles or "relative" in roles:
        return None
    if any(value.is_complex for value in group):
        group = [as_complex(value) for value in group]
    first, second, *others = sorted(group, key=lambda value: role_of(value.label) != "")
    if not others:
        single = len(first.numbers) == len(second.numbers) == (2 if first.is_complex else 1)
        comparable = (first.shape == second.shape or single) and not first.size
        return Sides(first, second) if comparable and not any(roles) else None
    third = others[0]
    alike = first.shape == second.shape == third.shape
    if third.named and "difference" not in roles:
        return None  # a name that says something else
    if not alike or roles.count("difference") > 1 or not is_difference(first, second, third):
        return None
    return Sides(first, second, third)


def _agree(sides: Sides) -> bool:
    """Whether two values of one shape agree to three digits of the largest number."""
    if sides.first.shape != sides.second.shape:
        return False
    first, second = (np.array([number.value for number in side.numbers]) for side in sides[:2])
    with np.errstate(invalid="ignore"):
        close = np.abs(first - second) <= _AGREE * np.abs([first, second]).max()
        same = (first == second) | np.isnan(first) & np.isnan(second)
    return bool((close | same).all())
