"""Which values are compared: those of the only possible reading, or the two that are pressed.

NOTE [one reading]: two values of one shape are compared, and three of which one is the difference
of the others. Several pairs are compared if each label has two values. Two numbers are two results
if the text has no others and gives them one label or none, or if they agree to three digits, which
is unlikely by chance: others may be two quantities, or a setting. Otherwise nothing is compared,
and the visitor is asked.
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
    possible = [pair for pair in pairs if pair and (len(pairs) == 1 or _are_two_results(pair))]
    return possible if len(possible) == len(pairs) else []


def _by_label(values: Sequence[Value]) -> list[list[Value]]:
    """Return the values in pairs of one label, or nothing if they are not such pairs.

    Two labels of values of one shape may also be two ways, in two steps.
    """
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label, []).append(value)
    are_ways = len(groups) == 2 and len({value.shape for value in values}) == 1
    are_pairs = "" not in groups and all(len(group) == 2 for group in groups.values())
    return [*groups.values()] if are_pairs and not are_ways else []


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
    if comparison.shapes_differ:
        return comparison if () not in comparison.shapes else None
    return comparison if first.label == second.label or _are_two_results(comparison) else None


def _with_difference(comparison: Comparison, third: Value) -> Comparison | None:
    """Return the pair with its difference; None if a third value is not that."""
    if {third.shape} != {*comparison.shapes}:
        return None
    full = Comparison(comparison.dtype, comparison.first, comparison.second, third)
    is_difference = role_of(third.label) == "difference"
    is_small = not third.label and full.worst.size <= _SMALL * full.largest
    return full if full.possible and (is_difference or is_small) else None


def _are_two_results(comparison: Comparison) -> bool:
    """Whether two values are arrays, or numbers that agree to three digits."""
    first = comparison.first
    is_array = first.shape or first.is_complex or first.name
    return bool(is_array) or comparison.worst.size <= _AGREE * comparison.largest


def picked(values: Sequence[Value], places: Places, dtype: str) -> Comparison:
    """Compare two values that are pressed.

    Raises `PasteError` if there are no such two.
    """
    if len({*places}) < 2 or not all(0 <= place < len(values) for place in places):
        raise PasteError("Two different values of the text are needed.")
    return Comparison(dtype, *(values[place] for place in places))
