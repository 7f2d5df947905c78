"""The float line as a picture: floats as ticks, the exact value, and each result on a tick.

Places on the line are counted in floats from the base, the float at or just below the exact value,
so that one float apart is 1. Values are written in enough digits that neighbouring floats read
differently.
"""

from collections.abc import Mapping
from decimal import ROUND_DOWN, Context, Decimal, Inexact
from fractions import Fraction
from math import floor, log10
from typing import TypedDict

from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import minus

MOST_TICKS = 41
"""The most ticks if each is one float: more would run together.

On a longer line one tick stands for several floats, and there are at most four ticks more.
"""

_BEYOND = 2
"""How many ticks the line goes past the outermost results."""


class Tick(TypedDict):
    """A float: its place and its value."""

    at: int
    text: str


class FloatLine(TypedDict):
    """What `static/float_line.js` draws: ticks, and the place and the text of the exact value."""

    ticks: list[Tick]
    exact: float
    exact_text: str


def float_line(
    exact: Fraction, dtype: str, results: Mapping[str, float]
) -> tuple[FloatLine, dict[str, int]]:
    """Return the picture of an exact value, and the place of each result in it, by name.

    Args:
        exact: the exact value. If it is beyond the largest float, it is drawn at that float.
        dtype: the name of the dtype.
        results: finite floats of the dtype, by name.
    """
    floats = FORMATS[dtype]
    within = max(-floats.largest, min(exact, floats.largest))
    base = floats.floor(within)
    places = {name: floats.nearest(Fraction(result)) - base for name, result in results.items()}
    first = min([0, *places.values()])
    last = max([1, *places.values()])
    every = tick_distance(last - first + 2 * _BEYOND, MOST_TICKS)
    # Rounded up to a multiple of `every`.
    start = -(-(first - _BEYOND * every) // every) * every

    line: FloatLine = {
        "ticks": [
            {"at": at, "text": value_text(float(floats.value(base + at)), dtype)}
            for at in range(start, last + _BEYOND * every + 1, every)
            if abs(base + at) < floats.infinity
        ],
        "exact": float(floats.place(within) - base),
        "exact_text": exact_text(exact, dtype),
    }
    return line, places


def value_text(value: float, dtype: str) -> str:
    """Write a float in the digits that tell it from its neighbours.

    It has an exponent only if it is below 1e-5 or at least 1e6 in size.
    """
    digits = FORMATS[dtype].digits
    if value == 0:
        return "0"
    exponent = floor(log10(abs(value)))
    if -5 <= exponent < 6:
        return minus(f"{value:.{max(0, digits - 1 - exponent)}f}")
    return minus(f"{value:.{digits - 1}e}")


def exact_text(exact: Fraction, dtype: str) -> str:
    """Write an exact value in two digits more than the floats. Cut digits are shown by "…"."""
    context = Context(prec=FORMATS[dtype].digits + 2, rounding=ROUND_DOWN)
    cut = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    open_end = "…" if context.flags[Inexact] else ""
    cut = cut if open_end else cut.normalize(context)
    exponent = cut.adjusted()
    if -5 <= exponent < 6:
        return minus(f"{cut:f}{open_end}")
    return minus(f"{cut.scaleb(-exponent):f}{open_end}e{exponent:+03d}")


def tick_distance(span: int, most: int) -> int:
    """Return the smallest power of two, in floats, that leaves at most `most` ticks on the span."""
    # span // 2**k < most if and only if 2**k > span // most
    return 1 << (span // most).bit_length()
