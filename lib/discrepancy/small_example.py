"""The small example that plays: 3*(0.1 + 0.7) against 3*0.1 + 3*0.7, on rulers of float32.

All five operations round, none from halfway between two floats, and the two ways end on
neighbouring floats.
"""

from fractions import Fraction
from functools import cache
from typing import TypedDict

from lib.discrepancy.bits import Bits, bits_of_both
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, value_text
from lib.floats.quantities import counted, minus

DTYPE = "float32"
_FLOATS = FORMATS[DTYPE]
A, B, C = (_FLOATS.rounded(Fraction(text)) for text in ("3", "0.1", "0.7"))
_LAST_RULER = 3


class Step(TypedDict):
    """An operation of one side, drawn on a ruler whose ticks are floats.

    Attributes:
        kind: the side, "first" or "second".
        ruler: the number of the ruler, from 0. Both sides end on the last one.
        before: the operation as it is written before its operands are computed.
        text: the operation with its operands.
        start: the place of the exact result, in floats from the first result on this ruler.
        at: the place of the rounded result.
        value: the rounded result.
        moved: how far rounding moved the result.
        told: the explanation of the step.
    """

    kind: str
    ruler: int
    text: str
    before: str
    start: float
    at: int
    value: str
    moved: str
    told: str


class SmallExample(TypedDict):
    """What `static/small_example.js` is told.

    `begin` and `end` are the texts before the first step and after the last, and `label` says in
    words what is drawn. `lanes` are the two sides. `exact` is the place of the exact sum on the
    last ruler, and `apart` says how far apart the results are.
    """

    begin: str
    end: str
    label: str
    lanes: list[dict[str, str]]
    apart: str
    exact: float
    steps: list[Step]
    results: Bits


@cache
def small_example() -> SmallExample:
    """Return the data of the drawing."""
    added, small, large = (_FLOATS.rounded(exact) for exact in (B + C, A * B, A * C))
    first = A * added
    second = small + large
    origin = _FLOATS.nearest(first)
    exact = A * (B + C)
    names = "3*(0.1 + 0.7)", "3*0.1 + 3*0.7"
    values = [float(_FLOATS.rounded(result)) for result in (first, second)]
    apart = f"{counted(abs(origin - _FLOATS.nearest(second)), 'float')} apart"
    results = bits_of_both(names, values, DTYPE)
    return {
        "begin": "A computer stores only the numbers on the ticks, the floats. "
        "float32 has no 0.1: it stores the nearest float, 0.100000001490116.",
        "end": "Same algebra, different rounding: each step's exact result, ◇, is rounded to the "
        "nearest float.",
        "label": f"In {DTYPE}, {results['label']}.",
        "lanes": [
            {"kind": "first", "how": "like backward()"},
            {"kind": "second", "how": "like the Jacobian"},
        ],
        "apart": f"{apart}; ◇ exact {exact_text(exact, DTYPE)}",
        "exact": float(_FLOATS.place(exact) - origin),
        "steps": [
            _step("first", 0, "0.1 + 0.7", "0.1 + 0.7", B + C),
            _step("first", _LAST_RULER, f"3 × {_text(added)}", "3 × ?", first),
            _step("second", 1, "3 × 0.1", "3 × 0.1", A * B),
            _step("second", 2, "3 × 0.7", "3 × 0.7", A * C),
            _step(
                "second", _LAST_RULER, f"{_text(small)} + {_text(large)}", "? + ?", second, origin
            ),
        ],
        "results": results,
    }


def _step(
    kind: str, ruler: int, text: str, before: str, exact: Fraction, origin: int | None = None
) -> Step:
    """Return an operation, whose result is `exact` before it is rounded.

    `origin` is the number of the float at place 0 of the ruler. By default it is the result itself.
    """
    nearest = _FLOATS.nearest(exact)
    at = 0 if origin is None else nearest - origin
    value = _FLOATS.value(nearest)
    moved = float((value - exact) / _FLOATS.spacing(_FLOATS.floor(exact)))
    return {
        "kind": kind,
        "ruler": ruler,
        "text": text,
        "before": before,
        "start": at - moved,
        "at": at,
        "value": _text(value),
        "moved": minus(f"{moved:+.2f} of a float"),
        "told": f"With the stored numbers, {text} is {exact_text(exact, DTYPE)}. The nearest float "
        f"is {_text(value)}.",
    }


def _text(value: Fraction) -> str:
    return value_text(float(value), DTYPE)
