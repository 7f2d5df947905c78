"""The picture of an answer, as data for the drawing: a stretch of the float line with two numbers
on it, or the sizes of numbers at which a difference is one float, in each dtype.

Every place is a fraction of the picture's width. On the float line each float takes the same room,
whatever its value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isfinite, log2
from typing import Any

from lib.floats.exact_floats import FORMATS, Format
from lib.floats.quantities import counted, distance, minus, power_of_ten
from lib.paste.answer import Answer
from lib.paste.comparison import Comparison
from lib.paste.difference import OneFloat, one_float
from lib.paste.floats_of import Floats, ordinals
from lib.paste.printed import Printed

Data = dict[str, Any]

MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_LEAST_TICKS = 9
_MOST_SINGLE = 60


@dataclass(frozen=True)
class Window:
    """A stretch of the float line: `count` floats from the ordinal `low` on."""

    low: int
    count: int

    def at(self, ordinal: int) -> float:
        """Return the place of a float in the picture, from 0 to 1."""
        return float(Fraction(2 * (ordinal - self.low) + 1, 2 * self.count))

    def ticks(self, form: Format) -> list[float]:
        """Return the places of the floats, if there is room to draw each."""
        if self.count > _MOST_SINGLE:
            return []
        floats = range(self.low, self.low + self.count)
        return [self.at(ordinal) for ordinal in floats if abs(ordinal) < form.infinity]


def picture(answer: Answer) -> Data | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    comparison = answer.worst
    if comparison:
        finite = not comparison.shapes_differ and comparison.pairs.finite[comparison.place]
        return _of_two(comparison) if finite else None
    if not answer.one:
        return None
    one = answer.one
    number = one.value.numbers[one.place]
    is_distance = one.role == "difference" or not (one.role or one.value.shape)
    drawn = is_distance and isfinite(number.value) and number.value
    return _of_difference(number) if drawn else None


def _of_two(comparison: Comparison) -> Data:
    pairs = comparison.pairs
    place = comparison.place
    form = pairs.format
    first, second = pairs.first, pairs.second
    low, high = (int(end[place]) for end in pairs.ulps)
    start, end = (int(ordinals(side.value, form)[place]) for side in (first, second))
    is_sure = first.low[place] == first.high[place] and second.low[place] == second.high[place]
    if is_sure and high <= MOST_TICKS:
        names = (first.text(place), second.text(place)) if high else ("both", "")
        return _single_floats(form, [(start, names[0]), (end, names[1])], ("first", "second"))
    if low == high <= MOST_TICKS:  # the printed difference tells the distance, and not the floats
        marks = [(start, "one"), (start + low, "the other")]
        return _single_floats(form, marks, ("either", "either"))
    return _bars(first, second, place)


def _single_floats(form: Format, marks: list[tuple[int, str]], sides: Sequence[str]) -> Data:
    """Draw two floats, and all floats around them."""
    places = [place for place, _ in marks]
    low, high = min(places), max(places)
    count = max(_LEAST_TICKS, high - low + 7)
    window = Window((low + high - count + 1) // 2, count)
    apart = counted(high - low, "float")
    spacing = float(form.spacing(min(map(abs, places))))
    drawn = [
        {"who": side, "at": window.at(place), "name": minus(name)}
        for side, (place, name) in zip(sides, marks, strict=True)
    ]
    bracket = {"span": [window.at(low), window.at(high)], "says": apart} if high > low else None
    below = minus(f"only these values exist in {form.name}, here {spacing:.5g} apart")
    magnified = {"ticks": window.ticks(form), "marks": drawn, "bracket": bracket, "below": below}
    label = f"The float line of {form.name}: {apart} apart."
    return {"label": label, "rows": [], "axis": [], "ticks": [], "magnified": magnified}


def _bars(first: Floats, second: Floats, place: int) -> Data:
    """Draw all floats that each of two printed numbers may be."""
    form = first.format
    ends = [(int(side.ends[0][place]), int(side.ends[1][place])) for side in (first, second)]
    low = min(lowest for lowest, _ in ends)
    high = max(highest for _, highest in ends)
    window = Window(low, high - low + 1)
    sides = zip(("first", "second"), (first, second), ends, strict=True)
    rows = [_bar(name, minus(side.text(place)), *span, window) for name, side, span in sides]
    axis = [
        {"at": window.at(end), "text": minus(f"{float(form.value(end)):.{form.digits}g}")}
        for end in sorted({low, high})
    ]
    label = f"The float line of {form.name}. {rows[0]['says']}. {rows[1]['says']}."
    ticks = window.ticks(form)
    return {"label": label, "rows": rows, "axis": axis, "ticks": ticks, "magnified": None}


def _bar(name: str, text: str, lowest: int, highest: int, window: Window) -> Data:
    count = highest - lowest + 1
    half = 1 / (2 * window.count)
    span = [window.at(lowest) - half, window.at(highest) + half]
    says = f"{text} stands for {distance(count)}"
    return {"who": name, "name": text, "span": span, "one": count == 1, "says": says}


def _of_difference(number: Printed) -> Data:
    """Draw the numbers at which a difference is one float, in each dtype, on a logarithmic line."""
    places = [one_float(number, form) for form in FORMATS.values()]
    places = sorted((place for place in places if place.exists), key=lambda place: place.exponent)
    low = min([0, *(place.exponent for place in places)]) - 2
    high = max([0, *(place.exponent for place in places)]) + 3

    def at(exponent: float) -> float:
        return (exponent - low) / (high - low)

    rows = [_of_dtype(place, at(place.exponent), at(place.exponent + 1)) for place in places]
    powers = _powers_of_ten(low, high)
    axis = [{"at": at(power * log2(10)), "text": _power(power)} for power in powers]
    said = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    label = f"At which sizes of numbers {number.text} is one float. {said}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": [], "magnified": None}


def _of_dtype(place: OneFloat, start: float, end: float) -> Data:
    name = place.format.name
    return {"who": "either", "name": name, "span": [start, end], "one": False, "says": place.numbers}


def _power(power: int) -> str:
    return "1" if power == 0 else power_of_ten(power)


def _powers_of_ten(low: int, high: int) -> list[int]:
    """Return some powers of ten between two powers of two, at most seven."""
    first = ceil(low / log2(10))
    last = floor(high / log2(10))
    step = max(1, round((last - first) / 6))
    return [power for power in range(first, last + 1) if power % step == 0]
