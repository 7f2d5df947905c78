"""Two printed values, held against each other: the figures by which they are judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import distance
from lib.paste.floats_of import Array, Floats, Pairs
from lib.paste.formats import dtype_of, format_of_values, narrower, wider
from lib.paste.printed import PasteError
from lib.paste.relations import Known, Relation, related
from lib.paste.values import Value

_FEW = {True: 4, False: 16}
"""How many floats apart two results of some operations may be, in a dtype of 16 bits and in others.
Sums in 16 bits are accumulated in float32, so they round once."""

_OF_THE_LARGEST = {True: 4, False: 32}
"""How many eps of the largest number a sum of some thousand terms may be off: its rounding errors
are of random signs, and grow with the square root of the number of terms, u for each."""

_NOT_SMALL = 0.1


@dataclass(frozen=True)
class Comparison:
    """Two values, perhaps their printed difference, and the dtype of numbers that name none."""

    dtype: str
    first: Value
    second: Value
    third: Value | None = None

    def __post_init__(self) -> None:
        if self.first.is_size != self.second.is_size:
            raise PasteError("A shape and numbers cannot be compared.")

    @property
    def values(self) -> Sequence[Value]:
        return [value for value in (self.first, self.second, self.third) if value]

    @property
    def label(self) -> str:
        """The label of both sides, or "" if they differ."""
        return self.first.label if self.first.label == self.second.label else ""

    @property
    def has_gap(self) -> bool:
        return self.first.gap or self.second.gap

    @property
    def shapes_differ(self) -> bool:
        return self.first.true_shape != self.second.true_shape

    @property
    def dtypes_differ(self) -> bool:
        """Whether the two sides are of different dtypes, as their names tell."""
        both_named = self.first.name and self.second.name
        return bool(both_named) and dtype_of(self.first) != dtype_of(self.second)

    @cached_property
    def pairs(self) -> Pairs:
        """The numbers side by side, of two values of one shape.

        A format that cannot have the printed difference gives way to a wider one.
        """
        numbers = [value.numbers for value in self.values]
        ways = []
        for form in wider(format_of_values(self.values[:2], self.dtype)):
            ways.append(Pairs.of(numbers, form))
            if ways[-1].possible:
                return ways[-1]
        return ways[0]

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, beyond the few floats that rounding leaves."""
        form = format_of_values(self.values[:2], self.dtype)
        floats = Floats.of([*self.first.numbers, *self.second.numbers], form)
        count = len(self.first.numbers)
        shape = (self.second if self.shapes_differ else self.first).shape
        first = Known.of(floats[:count], self.first.shape or [-1])
        second = Known.of(floats[count:], shape or [-1])
        return related(first, second, form, self.first.is_complex)

    @cached_property
    def _floats(self) -> Array:
        """The floats of both sides, shape (2, count)."""
        return np.array([self.pairs.first.value, self.pairs.second.value])

    @cached_property
    def alike_not_finite(self) -> int:
        """How many components are NaN or the same infinity on both sides, if others are finite."""
        first, second = self._floats
        finite = self.pairs.finite
        alike = (first == second) | np.isnan(first) & np.isnan(second)
        return int((alike & ~finite).sum()) if finite.any() else 0

    @property
    def is_not_finite(self) -> bool:
        return int((~self.pairs.finite).sum()) > self.alike_not_finite

    @property
    def not_finite(self) -> str:
        """Where numbers are NaN or infinite, in words."""
        first, second = (~np.isfinite(self._floats)).sum(1)
        return f"{first} in the first, {second} in the second"

    @property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        return float(np.abs(self._floats[np.isfinite(self._floats)]).max(initial=0))

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
    def component(self) -> int:
        """The component that is farthest apart."""
        return self.pairs.farthest

    @property
    def in_component(self) -> str:
        """Which of several components is farthest apart, in words."""
        return f" in component {self.component}" if len(self.pairs) > 1 else ""

    @property
    def texts(self) -> Sequence[str]:
        """What is printed of that component on both sides."""
        return [side.text(self.component) for side in (self.pairs.first, self.pairs.second)]

    @property
    def floats(self) -> str:
        """How far apart the two are there, in floats: a number, or all that the digits allow."""
        least, most = (distance(int(end[self.component])) for end in self.pairs.ulps)
        return most if least == most else f"{least.split(' float')[0]} to {most}"

    @property
    def most(self) -> str:
        """How many floats apart two numbers are, at most."""
        return distance(self.most_floats)

    @property
    def size(self) -> float:
        """The largest difference, as it is printed or as the texts have it."""
        return float(self.pairs.sizes[self.component])

    @property
    def share(self) -> float:
        """The largest difference as a share of the largest number."""
        return self.size / self.largest if self.largest else 0.0

    @property
    def few(self) -> int:
        return _FEW[self.pairs.format.is_narrow]

    @property
    def limit(self) -> float:
        form = self.pairs.format
        return _OF_THE_LARGEST[form.is_narrow] * float(form.eps) * self.largest

    @property
    def is_zero_on_one_side(self) -> bool:
        """Whether every number of one side is 0, where the other is not small.

        A single 0 shows nothing: terms that cancel leave one in one order of addition, and not in another.
        """
        is_single = self._floats.shape[1] == 1
        return not is_single and self.largest >= _NOT_SMALL and int(self._floats.any(1).sum()) == 1

    @property
    def has_equal_rows_on_one_side(self) -> bool:
        """Whether the rows of one matrix are all equal, and not 0, and those of the other not."""
        shape = self.first.shape
        if len(shape) < 2 or min(shape[0], shape[-1]) < 2:
            return False
        rows = self._floats.reshape(2, shape[0], -1)
        equal = (rows == rows[:, :1]).all((1, 2)) & rows.any((1, 2))
        return int(equal.sum()) == 1

    @cached_property
    def narrow(self) -> Format | None:
        return narrower(self.pairs)
