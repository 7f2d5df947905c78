"""The figures by which a paste is judged, each worked out once.

Differences are measured in eps of the largest number: where terms cancel, a result may be small and its error not.
"""

import re

import numpy as np

from lib.floats.exact_floats import FORMATS, TF32, Format
from lib.floats.quantities import counted, listed, significant
from lib.paste.floats_of import FEW, Array, Floats, Pairs, rounded, spacing
from lib.paste.kinds import Kind
from lib.paste.patterns import MESSAGE
from lib.paste.printed import Printed
from lib.paste.relations import Known, Relation, related

LONG_SUM = 512
"""In eps of the largest number: what a sum of some hundred terms, or one that cancels to a hundredth, may be off by."""

SMALLEST_MISTAKE = 1e-11
"""Beside the largest number: smaller differences are sums of many terms in float64, and no mistake."""

NARROW = (FORMATS["bfloat16"], FORMATS["float16"], TF32, FORMATS["float32"])
"""What numbers of a wider format may have been rounded to on the way, the narrowest first."""

_FOUR_BITS = Format("four bits", precision=4, largest_exponent=1023)


class Facts:
    """What a paste shows. `picked` is the component that is drawn, by default the one that is farthest apart."""

    def __init__(self, kind: Kind, picked: int | None = None) -> None:
        self.kind, self.name, self.form, self.pairs = kind, kind.name, kind.format, kind.pairs
        # of two formats the narrower one counts
        self.judged = max(kind.format, kind.asked or kind.format, key=lambda one: one.eps)
        self.eps = float(self.judged.eps)
        self.words = re.sub(r"[-\d.,e\s\[\]]{30,}", " ", kind.text[:20_000])  # without long lists of numbers
        told = MESSAGE["floats"].search(self.words)
        self.told_floats = int(float(told[1])) if told else 0
        self.told_few = self.told_floats <= LONG_SUM and self.told_floats
        self.count, self.shapes_differ = len(kind.numbers), len(set(kind.shapes)) > 1
        with np.errstate(all="ignore"):
            self._measure()
            self._find(picked)
            self._relate()
            self._look_at_rows()

    def says(self, what: str) -> bool:
        """Whether the text has words of that kind."""
        return MESSAGE[what].search(self.words) is not None

    def _measure(self) -> None:
        """How far apart two sides are: in numbers, beside the largest one, in eps of it, and in floats."""
        kind, pairs, values = self.kind, self.pairs, self.kind.numbers.value
        shown = [*values, *(one for one in (kind.absolute, kind.relative) if one is not None)]
        nan = np.isnan(pairs.first.value) & np.isnan(pairs.second.value) if pairs else np.ones(1, dtype=bool)
        # the same infinities on both sides, or NaN on both beside finite numbers, are no fault of one of them
        same = bool(pairs and (pairs.finite | pairs.equal | nan).all() and not nan.all())
        self.nan = bool(kind.nan or np.isnan(shown).any()) and not (same and nan.any() and not self.says("training"))
        self.infinite = bool(np.isinf(shown).any()) and not same and kind.absolute in (None, np.inf)
        self.zeros = self.name in ("numbers", "jacobian") and not values.any()

        low, high = pairs.differences if pairs else (np.abs(values),) * 2
        counts = bool(pairs) or self.name == "differences"
        self.difference = tuple(float(np.max(end, initial=0)) * counts for end in (low, high))
        self.largest, off = kind.beside or 1.0, np.zeros(1)
        self.ulps = self.differ = 0
        if pairs:
            a, b = (np.abs(side.value) for side in (pairs.first, pairs.second))
            off = np.abs(a - b) / np.maximum(a, b) * (np.ptp(a / b) > 1e-3 * np.max(a / b) or len(a) == 1)
            if pairs.finite.any():
                self.largest = float(np.maximum(pairs.first.size[0], pairs.second.size[0])[pairs.finite].max())
            self.ulps = int(np.max(pairs.ulps[1][pairs.finite], initial=0))
            self.differ = int(np.where(pairs.finite, pairs.ulps[0] > 0, ~pairs.equal).sum())
        self.nearest = float(np.min(off, initial=np.inf, where=np.isfinite(off)))  # beside the larger one
        if kind.absolute is not None:
            self.difference = (kind.absolute, kind.absolute)
        self.relative = tuple(end / self.largest if self.largest else 2.0 * (end > 0) for end in self.difference)
        if kind.relative is not None:
            self.relative = (kind.relative, kind.relative)
        self.units = tuple(end / self.eps for end in self.relative)
        self.few_floats = "neighbouring floats" if self.ulps == 1 else f"at most {self.ulps} floats apart"

    def _find(self, picked: int | None) -> None:
        """What these figures mean: equal, open, a few floats, what sums leave, or what a narrower format leaves."""
        pairs, printed, (low, high) = self.pairs, self.kind.numbers.printed, self.difference
        sides = list(zip(pairs.first.printed, pairs.second.printed, strict=True)) if pairs else []
        self.worst = _farthest(pairs) if pairs else 0
        self.at = picked if picked is not None and picked < len(sides) else self.worst
        self.drawn = bool(pairs and pairs.finite[self.at])
        self.alone = self.name == "differences" and not self.kind.beside
        message = self.name == "message"
        same = pairs is not None and bool((pairs.first.value == pairs.second.value).all())
        shown = [[(number.value, (number.digits or 0) > 16) for number in pair] for pair in sides]
        self.alike = same and all(one == other for one, other in shown)
        told = self.kind.absolute is not None or pairs and pairs.third
        passed = self.says("passed") and not self.says("failed")
        self.equal = bool(pairs.equal.all()) if pairs else self.name == "differences" and not high
        self.equal |= self.alike and not told and (passed or _typed(self.kind.numbers))
        self.cut = self.kind.parts and self.alike and not told
        sizes = np.sort(np.abs(self.kind.numbers.value[self.kind.numbers.value != 0]))
        self.outlier = self.alone and len(sizes) > 2 and (sizes[1:] > np.maximum(1e4 * sizes[:-1], 0.01)).any()
        # printed in full, and short: rounding would have left more digits
        short = pairs is not None and all(one.digits is None for one in printed)
        self.whole = not any(one.pointed for one in printed)  # no sum of many terms
        long = min(LONG_SUM / 4 if message else LONG_SUM, 0.05 / self.eps)
        most = FEW if short else max(long, (not self.whole) * SMALLEST_MISTAKE / self.eps)
        shortened = bool(sides) and self.units[1] > most and all(_shortened(one, other) for one, other in sides)
        self.open = pairs is not None and self.units[0] <= FEW and self.units[1] > (FEW if same else most) or shortened
        self.rounding = high > 0 and (self.units[1] <= most or message and high <= 2 * FEW * self.eps) and not self.open
        self.uneven = self.alone and not self.rounding and high > max(100 * sizes.min(initial=np.inf), 1e-4)
        # a difference that terms of size one leave when they cancel, or the rounding of a dtype that is not named
        tiny = max(4 * self.eps, SMALLEST_MISTAKE / 100)
        coarse = 0 < self.relative[1] <= 4 * FORMATS["bfloat16"].eps and np.frexp(high)[0] * 2 * FEW % 1 == 0
        self.cancelled = bool(pairs and low and high <= tiny)
        self.cancelled |= message and (0 < high <= LONG_SUM * self.eps or coarse)
        same_sign = np.sign(pairs.first.value * pairs.second.value) > 0 if pairs else np.zeros(1)
        self.few = bool(pairs and self.ulps <= FEW and (~pairs.finite | (pairs.ulps[1] == 0) | same_sign).all())

    def _relate(self) -> None:
        """What one side is of the other."""
        numbers, pairs, (low, high) = self.kind.numbers, self.pairs, self.relative
        ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape in self.kind.shapes])[:-1]
        known = [np.split(each, ends) for each in (numbers.value, (numbers.high - numbers.low) / 2)]
        shaped = self.kind.shapes if self.name != "shape" else ()
        self.sides = [Known(a.reshape(shape), b.reshape(shape)) for a, b, shape in zip(*known, shaped, strict=False)]
        single, kink = pairs is not None and len(pairs) == 1, bool(pairs) and _kink(pairs)
        tiny = single and self.cancelled and numbers.value.all()
        # no word sets one number of a text against another
        words = re.search(r"[^\W\d_]{3}", self.kind.words)
        self.unset = bool(words and not MESSAGE["opposes" if self.whole else "compares"].search(self.kind.words))
        two = len(self.sides) == 2 and not tiny and not (single and self.unset and self.whole)
        self.relation = related(self.sides[0], self.sides[1], self.eps) if two else Relation()
        self.factor, self.summed = self.relation.factor, "over rows" in self.relation.name
        self.kink = kink and not self.unset and self.factor >= 0

        self.narrower = _narrower(pairs, high) if pairs and pairs.finite.all() else None
        close = low and high <= 4 * low and not self.alone and not self.open
        about = [one for one in _below(self.form) if one.eps / 16 <= high <= 4 * one.eps] if close else []
        form = self.narrower or (about[-1] if about else None)
        self.narrow_name = "TF32 or float16" if form and form.precision == 11 else form.name if form else ""
        self.to_float32 = FORMATS["float32"] in (self.narrower, form if self.name == "differences" else None)
        self.good_step = 0 < high <= 2**-26  # the root of the eps of float64
        self.like_a_step = not self.alike and 0 < high <= (1e-5 if self.form.name == "float64" else 0.1)

        self.stalled, self.drift = self._stalled(), False
        if pairs and len(pairs) > 2 and pairs.finite.all():
            least, most = (end / np.maximum(pairs.first.size[1], pairs.second.size[1]) for end in pairs.differences)
            grows = least[-1] > 10 * least[0] and least[-1] > 0.5 * least.max() and high < 0.5
            self.drift = bool(grows and least[0] <= FEW * self.eps and least[1] <= LONG_SUM * self.eps)
        # 0 beside what is left of 1 − y, or, where words or a single number say so, of a sum that is to be 0
        room = (FEW if self.says("cancels") or single else 1) * self.eps
        self.saturates = self.relation.name == "zero" and self.difference[1] <= room
        far = self.nearest > (0.9 if self.kind.kin else 0.1) and (single or not self.relation.name)
        if pairs and self.says("training"):  # lines, or figures, of one run
            start, end = sorted(side.printed[0].span[0] for side in (pairs.first, pairs.second))
            far = bool(self.nearest) or "\n" in self.kind.text[start:end]
        self.constant = self.count > 1 and bool(np.ptp(numbers.value) < 1e-3 * abs(numbers.value[0] - 1))
        self.unclear = self.unset and far or self.name == "numbers" and self.count > 1
        self.differs, self.apart = bool(self.difference[1]), self.floats_apart(self.at)

    def _stalled(self) -> int:
        """The power of two at which the smaller number stands, if a sum of like terms may stop there; else 0."""
        values, numbers, counted = self.kind.numbers.value, self.kind.numbers.printed, 1 << self.form.precision
        if self.pairs and self.drawn:
            values = np.array([self.pairs.first.value[self.at], self.pairs.second.value[self.at]])
        elif self.name in ("numbers", "jacobian", "words"):
            there = [number for number in numbers if abs(number.value) == counted]
            if len(there) > 2 or sum(number.pointed for number in there) > 1:
                return counted
            values = values[:1] if self.name == "words" else values
        if not len(values) or not np.isfinite(values).all() or len({*np.sign(values)}) != 1:
            return 0
        small, large = float(np.abs(values).min()), float(np.abs(values).max())
        if len(values) == 1:
            return int(small) * (small in (counted, 2 * counted) and self.says("counts"))
        narrow = self.form.precision < 24 and small >= 8 and not self.factor and np.frexp(small)[0] == 0.5
        return int(small) * (self.drawn and (small == counted or narrow) and large > 1.01 * small)

    def _look_at_rows(self) -> None:
        """A Jacobian as rows and columns: outputs and inputs of all samples together; all else has no rows."""
        self.one_row = self.adds_up = self.symmetric = False
        self.equal_lines, self.zero_rows, self.blocks = "", "", 0
        if self.name != "jacobian":
            return
        shape, values = self.kind.shapes[0], self.sides[0].values
        matrix = values.reshape(-1, int(np.prod(shape[2 if len(shape) == 4 else -1 :])))
        samples = values if len(shape) == 3 else matrix[None]
        self.one_row, self.symmetric = len(matrix) == 1, len(matrix) > 1 and np.array_equal(matrix, matrix.T)
        each_added = np.outer(np.arange(len(matrix)) + 1, matrix[0])
        self.adds_up = len(matrix) > 2 and bool(matrix[0].any()) and np.allclose(matrix, each_added, self.eps, 0)
        self.blocks = _blocks(values.reshape(shape[0], -1) if len(shape) == 3 else matrix)
        for name, each in {"columns": samples.swapaxes(1, 2), "rows": samples}.items():
            if min(each.shape[1:]) > (name == "columns") and each.shape[1] > 1 and (each == each[:, :1]).all():
                self.equal_lines = f"all {each.shape[1]} {name}"
        zero = np.flatnonzero((matrix == 0).all(1))
        self.zero_rows = f"{counted(len(zero), 'row')} ({listed(map(str, zero[:6]))})" if len(zero) else ""

    # --- figures as texts --------------------------------------------------------------------------------------------

    def floats_apart(self, at: int) -> str:
        """How many floats apart a component is."""
        low, high = (int(end[at]) for end in self.pairs.ulps) if self.pairs else (0, 0)
        least, most = (f"{one:,}" if one < 10**6 else significant(one) for one in (low, high))
        return least if least == most else f"{least} to {most}"

    @property
    def size(self) -> str:
        """The largest difference in as many digits as hold, three at most; everywhere the same."""
        low, high = self.difference
        alike = next((digits for digits in (3, 2, 1) if f"{low:.{digits}g}" == f"{high:.{digits}g}"), 0)
        return f"{high:.{alike}g}" if alike else f"{low:.2g} to {high:.2g}"

    @property
    def terms(self) -> str:
        """How large terms must have been for one rounding of them to leave the difference."""
        return f"{self.difference[1] / self.eps:.2g}"

    @property
    def step(self) -> str:
        """Half the spacing where the sum stands still: terms up to this are lost."""
        return f"{spacing(np.array(float(self.stalled)), self.form) / 2:g}"

    @property
    def numbers(self) -> str:
        return listed([self.kind.numbers.text(at) for at in range(min(len(self.kind.numbers), 6))])

    @property
    def shapes(self) -> str:
        return listed(" × ".join(map(str, shape)) or "one number" for shape in self.kind.shapes)


