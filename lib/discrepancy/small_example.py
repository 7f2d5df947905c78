"""The small example that plays: 3*(0.1 + 0.7) against 3*0.1 + 3*0.7, operation by operation on rulers of float32.

All five operations round, none from halfway between two floats, and the two ways end on neighbouring floats.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, TypedDict

from lib.discrepancy.bits import Bits, bits_of_both
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, value_text
from lib.floats.quantities import minus

DTYPE = "float32"
_FLOATS = FORMATS[DTYPE]
A, B, C = (_FLOATS.rounded(Fraction(text)) for text in ("3", "0.1", "0.7"))


@dataclass(frozen=True)
class Step:
    """An operation of one side on the ruler of this number: as it is written once its operands are known and before,
    its exact result, and the float to which that is rounded."""

    side: str
    ruler: int
    written: str
    before: str
    exact: Fraction

    @property
    def rounded(self) -> Fraction:
        return _FLOATS.rounded(self.exact)

    @property
    def moved(self) -> float:
        """How far rounding moved the result, in floats."""
        return float((self.rounded - self.exact) / _FLOATS.spacing(_FLOATS.floor(self.exact)))

    @property
    def text(self) -> str:
        return value_text(float(self.rounded), DTYPE)


def steps() -> tuple[Step, ...]:
    added = Step("first", 0, "0.1 + 0.7", "0.1 + 0.7", B + C)
    product = Step("first", 3, f"3 × {added.text}", "3 × ?", A * added.rounded)
    small, large = (
        Step("second", 1, "3 × 0.1", "3 × 0.1", A * B),
        Step("second", 2, "3 × 0.7", "3 × 0.7", A * C),
    )
    total = Step(
        "second", 3, f"{small.text} + {large.text}", "? + ?", small.rounded + large.rounded
    )
    return added, product, small, large, total


class SmallExample(TypedDict):
    """What `static/small_example.js` is told.

    `begin` and `end` are said before the first step and after the last, and `label` says in words what is drawn. Places
    are in floats from the result that opens a ruler; `exact` is that of the exact sum, and `apart` how far apart the
    results are.
    """

    begin: str
    end: str
    label: str
    lanes: list[dict[str, str]]
    apart: str
    exact: float
    steps: list[dict[str, Any]]
    results: Bits


@cache
def small_example() -> SmallExample:
    """Return the data of the picture, for JSON: places are in floats from the result that opens a ruler."""
    played = steps()
    origins = {step.ruler: _FLOATS.nearest(step.exact) for step in reversed(played)}
    ends = [step for step in played if step.ruler == max(origins)]
    apart = abs(_FLOATS.nearest(ends[0].exact) - _FLOATS.nearest(ends[1].exact))
    told = f"{apart} float{'s' if apart > 1 else ''} apart"
    whole = Step("exact", max(origins), "", "", A * (B + C))
    written = "3*(0.1 + 0.7)", "3*0.1 + 3*0.7"
    return {
        "begin": "A computer stores only the numbers on the ticks, the floats. "
        "float32 has no 0.1: it stores the nearest float, 0.100000001490116.",
        "end": "Same algebra, different rounding: each step's exact result, ◇, is rounded to the nearest float.",
        "label": f"In {DTYPE}, {written[0]} gives {ends[0].text} and {written[1]} gives {ends[1].text}: {told}.",
        "lanes": [
            {"kind": "first", "text": written[0], "how": "like backward()"},
            {"kind": "second", "text": written[1], "how": "like the Jacobian"},
        ],
        "apart": f"{told}; ◇ exact {exact_text(whole.exact, DTYPE)}",
        "exact": _FLOATS.nearest(whole.exact) - whole.moved - origins[whole.ruler],
        "steps": [
            {
                "kind": step.side,
                "ruler": step.ruler,
                "text": step.written,
                "before": step.before,
                "from": (at := _FLOATS.nearest(step.exact) - origins[step.ruler]) - step.moved,
                "at": at,
                "value": step.text,
                "moved": minus(f"{step.moved:+.2f} of a float"),
                "told": f"{step.written} is {exact_text(step.exact, DTYPE)} exactly. The nearest float is {step.text}.",
            }
            for step in played
        ],
        "results": bits_of_both(written, [float(step.rounded) for step in ends], DTYPE, told),
    }
