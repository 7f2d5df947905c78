"""The picture of an answer, as data for the drawing: a stretch of the float line with two numbers
on it, or the sizes of numbers at which a difference is one float, in each dtype.

Every place is a fraction of the picture's width. On the float line each float takes the same room,
whatever its value, so that a distance in the picture is a number of floats.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypedDict

from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance, minus
from lib.paste.answer import Answer, Piece
from lib.paste.one_value import binade, one_float
from lib.paste.printed import Printed
from lib.paste.readings import ReadingPair

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
        return _of_two(comparison.worst) if comparison.worst else None
    if matrix and (matrix.is_difference or not matrix.value.shape):
        return _of_difference(matrix.largest)
    return None


def _row(who: str, name: str, span: Sequence[float], says: str, one: bool = False) -> Data:
    return {"who": who, "name": name, "span": span, "one": one, "says": says}


def _of_two(pair: ReadingPair) -> Line:
    """Draw all floats that each of two printed numbers may be.

    Where a printed difference tells their distance, and not the floats, two floats so far apart
    stand for all.
    """
    form = pair.first.form
    fewest, most = pair.ulps
    spans = [(side.low, side.high) for side in (pair.first, pair.second)]
    says = [f"stands for {distance(side.floats)}" for side in (pair.first, pair.second)]
    only_distance = False
    if pair.third and fewest == most <= MOST_TICKS:
        only_distance = True
        start = pair.first.low
        spans = [(start, start), (start + most, start + most)]
        difference = f"the difference {minus(pair.third.printed.text)}"
        says = ["one of the floats that print so", f"{distance(most)} away, by {difference}"]
    low = min(spans)[0]
    high = max(highest for _, highest in spans)
    around = _AROUND if high - low <= MOST_TICKS else 0
    width = high - low + 1 + 2 * around

    def place(ordinal: int, half: int = 0) -> float:
        return float(Fraction(2 * (ordinal - low + around) + 1 + half, 2 * width))

    rows = [
        _row(
            side,
            minus(text),
            [place(lowest, -1), place(highest, 1)],
            words if only_distance else f"{minus(text)} {words}",
            one=lowest == highest,
        )
        for side, text, words, (lowest, highest) in zip(
            ("first", "second"), [side.printed.text for side in (pair.first, pair.second)], says, spans, strict=True
        )
    ]
    ends = [] if only_distance else sorted({low, high})
    axis = [
        {"at": place(end), "text": minus(f"{float(form.value(end)):.{form.digits}g}")}
        for end in ends
    ]
    drawn = range(low - around, high + around + 1) if around else ()
    ticks = [place(ordinal) for ordinal in drawn if abs(ordinal) < form.infinity]
    label = f"The float line of {form.name}. {rows[0]['says']}. {rows[1]['says']}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": ticks}


def _of_difference(number: Printed) -> Line | None:
    """Draw the numbers at which a difference is one float, in each dtype, on a logarithmic line."""
    places = [(one_float(number, form), form.name) for form in FORMATS.values()]
    known = sorted((exponent, name) for exponent, name in places if exponent is not None)
    if not known:
        return None
    low = min(0, known[0][0]) - 2
    high = max(0, known[-1][0]) + 3

    def place(exponent: float) -> float:
        return (exponent - low) / (high - low)

    rows = [
        _row("either", name, [place(exponent), place(exponent + 1)], binade(exponent))
        for exponent, name in known
    ]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    label = f"At which sizes of numbers {number.text} is one float. {each}."
    return {"label": label, "rows": rows, "axis": [{"at": place(0), "text": "1"}], "ticks": []}
