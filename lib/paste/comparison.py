"""Two values compared: the figures by which they are judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import ceil, floor, isfinite, ulp

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import distance, rounded_up, share_of
from lib.paste.formats import dtype_of, format_of, narrower, sum_error
from lib.paste.printed import Reading, reaches, reading
from lib.paste.relations import Array, Known, Relation, related
from lib.paste.values import Value


@dataclass(frozen=True)
class Comparison:
    """Two values and the dtype of those that name none; `third` is their printed difference."""

    dtype: str
    first: Value
    second: Value
    third: Value | None = None
    nearly = "up to rounding and the digits printed"
    """Words of the sentences in `causes.toml`."""

    @property
    def values(self) -> Sequence[Value]:
        return [value for value in (self.first, self.second, self.third) if value]

    @property
    def has_gap(self) -> bool:
        return self.first.gap or self.second.gap

    @property
    def shapes(self) -> Sequence[tuple[int, ...]]:
        return [self.first.stated_shape, self.second.stated_shape]

    @property
    def shapes_differ(self) -> bool:
        return self.shapes[0] != self.shapes[1]

    @cached_property
    def format(self) -> Format:
        return format_of([self.first, self.second], self.dtype)

    @cached_property
    def reaches(self) -> Sequence[Array]:
        """How far each number of `values` may be from its text."""
        others = [self.second.numbers, self.first.numbers, ()]
        return [
            np.array(reaches(value.numbers, other, value.is_bare, value.name == "tensor"))
            for value, other in zip(self.values, others, strict=False)
        ]

    @cached_property
    def sides(self) -> Sequence[Known]:
        """Both sides, and the printed difference, if any: see `Known`."""
        return [*map(self._known, self.values, self.reaches)]

    def _known(self, value: Value, reach: Array) -> Known:
        """Return a value in its own format; one without a name in the common one, if wider."""
        forms = [format_of([value], self.dtype)] + ([] if value.name else [self.format])
        form = max(forms, key=lambda form: form.precision)
        numbers = value.array if value.shape else value.array[None]
        floats = np.vectorize(partial(_nearest, form), otypes=[float])(numbers)
        reach = reach.reshape(numbers.shape)
        # So small a reach does not get to the next float.
        reach = np.where(reach < float(form.eps) * np.abs(floats) / 8, 0, reach)
        # The doubt: from the number to its text, and from the text to the nearest float.
        off = np.abs(np.nan_to_num(floats) - np.nan_to_num(numbers)) + ulp(1) * np.abs(floats)
        return np.stack([floats, np.where(reach > 0, reach + off, 0), np.abs(floats)])

    @cached_property
    def relation(self) -> Relation:
        """How the two sides are related, up to rounding and the digits printed."""
        if self.first.is_size:
            return Relation()
        return related(self.sides[0], self.sides[1], self.format, self.first.is_complex)

    @cached_property
    def numbers(self) -> Array:
        """The numbers of both sides, shape (2, components). The values must have one shape."""
        return np.stack([side[0].ravel() for side in self.sides[:2]])

    @property
    def finite(self) -> Array:
        return np.isfinite(self.numbers[0]) & np.isfinite(self.numbers[1])

    @cached_property
    def unlike(self) -> Array:
        """The pairs with a NaN or an infinity that are not the same on both sides, (2, pairs)."""
        first, second = self.numbers
        are_same = (first == second) | np.isnan(self.numbers).all(0)
        return self.numbers[:, ~self.finite & ~are_same]

    @property
    def overflow(self) -> float:
        """The smallest number opposite an infinity of its sign, as a share of the largest float;
        0 if any unlike pair has a NaN, or two signs."""
        sizes = np.abs(self.unlike).min(0) / float(self.format.largest)
        has_sign = np.sign(self.unlike).sum(0) != 0
        return float(np.where(has_sign, np.nan_to_num(sizes), 0).min())

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of both sides, without NaN and infinities."""
        return float(np.abs(self.numbers[:, self.finite]).max(initial=0))

    @cached_property
    def differences(self) -> Array:
        """The least and the greatest possible difference, (2, components); 0 if not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.where(self.finite, np.abs(np.subtract(*self.numbers)), 0)
        first, second, *third = (side[1].ravel() for side in self.sides)
        least = np.maximum(apart - first - second, 0)
        most = apart + first + second
        if third:
            sizes = self.sides[2][2].ravel()
            reach = third[0] + float(self.format.eps) * sizes
            least = np.maximum(least, sizes - reach)
            most = np.minimum(most, sizes + reach)
        return np.nan_to_num([least, most])

    @property
    def apart(self) -> tuple[float, float]:
        """The least and the most that the largest difference may be."""
        least, most = self.differences.max(1)
        return float(least), float(most)

    @property
    def doubt(self) -> str:
        """How far apart two sides that print alike may be, in a sentence, or ""."""
        return f" Beyond these digits they may differ by up to {self.most}." if self.most else ""

    @property
    def most(self) -> str:
        """The most that the largest difference may be, rounded up, or ""."""
        most = self.apart[1]
        return f"{rounded_up(most):.3g}" if most else ""

    @property
    def texts_are_equal(self) -> bool:
        """Whether the same numbers are printed."""
        return np.array_equal(self.first.array, self.second.array, equal_nan=True)

    @property
    def distances(self) -> list[float]:
        """How far apart the two texts of each component are."""
        pairs = zip(self.first.numbers, self.second.numbers, strict=True)
        return [abs(first.value - second.value) for first, second in pairs]

    @cached_property
    def component(self) -> int:
        """The component with the largest least possible difference, then as printed."""
        ranks = [*zip(self.finite, self.differences[0], self.distances, strict=True)]
        return ranks.index(max(ranks))

    @cached_property
    def worst(self) -> Sequence[Reading]:
        """The numbers of that component as floats, and their difference; none if not finite."""
        place = self.component
        return [
            reading(value.numbers[place], side[1].flat[place], self.format)
            for value, side in zip(self.values, self.sides, strict=True)
            if self.finite[place]
        ]

    @property
    def size(self) -> float:
        """The difference of that component: the printed one, or that of the nearest floats."""
        first, second, *third = (float(side[0].flat[self.component]) for side in self.sides)
        return float(np.nan_to_num(abs(third[0] if third else first - second)))

    @property
    def ulps(self) -> tuple[int, int]:
        """The least and the greatest distance of the numbers of `worst`, in floats."""
        first, second, *third = self.worst
        low = max(first.low - second.high, second.low - first.high, 0)
        high = max(first.high - second.low, second.high - first.low)
        if not third:
            return low, high
        ends = sorted([first.low, first.high, second.low, second.high])
        near, *_, far = sorted(map(abs, ends))
        least, most = map(Fraction, self.differences[:, self.component])
        # In floats: the least size divided by the largest spacing, and the greatest size divided by
        # the smallest. That is at the end nearer to 0, or at 0 if 0 lies between the ends.
        spacing = self.format.spacing(near if ends[0] * ends[-1] > 0 else 0)
        fewest = max(low, ceil(least / self.format.spacing(far)))
        return min(fewest, high), min(floor(most / spacing), high)

    @property
    def where(self) -> str:
        """The place of `component`, as " at [0, 2]", or "" if it has none or is not known."""
        shape = self.first.shape
        index = np.unravel_index(self.component, self.sides[0][0].shape)[: len(shape)]
        return f" at {[*map(int, index)]}" if shape and not self.has_gap else ""

    @property
    def floats(self) -> str:
        """The distance of the numbers of `worst` in words, a number or an interval of floats."""
        least, most = map(distance, self.ulps)
        return most if least == most else f"{least.split(' float')[0]} to {most}"

    @property
    def share(self) -> float:
        """The largest difference as a share of the largest number."""
        return self.size / self.largest if self.largest else 0.0

    @property
    def most_share(self) -> str:
        """The most that the largest difference may be, relative to the largest number, as text.

        The largest number may be smaller than its text.
        """
        sizes = np.stack([side[2] - side[1] for side in self.sides[:2]]).reshape(2, -1)
        return share_of(self.apart[1] / float(sizes[:, self.finite].max()))

    @property
    def _most_share(self) -> float:
        return self.apart[1] / self.largest if self.largest else 0.0

    @property
    def limit(self) -> float:
        """How far apart rounding may leave two sums of such numbers: see `sum_error`."""
        return sum_error(self.format) * self.largest

    @property
    def is_rounded(self) -> bool:
        """Whether a side names a narrower format, and rounding to it explains the difference."""
        first, second = (format_of([side], self.dtype) for side in self.values[:2])
        names = first is not second and any(map(dtype_of, self.values[:2]))
        explains = self.apart[1] <= self.limit or self.ulps[1] <= 1
        return names and self.size > 0 and explains

    @cached_property
    def narrower(self) -> str:
        """The name of the narrower format that explains the difference, or "" if there is none."""
        if self.is_rounded:
            return self.format.name
        sides = [side.numbers for side in self.values[:2]]
        return narrower(sides, self.format, self._most_share)


def _nearest(form: Format, number: float) -> float:
    return float(form.rounded(Fraction(number))) if isfinite(number) else number
