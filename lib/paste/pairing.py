"""Which values are compared: those of the only possible reading, or the two that are pressed.

NOTE [one reading]: two values of one shape are compared, and three of which one is the difference
of the others. Two numbers with unlike labels must also agree to three digits, which is unlikely by
chance, or be labelled as two ways may be, and then nothing but their distance is said. Several
pairs are compared if each label has two values. Otherwise nothing is compared, and the visitor is
asked.
"""

from collections.abc import Sequence

from lib.paste.comparison import Comparison
from lib.paste.labels import is_setting, may_be_way, role_of
from lib.paste.printed import PasteError
from lib.paste.values import Value

_AGREE = 1e-3

_SMALL = 0.1
"""A third value without a label is the difference of two only if it is far smaller than they are:
0.1, 0.2 and 0.1 may be three runs."""

Places = tuple[int, int]
"""The places of two values, counted in the order of the text."""


def compared(values: Sequence[Value], dtype: str) -> list[Comparison]:
    """Compare the values of a text in the only possible reading, or none: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels.
        dtype: the name of the dtype of numbers that tell none.
    """
    groups = [values] if len(values) <= 3 else _by_label(values)
    pairs = [_comparison(group, dtype) for group in groups]
    possible = [pair for pair in pairs if pair]
    return possible if len(possible) == len(pairs) else []


def _by_label(values: Sequence[Value]) -> list[list[Value]]:
    """Return the values in pairs of one label, or nothing if they are not such pairs.

    Two labels of values of one shape may also be two ways, in two steps, and settings may differ.
    """
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label if value.named else "", []).append(value)
    are_ways = len(groups) == 2 and len({value.shape for value in values}) == 1
    are_pairs = "" not in groups and all(len(group) == 2 for group in groups.values())
    may_differ = are_ways or any(map(is_setting, values))
    return [*groups.values()] if are_pairs and not may_differ else []


def _comparison(values: Sequence[Value], dtype: str) -> Comparison | None:
    """Compare two values, or three, if that is possible."""
    if not 2 <= len(values) <= 3 or all(value.counts for value in values):
        return None
    first, second, *third = sorted(values, key=lambda value: role_of(value.label) != "")
    if role_of(second.label):
        return None
    comparison = Comparison(dtype, first, second)
    if third:
        return _with_difference(comparison, third[0])
    return comparison if _belong_together(comparison) else None


def _with_difference(comparison: Comparison, third: Value) -> Comparison | None:
    """Add a third value, if it is the difference, or leave it out, if it is the largest one."""
    is_difference = role_of(third.label) == "difference"
    if comparison.shapes_differ:
        return None
    if third.shape != comparison.first.shape:
        return comparison if is_difference else None
    full = Comparison(comparison.dtype, comparison.first, comparison.second, third)
    is_small = not third.label and full.size <= _SMALL * full.largest
    return full if full.possible and (is_difference or is_small) else None


def _belong_together(comparison: Comparison) -> bool:
    """Whether two values are two results: arrays of one shape or related, or numbers that have one
    label, agree to three digits, or may be of two ways."""
    first, second = comparison.values
    if comparison.shapes_differ:
        return () not in comparison.shapes and comparison.relation.name != ""
    if first.shape or first.is_complex or first.label == second.label:
        return True
    is_near = comparison.least_apart <= _AGREE * comparison.largest
    are_ways = may_be_way(first.label) and may_be_way(second.label)
    return (is_near or are_ways and not comparison.relation.name) and not comparison.is_not_finite


def picked(values: Sequence[Value], places: Places, dtype: str) -> Comparison:
    """Compare two values that are pressed.

    Raises `PasteError` if there are no such two.
    """
    if len({*places}) < 2 or not all(0 <= place < len(values) for place in places):
        raise PasteError("Two different values of the text are needed.")
    return Comparison(dtype, *(values[place] for place in places))
