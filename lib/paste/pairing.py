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
- two arrays beside numbers that are called a difference or a limit;
- several pairs, if each label has two values, and if half of the pairs are arrays or are numbers of
  four digits that agree to three;
- neighbours, such as two columns of a log of at least three lines, if the first two that have four
  digits agree to three: later ones may have run apart.

Counts are not compared with counts. In all other cases nothing is compared, and the visitor is
asked.
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
    value, *others = [value for value in values if role_of(value.label) != "limit"] or values
    is_limit = role_of(value.label) == "limit"
    is_count = value.is_count and not value.shape
    return None if others or is_limit or is_count else OneValue(value, dtype)


def compared(values: Sequence[Value], dtype: str) -> list[Comparison]:
    """Return the comparisons of a text, none if they are not certain: NOTE [one reading].

    Args:
        values: all values of the text in order, with their labels.
        dtype: the name of the dtype of values that name none.
    """
    if len(values) == 2 and all(value.is_size for value in values):
        return [Comparison(dtype, *values)]
    pair = _arrays_with_figures(values, dtype) or _comparison(values, dtype)
    if pair:
        return [pair]
    groups = _by_label(values)
    if not groups:
        return _neighbours(values, dtype)
    pairs = [pair for group in groups if (pair := _comparison(group, dtype))]
    certain = [pair for pair in pairs if pair.first.shape or _is_long(pair) and _agree(pair)]
    return pairs if len(pairs) == len(groups) <= 2 * len(certain) else []


def _arrays_with_figures(values: Sequence[Value], dtype: str) -> Comparison | None:
    """Compare two arrays beside numbers that tell how far apart they are, such as "max diff"."""
    arrays = [value for value in values if value.shape]
    numbers = [value for value in values if not value.shape]
    are_figures = all(role_of(value.label) and not value.is_complex for value in numbers)
    pair = _comparison(arrays, dtype) if numbers and are_figures and len(arrays) == 2 else None
    if not pair or pair.shapes_differ:
        return None
    apart = [value.array for value in numbers if role_of(value.label) == "difference"]
    return pair if max(apart, default=0) <= (1 + _AGREE) * pair.apart[1] else None


def _by_label(values: Sequence[Value]) -> list[list[Value]]:
    """Return the values in pairs of one label, or nothing if they are not such pairs.

    Four values of one shape with the labels a, b, a, b are no pairs: a and b may be two ways to
    compute, each printed in two steps.
    """
    groups: dict[str, list[Value]] = {}
    for value in values:
        groups.setdefault(value.label, []).append(value)
    are_ways = len(groups) == 2 and len({value.shape for value in values}) == 1
    are_pairs = "" not in groups and all(len(group) == 2 for group in groups.values())
    return [*groups.values()] if are_pairs and not are_ways else []


def _neighbours(values: Sequence[Value], dtype: str) -> list[Comparison]:
    """Compare the values in pairs of neighbours, or return nothing if they are not such pairs.

    There must be three or more. All first labels must have a word in common that not all second
    ones have, and the other way round. The first pair of long numbers must agree to three digits.
    """
    if len(values) < 6 or len(values) % 2:
        return []
    first, second = (
        set.intersection(*({*value.label.split()} for value in values[start::2]))
        for start in (0, 1)
    )
    if not first - second or not second - first:
        return []
    starts = range(0, len(values), 2)
    pairs = [Comparison(dtype, values[start], values[start + 1]) for start in starts]
    long = [pair for pair in pairs if _is_long(pair)]
    have_relation = any(not pair.first.shape and pair.relation.name for pair in pairs)
    return pairs if long and _agree(long[0]) and not have_relation else []


def _is_long(pair: Comparison) -> bool:
    """Whether all numbers have so many digits that two of them hardly agree by chance."""
    return all(number.digits > _FEW_DIGITS for side in pair.values for number in side.numbers)


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
    labels = {pair.first.label, pair.second.label}
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
    is_finite = all(isfinite(number.value) for value in pair.values for number in value.numbers)
    if {third.shape} != {*pair.shapes} or not is_finite:
        return False
    if (pair.differences[0] > pair.differences[1]).any():
        return False
    least, most = pair.ulps
    if least > most or any(side.is_count and not side.shape for side in (pair.first, pair.second)):
        return False
    if role_of(third.label) == "difference":
        return True
    is_long = max(number.digits for number in third.numbers) > _FEW_DIGITS
    return is_long if third.label else pair.size <= _SMALL * pair.largest


def _agree(pair: Comparison, share: float = _AGREE) -> bool:
    """Whether two values of one shape agree to a share of the largest number."""
    is_alike = not pair.shapes_differ and pair.worst
    return bool(is_alike and pair.size <= share * pair.largest)
