"""The figures by which a paste is judged, each worked out once and only when a cause asks for it.

Differences are measured in eps of the largest number: where terms cancel, a result may be small and its error not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, TF32, Format
from lib.floats.quantities import counted, listed
from lib.paste.floats_of import FEW, Pair
from lib.paste.kinds import Kind
from lib.paste.noise import NUMBER
from lib.paste.read import read_number
from lib.paste.relations import Array, Known, Relation, related

LONG_SUM = 512
"""In eps of the largest number: what a sum of some hundred terms, or one that cancels to a hundredth, may be off by."""

SMALLEST_MISTAKE = 1e-11
"""Beside the largest number: smaller differences are sums of many terms in float64, and no mistake."""

NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to on the way, the narrowest first."""


@dataclass(frozen=True)
class Facts:
    """What a paste shows. `picked` is the component that is drawn, by default the one that is farthest apart."""

    kind: Kind
    picked: int | None = None

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def form(self) -> Format:
        return self.kind.format

    @property
    def judged_as(self) -> Format:
        """The format whose eps counts: of two, the narrower one."""
        return max(self.form, self.kind.chosen or self.form, key=lambda one: one.eps)

    @property
    def eps(self) -> float:
        return float(self.judged_as.eps)

    def says(self, pattern: str) -> bool:
        """Whether the text has words like these."""
        return re.search(pattern, self.kind.text, re.IGNORECASE) is not None

    # --- all numbers -------------------------------------------------------------------------------------------------

    @cached_property
    def sides(self) -> tuple[Known, ...]:
        """The numbers of each value with its shape."""
        end, sides = 0, []
        numbers = self.kind.numbers
        if self.name == "pairs":
            numbers = (*(pair.first for pair in self.kind.pairs), *(pair.second for pair in self.kind.pairs))
        for shape in self.kind.shapes or [(len(numbers),)]:
            start, end = end, end + int(np.prod(shape, dtype=int))
            part = numbers[start:end]
            values = np.array([one.as_float for one in part]).reshape(shape)
            sides.append(Known(values, np.array([one.half_width for one in part]).reshape(shape)))
        return tuple(sides)

    @cached_property
    def values(self) -> Array:
        told = [one for one in (self.kind.absolute, self.kind.relative) if one is not None]
        return np.concatenate([*(side.values.ravel() for side in self.sides), told])

    @property
    def nan(self) -> bool:
        return bool(np.isnan(self.values).any()) and not self.same_not_finite

    @property
    def infinite(self) -> bool:
        return bool(np.isinf(self.values).any()) and not self.same_not_finite and self.kind.absolute in (None, np.inf)

    @property
    def same_not_finite(self) -> bool:
        """Whether all pairs that are not finite are the same infinities, or NaN on both sides beside finite ones."""
        nan = [np.isnan(pair.first.as_float) and np.isnan(pair.second.as_float) for pair in self.pairs]
        both = [pair.finite or pair.equal or is_nan for pair, is_nan in zip(self.pairs, nan, strict=True)]
        return bool(both) and all(both) and not all(nan)

    @property
    def zeros(self) -> bool:
        return self.name in ("numbers", "jacobian") and not self.values.any()

    # --- how far apart -----------------------------------------------------------------------------------------------

    @property
    def pairs(self) -> Sequence[Pair]:
        return self.kind.pairs

    @cached_property
    def worst(self) -> int:
        """The component that is farthest apart, by the least that its difference may be beside the others."""
        known = {i: (pair.differences, pair.ulps[1]) for i, pair in enumerate(self.pairs) if pair.finite}
        return max(known, key=lambda place: known[place], default=0)

    @property
    def at(self) -> int:
        return self.picked if self.picked is not None and self.picked < len(self.pairs) else self.worst

    @property
    def drawn(self) -> Pair | None:
        """The pair that is drawn, if it is on the float line."""
        pair = self.pairs[self.at] if self.pairs else None
        return pair if pair and pair.finite else None

    @property
    def differ(self) -> int:
        """How many components differ for sure."""
        return sum(pair.ulps[0] > 0 if pair.finite else not pair.equal for pair in self.pairs)

    @property
    def equal(self) -> bool:
        if not self.pairs:
            return self.name == "differences" and not self.difference[1]
        digits = max(one.printed.digits or 0 for one in self.kind.numbers)
        told = any(pair.third for pair in self.pairs)
        if self.alike and not told and self.kind.absolute is None and all(one.short for one in self.kind.numbers):
            return True
        all_digits = self.alike and digits >= self.form.digits - 2 and not told
        return all_digits or all(pair.equal for pair in self.pairs)

    @property
    def alike(self) -> bool:
        """Whether all pairs are printed as the same numbers."""
        return all(pair.first.printed.value == pair.second.printed.value for pair in self.pairs)

    @property
    def unclear(self) -> bool:
        """Whether two single numbers more than tenfold apart have no words that make them the sides of a comparison."""
        sides = r"expect|desired|should|instead|\bvs\b|versus|against|\bgot|want|but|!=|==|→|->"
        sides += r"|auto|manual|hand|ref|tensor\("
        few = len(self.pairs) == 1 and self.relative[0] > 0.9 and not self.kind.shapes[0] and self.pairs[0].second.value
        return bool(few and re.search(r"[^\W\d_]{3}", self.kind.text) and not self.says(sides))

    @property
    def few(self) -> bool:
        """Whether all pairs are at most a few floats apart, and none across zero."""
        near = ((p.ulps[1], p.first.value * p.second.value > 0) for p in self.pairs if p.finite)
        return bool(self.pairs) and all(high == 0 or high <= FEW and same_sign for high, same_sign in near)

    @cached_property
    def difference(self) -> tuple[float, float]:
        """The least and the greatest value of the largest difference."""
        if self.kind.absolute is not None:
            return self.kind.absolute, self.kind.absolute
        if self.name == "differences":
            size = max((float(abs(one.value)) for one in self.kind.numbers), default=0.0)
            return size, size
        each = [pair.differences for pair in self.pairs if pair.finite]
        return max((float(low) for low, _ in each), default=0.0), max((float(high) for _, high in each), default=0.0)

    @cached_property
    def largest(self) -> float:
        """The largest number beside the differences; 1 where none is known."""
        beside = [self.kind.beside.size[0]] if self.kind.beside else []
        return float(max((*beside, *(pair.largest for pair in self.pairs if pair.finite)), default=Fraction(1)))

    @property
    def alone(self) -> bool:
        """Whether there are differences, and no number beside them."""
        return self.name == "differences" and not self.kind.beside

    @cached_property
    def relative(self) -> tuple[float, float]:
        """The largest difference beside the largest number, or as a message tells it."""
        if self.kind.relative is not None:
            return self.kind.relative, self.kind.relative
        low, high = self.difference
        return (low / self.largest, high / self.largest) if self.largest else (2.0 * (high > 0), 2.0 * (high > 0))

    @property
    def units(self) -> tuple[float, float]:
        """The same in eps of the dtype."""
        return self.relative[0] / self.eps, self.relative[1] / self.eps

    @property
    def most_units(self) -> float:
        return max(min(LONG_SUM, 0.05 / self.eps), SMALLEST_MISTAKE / self.eps)

    @property
    def open(self) -> bool:
        """Whether the digits leave open both rounding and more, or whether all print alike and need not be alike."""
        alike = all(pair.first.value == pair.second.value for pair in self.pairs)
        most = FEW if alike else self.most_units
        return bool(self.pairs) and self.units[0] <= FEW and self.units[1] > most

    @property
    def rounding(self) -> bool:
        """Whether the differences are such as sums in this dtype may leave, beside numbers as large as the largest."""
        small = self.name == "message" and self.difference[1] <= 2 * FEW * self.eps
        return self.difference[1] > 0 and (self.units[1] <= self.most_units or small) and not self.open

    @property
    def cancelled(self) -> bool:
        """Whether numbers below the root of eps differ by no more than terms of size one leave when they cancel."""
        low, high = self.difference
        if self.name == "message":
            return 0 < high <= LONG_SUM * self.eps
        return bool(self.pairs) and low > 0 and high <= 4 * self.eps and self.largest < self.eps**0.5

    @property
    def absorbed(self) -> bool:
        """Whether the text adds numbers so large that the difference is lost in them: (1e16 + 1) - 1e16."""
        sums = re.findall(rf"({NUMBER})\s*[-+]\s*({NUMBER})\s*[-+=)]", self.kind.text, re.IGNORECASE)
        terms = [abs(one) for each in sums for one in map(read_number, each) if isinstance(one, Fraction)]
        return 0 < self.difference[1] <= self.eps * max(terms, default=0)

    @property
    def short_decimal(self) -> str:
        """The decimal of six digits that a single longer number is next to, such as 0.3 beside 0.30000000000000004."""
        one = self.kind.numbers[0] if self.name == "numbers" and len(self.kind.numbers) == 1 else None
        short = f"{one.as_float:.6g}" if one and one.finite and (one.printed.digits or 0) > 6 else ""
        near = short and 0 < abs(Fraction(short) - Fraction(one.printed.value)) <= 4 * one.spacing  # type: ignore
        return short if near else ""

    # --- what fits ---------------------------------------------------------------------------------------------------

    @cached_property
    def relation(self) -> Relation:
        tiny = len(self.pairs) == 1 and self.cancelled and self.pairs[0].first.value and self.pairs[0].second.value
        found = related(*self.sides, eps=self.eps) if len(self.sides) == 2 and not tiny else None
        return found or Relation("")

    def is_related(self, name: str) -> bool:
        return self.relation.name == name and not self.rounding

    @property
    def finite_difference(self) -> bool:
        """Whether one side is a numerical gradient, and the difference no more than such a one leaves."""
        most = 1e-5 if self.form.name == "float64" else 0.1
        return 0 < self.relative[1] <= most and self.says(r"numeric(?:al)?\b|grad.?check|finite.?diff|central diff")

    @property
    def names_narrow_hardware(self) -> bool:
        return self.says(r"cuda|\bgpu|tf32|autocast|\bamp\b|half|mixed|float16|bf16|fp16|tensor core")

    @cached_property
    def narrower(self) -> Format | None:
        """The narrower format that one side is the other rounded to, component by component."""
        digits = [one.printed.digits or 9 for pair in self.pairs if not pair.equal for one in (pair.first, pair.second)]
        if max(digits, default=0) < 5 or not np.isfinite(self.values).all():
            return None
        for form in NARROW:
            if form.precision < self.form.precision and float(form.largest) >= self.largest and self._about(form):
                flat = [Known(side.values.ravel(), side.open.ravel()) for side in self.sides]
                for one, other in (flat, flat[::-1]):
                    differ, spacing = (
                        one.values != other.values,
                        np.ldexp(1.0, np.frexp(other.values)[1] - form.precision),
                    )
                    near = np.abs(one.values - other.values) <= spacing + other.open
                    short = _rounded(one.values, 4) == one.values
                    if (near & (_rounded(one.values, form.precision) == one.values)).all() and not short[differ].all():
                        return form
        return None

    @property
    def by_eps(self) -> Format | None:
        """The narrower format whose eps the largest difference is about, beside the largest number."""
        low, high = self.relative
        if not low or high > 4 * low or self.alone or self.open:
            return None
        fits = [f for f in NARROW if f.precision < self.form.precision and self._about(f) and high <= 4 * f.eps]
        return fits[-1] if fits else None

    def _about(self, form: Format) -> bool:
        """Whether the largest difference is not far below the format's eps, beside the largest number."""
        return self.relative[1] >= form.eps / 16

    @property
    def narrow_names(self) -> str:
        form = self.narrower or self.by_eps
        return "TF32 or float16" if form and form.precision == 11 else form.name if form else ""

    @cached_property
    def stalled(self) -> int:
        """The power of two at which the smaller number stands, if a sum of like terms may stop there; else 0."""
        numbers = self.drawn and (self.drawn.first, self.drawn.second) or self.kind.numbers
        small, large = (f(abs(one.value) for one in numbers) if numbers else Fraction(0) for f in (min, max))
        alone = len(numbers) == 1 and self.says(r"\bones\b|sum|add|count|accum")
        ones = small == 1 << self.form.precision
        narrow = DTYPES[self.form.name].narrow and small.denominator == 1 and small >= 8 and not self.relation.factor
        power = narrow and small.numerator & (small.numerator - 1) == 0
        stands = (alone and ones) or (self.drawn and (ones or power) and large > small * Fraction(101, 100))
        return int(small) if stands and len({one.value > 0 for one in numbers}) == 1 else 0

    @property
    def step(self) -> str:
        """Half the spacing where the sum stands still: terms up to this are lost."""
        return f"{float(self.form.spacing(self.form.nearest(Fraction(self.stalled)))) / 2:g}"

    @property
    def kink(self) -> bool:
        """Whether all that differ differ by a half or one in slopes of 0, ½ or 1, as conventions at a kink do."""
        differing = [(abs(p.first.value), abs(p.second.value)) for p in self.pairs if p.finite and p.ulps[0]]
        slopes, steps = {Fraction(0), Fraction(1, 2), Fraction(1)}, {Fraction(1, 2), Fraction(1)}
        only_slopes = all({abs(p.first.value), abs(p.second.value)} <= slopes for p in self.pairs if p.finite)
        return only_slopes and bool(differing) and all(abs(a - b) in steps for a, b in differing)

    # --- matrices ----------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.kind.shapes[0] if self.kind.shapes else ()

    @cached_property
    def matrix(self) -> Array:
        """A Jacobian as rows and columns: outputs and inputs of all samples together; else without rows."""
        inputs = np.prod(self.shape[2 if len(self.shape) == 4 else -1 :], dtype=int)
        return self.sides[0].values.reshape(-1, inputs) if self.name == "jacobian" else np.zeros((0, 1))

    @property
    def equal_lines(self) -> str:
        """Which rows, of each sample, or else which columns are all equal."""
        if not len(self.matrix):
            return ""
        samples = self.matrix.reshape(-1, *self.shape[-2:]) if len(self.shape) == 3 else self.matrix[None]
        for name, each in {"rows": samples, "columns": samples.swapaxes(1, 2)}.items():
            if min(each.shape[1:]) > (name == "columns") and each.shape[1] > 1 and (each == each[:, :1]).all():
                return f"all {each.shape[1]} {name}"
        return ""

    @property
    def zero_rows(self) -> str:
        rows = np.flatnonzero((self.matrix == 0).all(1))
        return f"{counted(len(rows), 'row')} ({listed(map(str, rows[:6]))})" if len(rows) else ""

    @cached_property
    def blocks(self) -> int:
        """The most equal blocks along the diagonal outside of which all is zero: a batch that was flattened; else 0."""
        matrix = self.matrix.reshape(self.shape[0], -1) if len(self.shape) == 3 else self.matrix
        rows, columns = matrix.shape
        for count in range(min(rows, columns), 1, -1):
            if rows % count == columns % count == 0:
                block = np.kron(np.eye(count), np.ones((rows // count, columns // count)))
                if not matrix[block == 0].any():
                    return count
        return 0

    @property
    def symmetric(self) -> bool:
        return len(self.matrix) > 1 and np.array_equal(self.matrix, self.matrix.T)

    # --- figures as texts --------------------------------------------------------------------------------------------

    @property
    def largest_apart(self) -> str:
        high = max((pair.ulps[1] for pair in self.pairs if pair.finite), default=0)
        return "one float" if high == 1 else f"at most {high} floats"

    @property
    def size(self) -> str:
        """The largest difference in as many digits as hold, three at most; everywhere the same."""
        low, high = self.difference
        alike = next((digits for digits in (3, 2, 1) if f"{low:.{digits}g}" == f"{high:.{digits}g}"), 0)
        return f"{high:.{alike}g}" if alike else f"{low:.2g} to {high:.2g}"

    @property
    def texts(self) -> str:
        """The first numbers, as they are printed."""
        return listed([one.text for one in self.kind.numbers[:6]])

    @property
    def beside(self) -> str:
        return f"{self.relative[1]:.2g}"

    @property
    def terms(self) -> str:
        """How large terms must have been for one rounding of them to leave the difference."""
        return f"{self.difference[1] / self.eps:.2g}"

    @property
    def shapes_text(self) -> str:
        return listed(" × ".join(map(str, shape)) or "one number" for shape in self.kind.shapes)


def _rounded(x: Array, bits: int) -> Array:
    """Round to so many significant bits, ties to even."""
    significands, exponents = np.frexp(x)
    return np.ldexp(np.round(np.ldexp(significands, bits)), exponents - bits)
