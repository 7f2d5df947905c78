"""The picture of an answer, as data for the drawing.

It shows two numbers on the float line, or for a difference the numbers at which it is one float, in
each dtype. Every place is a fraction of the picture's width. On the float line each float takes the
same room, whatever its value, so that a distance in the picture is a number of floats.
"""

from typing import Any, TypedDict

from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance, minus
from lib.paste.answer import Answer, Piece
from lib.paste.comparison import Comparison
from lib.paste.one_value import binade, one_float
from lib.paste.printed import Printed


class Line(TypedDict):
    """What `static/intervals.js` draws: rows of numbers or dtypes, ticks at floats, an axis."""

    label: str
    rows: list[dict[str, Any]]
    axis: list[dict[str, Any]]
    ticks: list[float]


class OwnDrawing(TypedDict):
    """What `static/own.js` draws.

    `pieces` are the parts of the text, of which the values can be pressed. `line` is None if there
    is nothing to draw on a line.
    """

    pieces: list[Piece]
    line: Line | None


MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_AROUND = 3
"""How many more floats are drawn at either end."""


def drawing(answer: Answer) -> OwnDrawing:
    """Return the drawing of an answer."""
    pair = answer.comparison
    described = answer.described
    line = None
    if pair and not pair.shapes_differ and pair.worst:
        line = _of_two(pair)
    elif described and described.as_difference:
        line = _of_difference(described.largest)
    return {"pieces": answer.pieces, "line": line}


def _of_two(pair: Comparison) -> Line:
    """Draw all floats that each of two printed numbers may be.

    If a printed difference tells exactly how far apart they are, one possible pair is drawn.
    """
    form = pair.format
    fewest, most = pair.ulps
    sides = pair.worst[:2]
    spans = [(side.low, side.high) for side in sides]
    says = [f"stands for {distance(side.floats)}" for side in sides]
    is_known = pair.third and fewest == most
    if is_known:
        start = sides[0].low
        spans = [(start, start), (start + most, start + most)]
        says = ["a float that prints like this", f"{distance(most)} away"]
    low = min(spans)[0]
    high = max(end for _, end in spans)
    around = _AROUND if high - low <= MOST_TICKS else 0
    width = high - low + 2 * around or 1

    def place(ordinal: int) -> float:
        return (ordinal - low + around) / width

    rows = [
        {
            "who": who,
            "name": minus(side.printed.text),
            "span": [place(lowest), place(highest)],
            "one": lowest == highest,
            "says": words,
        }
        for who, side, (lowest, highest), words in zip(
            ("first", "second"), sides, spans, says, strict=True
        )
    ]
    axis = [
        {"at": place(end), "text": minus(f"{float(form.value(end)):.{form.digits}g}")}
        for end in ([] if is_known else (low, high))
    ]
    drawn = range(low - around, high + around + 1) if around else ()
    ticks = [place(ordinal) for ordinal in drawn if abs(ordinal) < form.infinity]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    label = f"The float line of {form.name}. {each}."
    return {"label": label, "rows": rows, "axis": axis, "ticks": ticks}


def _of_difference(number: Printed) -> Line:
    """Draw the numbers at which a difference is one float, in each dtype, on a logarithmic line."""
    places = ((one_float(number, form), form.name) for form in FORMATS.values())
    known = sorted((exponent, name) for exponent, name in places if exponent is not None)
    low = min(0, known[0][0]) - 2
    high = max(0, known[-1][0]) + 3

    def place(exponent: int) -> float:
        return (exponent - low) / (high - low)

    rows = [
        {
            "who": "either",
            "name": name,
            "span": [place(exponent), place(exponent + 1)],
            "one": False,
            "says": binade(exponent).removeprefix("numbers from "),
        }
        for exponent, name in known
    ]
    each = "; ".join(f"{row['name']}: {row['says']}" for row in rows)
    label = f"At which sizes of numbers {number.text} is one float. {each}."
    return {"label": label, "rows": rows, "axis": [{"at": place(0), "text": "1"}], "ticks": []}
