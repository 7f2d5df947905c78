"""The figures by which a paste is judged, each worked out once.

Differences are measured in eps of the largest number: where terms cancel, a result may be small and its error not.
"""

import re
from itertools import pairwise

import numpy as np

from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import listed, significant
from lib.paste.compared import Kind
from lib.paste.floats_of import FEW, Floats, spacing
from lib.paste.formats import below, narrower
from lib.paste.patterns import MESSAGE
from lib.paste.relations import Known, Relation, is_kink, related
from lib.paste.rows import rows_of

LONG_SUM = 512
"""In eps of the largest number: what a sum of some hundred terms, or one that cancels to a hundredth, may be off by."""

MODEST = 4e3
"""Where a message does not tell the numbers, sums of terms up to this are nothing strange."""

SMALLEST_MISTAKE = 1e-10
"""Beside the largest number: smaller differences are sums of many terms in float64, and no mistake."""

_SLOPES = ({0, 0.5, 1}, {0, 1}, {0, 0.5}, {0.5, 1})


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
        self.count, self.whole = len(kind.numbers), not any(one.pointed for one in kind.numbers.printed)
        self.alone = kind.name == "differences" and not kind.beside
        with np.errstate(all="ignore"):
            self.rows = rows_of(kind)
            self._measure()
            self._find_what_is_no_number()
            self._compare(picked)
            self._hold_against_rounding()
            self._relate()
            self._compare_formats()
            self._judge_what_is_said()

    def says(self, what: str) -> bool:
        """Whether the text has words of that kind."""
        return MESSAGE[what].search(self.words) is not None

    def _measure(self) -> None:
        """How far apart two sides are: in numbers, beside the largest one, in eps of it, and in floats."""
        kind, pairs, values = self.kind, self.pairs, np.abs(self.kind.numbers.value)
        counts = pairs or kind.name == "differences"
        low, high = pairs.differences if pairs else (values, values)
        difference = tuple(float(np.max(end, initial=0)) if counts else 0.0 for end in (low, high))
        self.difference = difference if kind.absolute is None else (kind.absolute, kind.absolute)
        self.largest, self.ulps, self.differ = kind.beside or 1.0, 0, 0
        if pairs:
            if pairs.finite.any():
                self.largest = float(np.maximum(pairs.first.size[0], pairs.second.size[0])[pairs.finite].max())
            self.ulps = int(np.max(pairs.ulps[1][pairs.finite], initial=0))
            self.differ = int(np.where(pairs.finite, pairs.ulps[0] > 0, ~pairs.equal).sum())
        relative = tuple(end / self.largest if self.largest else 2.0 * (end > 0) for end in self.difference)
        self.relative = relative if kind.relative is None else (kind.relative, kind.relative)
        self.units = tuple(end / self.eps for end in self.relative)
        self.differs = bool(self.difference[1])
        self.few_floats = "neighbouring floats" if self.ulps == 1 else f"at most {self.ulps} floats apart"

    def _find_what_is_no_number(self) -> None:
        """NaN, infinities, zeros, and shapes that differ."""
        kind, pairs, values = self.kind, self.pairs, self.kind.numbers.value
        shown = [*values, *(one for one in (kind.absolute, kind.relative) if one is not None)]
        # the same infinities on both sides, or NaN on both beside finite numbers, are no fault of one of them
        nan = np.isnan(pairs.first.value) & np.isnan(pairs.second.value) if pairs else np.ones(1, dtype=bool)
        same = bool(pairs and (pairs.finite | pairs.equal | nan).all() and not nan.all())
        self.nan = bool(kind.nan or np.isnan(shown).any()) and not (same and nan.any() and not self.says("training"))
        self.infinite = bool(np.isinf(shown).any()) and not same and kind.absolute in (None, np.inf)
        self.zeros = self.name in ("numbers", "jacobian") and not values.any() and not self.says("passed")
        # shapes of a tensor and its gradient, in turn, may be all the same
        self.shapes_differ = len(set(kind.shapes)) > 1 and kind.shapes[::2] != kind.shapes[1::2]

    def _compare(self, picked: int | None) -> None:
        """Whether two sides are the same, as floats and as text, and which component is drawn."""
        pairs, numbers = self.pairs, self.kind.numbers
        self.printed = list(zip(pairs.first.printed, pairs.second.printed, strict=True)) if pairs else []
        self.worst = pairs.farthest if pairs else 0
        self.at = picked if pairs and picked is not None and 0 <= picked < len(pairs) else self.worst
        self.drawn = bool(pairs and pairs.finite[self.at])
        self.apart = self.floats_apart(self.at)
        self.same = pairs is not None and np.array_equal(pairs.first.value, pairs.second.value, equal_nan=True)
        self.alike = self.same and all(a.text == b.text or a.value == b.value == 0 for a, b in self.printed)
        told = self.kind.absolute is not None or pairs and pairs.third
        passed = self.says("passed") and not self.says("failed")
        self.equal = bool(pairs.equal.all()) if pairs else self.name == "differences" and not self.differs
        self.equal |= self.alike and (self.kind.absolute == 0 or not told and (passed or _typed(numbers)))
        self.cut = self.kind.parts and self.alike and not told

    def _hold_against_rounding(self) -> None:
        """Whether the differences are a few floats, what sums leave, what cancels, unlike each other, or open."""
        pairs, message, (least, most), high = self.pairs, self.name == "message", self.units, self.difference[1]
        # sides that are printed in full, and short: rounding would have left more digits
        typed = pairs is not None and all(one.digits is None for one in self.kind.numbers.printed)
        long = min(LONG_SUM / 4 if message else LONG_SUM, 0.05 / self.eps)
        room = FEW if typed else long if self.whole else max(long, SMALLEST_MISTAKE / self.eps)  # whole: no long sums
        shortened = most > room and pairs is not None and all(one.shortens(other) for one, other in self.printed)
        self.open = pairs is not None and least <= FEW and most > (FEW if self.same else room) or shortened
        self.rounding = high > 0 and (most <= room or message and high <= 2 * FEW * self.eps) and not self.open
        same_sign = np.sign(pairs.first.value * pairs.second.value) > 0 if pairs else np.zeros(1)
        self.few = bool(pairs and self.ulps <= FEW and (~pairs.finite | (pairs.ulps[1] == 0) | same_sign).all())

        # a difference that terms of size one leave when they cancel, or the rounding of a dtype that is not named
        tiny = max(4 * self.eps, SMALLEST_MISTAKE / 100)
        coarse = 0 < self.relative[1] <= 4 * FORMATS["bfloat16"].eps and np.frexp(high)[0] * 2 * FEW % 1 == 0
        self.cancelled = bool(pairs and 0 < self.difference[0] and high <= tiny)
        self.cancelled |= message and (0 < high <= MODEST * self.eps or coarse)

        sizes = np.sort(np.abs(self.kind.numbers.value[self.kind.numbers.value != 0]))
        self.outlier = self.alone and len(sizes) > 2 and (sizes[1:] > np.maximum(1e4 * sizes[:-1], 0.01)).any()
        self.uneven = self.alone and not self.rounding and high > max(100 * sizes.min(initial=np.inf), 1e-4)

    def _relate(self) -> None:
        """What one side is of the other: a factor, a sum, a slope at a kink, a sum that stands still."""
        numbers, single = self.kind.numbers, self.pairs is not None and len(self.pairs) == 1
        shaped = self.kind.shapes if self.name != "shape" else ()
        ends = np.cumsum([int(np.prod(shape, dtype=int)) for shape in shaped])[:-1]
        known = (np.split(each, ends) for each in (numbers.value, (numbers.high - numbers.low) / 2))
        sides = [Known(a.reshape(shape), b.reshape(shape)) for a, b, shape in zip(*known, shaped, strict=False)]
        # two small numbers are related by chance, and two whole ones that no word sets against each other
        unsure = single and (self.kind.unset and self.whole or self.cancelled and numbers.value.all())
        self.relation = related(sides[0], sides[1], self.eps) if len(sides) == 2 and not unsure else Relation()
        self.factor, self.summed = self.relation.factor, "over rows" in self.relation.name
        self.kink = bool(self.pairs) and is_kink(self.pairs) and not self.kind.unset and self.factor >= 0
        self.kink &= self.relation.name not in ("transposed", "sign")
        self.slopes = self.name == "numbers" and not self.whole and {*np.abs(numbers.value)} in _SLOPES
        spans = [one.span for one in numbers.printed]
        lines = all("\n" in self.kind.text[one[1] : two[0]] for one, two in pairwise(spans))
        whole = all(one.whole for one in numbers.printed)  # as few digits as 2.303 may hide a change
        self.steady = self.count > 2 and lines and whole and bool(numbers.value[0]) and np.ptp(numbers.value) == 0
        self.parallel = self.count == 1 and abs(numbers.value[0] - 1) < 1e-3
        self.constant = self.count > 1 and bool(np.ptp(numbers.value) < 1e-3 * abs(numbers.value[0] - 1))
        self.stalled = self._stalled()
        # 0 beside what is left of 1 − y, or, where words or a single number say so, of a sum that is to be 0
        room = (FEW if self.says("cancels") or single else 1) * self.eps
        self.saturates = self.relation.name == "zero" and self.difference[1] <= room

    def _compare_formats(self) -> None:
        """Whether the difference is what another format leaves, or the step of a finite difference."""
        low, high = self.relative
        self.narrower = narrower(self.pairs, high) if self.pairs and self.pairs.finite.all() else None
        known = 0 < low and high <= 4 * low and not self.alone and not self.open
        about = [one for one in below(self.form) if known and one.eps / 16 <= high <= 4 * one.eps]
        form = self.narrower or (about[-1] if about else None)
        self.narrow_name = "TF32 or float16" if form and form.precision == 11 else form.name if form else ""
        self.to_float32 = FORMATS["float32"] in (self.narrower, form if self.name == "differences" else None)
        self.good_step = 0 < high <= 2**-26  # the root of the eps of float64
        self.like_a_step = not self.alike and 0 < high <= (1e-5 if self.form.name == "float64" else 0.1)

    def _judge_what_is_said(self) -> None:
        """Whether it is unclear what belongs together, and whether two runs drift apart."""
        pairs, self.drift, nearest, far = self.pairs, False, 0.0, False
        if pairs:
            a, b = (np.abs(side.value) for side in (pairs.first, pairs.second))
            off = np.abs(a - b) / np.maximum(a, b) * (np.ptp(a / b) > 1e-3 * np.max(a / b) or len(a) == 1)
            nearest = float(np.min(off, initial=np.inf, where=np.isfinite(off)))  # of the pairs, if no factor holds
            far = nearest > (0.9 if self.kind.kin else 0.1) and (len(pairs) == 1 or not self.relation.name)
        if pairs and self.says("training") and len(self.kind.shapes[0]) < 2:  # lines, or figures, of one run
            start, end = sorted(side.printed[0].span[0] for side in (pairs.first, pairs.second))
            far = bool(nearest) or "\n" in self.kind.text[start:end]
        self.unclear = self.kind.unset and far or self.name == "numbers" and self.count > 1
        if pairs and len(pairs) > 2 and pairs.finite.all():
            least, most = (end / np.maximum(pairs.first.size[1], pairs.second.size[1]) for end in pairs.differences)
            grows = least[-1] > 10 * least[0] and least[-1] > 0.5 * least.max() and self.relative[1] < 0.5
            self.drift = bool(grows and least[0] <= FEW * self.eps and least[1] <= LONG_SUM * self.eps)

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
    def share(self) -> str:
        """The largest difference beside the largest number; of a message, that beside any number."""
        return f"{self.relative[1]:.2g} of {'a number' if self.name == 'message' else 'the largest number'}"

    @property
    def terms(self) -> str:
        """How large terms must have been for one rounding of them to leave the difference."""
        return f"{self.difference[1] / self.eps:.2g}"

    @property
    def step(self) -> str:
        """Half the spacing where the sum stands still: terms up to this are lost."""
        return f"{spacing(np.array(float(self.stalled)), self.form) / 2:g}"

    @property
    def shapes(self) -> str:
        return listed(" × ".join(map(str, shape)) or "one number" for shape in self.kind.shapes)


def _typed(numbers: Floats) -> bool:
    """Whether numbers hide no digits, since they have so few that they were typed, such as 0.25."""
    short = all(one.decimals is not None and one.decimals < 3 for one in numbers.printed if one.value == one.value)
    return short and np.array_equal(numbers.value, [one.value for one in numbers.printed], equal_nan=True)
