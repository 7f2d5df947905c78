"""Which values of a text belong together: they are compared only if that is certain.

NOTE [one reading]: one value is described, unless it is a limit or a count. Otherwise values are
compared in these cases:

- two arrays, unless they are named x and x.grad, or have the names of two parameters or gradients,
  such as weight.grad and bias.grad;
- two shapes;
- two numbers that are all the values of the text, if both are printed as tensors, arrays or complex
  numbers, if they have the same label or none, if their labels have a common word and others, or if
  they differ by at most a tenth: else they may be two quantities, a setting and a result, or two
  steps;
- three values of which one is the difference of the other two;
- several pairs, if each label has two values, and if half of the pairs are arrays, or if they begin
  alike;
- two columns, under two labels or side by side, with at least two arrays or three numbers each, if
  their rows begin alike, or if one column of numbers is related to the other.

Pairs begin alike if the first two numbers of four digits agree to three: later ones may run apart.
Counts are not compared with counts, but for long lists. In all other cases nothing is compared, and
the visitor is asked.
"""

import re
from collections.abc import Sequence
from math import isfinite

from lib.paste.comparison import Comparison
from lib.paste.labels import role_of
from lib.paste.one_value import OneValue
from lib.paste.values import Value

_PARAMETERS = ("weight", "bias", "running_mean", "running_var")

_AGREE = 1e-3
"""Two numbers agree if they differ by at most this share of the larger one."""
_FEW_DIGITS = 3

_SMALL = 0.1
"""The same for two numbers that are all the values of a text. A third value without a label is
their difference only if it is at most this share of the larger one: 0.1, 0.2 and 0.1 may be three
runs."""


def alone(values: Sequence[Value], dtype: str) -> OneValue | None:
    """Return the only value of a text, if it is to be described, or None: NOTE [one reading]."""
    is_count = any(value.is_count and not value.shape for value in values)
    return OneValue(values[0], dtype) if len(values) == 1 and not is_count else None


def compared(values: list[Value], dtype: str) -> list[Comparison]:
    """Return the comparisons of a text, none if they are not certain: NOTE [one reading].

    Args:
        values: the values of the text in order, with their labels, but without limits.
        dtype: the name of the dtype of values that name none.
    """
    if len(values) == 2 and all(value.is_size for value in values):
        return [Comparison(dtype, *values)]
    if pair := _comparison(values, dtype):
        return [pair]
    by_label: dict[str, list[Value]] = {}
    for value in values:
        by_label.setdefault(value.label, []).append(value)
    groups = [*by_label.values()]
    # Two labels may be two ways to compute, with several results each.
    are_ways = len(groups) == 2 and len({value.shape for value in values}) == 1
    if not are_ways and "" not in by_label and all(len(group) == 2 for group in groups):
        pairs = [pair for group in groups if (pair := _comparison(group, dtype))]
        alike = [pair for pair in pairs if not pair.shapes_differ or pair.relation.name]
        arrays = [pair for pair in pairs if pair.first.shape]
        if len(alike) == len(groups) and (2 * len(arrays) >= len(pairs) or _begin_alike(pairs)):
            return pairs
    return _rows(dtype, are_ways, *(groups if are_ways else [values[::2], values[1::2]]))


def _rows(
    dtype: str, are_ways: bool, first: Sequence[Value], second: Sequence[Value]
) -> list[Comparison]:
    """Compare two columns: as two arrays if these show a relation or a narrower format, or else row
    by row, since the rows may be different quantities. Without a relation, they must begin alike.

    Args:
        dtype: the name of the dtype of values that name none.
        are_ways: whether all values of each column have the same label. Otherwise these must have a
            word in common that not all labels of the other column have.
        first, second: the columns.
    """
    are_numbers = not any(value.shape or value.is_complex for value in (*first, *second))
    # Arrays named a, b, a, b may be two dictionaries.
    needs_three = are_numbers or are_ways and first[-1].span > second[0].span
    if len(first) != len(second) or len(first) < 2 + needs_three:
        return []
    words, others = (
        set.intersection(*({*value.label.split()} for value in side)) for side in (first, second)
    )
    if not are_ways and (words <= others or others <= words):
        return []
    rows = [Comparison(dtype, *row) for row in zip(first, second, strict=True)]
    joined = Comparison(dtype, _joined(first), _joined(second))
    if are_numbers and joined.relation.name and not (first[0].is_count or second[0].is_count):
        return [joined]
    have_relation = any(not row.first.shape and row.relation.name for row in rows)
    if have_relation or not _begin_alike(rows):
        return []
    return [joined] if are_ways and are_numbers and joined.narrower else rows


