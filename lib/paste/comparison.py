"""Two values held against each other: the figures by which they are judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.floats.exact_floats import FORMATS, Format
from lib.floats.quantities import distance
from lib.paste.formats import format_of, narrower, sum_error
from lib.paste.printed import ReadingPair, reaches, reading
from lib.paste.relations import LARGEST_TERM, Array, Known, Relation, related
from lib.paste.values import Value


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
    def sides(self) -> tuple[Known, Known]:
        """Both sides as arrays: the numbers, the doubt about each, and their sizes."""
        return _known(self.first, self.second), _known(self.second, self.first)

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, beyond what rounding leaves."""
        return related(*self.sides, self.format, self.first.is_complex)

    @cached_property
    def _numbers(self) -> Array:
        """The numbers side by side, of two values of one shape."""
        return np.stack([side[0].ravel() for side in self.sides])

    @property
    def _finite(self) -> Array:
        return np.isfinite(self._numbers).all(0)

    @cached_property
    def _unlike(self) -> Array:
        """Each NaN or infinity and what it stands opposite, but the same."""
        first, second = self._numbers
        are_same = (first == second) | np.isnan(self._numbers).all(0)
        return self._numbers[:, ~self._finite & ~are_same]

    @property
    def is_not_finite(self) -> bool:
        """Whether NaN or an infinity stands opposite anything but the same."""
        return self._unlike.size > 0

    @property
    def ends_beyond_the_largest(self) -> bool:
        """Whether each infinity that has no equal stands opposite a number of its sign, of at least
        half of the largest float, and nowhere NaN."""
        half = float(self.format.largest / 2)
        is_large = np.abs(self._unlike).min(0) >= half
        return bool((is_large & (np.sign(self._unlike).sum(0) != 0)).all())

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        return float(np.abs(self._numbers[:, self._finite]).max(initial=0))

    @cached_property
    def differences(self) -> Array:
        """The least and the greatest possible difference of each component, 0 if not finite."""
        (_, doubt, _), (_, other_doubt, _) = self.sides
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.where(self._finite, np.abs(np.subtract(*self._numbers)), 0)
        reach = (doubt + other_doubt).ravel()
        least = np.maximum(apart - reach, 0)
        most = apart + reach
        if self.third:
            _, doubt, sizes = _known(self.third)
            reach = (doubt + float(self.format.eps) * sizes).ravel()
            least = np.maximum(least, sizes.ravel() - reach)
            most = np.minimum(most, sizes.ravel() + reach)
        return np.stack([least, most])

    @property
    def possible(self) -> bool:
        """Whether two such values can have the printed difference."""
        return bool((self.differences[0] <= self.differences[1]).all())

    @property
    def apart(self) -> tuple[float, float]:
        """The least and the most that the largest difference may be."""
        least, most = self.differences.max(1)
        return float(least), float(most)

    @property
    def texts_are_equal(self) -> bool:
        """Whether the same numbers are printed."""
        return np.array_equal(*self._numbers, equal_nan=True)

    @cached_property
    def component(self) -> int:
        """The component that is farthest apart, by the least that its difference may be."""
        ranks = [*zip(self._finite, *self.differences, strict=True)]
        return ranks.index(max(ranks))

    @cached_property
    def worst(self) -> ReadingPair | None:
        """The numbers of that component, or None if they are not finite."""
        place = self.component
        if not self._finite[place]:
            return None
        doubts = [side[1] for side in self.sides]
        if self.third:
            doubts.append(_known(self.third)[1])
        readings = [
            reading(value.numbers[place], doubt.flat[place], self.format)
            for value, doubt in zip(self.values, doubts, strict=True)
        ]
        return ReadingPair(*readings)

    @property
    def where(self) -> str:
        """Where the component is that is farthest apart, if there are several."""
        shape = self.first.shape
        index = np.unravel_index(self.component, self.sides[0][0].shape)[: len(shape)]
        return f" at {[*map(int, index)]}" if shape else ""

    @property
    def floats(self) -> str:
        """How far apart the two are in that component, in floats: a number, or an interval."""
        least, most = map(distance, self.worst.ulps)
        return most if least == most else f"{least.split(' float')[0]} to {most}"

    @property
    def share(self) -> float:
        """The largest difference as a share of the largest number."""
        return self.worst.size / self.largest if self.largest else 0.0

    @property
    def limit(self) -> float:
        """How much a sum of such numbers may be off."""
        return sum_error(self.format) * self.largest

    @cached_property
    def narrower(self) -> str:
        """The narrower format that explains the difference, or "" if there is none."""
        sides = (self.first.numbers, self.second.numbers)
        return narrower(sides, self.format, self.apart[1] / self.largest)

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
        first, second = self._numbers.any(1)
        return self.first.shape and not self.may_be_residue and first != second


def _known(value: Value, other: Value | None = None) -> Known:
    """Return the numbers of a value, the doubt about each, and their sizes."""
    numbers = value.array if value.shape else value.array[None]
    doubts = reaches(value.numbers, other.numbers if other else ())
    return np.stack([numbers, np.reshape(doubts, numbers.shape), np.abs(numbers)])
