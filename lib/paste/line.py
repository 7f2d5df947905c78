"""The float line of a pair, or of a difference, as data for the picture: what prints so, and single floats.

Every place is a fraction of the picture's width. The picture measures in floats: each takes the same room, whatever its
value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lib.floats.exact_floats import Format
from lib.floats.quantities import counted, minus, power_of_two
from lib.paste.answer import Answer
from lib.paste.floats_of import Number, Pair, power_within

Data = dict[str, Any]

MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_LEAST_TICKS = 9


@dataclass(frozen=True)
class Window:
    """A stretch of the float line: `count` floats from the ordinal `low` on."""

    low: int
    count: int

    @classmethod
    def around(cls, ordinals: Sequence[int], least: int = _LEAST_TICKS) -> "Window":
        low, high = min(ordinals), max(ordinals)
        count = max(least, high - low + 7)
        return cls((low + high - count + 1) // 2, count)

    def at(self, ordinal: int) -> float:
        return float(Fraction(2 * (ordinal - self.low) + 1, 2 * self.count))

    def ticks(self, form: Format) -> list[float]:
        floats = range(self.low, self.low + self.count)
        return [self.at(one) for one in floats if abs(one) < form.infinity] if self.count <= 60 else []


def picture(found: Answer) -> Data | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    kind, facts = found.kind, found.facts
    if facts.drawn:
        return _of_pair(facts.drawn)
    if kind.beside and 1 <= facts.lone_steps <= MOST_TICKS:
        start, step = kind.beside.nearest, round(facts.lone_steps)
        end = start + step if start > 0 else start - step
        return _near(kind.beside.format, [(start, kind.beside.text), (end, "")], facts.lone_text)
    known = [number for number in facts.lone if number.multiple_of_power and number.one_ulp_of]
    if kind.name == "differences" and known:
        largest = max(known, key=lambda number: abs(number.value))
        multiple, ends = largest.multiple_of_power, largest.one_ulp_of
        if multiple and ends:
            start = largest.format.nearest(ends[0])
            says = f"{float(ends[0]):.5g} or any number up to {float(ends[1]):.5g}"
            return _near(largest.format, [(start, says), (start + multiple[0], "")], largest.text)
    one = kind.numbers[0] if len(kind.numbers) == 1 else None
    return _of_one(one) if isinstance(one, Number) else None


def _of_one(number: Number) -> Data:
    data = _near(number.format, [(number.nearest, f"{float(number.value):.9g}")], "")
    return data | {"label": f"The float line: the float nearest to {number.text}, and its neighbours."}


def _of_pair(pair: Pair) -> Data:
    known = _places(pair)
    if known:
        first, second, sure = known
        names = [pair.first.text, pair.second.text] if sure else ["one", "the other"]
        if first == second:
            names = ["both", ""]
        says = pair.third.text if pair.third else ""
        return _near(pair.format, list(zip((first, second), names, strict=True)), says, sure)
    ends = [pair.first.lowest, pair.first.highest, pair.second.lowest, pair.second.highest]
    window = Window(min(ends), max(ends) - min(ends) + 1)
    rows = [_bar("first", pair.first, window), _bar("second", pair.second, window)]
    texts = sorted({min(ends), max(ends)})
    axis = [{"at": window.at(end), "text": minus(f"{float(pair.format.value(end)):.6g}")} for end in texts]
    label = f"The float line of {pair.format.name}. {rows[0]['says']}. {rows[1]['says']}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": window.ticks(pair.format), "magnified": None}


def _places(pair: Pair) -> tuple[int, int, bool] | None:
    """Return on which floats the two are, and whether that is sure, if they are near; None if that is not known."""
    low, high = pair.ulps
    if pair.first.sure and pair.second.sure:
        return (pair.first.nearest, pair.second.nearest, True) if high <= MOST_TICKS else None
    return (pair.first.nearest, pair.first.nearest + low, False) if low == high <= MOST_TICKS else None


def _near(form: Format, marks: Sequence[tuple[int, str]], says: str, sure: bool = True) -> Data:
    """Draw single floats, with the distance between the first two."""
    places = [place for place, _ in marks]
    window, apart = Window.around(places), abs(places[-1] - places[0])
    who = ("first", "second") if sure else ("either", "either")
    value = f"difference {says}: " if says else ""
    bracket = {
        "span": sorted(map(window.at, (places[0], places[-1]))),
        "says": minus(f"{value}{counted(apart, 'float')}"),
    }
    spacing = form.spacing(min(map(abs, places)))
    power = power_within((spacing, spacing))
    gap = f"only these values exist in {form.name}, here {power_of_two(power or 0)} = {float(spacing):.5g} apart"
    magnified = {
        "ticks": window.ticks(form),
        "marks": [
            {"who": side, "at": window.at(place), "name": minus(name)}
            for side, (place, name) in zip(who, marks, strict=False)
        ],
        "bracket": bracket if len(places) > 1 and apart else None,
        "below": minus(gap),
    }
    label = f"The float line of {form.name}: {counted(apart, 'float')} apart."
    return {"label": label, "rows": [], "axis": [], "ticks": [], "magnified": magnified}


def _bar(who: str, number: Number, window: Window) -> Data:
    floats = counted(number.floats, "float") if number.floats < 10**6 else f"{number.floats:.3g} floats"
    name = minus(number.text)
    half = 1 / (2 * window.count)
    span = [window.at(number.lowest) - half, window.at(number.highest) + half]
    says = f"{name} stands for {floats}"
    return {"who": who, "name": name, "span": span, "one": number.sure, "says": says}