def _joined(values: Sequence[Value]) -> Value:
    """Return several numbers as one value."""
    numbers = tuple(value.numbers[0] for value in values)
    places = tuple(value.span for value in values)
    return values[0]._replace(numbers=numbers, shape=(len(numbers),), parts=places)


def _begin_alike(pairs: Sequence[Comparison]) -> bool:
    """Whether the first pair of numbers of four digits agrees to three."""
    long = [
        pair
        for pair in pairs
        if min(number.digits for side in pair.values for number in side.numbers) > _FEW_DIGITS
    ]
    return bool(long) and _agree(long[0])


def _comparison(values: Sequence[Value], dtype: str) -> Comparison | None:
    """Compare two values, or three of which one is the difference, if that is possible."""
    are_results = any(not value.is_count and not value.is_size for value in values)
    if not 2 <= len(values) <= 3 or not are_results:
        return None
    first, second, *third = sorted(values, key=lambda value: role_of(value.label) != "")
    pair = Comparison(dtype, first, second, *third)
    if role_of(second.label) or _are_of_two_tensors(pair):
        return None
    if third:
        # Where no two floats of the dtype have this difference, those of float64 may.
        readings = (Comparison(name, first, second, *third) for name in (dtype, "float64"))
        return next(filter(_has_difference, readings), None)
    if pair.shapes_differ:
        return pair if () not in pair.shapes else None
    names = [{*re.findall("[a-z][a-z0-9]{2,}", value.label.lower())} for value in (first, second)]
    # If one is a multiple of the other, they may be a loss on two sets of data.
    are_variants = names[0] & names[1] and names[0] != names[1] and not pair.relation.name
    are_alike = first.label == second.label or are_variants
    is_result = first.shape or first.is_complex or first.name
    return pair if is_result or are_alike or _agree(pair, _SMALL) else None


def _are_of_two_tensors(pair: Comparison) -> bool:
    """Whether the labels name a tensor and its gradient, or two parameters or their gradients.

    So do weight and bias, fc1.weight and fc2.weight, and any two of different shapes, but not
    old.weight and new.weight.
    """
    labels = {value.label.rpartition(" ")[2] for value in pair.values[:2]}
    tensors = {label.removesuffix(".grad") for label in labels}
    if len(tensors) < len(labels):
        return True
    are_gradients = all(label.endswith((".grad", *_PARAMETERS)) for label in labels)
    kinds = [kind for label in tensors for kind in _PARAMETERS if label.endswith(kind)]
    layers = {re.sub("[0-9]", "", label) for label in tensors}
    are_two = len({*kinds}) > 1 or len(kinds) == 2 > len(layers)
    return are_two or len(labels) > 1 and are_gradients and pair.shapes_differ


def _has_difference(pair: Comparison) -> bool:
    """Whether the third value is the difference of the others, component by component."""
    third = pair.third
    is_zero = not third.array.any() and not pair.texts_are_equal
    if {third.shape} != {*pair.shapes} or is_zero:
        return False
    if not pair.finite.all() or not isfinite(third.array.sum()):
        return False
    if (pair.differences[0] > pair.differences[1]).any():
        return False
    least, most = pair.ulps
    if least > most or any(side.is_count and not side.shape for side in pair.values[:2]):
        return False
    if role_of(third.label) == "difference":
        return True
    is_long = max(number.digits for number in third.numbers) > _FEW_DIGITS
    return (is_long or not third.label) and pair.size <= _SMALL * pair.largest


def _agree(pair: Comparison, share: float = _AGREE) -> bool:
    """Whether two values of one shape agree to a share of the largest number."""
    is_alike = not pair.shapes_differ and pair.worst
    return bool(is_alike and pair.size <= share * pair.largest)
