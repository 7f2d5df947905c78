"""The float line of a pair, or of a difference, as data for the picture: what prints so, and single floats.

Every place is a fraction of the picture's width. The picture measures in floats: each takes the same room, whatever its
value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lib.floats.exact_floats import Format
from lib.floats.quantities import counted, minus
from lib.paste.answer import Answer
from lib.paste.floats_of import Number, Pair

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
    def around(cls, ordinals: Sequence[int]) -> "Window":
        low, high = min(ordinals), max(ordinals)
        count = max(_LEAST_TICKS, high - low + 7)
        return cls((low + high - count + 1) // 2, count)

    def at(self, ordinal: int) -> float:
        return float(Fraction(2 * (ordinal - self.low) + 1, 2 * self.count))

    def ticks(self, form: Format) -> list[float]:
        floats = range(self.low, self.low + self.count)
        return [self.at(one) for one in floats if abs(one) < form.infinity] if self.count <= 60 else []


def picture(found: Answer) -> Data | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    kind, pair = found.kind, found.facts.drawn
    numbers = [number for number in kind.numbers if number.finite]
    if pair:
        return _floats_of(pair) or _bars(pair)
    if kind.name == "differences" and numbers:
        number = max(numbers, key=lambda number: abs(number.value))
        multiple, ends = number.multiple_of_power, number.one_ulp_of
        if multiple and ends:
            start = number.format.nearest(ends[0])
            name = f"{float(ends[0]):.5g} or any number up to {float(ends[1]):.5g}"
            return _floats(number.format, [(start, name), (start + multiple[0], "")], number.text)
    if len(numbers) == 1:
        return _floats(numbers[0].format, [(numbers[0].nearest, f"{numbers[0].as_float:.9g}")], "")
    return None


def _floats_of(pair: Pair) -> Data | None:
    """Draw on which floats the two are if they are near and that is known, or at least how far apart they are."""
    (low, high), (first, second), form = pair.ulps, (pair.first, pair.second), pair.format
    says = pair.third.text if pair.third else ""
    if first.sure and second.sure and high <= MOST_TICKS:
        names = (first.text, second.text) if high else ("both", "")
        return _floats(form, [(first.nearest, names[0]), (second.nearest, names[1])], says)
    if low == high <= MOST_TICKS:
        return _floats(form, [(first.nearest, "one"), (first.nearest + low, "the other")], says, ("either", "either"))
    return None


def _floats(
    form: Format, marks: Sequence[tuple[int, str]], says: str, who: tuple[str, str] = ("first", "second")
) -> Data:
    """Draw single floats, with the distance between the first two."""
    places = [place for place, _ in marks]
    window, apart = Window.around(places), counted(abs(places[-1] - places[0]), "float")
    spacing = float(form.spacing(min(map(abs, places))))
    span = sorted(map(window.at, (places[0], places[-1])))
    magnified = {
        "ticks": window.ticks(form),
        "marks": [
            {"who": side, "at": window.at(place), "name": minus(name)}
            for side, (place, name) in zip(who, marks, strict=False)
        ],
        "bracket": {"span": span, "says": minus(f"{says and f'difference {says}: '}{apart}")}
        if len({*span}) > 1
        else None,
        "below": minus(f"only these values exist in {form.name}, here {spacing:.5g} apart"),
    }
    label = f"The float line of {form.name}: {apart} apart."
    return {"label": label, "rows": [], "axis": [], "ticks": [], "magnified": magnified}


def _bars(pair: Pair) -> Data:
    """Draw all floats that each of the two may be."""
    ends = [pair.first.lowest, pair.first.highest, pair.second.lowest, pair.second.highest]
    window = Window(min(ends), max(ends) - min(ends) + 1)
    rows = [_bar("first", pair.first, window), _bar("second", pair.second, window)]
    axis = [
        {"at": window.at(end), "text": minus(f"{float(pair.format.value(end)):.6g}")}
        for end in sorted({min(ends), max(ends)})
    ]
    label = f"The float line of {pair.format.name}. {rows[0]['says']}. {rows[1]['says']}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": window.ticks(pair.format), "magnified": None}


def _bar(who: str, number: Number, window: Window) -> Data:
    floats = counted(number.floats, "float") if number.floats < 10**6 else f"{number.floats:.3g} floats"
    half = 1 / (2 * window.count)
    span = [window.at(number.lowest) - half, window.at(number.highest) + half]
    says = f"{minus(number.text)} stands for {floats}"
    return {"who": who, "name": minus(number.text), "span": span, "one": number.sure, "says": says}
