"""Two values held against each other: the figures by which they are judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.floats.quantities import distance
from lib.paste.formats import format_of
from lib.paste.narrower import Narrower, narrower, sum_error
from lib.paste.one_value import OneValue
from lib.paste.readings import ReadingPair, reaches, readings
from lib.paste.relations import LARGEST_TERM, Relation, related
from lib.paste.values import Value

_CLEARLY = 0.1
"""Rows differ clearly by such a share of the largest number."""

_LONGEST = 24
"""Characters of a number in a sentence."""


@dataclass(frozen=True)
class Comparison:
    """Two values, perhaps their printed difference, and the dtype of numbers that name none."""

    dtype: str
    first: Value
    second: Value
    third: Value | None = None
    nearly = "up to rounding and the digits printed"

    @property
    def values(self) -> Sequence[Value]:
        return [value for value in (self.first, self.second, self.third) if value]

    @property
    def has_gap(self) -> bool:
        return self.first.gap or self.second.gap

    @property
    def shapes(self) -> Sequence[tuple[int, ...]]:
        return [self.first.shape, self.second.shape]

    @property
    def shapes_differ(self) -> bool:
        return self.shapes[0] != self.shapes[1]

    @cached_property
    def format(self) -> Format:
        return format_of([self.first, self.second], self.dtype)

    @cached_property
    def pairs(self) -> list[ReadingPair]:
        """The numbers side by side, of two values of one shape."""
        first, second = self.first.numbers, self.second.numbers
        columns = [readings(first, self.format, second), readings(second, self.format, first)]
        if self.third:
            columns.append(readings(self.third.numbers, self.format))
        return [ReadingPair(*row) for row in zip(*columns, strict=True)]

    @property
    def possible(self) -> bool:
        """Whether two such values can have the printed difference."""
        return all(
            pair.differences[0] <= pair.differences[1] and pair.ulps[0] <= pair.ulps[1]
            for pair in self.pairs
        )

    @property
    def _numbers(self) -> list[list[float]]:
        return [[each.value for each in side.numbers] for side in (self.first, self.second)]

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, beyond the few floats that rounding leaves."""
        sides = (self.first.numbers, self.second.numbers)
        first, second = (
            np.array([values, reaches(numbers, others), np.abs(values)])
            for values, numbers, others in zip(self._numbers, sides, sides[::-1], strict=True)
        )
        is_complex = self.first.is_complex
        parts = [2] if is_complex else []
        return related(
            first.reshape(3, *(self.first.shape or [1]), *parts),
            second.reshape(3, *(self.second.shape or [1]), *parts),
            float(self.format.eps),
            self.few,
            is_complex,
        )

    @property
    def is_not_finite(self) -> bool:
        """Whether NaN or an infinity stands opposite anything but the same."""
        return bool(self._unlike)

    @property
    def _unlike(self) -> list[list[int]]:
        """The ordinals of each NaN or infinity and what it stands opposite, but the same."""
        return [
            [pair.first.nearest, pair.second.nearest]
            for pair in self.pairs
            if not pair.finite and pair.first.nearest != pair.second.nearest
        ]

    @property
    def ends_beyond_the_largest(self) -> bool:
        """Whether each infinity that has no equal stands opposite a number of its sign, of at least
        half of the largest float, and nowhere NaN."""
        infinity = self.format.infinity
        half = infinity - 2 ** (self.format.precision - 1)
        sides = [sorted(ordinals, key=abs) for ordinals in self._unlike]
        return all(
            half <= abs(near) < infinity == abs(far) and near * far > 0 for near, far in sides
        )

    @property
    def has_numbers(self) -> bool:
        """Whether there is more than NaN and infinities."""
        return any(pair.finite for pair in self.pairs)

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        sides = [side for pair in self.pairs for side in (pair.first, pair.second)]
        return max((abs(side.value) for side in sides if side.finite), default=0.0)

    @cached_property
    def floats_apart(self) -> tuple[int, int]:
        """The least and the most that the largest distance in floats may be."""
        low, high = zip(*(pair.ulps for pair in self.pairs), strict=True)
        return max(low), max(high)

    @cached_property
    def apart(self) -> tuple[float, float]:
        """The least and the most that the largest difference may be."""
        low, high = zip(*(pair.differences for pair in self.pairs), strict=True)
        return float(max(low)), float(max(high))

    @property
    def texts_are_equal(self) -> bool:
        """Whether the same numbers are printed, of one dtype."""
        first, second = self._numbers
        are_equal = np.array_equal(first, second, equal_nan=True)
        return are_equal and self.first.dtype == self.second.dtype

    @property
    def prints_alike(self) -> bool:
        """Whether each number is the other one, rounded to the decimals with which it is printed.

        Numbers show that they were rounded if all have the same decimals, two or more, and are a
        tensor or one of them ends in 0: otherwise 0.25 may be exactly that.
        """
        sides = (self.first, self.second)
        doubts = [side.has_fixed_decimals * np.array(reaches(side.numbers)) for side in sides]
        apart = [abs(first - second) for first, second in zip(*self._numbers, strict=True)]
        return self.floats_apart[0] == 0 and not (apart > np.max(doubts, 0)).any()

    @property
    def rounds_alike(self) -> bool:
        """Whether the texts stand for the same floats."""
        are_equal = all(pair.first.nearest == pair.second.nearest for pair in self.pairs)
        return are_equal and self.floats_apart[0] == 0

    @cached_property
    def component(self) -> int:
        """The component that is farthest apart, by the least that its difference may be."""
        pairs = self.pairs
        return max(range(len(pairs)), key=lambda k: (pairs[k].finite, pairs[k].differences))

    @property
    def worst(self) -> ReadingPair:
        return self.pairs[self.component]

    @property
    def in_component(self) -> str:
        """Which of several components is farthest apart, in words: its index, as in Python."""
        if not self.first.shape:
            return ""
        number = self.component // (2 if self.first.is_complex else 1)
        index = [int(place) for place in np.unravel_index(number, self.first.shape)]
        return f" in component {tuple(index) if len(index) > 1 else index[0]}"

    @property
    def texts(self) -> Sequence[str]:
        """What is printed of that component on both sides."""
        texts = [side.printed.text for side in (self.worst.first, self.worst.second)]
        return [text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in texts]

    @property
    def floats(self) -> str:
        """How far apart the two are in that component, in floats: a number, or an interval."""
        least, most = map(distance, self.worst.ulps)
        return most if least == most else f"{least.split(' float')[0]} to {most}"

    @property
    def most(self) -> str:
        """The most that the largest distance in floats may be, in words."""
        return distance(self.floats_apart[1])

    @property
    def share(self) -> float:
        """The largest difference as a share of the largest number."""
        return self.worst.size / self.largest if self.largest else 0.0

    @property
    def few(self) -> int:
        """How many floats apart two results of some operations may be.

        Sums in 16 bits are accumulated in float32, so they round once.
        """
        return 2 if DTYPES[self.format.name].narrow else 16

    @property
    def limit(self) -> float:
        """How much a sum of such numbers may be off."""
        return sum_error(self.format) * self.largest

    @cached_property
    def narrower(self) -> Narrower | None:
        """The narrower format that explains the difference, or None if there is none."""
        return narrower(self.pairs, self.apart[1] / self.largest if self.largest else 0.0)

    @property
    def may_be_residue(self) -> bool:
        """Whether all numbers may be what a sum leaves where its terms cancel.

        The terms are not seen. They are taken to be up to 10,000, and in float32 even where more
        digits are printed: an exact zero beside larger numbers is no rounding of such a sum.
        """
        form = min(self.format, FORMATS["float32"], key=lambda form: form.precision)
        return self.largest <= sum_error(form) * LARGEST_TERM

    @property
    def is_zero_on_one_side(self) -> bool:
        """Whether every number of one side is 0, where the other has larger ones than a sum leaves.

        A single 0 shows nothing: terms that cancel leave one in one order of addition, and not in
        another.
        """
        first, second = map(any, self._numbers)
        return len(self.pairs) > 1 and not self.may_be_residue and first != second

    @property
    def equal_rows(self) -> int:
        """How many rows one side has, if they are all equal, and clearly not on the other; or 0."""
        sides = [OneValue(value, self.dtype, is_difference=False) for value in self.values[:2]]
        count, other = sorted((side.equal_rows for side in sides), reverse=True)
        apart = max(side.rows_apart for side in sides) if count else 0.0
        is_clear = not self.may_be_residue and apart > _CLEARLY * self.largest
        return count if is_clear and not other else 0
