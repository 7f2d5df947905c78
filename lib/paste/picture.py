"""The float line of a pair, or of a difference, as data for the picture: what prints so, and single floats.

Every place is a fraction of the picture's width. The picture measures in floats: each takes the same room, whatever its
value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from lib.floats.exact_floats import Format
from lib.floats.quantities import counted, minus
from lib.paste.answer import Answer
from lib.paste.floats_of import FEW, NARROW, Floats, ordinals

Data = dict[str, Any]

MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_LEAST_TICKS = 9


@dataclass(frozen=True)
class Window:
    """A stretch of the float line: `count` floats from the ordinal `low` on."""

    low: int
    count: int

    def at(self, ordinal: int) -> float:
        return float(Fraction(2 * (ordinal - self.low) + 1, 2 * self.count))

    def ticks(self, form: Format) -> list[float]:
        floats = range(self.low, self.low + self.count)
        return [self.at(one) for one in floats if abs(one) < form.infinity] if self.count <= 60 else []


def picture(found: Answer) -> Data | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    kind, at, form = found.kind, found.facts.at, found.kind.format
    if kind.pairs and found.facts.drawn:
        first, second = kind.pairs.first, kind.pairs.second
        low, high = (int(end[at]) for end in kind.pairs.ulps)
        says = kind.pairs.third.text(at) if kind.pairs.third else ""
        start, end = (int(ordinals(side.value, form)[at]) for side in (first, second))
        if first.low[at] == first.high[at] and second.low[at] == second.high[at] and high <= MOST_TICKS:
            names = (first.text(at), second.text(at)) if high else ("both", "")
            return _floats(form, [(start, names[0]), (end, names[1])], says)
        if low == high <= MOST_TICKS:
            return _floats(form, [(start, "one"), (start + low, "the other")], says, ("either", "either"))
        return _bars(first, second, at)
    sizes = np.where(np.isfinite(kind.numbers.value), np.abs(kind.numbers.value), -1)
    if not len(sizes) or sizes.max() < 0:
        return None
    largest = int(sizes.argmax())
    if kind.name == "differences" and (steps := _in_ulps(kind.numbers, largest)):
        from_here = 2.0 ** (steps[1] + form.precision - 1)
        place, name = form.nearest(Fraction(from_here)), f"{from_here:.5g} or any number up to {2 * from_here:.5g}"
        return _floats(form, [(place, name), (place + steps[0], "")], kind.numbers.text(largest))
    if len(sizes) == 1:
        value = kind.numbers.value
        return _floats(form, [(int(ordinals(value, form)[0]), f"{value[0]:.9g}")], "")
    return None


def _in_ulps(numbers: Floats, at: int) -> tuple[int, int] | None:
    """Return the odd m below 32 and the e if a number is about ±m·2^e, and 2^e is the ulp of floats in range."""
    low, high = (float(end[at]) for end in numbers.size)
    for m in range(1, 2 * FEW, 2):
        e = int(np.frexp(high / m)[1]) - 1
        in_range = abs(e + numbers.format.precision) < numbers.format.largest_exponent
        if in_range and high / (1 + NARROW) <= low <= m * 2.0**e:
            return m, e
    return None


def _floats(form: Format, marks: list[tuple[int, str]], says: str, who: Sequence[str] = ("first", "second")) -> Data:
    """Draw single floats, with the distance between the first two."""
    places = [place for place, _ in marks]
    low, high = min(places), max(places)
    count = max(_LEAST_TICKS, high - low + 7)
    window, apart = Window((low + high - count + 1) // 2, count), counted(high - low, "float")
    between = float(form.spacing(min(map(abs, places))))
    span = sorted(map(window.at, (low, high)))
    named = zip(who, marks, strict=False)
    magnified = {
        "ticks": window.ticks(form),
        "marks": [{"who": side, "at": window.at(at), "name": minus(name)} for side, (at, name) in named],
        "bracket": {"span": span, "says": minus(f"{says and f'difference {says}: '}{apart}")} if high > low else None,
        "below": minus(f"only these values exist in {form.name}, here {between:.5g} apart"),
    }
    label = f"The float line of {form.name}: {apart} apart."
    return {"label": label, "rows": [], "axis": [], "ticks": [], "magnified": magnified}


def _bars(first: Floats, second: Floats, at: int) -> Data:
    """Draw all floats that each of the two may be."""
    form = first.format
    low, high = (int(pick(side.ends[end][at] for side in (first, second))) for end, pick in enumerate((min, max)))
    window = Window(low, high - low + 1)
    rows = [_bar(who, side, at, window) for who, side in (("first", first), ("second", second))]
    axis = [{"at": window.at(end), "text": minus(f"{float(form.value(end)):.6g}")} for end in sorted({low, high})]
    label = f"The float line of {form.name}. {rows[0]['says']}. {rows[1]['says']}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": window.ticks(form), "magnified": None}


def _bar(who: str, numbers: Floats, at: int, window: Window) -> Data:
    lowest, highest, text = int(numbers.ends[0][at]), int(numbers.ends[1][at]), minus(numbers.text(at))
    count = highest - lowest + 1
    floats = counted(count, "float") if count < 10**6 else f"{count:.3g} floats"
    half = 1 / (2 * window.count)
    span = [window.at(lowest) - half, window.at(highest) + half]
    return {"who": who, "name": text, "span": span, "one": count == 1, "says": f"{text} stands for {floats}"}
