"""Which of several candidates are the two sides: what is least likely to be one is left out, step by step.

A setting or a coordinate, a percentage, what no word sets against another, whole numbers beside decimals, what is said
twice, and what agrees with no other: as long as two are left, and no more than needed.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from lib.paste.floats_of import widths
from lib.paste.patterns import MESSAGE, says
from lib.paste.printed import Value
from lib.paste.read import Reading

Values = list[Value]

_MOST_COMPARED = 24
"""Of more numbers in a text, or more columns, it is not clear which are the sides; so many rows tell a difference."""

_TINY = 1e-5
"""No number below it is a side beside a much larger one."""


def joined(rows: Sequence[Sequence[Value]], label: str | None = None) -> Value:
    """Put values together, as one row, one column or a matrix."""
    first, numbers = rows[0][0], tuple(number for row in rows for value in row for number in value.numbers)
    shape = (len(rows), len(rows[0])) if min(len(rows), len(rows[0])) > 1 else (len(rows) * len(rows[0]),)
    shape = (*shape, *first.shape) if len({value.shape for row in rows for value in row}) == 1 else (len(numbers),)
    return first._replace(numbers=numbers, shape=shape, label=first.label if label is None else label)


@np.errstate(invalid="ignore")
def fits(three: Sequence[Value]) -> bool:
    """Whether the third of three can be the difference of the other two, as far as their first numbers tell, or their
    ratio."""
    if len({len(value.numbers) for value in three}) > 1:
        return False
    numbers = [value.numbers[:_MOST_COMPARED] for value in three]
    a, b, told = (_numbers(value)[:_MOST_COMPARED] for value in three)
    room = widths(numbers[0], True) + widths(numbers[1], True) + widths(numbers[2], False)
    off = np.abs(np.abs(a - b) - np.abs(told))
    known = np.isfinite(off)
    return bool(known.any() and (off <= room)[known].all()) or is_ratio(three)


@np.errstate(all="ignore")
def is_ratio(three: Sequence[Value]) -> bool:
    """Whether the third of three is the ratio of the other two: the same number all along, and not 1."""
    a, b, told = map(_numbers, three)
    away = 0.01 * np.abs(told)
    same = len(told) > 1 and bool((np.abs(told - told[0]) <= away).all()) and abs(told[0] - 1) > away[0]
    return same and any((np.abs(way - told) <= away).all() for way in (a / b, b / a))


@np.errstate(invalid="ignore")
def near(first: Value, second: Value) -> bool:
    """Whether two values agree to a hundredth in two thirds of their numbers."""
    if len(first.numbers) != len(second.numbers):
        return False
    a, b = _numbers(first), _numbers(second)
    return bool((np.abs(a - b) <= 0.01 * np.maximum(np.abs(a), np.abs(b))).mean() > 0.6)


@np.errstate(invalid="ignore")
def gap(way: Sequence[Value]) -> float:
    """How far apart two sides are beside their sizes."""
    sides = [value for value in way if value.is_side]
    a, b = (_numbers(value) for value in (sides if len(sides) == 2 else way)[:2])
    return float(np.abs(a - b).sum() / ((np.abs(a) + np.abs(b)).sum() or 1))


def _numbers(value: Value) -> np.ndarray:
    return np.array([number.value for number in value.numbers])


def narrowed(values: Values, reading: Reading) -> Values:
    """Leave out what is least likely to be a side, as long as two are left, and no more than needed."""
    for left_by in _RULES:
        sides = [value for value in values if value.is_side]
        turned = sides[1:] + sides[:1]
        if len(sides) == 3 and fits(turned) and (near(*turned[:2]) or len(turned[0].numbers) > 2 and not fits(sides)):
            return [sides[1], sides[2], sides[0], *(value for value in values if not value.is_side)]
        tiny = all(abs(number.value) < _TINY for value in sides for number in value.numbers)  # differences, all of them
        if not 2 < len(sides) <= _MOST_COMPARED or len(sides) == 3 and fits(sides) or tiny:
            break
        left = left_by(sides, reading)
        if len(left) >= 2:
            values = [value for value in values if not value.is_side or value in left]
    return _without_strays(values)


def _without_strays(values: Values) -> Values:
    """Of two numbers that no word sets against another, leave out a setting or a percentage; a tiny one is no side."""
    sides = [value for value in values if value.is_side]
    if len(sides) != 2 or any(one.shape or one.role == "expected" or says("set", one.label) for one in sides):
        return values
    strays = [value for value in sides if value.percent or says("setting", value.label)]
    small, large = sorted(sides, key=lambda value: abs(value.numbers[0].value))
    if len(strays) == 1:
        return [value for value in values if value not in strays]
    printed = small.line == large.line and small.label == large.label  # by one print(): what differs is as large
    most = abs(large.numbers[0].value) if printed else min(abs(large.numbers[0].value), 1)
    named = all(one.label.endswith(("=", ":")) or MESSAGE["compares"].search(one.label) for one in sides)
    if named and not printed or not 0 < abs(small.numbers[0].value) < _TINY * most < np.inf:
        return values
    others = [value for value in values if value not in sides]
    return [*others, small._replace(label="difference"), large] if printed else [*others, small]


def _told(sides: Values, reading: Reading) -> Values:
    expected = [value for value in sides if value.role == "expected"]
    told = [value for value in sides if says("told", value.label) and value not in expected]
    return [*expected, *told] if expected else []


def _alike(sides: Values, reading: Reading) -> Values:
    """Return the two farthest apart of those that agree to a hundredth, if one group does and is no counts."""
    if np.isinf([value.numbers[0].value for value in sides]).any():
        return []
    groups = {group for one in sides if len(group := tuple(other for other in sides if near(one, other))) > 1}
    if len(groups) != 1 or not any(value.pointed for value in min(groups)):
        return []
    farthest = max(combinations(min(groups), 2), key=gap)
    alike = len({value.numbers[0].decimals for value in sides}) < 3 and not sides[0].shape
    chance = len(sides) == 3 > len(min(groups)) and alike and gap(farthest) > 1e-4  # the third may be the wrong one
    return list(farthest) if gap(farthest) and not chance else []


def _once(sides: Values, reading: Reading) -> Values:
    """Return each number once, as what is expected if it is that as well."""
    ordered = sorted(reversed(sides), key=lambda value: value.role == "expected")  # the last of equal ones is kept
    return list({tuple(number.value for number in value.numbers): value for value in ordered}.values())


_RULES: tuple[Callable[[Values, Reading], Values], ...] = (
    lambda sides, reading: [value for value in sides if len(value.shape) == max(len(one.shape) for one in sides)],
    lambda sides, reading: [value for value in sides if not says("coordinate", value.label)],
    _told,
    lambda sides, reading: [one for one in sides if one.role == "expected" or not says("placed", one.label)],
    lambda sides, reading: [value for value in sides if value.pointed],
    lambda sides, reading: [value for value in sides if MESSAGE["compares"].search(value.label)],
    lambda sides, reading: [value for value in sides if value.line not in reading.sentences],
    _once,
    _alike,
)
"""What is left of more than two sides."""