def _farthest(pairs: Pairs) -> int:
    """The component that is farthest apart, by the least that its difference may be beside the others."""
    low, high = (np.where(pairs.finite, end, -1) for end in pairs.differences)
    return int(np.lexsort((-np.arange(len(pairs)), pairs.ulps[1], high, low))[-1])


def _shortened(one: Printed, other: Printed) -> bool:
    """Whether one is the other with fewer decimals, and is no whole number."""
    fewest = min(one.decimals or 0, other.decimals or 0)
    return fewest > (one.whole or other.whole) and round(one.value, fewest) == round(other.value, fewest)


def _typed(numbers: Floats) -> bool:
    """Whether numbers hide no digits, since they have so few that they were typed, such as 0.25."""
    short = all(one.decimals is not None and one.decimals < 3 for one in numbers.printed)
    return short and bool((numbers.value == [one.value for one in numbers.printed]).all())


def _below(form: Format) -> list[Format]:
    return [one for one in NARROW if one.precision < form.precision]


def _narrower(pairs: Pairs, relative: float) -> Format | None:
    """The narrower format that one side is the other rounded to, component by component."""
    differ = pairs.first.value != pairs.second.value
    for form in _below(pairs.format):
        for one, other in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            near = np.abs(one.value - other.value) <= spacing(other.value, form) + (other.high - other.low) / 2
            typed = rounded(one.value, _FOUR_BITS) == one.value
            held = (rounded(one.value, form) == one.value) & near & (relative >= form.eps / 16)
            if held.all() and not typed[differ].all():
                return form
    return None


def _kink(pairs: Pairs) -> bool:
    """Whether all that differ differ by a half or one in slopes of 0, ½ or 1, as conventions at a kink do."""
    a, b = np.abs(pairs.first.value[pairs.finite]), np.abs(pairs.second.value[pairs.finite])
    same = pairs.ulps[0][pairs.finite] == 0
    slopes = np.isin(a, (0, 0.5, 1)) & np.isin(b, (0, 0.5, 1))
    return bool((slopes & (same | np.isin(np.abs(a - b), (0.5, 1)))).all() and not same.all())


def _blocks(matrix: Array) -> int:
    """The most equal blocks along the diagonal outside of which all is zero: a batch that was flattened; else 0."""
    rows, columns = matrix.shape
    for count in range(min(rows, columns), 1, -1):
        if rows % count == columns % count == 0:
            block = np.kron(np.eye(count), np.ones((rows // count, columns // count)))
            if not matrix[block == 0].any():
                return count
    return 0
