"""The picture of an answer, as data for the drawing: a stretch of the float line with two numbers
on it, or the sizes of numbers at which a difference is one float, in each dtype.

Every place is a fraction of the picture's width. On the float line each float takes the same room,
whatever its value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from math import log2
from typing import Any, TypedDict

from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance, minus, size
from lib.paste.answer import Answer, Piece
from lib.paste.comparison import Comparison
from lib.paste.one_value import one_float
from lib.paste.printed import Printed

Data = dict[str, Any]


class Line(TypedDict):
    """What `static/intervals.js` draws: rows of numbers or dtypes, ticks at floats, an axis."""

    label: str
    rows: list[Data]
    axis: list[Data]
    ticks: list[float]


class OwnDrawing(TypedDict):
    """What `static/own.js` is told.

    `pieces` are the words of the text, each with its role, and its place among the values that can
    be pressed, or None. `line` is None where nothing is on the float line.
    """

    pieces: list[Piece]
    line: Line | None


def drawing(answer: Answer) -> OwnDrawing:
    """Return the drawing of an answer."""
    return {"pieces": answer.pieces, "line": picture(answer)}


MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_AROUND = 3
"""So many floats are drawn on both sides of the two."""


def picture(answer: Answer) -> Line | None:
    """Return the picture of an answer, or None if nothing in it is on the float line."""
    comparison = answer.comparison
    matrix = answer.matrix
    if comparison and not comparison.shapes_differ:
        return _of_two(comparison) if comparison.worst else None
    if matrix and (matrix.is_difference or not matrix.value.shape):
        return _of_difference(matrix.largest)
    return None


def _row(who: str, name: str, span: Sequence[float], says: str) -> Data:
    return {"who": who, "name": name, "span": span, "one": span[0] == span[1], "says": says}


def _of_two(comparison: Comparison) -> Line:
    """Draw all floats that each of two printed numbers may be.

    Where a printed difference tells their distance, and not the floats, two floats so far apart
    stand for all.
    """
    form = comparison.format
    fewest, most = comparison.ulps
    sides = comparison.worst[:2]
    spans = [(side.low, side.high) for side in sides]
    says = [f"stands for {distance(side.floats)}" for side in sides]
    is_known = comparison.third and fewest == most
    if is_known:
        start = sides[0].low
        spans = [(start, start), (start + most, start + most)]
        says = ["one of the floats that print so", f"{distance(most)} away"]
    low = min(spans)[0]
    high = max(end for _, end in spans)
    around = _AROUND if high - low <= MOST_TICKS else 0
    width = high - low + 2 * around or 1

    def place(ordinal: int) -> float:
        return (ordinal - low + around) / width

    rows = [
        _row(who, minus(side.printed.text), [*map(place, span)], words)
        for who, side, span, words in zip(("first", "second"), sides, spans, says, strict=True)
    ]
    axis = [
        {"at": place(end), "text": minus(f"{float(form.value(end)):.{form.digits}g}")}
        for end in ([] if is_known else (low, high))
    ]
    drawn = range(low - around, high + around + 1) if around else ()
    ticks = [place(ordinal) for ordinal in drawn if abs(ordinal) < form.infinity]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    return {
        "label": f"The float line of {form.name}. {each}.",
        "rows": rows,
        "axis": axis,
        "ticks": ticks,
    }


def _of_difference(number: Printed) -> Line | None:
    """Draw the numbers at which a difference is one float, in each dtype, on a logarithmic line."""
    near = {name: one_float(number.value, form) for name, form in FORMATS.items()}
    exponents = {name: log2(value) for name, value in near.items() if value}
    if not exponents:
        return None
    low = min(0, *exponents.values()) - 2
    high = max(0, *exponents.values()) + 2

    def place(exponent: float) -> float:
        return (exponent - low) / (high - low)

    rows = [
        _row("either", name, [place(exponent - 1), place(exponent + 1)], f"near {size(near[name])}")
        for name, exponent in sorted(exponents.items(), key=lambda row: row[1])
    ]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    label = f"At which sizes of numbers {number.text} is about one float. {each}."
    return {"label": label, "rows": rows, "axis": [{"at": place(0), "text": "1"}], "ticks": []}
