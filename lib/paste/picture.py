"""The picture of an answer, as data for the drawing: a stretch of the float line with two numbers
on it, or the sizes of numbers at which a difference is one float, in each dtype.

Every place is a fraction of the picture's width. On the float line each float takes the same room,
whatever its value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, isfinite, log2
from typing import Any

from lib.floats.exact_floats import FORMATS, Format
from lib.floats.quantities import counted, distance, minus, power_of_ten
from lib.paste.answer import Answer
from lib.paste.comparison import Comparison
from lib.paste.difference import one_float
from lib.paste.floats_of import ordinals
from lib.paste.printed import Printed

Data = dict[str, Any]

MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_LEAST_TICKS = 9
_MOST_SINGLE = 60


def picture(answer: Answer) -> Data | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    comparison = answer.worst
    one = answer.one
    if comparison:
        finite = not comparison.shapes_differ and comparison.pairs.finite[comparison.component]
        return _of_two(comparison) if finite else None
    if not one or one.role == "relative" or one.value.shape and not one.role:
        return None
    is_drawn = isfinite(one.largest.value) and one.largest.value
    return _of_difference(one.largest) if is_drawn else None


def _drawing(label: str, rows: list[Data], axis: list[Data], ticks: list[float]) -> Data:
    return {"label": label, "rows": rows, "axis": axis, "ticks": ticks, "magnified": None}


def _window(low: int, count: int, form: Format) -> tuple[Callable[[int], float], list[float]]:
    """Return the place of a float in a stretch of the float line, by its ordinal, and the places
    of all floats, if there is room to draw each."""

    def place(ordinal: int) -> float:
        return float(Fraction(2 * (ordinal - low) + 1, 2 * count))

    floats = range(low, low + count) if count <= _MOST_SINGLE else ()
    return place, [place(ordinal) for ordinal in floats if abs(ordinal) < form.infinity]


def _of_two(comparison: Comparison) -> Data:
    pairs = comparison.pairs
    component = comparison.component
    low, high = (int(end[component]) for end in pairs.ulps)
    sides = (pairs.first, pairs.second)
    start, end = (int(ordinals(side.value, pairs.format)[component]) for side in sides)
    texts = (comparison.first_text, comparison.second_text)
    is_sure = all(side.low[component] == side.high[component] for side in sides)
    if is_sure and high <= MOST_TICKS:
        marks = (("first", start, texts[0] if high else "both"), ("second", end, texts[1] if high else "both"))
        return _single_floats(pairs.format, marks)
    if low == high <= MOST_TICKS:  # the printed difference tells the distance, and not the floats
        marks = (("either", start, "one"), ("either", start + low, "the other"))
        return _single_floats(pairs.format, marks)
    return _bars(comparison)


def _single_floats(form: Format, marks: Sequence[tuple[str, int, str]]) -> Data:
    """Draw two floats, and all floats around them."""
    low, high = sorted(ordinal for _, ordinal, _ in marks)
    count = max(_LEAST_TICKS, high - low + 7)
    place, ticks = _window((low + high - count + 1) // 2, count, form)
    apart = counted(high - low, "float")
    spacing = float(form.spacing(min(abs(low), abs(high))))
    drawn = [
        {"who": side, "at": place(ordinal), "name": minus(name)} for side, ordinal, name in marks
    ]
    bracket = {"span": [place(low), place(high)], "says": apart} if high > low else None
    below = minus(f"only these values exist in {form.name}, here {spacing:.5g} apart")
    drawing = _drawing(f"The float line of {form.name}: {apart} apart.", [], [], [])
    drawing["magnified"] = {"ticks": ticks, "marks": drawn, "bracket": bracket, "below": below}
    return drawing


def _bars(comparison: Comparison) -> Data:
    """Draw all floats that each of two printed numbers may be."""
    pairs = comparison.pairs
    form = pairs.format
    sides = (("first", pairs.first), ("second", pairs.second))
    spans = [[int(end[comparison.component]) for end in side.ordinals] for _, side in sides]
    low, high = min(map(min, spans)), max(map(max, spans))
    place, ticks = _window(low, high - low + 1, form)
    half = place(low)
    rows = []
    for (name, side), (lowest, highest) in zip(sides, spans, strict=True):
        count = highest - lowest + 1
        text = minus(side.text(comparison.component))
        row = {"who": name, "name": text, "says": f"{text} stands for {distance(count)}"}
        span = [place(lowest) - half, place(highest) + half]
        rows.append(row | {"span": span, "one": count == 1})
    axis = [
        {"at": place(end), "text": minus(f"{float(form.value(end)):.{form.digits}g}")}
        for end in sorted({low, high})
    ]
    label = f"The float line of {form.name}. {rows[0]['says']}. {rows[1]['says']}."
    return _drawing(label, rows, axis, ticks)


def _of_difference(number: Printed) -> Data:
    """Draw the numbers at which a difference is one float, in each dtype, on a logarithmic line."""
    gaps = [one_float(number, form) for form in FORMATS.values()]
    gaps = sorted((gap for gap in gaps if gap.exists), key=lambda gap: gap.exponent)
    low = min([0, *(gap.exponent for gap in gaps)]) - 2
    high = max([0, *(gap.exponent for gap in gaps)]) + 3

    def place(exponent: float) -> float:
        return (exponent - low) / (high - low)

    rows = [
        {
            "who": "either",
            "name": gap.format.name,
            "span": [place(gap.exponent), place(gap.exponent + 1)],
            "one": False,
            "says": gap.numbers,
        }
        for gap in gaps
    ]
    first, last = ceil(low / log2(10)), floor(high / log2(10))
    step = max(1, round((last - first) / 6))
    axis = [
        {"at": place(power * log2(10)), "text": power_of_ten(power) if power else "1"}
        for power in range(first, last + 1)
        if power % step == 0
    ]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    return _drawing(f"At which sizes of numbers {number.text} is one float. {each}.", rows, axis, [])
