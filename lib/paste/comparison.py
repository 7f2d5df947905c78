"""Two printed values, held against each other: the figures by which they are judged."""

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
from lib.paste.values import Value, as_complex

_FEW = {True: 4, False: 16}
"""How many floats apart two results of some operations may be, in a dtype of 16 bits and in others.
Sums in 16 bits are accumulated in float32, so they round once."""

_OF_THE_LARGEST = {True: 4, False: 32}
"""How many eps of the largest number a sum of some thousand terms may be off: its rounding errors
are of random signs, and grow with the square root of the number of terms, u for each."""

_NOT_SMALL = 0.1


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two values, and the dtype of numbers that name none.

    Beside a complex value a real one counts as complex.
    """

    sides: Sides
    dtype: str

    def __post_init__(self) -> None:
        if any(side.is_complex for side in self.sides[:2]):
            sides = Sides(*(side and as_complex(side) for side in self.sides))
            object.__setattr__(self, "sides", sides)

    @cached_property
    def format(self) -> Format:
        return format_of_values([self.sides.first, self.sides.second], self.dtype)

    @property
    def dtypes_differ(self) -> bool:
        """Whether the two sides are of different dtypes, by their names.

        PyTorch does not name its default dtype, so a tensor without one beside a tensor with one is
        of another dtype.
        """
        first, second = self.sides.first, self.sides.second
        if first.name == second.name == "tensor":
            return first.dtype != second.dtype
        names = {dtype_of(first), dtype_of(second)} - {""}
        return len(names) > 1

    @property
    def label(self) -> str:
        """The label of both sides, or "" if they differ."""
        first, second = self.sides.first.label, self.sides.second.label
        return first if first == second else ""

    @property
    def has_gap(self) -> bool:
        return self.sides.first.gap or self.sides.second.gap

    @property
    def relative_size(self) -> float:
        """The least that the largest difference may be, as a share of the largest number."""
        if self.shapes_differ or not self.largest:
            return 0.0
        return float(self.pairs.differences[0].max()) / self.largest

    @property
    def shapes_differ(self) -> bool:
        first, second = (_shape(side) for side in self.sides[:2])
        return first != second

    @property
    def shapes(self) -> str:
        return " and ".join(str(_shape(side)) for side in self.sides[:2])

    @cached_property
    def pairs(self) -> Pairs:
        """The numbers side by side, of two values of one shape.

        A format that cannot have the printed difference gives way to a wider one.
        """
        first, second, third = self.sides
        difference = third.numbers if third else None
        ways = [Pairs.of(first.numbers, second.numbers, difference, form) for form in wider(self.format)]
        return next((pairs for pairs in ways if pairs.possible), ways[0])

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, beyond the few floats that rounding leaves."""
        first, second, _ = self.sides
        numbers = [*first.numbers, *second.numbers]
        floats = Floats.of(numbers, self.format)
        count = len(first.numbers)
        shape = second.shape if self.shapes_differ else first.shape
        is_complex = first.is_complex and second.is_complex
        one = Known.of(floats[:count], first.shape)
        other = Known.of(floats[count:], shape)
        return related(one, other, self.format, is_complex)

    @property
    def count(self) -> int:
        return len(self.pairs)

    @property
    def has_nan(self) -> bool:
        """Whether NaN stands on one side only, or no number is finite."""
        return bool(np.isnan(self._values[:, self._unlike]).any())

    @property
    def has_infinity(self) -> bool:
        """Whether an infinity stands on one side only, or no number is finite."""
        return bool(np.isinf(self._values[:, self._unlike]).any())

    @property
    def _unlike(self) -> Array:
        """The components that are not finite, without those that are the same on both sides."""
        first, second = self._values
        alike = (first == second) | np.isnan(first) & np.isnan(second)
        return ~self.pairs.finite & ~(alike & self.pairs.finite.any())

    @property
    def left_out(self) -> int:
        """How many components are NaN or the same infinity on both sides."""
        return int((~self.pairs.finite & ~self._unlike).sum())

    @property
    def not_finite(self) -> str:
        """Where numbers are NaN or infinite, in words."""
        counts = (~np.isfinite(self._values)).sum(1)
        sides = zip(("first", "second"), counts, strict=True)
        return listed(f"{count} of {self.count} numbers in the {name}" for name, count in sides if count)

    @property
    def _values(self) -> Array:
        return np.array([self.pairs.first.value, self.pairs.second.value])

    @property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        values = np.abs(self._values)
        return float(values[np.isfinite(values)].max(initial=0))

    @property
    def few(self) -> int:
        return _FEW[self._is_narrow]

    @property
    def _is_narrow(self) -> bool:
        return self.pairs.format.precision < 24

    @property
    def fewest_floats(self) -> int:
        return int(self.pairs.ulps[0].max())

    @property
    def most_floats(self) -> int:
        return int(self.pairs.ulps[1].max())

    @property
    def floats(self) -> str:
        """How far apart the two are, in floats: a number, or all that the digits allow."""
        return _between(self.fewest_floats, self.most_floats)

    @property
    def floats_there(self) -> str:
        """How far apart the two are in the component with the largest difference, in floats."""
        return _between(*(int(end[self.place]) for end in self.pairs.ulps))

    @property
    def place(self) -> int:
        """The component that is farthest apart."""
        return self.pairs.farthest

    @property
    def component(self) -> str:
        """Which of several components is farthest apart, in words."""
        return f" in component {self.place}" if self.count > 1 else ""

    @property
    def first_text(self) -> str:
        return self.pairs.first.text(self.place)

    @property
    def second_text(self) -> str:
        return self.pairs.second.text(self.place)

    @property
    def size(self) -> str:
        """The largest difference in three digits."""
        low, high = (float(end[self.place]) for end in self.pairs.differences)
        if self.pairs.third:
            low = high = abs(float(self.pairs.third.value[self.place]))
        apart = abs(float(self.pairs.first.value[self.place]) - float(self.pairs.second.value[self.place]))
        return f"{min(max(apart, low), high):.3g}"

    @property
    def most_apart(self) -> str:
        """The largest difference that the digits allow."""
        return f"{float(self.pairs.differences[1].max()):.2g}"

    @property
    def share(self) -> str:
        """The largest difference as a share of the largest number."""
        share = min(float(self.size), float_info.max) / self.largest if self.largest else 0.0
        return f"{share:.2g}" if share < 0.001 else f"{100 * share:.3g}%"

    @property
    def _limit(self) -> float:
        eps = float(self.pairs.format.eps)
        return _OF_THE_LARGEST[self._is_narrow] * eps * self.largest

    @property
    def sums(self) -> str:
        """What may be off by the limit."""
        return "a result rounded a few times" if self._is_narrow else "a sum of some thousand terms of such sizes"

    @property
    def is_within_few(self) -> bool:
        return self.most_floats <= self.few

    @property
    def is_small_beside_the_largest(self) -> bool:
        return bool(self.pairs.differences[1].max() <= self._limit)

    @property
    def digits_leave_open(self) -> bool:
        """Whether the digits allow a distance that rounding explains, and a larger one."""
        return self.fewest_floats <= self.few or bool(self.pairs.differences[0].max() <= self._limit)

    @property
    def prints_alike(self) -> bool:
        """Whether the two sides have the same digits."""
        first, second, _ = self.sides
        values = zip(first.numbers, second.numbers, strict=True)
        return all(one.value == other.value for one, other in values)

    @property
    def zero_side(self) -> str:
        """The side on which every number is exactly 0, where the other is not small."""
        if self.largest < _NOT_SMALL:
            return ""
        return next((name for name, side in self._named_sides if not side.size[1].any()), "")

    @property
    def _named_sides(self) -> list[tuple[str, Floats]]:
        return [("first", self.pairs.first), ("second", self.pairs.second)]

    @property
    def equal_rows(self) -> str:
        """The side of a matrix whose rows are all equal, where those of the other are not."""
        shape = self.sides.first.shape
        if len(shape) < 2 or shape[0] < 2 or shape[-1] < 2 or self.sides.first.is_complex:
            return ""
        equal = [
            name
            for name, side in self._named_sides
            if side.value.any() and (side.value.reshape(shape) == side.value.reshape(shape)[:1]).all()
        ]
        return equal[0] if len(equal) == 1 else ""

    @cached_property
    def narrow(self) -> Format | None:
        return narrower(self.pairs)


def _shape(value: Value) -> tuple[int, ...]:
    """Return the shape of a value, or the one that it is; a single number has none."""
    if value.size:
        return tuple(int(number.value) for number in value.numbers)
    shape = value.shape[:-1] if value.is_complex else value.shape
    return shape if prod(shape) > 1 else ()


def _between(fewest: int, most: int) -> str:
    """Write how many floats apart two may be."""
    least, text = distance(fewest), distance(most)
    return text if least == text else f"{least.split(' float')[0]} to {text}"
