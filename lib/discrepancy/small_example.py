"""The small example that plays: 3*(0.1 + 0.7) against 3*0.1 + 3*0.7, on rulers of float32.

All five operations round, none from halfway between two floats, and the two ways end on
neighbouring floats.
"""

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Operation:
    """An operation of one side on the ruler of this number.

    `text` is how it is written once its operands are known, `before` how before, `exact` its result
    without rounding.
    """

    side: str
    ruler: int
    text: str
    before: str
    exact: Fraction

    @property
    def rounded(self) -> Fraction:
        return _FLOATS.rounded(self.exact)

    @property
    def moved(self) -> float:
        """How far rounding moves the result, in floats."""
        return float((self.rounded - self.exact) / _FLOATS.spacing(_FLOATS.floor(self.exact)))

    @property
    def value(self) -> str:
        return value_text(float(self.rounded), DTYPE)


_LAST_RULER = 3


def operations() -> list[Operation]:
    """Return the operations in their order; the last of each side share a ruler."""
    added = Operation("first", 0, "0.1 + 0.7", "0.1 + 0.7", B + C)
    small = Operation("second", 1, "3 × 0.1", "3 × 0.1", A * B)
    large = Operation("second", 2, "3 × 0.7", "3 × 0.7", A * C)
    product = f"3 × {added.value}"
    total = f"{small.value} + {large.value}"
    return [
        added,
        Operation("first", _LAST_RULER, product, "3 × ?", A * added.rounded),
        small,
        large,
        Operation("second", _LAST_RULER, total, "? + ?", small.rounded + large.rounded),
    ]


class Step(TypedDict):
    """An operation: places are in floats from the result that opens its ruler."""

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

    `begin` and `end` are said before the first step and after the last, and `label` says in words
    what is drawn. `exact` is the place of the exact sum, and `apart` says how far apart the results
    are.
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
    played = operations()
    origins = {step.ruler: _FLOATS.nearest(step.exact) for step in reversed(played)}
    first, second = (step for step in played if step.ruler == _LAST_RULER)
    distance = abs(_FLOATS.nearest(first.exact) - _FLOATS.nearest(second.exact))
    apart = f"{counted(distance, 'float')} apart"
    exact = A * (B + C)
    place = float(_FLOATS.place(exact) - origins[_LAST_RULER])
    names = "3*(0.1 + 0.7)", "3*0.1 + 3*0.7"
    values = [float(first.rounded), float(second.rounded)]
    return {
        "begin": "A computer stores only the numbers on the ticks, the floats. "
        "float32 has no 0.1: it stores the nearest float, 0.100000001490116.",
        "end": "Same algebra, different rounding: each step's exact result, ◇, is rounded to the "
        "nearest float.",
        "label": f"In {DTYPE}, {names[0]} gives {first.value} and {names[1]} gives {second.value}: "
        f"{apart}.",
        "lanes": [
            {"kind": "first", "text": names[0], "how": "like backward()"},
            {"kind": "second", "text": names[1], "how": "like the Jacobian"},
        ],
        "apart": f"{apart}; ◇ exact {exact_text(exact, DTYPE)}",
        "exact": place,
        "steps": [_step(step, origins[step.ruler]) for step in played],
        "results": bits_of_both(names, values, DTYPE, apart),
    }


def _step(operation: Operation, origin: int) -> Step:
    at = _FLOATS.nearest(operation.exact) - origin
    exact = exact_text(operation.exact, DTYPE)
    return {
        "kind": operation.side,
        "ruler": operation.ruler,
        "text": operation.text,
        "before": operation.before,
        "start": at - operation.moved,
        "at": at,
        "value": operation.value,
        "moved": minus(f"{operation.moved:+.2f} of a float"),
        "told": f"{operation.text} is {exact} exactly. The nearest float is {operation.value}.",
    }
