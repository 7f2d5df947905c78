"""Which values are compared: those of the only possible reading, or the two that are pressed.

NOTE [one reading]: two values of one shape are compared, and three of which one is the difference
of the others. Two numbers with unlike labels must also agree to three digits, which is unlikely by
chance. Several pairs are compared if each label has two values. Otherwise nothing is compared, and
the visitor is asked.
"""

from collections.abc import Sequence

from lib.paste.comparison import Comparison
from lib.paste.labels import role_of
from lib.paste.printed import PasteError
from lib.paste.values import Value

_AGREE = 1e-3

_SMALL = 0.1
"""A third value without a label is the difference of two only if it is far smaller than they are:
0.1, 0.2 and 0.1 may be three runs."""

Pairing = Sequence[Comparison]
Group = Sequence[Value]
Places = tuple[int, int]
"""The places of two values, counted in the order of the text."""


def pairing_of(values: Group, dtype: str) -> Pairing:
    """Return what is compared in the only possible reading, or nothing: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels.
        dtype: the name of the dtype of numbers that tell none.
    """
    if len(values) > 3:
        return _pairs(values, dtype)
    comparison = _comparison(values, dtype)
    fits = comparison and (comparison.third or _belong_together(comparison))
    return [comparison] if comparison and fits else []


def _pairs(values: Group, dtype: str) -> Pairing:
    """Return the pairs of values that have one label, if each label has two values.

    Two labels of values of one shape may also be two ways, in two steps.
    """
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label if value.named else "", []).append(value)
    are_ways = len(groups) == 2 and len({value.true_shape for value in values}) == 1
    if "" in groups or are_ways or any(len(group) != 2 for group in groups.values()):
        return []
    pairs = [_comparison(group, dtype) for group in groups.values()]
    possible = [comparison for comparison in pairs if comparison]
    return possible if len(possible) == len(pairs) else []


def _belong_together(comparison: Comparison) -> bool:
    """Whether two values are no numbers, have one label, or agree to three digits."""
    first = comparison.first
    second = comparison.second
    if (
        first.shape
        or first.is_complex
        or (first.label, first.named) == (second.label, second.named)
    ):
        return True
    is_near = comparison.least_apart <= _AGREE * comparison.largest
    return is_near and not comparison.is_not_finite


def _comparison(group: Group, dtype: str) -> Comparison | None:
    """Compare two values, or three of which one is the difference, if that is possible."""
    group = sorted(group, key=lambda value: role_of(value.label) != "")
    roles = [role_of(value.label) for value in group]
    are_counts = all(value.counts for value in group)
    first, second, *third = group
    if are_counts or first.is_size or second.is_size or any(roles[:2]):
        return None
    comparison = Comparison(dtype, *group)
    if comparison.shapes_differ or not third:
        return comparison if _are_related(comparison) and not third else None
    if third[0].named and roles[2] != "difference":
        return None
    alike = third[0].true_shape == first.true_shape
    is_small = roles[2] == "difference" or comparison.size <= _SMALL * comparison.largest
    return comparison if alike and is_small and comparison.possible else None


def _are_related(comparison: Comparison) -> bool:
    """Whether two values are of one shape, or one is the transpose or the sum of the other."""
    if not comparison.shapes_differ:
        return True
    return () not in comparison.shapes and comparison.relation.name != ""


def picked(values: Group, places: Places, dtype: str) -> Pairing:
    """Return the comparison of two values that are pressed.

    Raises `PasteError` if there are no such two.
    """
    if len({*places}) < 2 or not all(0 <= place < len(values) for place in places):
        raise PasteError("Two different values of the text are needed.")
    return [Comparison(dtype, *(values[place] for place in places))]
