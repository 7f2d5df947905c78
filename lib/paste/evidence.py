"""The figures by which a paste is judged, each worked out once and only when a cause asks for it.

Differences are measured in eps of the largest number: where terms cancel, a result may be small and its error not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format, significand_and_exponent
from lib.floats.quantities import counted, significant
from lib.paste.floats_of import FEW, Number, Pair, multiple_within
from lib.paste.jacobian import Structure
from lib.paste.kinds import Kind
from lib.paste.relations import Factor, between, factor, signs

LONG_SUM = 512
"""In eps of the largest number: what a sum of some hundred terms, or one that cancels to a hundredth, may be off by."""

NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to on the way, the narrowest first."""


@dataclass(frozen=True)
class Facts:
    """What a paste shows. `at` is the component that is drawn."""

    kind: Kind
    picked: int | None = None

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def form(self) -> Format:
        return self.kind.format

    @property
    def eps(self) -> float:
        """That of the dtype, or of the narrower one that was asked for where the difference shows a wider one."""
        return float(max(self.form.eps, (self.kind.chosen or self.form).eps))

    @property
    def judged_as(self) -> str:
        """The dtype whose eps counts."""
        return max(self.form, self.kind.chosen or self.form, key=lambda one: one.eps).name

    @property
    def is_narrow(self) -> bool:
        return bool(DTYPES[self.form.name].narrow)

    @cached_property
    def structure(self) -> Structure | None:
        return Structure(self.kind.sides[0]) if self.name == "jacobian" else None

    def says(self, pattern: str) -> bool:
        """Whether the text has words like these."""
        return re.search(pattern, self.kind.text, re.IGNORECASE) is not None

    @cached_property
    def numbers(self) -> Sequence[float]:
        """All values that were pasted as floats."""
        sides = chain.from_iterable(side.ravel().tolist() for side in self.kind.sides)
        return [*sides, *(float(one.value) for one in self.kind.numbers)]

    @property
    def has_nan(self) -> bool:
        told = [one for one in (self.kind.absolute, self.kind.relative) if one is not None]
        return any(one != one for one in (*self.numbers, *told))

    @property
    def has_infinity(self) -> bool:
        if self.kind.absolute is not None:
            return self.kind.absolute == float("inf")
        return any(abs(one) == float("inf") for one in self.numbers)

    @property
    def all_zero(self) -> bool:
        return bool(self.numbers) and not any(self.numbers)

    # --- pairs -------------------------------------------------------------------------------------------------------

    @cached_property
    def pairs(self) -> Sequence[Pair]:
        return [pair for pair in self.kind.pairs if isinstance(pair, Pair)]

    @property
    def not_finite(self) -> bool:
        return len(self.pairs) < len(self.kind.pairs)

    @property
    def same_not_finite(self) -> bool:
        others = [pair for pair in self.kind.pairs if not isinstance(pair, Pair)]
        return all(pair.equal for pair in others)

    @cached_property
    def worst(self) -> int:
        """The component that is farthest apart, by the least that its difference may be beside the others."""
        every = self.kind.pairs
        known = {i: (p.differences, p.ulps[1]) for i, p in enumerate(every) if isinstance(p, Pair)}
        return max(known, key=lambda place: known[place], default=0)

    @property
    def at(self) -> int:
        every = self.kind.pairs or self.kind.numbers
        return self.picked if self.picked is not None and self.picked < len(every) else self.worst

    @property
    def drawn(self) -> Pair | None:
        """The pair that is drawn."""
        pair = self.kind.pairs[self.at] if self.kind.pairs else None
        return pair if isinstance(pair, Pair) else None

    @cached_property
    def largest(self) -> Fraction:
        return max((pair.largest for pair in self.pairs), default=Fraction(0))

    @property
    def differ(self) -> int:
        """How many components differ for sure."""
        return sum(pair.ulps[0] > 0 for pair in self.pairs) + sum(
            not isinstance(pair, Pair) and not pair.equal for pair in self.kind.pairs
        )

    @property
    def equal(self) -> bool:
        return bool(self.pairs) and all(pair.ulps[1] == 0 for pair in self.pairs) and self.same_not_finite

    @property
    def held(self) -> bool:
        """Whether all numbers are floats of the dtype as printed."""
        return all(one.is_held for pair in self.pairs for one in (pair.first, pair.second))

    @property
    def few(self) -> bool:
        return bool(self.pairs) and all(self._is_few(pair) for pair in self.pairs)

    @staticmethod
    def _is_few(pair: Pair) -> bool:
        opposite = pair.first.value * pair.second.value <= 0
        return pair.ulps[1] <= FEW and not opposite or pair.ulps[1] == 0

    @cached_property
    def difference(self) -> tuple[float, float]:
        """The least and the greatest value of the largest difference."""
        if self.kind.absolute is not None:
            return self.kind.absolute, self.kind.absolute
        return (
            max((float(pair.differences[0]) for pair in self.pairs), default=0.0),
            max((float(pair.differences[1]) for pair in self.pairs), default=0.0),
        )

    @property
    def relative(self) -> tuple[float, float]:
        """The largest difference beside the largest number, or as a message tells it."""
        if self.kind.relative is not None:
            return self.kind.relative, self.kind.relative
        largest = float(self.largest)
        low, high = self.difference
        return (low / largest, high / largest) if largest else (2.0 if high else 0.0, 2.0 if high else 0.0)

    @property
    def units(self) -> tuple[float, float]:
        """The same in eps of the dtype."""
        return self.relative[0] / self.eps, self.relative[1] / self.eps

    @property
    def open(self) -> bool:
        """Whether the digits leave open both rounding and more, or whether all print alike and need not be alike."""
        alike = all(pair.first.value == pair.second.value for pair in self.pairs)
        most = FEW if alike else self.most_units
        return bool(self.pairs) and self.units[0] <= FEW and self.units[1] > most

    @property
    def rounding(self) -> bool:
        """Whether the differences are such as sums in this dtype may leave, beside numbers as large as the largest."""
        small = self.kind.absolute is not None and self.kind.absolute <= 2 * FEW * self.eps
        return self.difference[1] > 0 and (self.units[1] <= self.most_units or small) and not self.open

    @property
    def most_units(self) -> float:
        return min(LONG_SUM, 0.05 / self.eps)

    @property
    def small_terms(self) -> bool:
        """Whether numbers below the root of eps differ by no more than terms of size one leave when they cancel."""
        low, high = self.difference
        if self.kind.absolute is not None:
            return 0 < high <= LONG_SUM * self.eps
        return low > 0 and high <= 4 * self.eps and float(self.largest) ** 2 < self.eps

    @property
    def residues(self) -> bool:
        """Whether all numbers are small multiples of powers of two, as sums leave whose terms cancel."""
        each = [one for pair in self.pairs for one in (pair.first, pair.second) if one.value]
        small = self.small_terms and all(one.sure or multiple_within(one.size) for one in each)
        parts = [significand_and_exponent(one.value) if one.sure else one.multiple_of_power for one in each]
        quantum = Fraction(2) ** min((part[1] for part in parts if part), default=0)
        return small and bool(each) and max(abs(one.value) for one in each) < LONG_SUM * quantum

    @property
    def apart(self) -> str:
        """How far apart the drawn pair is, in floats."""
        pair = self.drawn
        if pair is None:
            return "not on the float line"
        low, high = pair.ulps
        if low == high:
            return counted(low, "float") if low < 10**6 else f"{significant(low)} floats"
        least, most = (f"{one:,}" if one < 10**6 else significant(one) for one in (low, high))
        return f"about {most} floats" if least == most else f"{least} to {most} floats"

    @property
    def largest_apart(self) -> str:
        high = max((pair.ulps[1] for pair in self.pairs), default=0)
        return "one float" if high == 1 else f"at most {high} floats"

    @property
    def size(self) -> str:
        """The largest difference in as many digits as hold, three at most; everywhere the same."""
        low, high = self.difference
        for digits in (3, 2, 1):
            if f"{low:.{digits}g}" == f"{high:.{digits}g}":
                return f"{high:.{digits}g}"
        return f"{low:.2g} to {high:.2g}"

    @property
    def beside(self) -> str:
        return f"{self.relative[1]:.2g}"

    @property
    def terms(self) -> str:
        """How large terms must have been for one rounding of them to leave the difference."""
        return f"{self.difference[1] / self.eps:.2g}"

    @property
    def largest_number(self) -> str:
        return f"{float(self.largest):.3g}"

    @property
    def count(self) -> int:
        return len(self.kind.pairs)

    # --- relations ---------------------------------------------------------------------------------------------------

    @cached_property
    def factor(self) -> Factor | None:
        found = None if self.not_finite or not self.differ else factor(self.pairs)
        return None if found and not found.several and self.residues else found

    @property
    def smaller(self) -> str:
        return "first" if self.factor and self.factor.larger == "second" else "second"

    @cached_property
    def flipped(self) -> int:
        return 0 if self.not_finite or not self.differ else signs(self.pairs)

    @cached_property
    def relation(self) -> str:
        if len(self.kind.sides) < 2 or self.rounding and not self.relative[0] > 1e-3:
            return ""
        return between(self.kind.sides[0], self.kind.sides[1], self.eps)

    @cached_property
    def narrower(self) -> Format | None:
        """The narrower format that one side is the other rounded to, component by component."""
        apart = [pair for pair in self.pairs if pair.first.value != pair.second.value]
        if self.not_finite or max(map(_digits, apart), default=0) < 5:
            return None
        for form in NARROW:
            if form.precision < self.form.precision and form.largest >= self.largest:
                for turn in (1, -1):
                    both = [(pair.first, pair.second)[::turn] for pair in self.pairs]
                    bits = sum(significand_and_exponent(one.value)[0].bit_length() for one, two in both if one != two)
                    if bits >= 8 and all(_is_rounded(one, other, form) for one, other in both):
                        return form
        return None

    @property
    def by_eps(self) -> Format | None:
        """The narrower format whose eps the largest difference is about, beside the largest number."""
        low, high = self.relative
        if not low or high > 4 * low:
            return None
        fits = [f for f in NARROW if f.precision < self.form.precision and f.eps / 16 <= low and high <= 4 * f.eps]
        return fits[-1] if fits else None

    @property
    def narrow_names(self) -> str:
        form = self.narrower or self.by_eps
        return "TF32 or float16" if form and form.precision == 11 else form.name if form else ""

    @cached_property
    def stalled(self) -> int:
        """The power of two at which the smaller number stands, if a sum of like terms may stop there; else 0."""
        pair = self.drawn
        if pair is None or pair.first.value * pair.second.value <= 0:
            return 0
        small, large = sorted((abs(pair.first.value), abs(pair.second.value)))
        ones = small == 1 << self.form.precision
        powers = (
            self.is_narrow and small.denominator == 1 and small.numerator & (small.numerator - 1) == 0 and small >= 8
        )
        return int(small) if (ones or powers and not self.factor) and large > small * Fraction(101, 100) else 0

    @property
    def step(self) -> str:
        """Half the spacing where the sum stands still: terms up to this are lost."""
        return f"{float(self.form.spacing(self.form.nearest(Fraction(self.stalled)))) / 2:g}"

    @property
    def one_zero(self) -> Number | None:
        """The other number of the drawn pair if exactly one of the two is 0."""
        pair = self.drawn
        if pair is None or (pair.first.value == 0) == (pair.second.value == 0):
            return None
        zero, other = (pair.first, pair.second) if pair.first.value == 0 else (pair.second, pair.first)
        return other if other.size[0] > 2 * zero.size[1] else None

    @property
    def zero_is_saturated(self) -> bool:
        return self.one_zero is not None and self.one_zero.size[1] <= self.form.eps

    @property
    def kink(self) -> bool:
        """Whether all that differ differ by a half or one in slopes of 0, ½ or 1, as conventions at a kink do."""
        differing = [pair for pair in self.pairs if pair.ulps[0]]
        slopes = {Fraction(0), Fraction(1, 2), Fraction(1), Fraction(-1)}
        each = {abs(pair.first.value - pair.second.value) for pair in differing}
        all_slopes = all(one.value in slopes for pair in differing for one in (pair.first, pair.second))
        return bool(differing) and all_slopes and each <= {Fraction(1, 2), Fraction(1)}

    @property
    def finite_difference(self) -> bool:
        """Whether one side is a numerical gradient, of gradcheck or by steps."""
        return self.says(r"numerical|gradcheck|finite.?diff|central diff")

    @property
    def names_hardware(self) -> bool:
        """Whether the text speaks of what computes in a narrower format."""
        return self.says(r"cuda|\bgpu|tf32|autocast|\bamp\b|half|mixed|float16|bf16|fp16|tensor core|allow_tf32")

    @property
    def cancelled(self) -> bool:
        """Whether the drawn pair is far apart in floats of its own, and not beside the largest number."""
        pair = self.drawn
        return self.rounding and pair is not None and pair.ulps[0] > FEW and self.largest > 8 * pair.largest

    # --- differences -------------------------------------------------------------------------------------------------

    @cached_property
    def lone(self) -> list[Number]:
        return [one for one in self.kind.numbers if isinstance(one, Number) and one.value]

    @property
    def lone_size(self) -> float:
        return float(max((abs(one.value) for one in self.lone), default=Fraction(0)))

    @property
    def lone_text(self) -> str:
        return f"{self.lone_size:.3g}"

    @property
    def lone_terms(self) -> str:
        """Numbers from which on the largest difference is one float, or less."""
        return f"{self.lone_size / self.eps:.2g}"

    @property
    def lone_steps(self) -> float:
        """The largest difference in floats of the number that it was given with."""
        return self.lone_size / float(self.kind.beside.spacing) if self.kind.beside else 0.0

    @property
    def lone_count(self) -> str:
        return counted(round(self.lone_steps), "float") if self.lone_steps >= 1 else "less than a float"

    # --- matrices ----------------------------------------------------------------------------------------------------

    @property
    def elided(self) -> bool:
        return any("left out" in note for note in self.kind.notes)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.kind.shapes[0] if self.kind.shapes else ()

    @property
    def shape_text(self) -> str:
        return " × ".join(map(str, self.shape))

    @property
    def shapes_text(self) -> str:
        return " and ".join(" × ".join(map(str, shape)) or "one number" for shape in self.kind.shapes)

    @property
    def held_numbers(self) -> str:
        return f"{int(np.prod([float(one) for one in self.shape])):,}"

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else 0

    @property
    def columns(self) -> int:
        return self.shape[-1] if self.shape else 0


def _digits(pair: Pair) -> int:
    return max(pair.first.printed.digits or 9, pair.second.printed.digits or 9)


def _is_rounded(one: Number, other: Number, form: Format) -> bool:
    """Whether a number is a float of the narrower format, and next to the other: its rounding may be off."""
    if form.rounded(one.value) != one.value:
        return False
    if other.printed.value == other.value:
        return abs(one.value - other.value) <= form.spacing(form.floor(abs(other.value)))
    return abs(one.value - other.value) <= form.spacing(form.floor(abs(other.value))) + (
        abs(other.format.value(other.highest) - other.value)
    )
