"""Two printed values, held against each other: the figures by which they are judged."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from sys import float_info

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import distance, listed
from lib.paste.floats_of import Array, Floats, Pairs
from lib.paste.formats import dtype_of, format_of_values, narrower, wider
from lib.paste.pairing import Sides
from lib.paste.relations import Known, Relation, related
from lib.paste.values import Value

_FEW = {True: 4, False: 16}
"""How many floats apart two results of some operations may be, in a dtype of 16 bits and in others.
Sums in 16 bits are accumulated in float32, so they round once."""

_OF_THE_LARGEST = {True: 4, False: 32}
"""How many eps of the largest number a sum of some thousand terms may be off: its rounding errors
are of random signs, and grow with the square root of the number of terms, u for each."""

_NOT_SMALL = 0.1


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two values, and the dtype of numbers that name none."""

    sides: Sides
    dtype: str

    @property
    def _values(self) -> tuple[Value, Value]:
        return self.sides.first, self.sides.second

    @cached_property
    def _format(self) -> Format:
        return format_of_values(self._values, self.dtype)

    @property
    def dtypes_differ(self) -> bool:
        """Whether the two sides are of different dtypes, as their names tell."""
        first, second = self._values
        both_named = first.name and second.name
        return bool(both_named) and dtype_of(first) != dtype_of(second)

    @property
    def label(self) -> str:
        """The label of both sides, or "" if they differ."""
        first, second = self._values
        return first.label if first.label == second.label else ""

    @property
    def has_gap(self) -> bool:
        return any(value.gap for value in self._values)

    @property
    def shapes_differ(self) -> bool:
        first, second = map(_shape, self._values)
        return first != second

    @property
    def shapes(self) -> str:
        return " and ".join(str(_shape(value)) for value in self._values)

    @cached_property
    def pairs(self) -> Pairs:
        """The numbers side by side, of two values of one shape.

        A format that cannot have the printed difference gives way to a wider one.
        """
        numbers = [value.numbers for value in self.sides if value]
        formats = wider(self._format)
        ways = (Pairs.of(numbers, form) for form in formats)
        return next((pairs for pairs in ways if pairs.possible), None) or Pairs.of(numbers, formats[0])

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, beyond the few floats that rounding leaves."""
        first, second = self._values
        floats = Floats.of([*first.numbers, *second.numbers], self._format)
        count = len(first.numbers)
        shape = (second if self.shapes_differ else first).shape or [-1]
        known = Known.of(floats[:count], first.shape or [-1]), Known.of(floats[count:], shape)
        return related(*known, self._format, first.is_complex)

    @property
    def count(self) -> int:
        return len(self.pairs)

    @cached_property
    def _floats(self) -> Array:
        """The floats of both sides, shape (2, count)."""
        return np.array([self.pairs.first.value, self.pairs.second.value])

    @cached_property
    def _unlike(self) -> Array:
        """The numbers that are not finite on one side, or on both if no number is finite."""
        first, second = self._floats
        finite = self.pairs.finite
        alike = (first == second) | np.isnan(first) & np.isnan(second)
        return self._floats[:, ~finite & ~(alike & finite.any())]

    @property
    def has_nan(self) -> bool:
        return bool(np.isnan(self._unlike).any())

    @property
    def has_infinity(self) -> bool:
        return bool(np.isinf(self._unlike).any())

    @property
    def alike_not_finite(self) -> int:
        """How many components are NaN or the same infinity on both sides."""
        return int((~self.pairs.finite).sum()) - self._unlike.shape[1]

    @property
    def not_finite(self) -> str:
        """Where numbers are NaN or infinite, in words."""
        counts = (~np.isfinite(self._floats)).sum(1)
        sides = zip(("first", "second"), counts, strict=True)
        return listed(f"{count} of {self.count} numbers in the {name}" for name, count in sides if count)

    @property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        values = np.abs(self._floats)
        return float(values[np.isfinite(values)].max(initial=0))

    @property
    def fewest_floats(self) -> int:
        return int(self.pairs.ulps[0].max())

    @property
    def most_floats(self) -> int:
        return int(self.pairs.ulps[1].max())

    @property
    def least_apart(self) -> float:
        """The least that the largest difference may be."""
        return float(self.pairs.differences[0].max())

    @property
    def most_apart(self) -> float:
        return float(self.pairs.differences[1].max())

    @property
    def floats(self) -> str:
        """How far apart the two are, in floats: a number, or all that the digits allow."""
        return _between(self.fewest_floats, self.most_floats)

    @property
    def floats_there(self) -> str:
        """How far apart the two are in the component with the largest difference, in floats."""
        return _between(*(int(end[self.component]) for end in self.pairs.ulps))

    @property
    def component(self) -> int:
        """The component that is farthest apart."""
        return self.pairs.farthest

    @property
    def in_component(self) -> str:
        """Which of several components is farthest apart, in words."""
        return f" in component {self.component}" if self.count > 1 else ""

    @property
    def first_text(self) -> str:
        return self.pairs.first.text(self.component)

    @property
    def second_text(self) -> str:
        return self.pairs.second.text(self.component)

    @property
    def size(self) -> float:
        """The largest difference, as it is printed or as the texts have it."""
        third = self.pairs.third
        if third:
            return abs(float(third.value[self.component]))
        first, second = map(float, self._floats[:, self.component])
        return min(abs(first - second), float_info.max)

    @property
    def share(self) -> str:
        """The largest difference as a share of the largest number."""
        share = self.size / self.largest if self.largest else 0.0
        return f"{share:.2g}" if share < 0.001 else f"{100 * share:.3g}%"

    @property
    def _few(self) -> int:
        return _FEW[self.pairs.format.is_narrow]

    @property
    def _limit(self) -> float:
        form = self.pairs.format
        return _OF_THE_LARGEST[form.is_narrow] * float(form.eps) * self.largest

    @property
    def is_within_few(self) -> bool:
        return self.most_floats <= self._few

    @property
    def is_small_beside_the_largest(self) -> bool:
        return 0 < self.size and self.most_apart <= self._limit

    @property
    def digits_leave_open(self) -> bool:
        """Whether the digits allow a distance that rounding explains, and a larger one."""
        return self.fewest_floats <= self._few or self.least_apart <= self._limit

    @property
    def zero_side(self) -> str:
        """The side on which every number is exactly 0, where the other is not small."""
        if self.largest < _NOT_SMALL:
            return ""
        return self._only_side(lambda values: not values.any())

    @property
    def equal_rows(self) -> str:
        """The side of a matrix whose rows are all equal, where those of the other are not."""
        shape = self.sides.first.shape
        if len(shape) < 2 or min(shape[0], shape[-1]) < 2:
            return ""

        def has_equal_rows(values: Array) -> bool:
            rows = values.reshape(shape[0], -1)
            return bool(values.any() and (rows == rows[0]).all())

        return self._only_side(has_equal_rows)

    def _only_side(self, fits: Callable[[Array], object]) -> str:
        """Return the side whose floats fit a condition, if those of the other do not."""
        sides = zip(("first", "second"), self._floats, strict=True)
        names = [name for name, values in sides if fits(values)]
        return names[0] if len(names) == 1 else ""

    @cached_property
    def narrow(self) -> Format | None:
        return narrower(self.pairs)


def _shape(value: Value) -> tuple[int, ...]:
    """Return the shape of a value, or the one that it is; a single number has none."""
    if value.is_size:
        return tuple(int(number.value) for number in value.numbers)
    shape = value.shape
    if value.is_complex and shape:
        shape = (*shape[:-1], shape[-1] // 2)
    return shape if prod(shape) > 1 else ()


def _between(fewest: int, most: int) -> str:
    """Write how many floats apart two may be."""
    least, text = distance(fewest), distance(most)
    return text if least == text else f"{least.split(' float')[0]} to {text}"
