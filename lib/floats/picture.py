"""The float line as a picture: the floats around an exact value as ticks, the exact value between two of them, and each
result on one.

Places on the line are counted in floats from the base, the float just below the exact value, so that one float apart
is 1. Values are written in enough digits that neighbouring floats read differently.
"""

from collections.abc import Mapping
from decimal import ROUND_DOWN, Context, Decimal, Inexact
from fractions import Fraction
from math import floor, log10
from typing import Any

from lib.floats.exact_floats import FORMATS

MOST_TICKS = 41
"""More ticks than these would run together; then one tick stands for several floats."""

_BEYOND = 2


def float_line(exact: Fraction, dtype: str, results: Mapping[str, float]) -> dict[str, Any]:
    """Return the picture of an exact value and of results by name, which are finite floats, as plain data for JSON.

    `ticks` are `at` so many floats from the base, with the value of the float as `text`, and `every` is the number of
    floats from tick to tick. `marks` are the floats that results end on, by place, with the `names` of the results and
    `off`, the distance from the exact value in floats, signed. `exact` is the exact value's place, `exact_text` its
    digits, cut and not rounded, with "…" unless they are all.

    `dtype` is the dtype's name. The ticks go on for two steps past the outermost of all. A value beyond the largest
    float is drawn on it.
    """
    floats = FORMATS[dtype]
    last_float = floats.infinity - 1
    within = max(-floats.largest, min(exact, floats.largest))
    base = floats.floor(within)
    place = float(floats.place(within) - base)
    at: dict[int, list[str]] = {}
    for name, result in results.items():
        at.setdefault(floats.nearest(Fraction(result)) - base, []).append(name)
    first, last = min([0, *at]), max([1, *at])
    every = tick_distance(last - first + 2 * _BEYOND, MOST_TICKS)
    start = -(-(first - _BEYOND * every) // every) * every
    places = [
        k for k in range(start, last + _BEYOND * every + 1, every) if abs(base + k) <= last_float
    ]

    def text(place: int) -> str:
        return value_text(float(floats.value(base + place)), dtype)

    return {
        "ticks": [{"at": k, "text": text(k)} for k in places],
        "marks": [
            {"at": k, "names": names, "off": k - place, "text": text(k)}
            for k, names in sorted(at.items())
        ],
        "exact": place,
        "exact_text": exact_text(exact, dtype),
        "every": every,
    }


def value_text(value: float, dtype: str) -> str:
    """Write a float in so many digits that its neighbours read differently, without an exponent where that is short."""
    digits = FORMATS[dtype].digits
    if value == 0:
        return "0"
    exponent = floor(log10(abs(value)))
    text = (
        f"{value:.{max(0, digits - 1 - exponent)}f}"
        if -5 <= exponent < 6
        else f"{value:.{digits - 1}e}"
    )
    return text.replace("-", "−")


def exact_text(exact: Fraction, dtype: str, more: int = 2) -> str:
    """Write an exact value in `more` digits than the floats of the dtype: cut, with "…" unless these are all."""
    context = Context(prec=FORMATS[dtype].digits + more, rounding=ROUND_DOWN)
    cut = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    open_end = "…" if context.flags[Inexact] else ""
    cut = cut if open_end else cut.normalize(context)
    exponent = cut.adjusted()
    if -5 <= exponent < 6:
        return f"{cut:f}{open_end}".replace("-", "−")
    return f"{cut.scaleb(-exponent):f}{open_end}e{exponent:+03d}".replace("-", "−")


def tick_distance(span: int, most: int) -> int:
    """Return the smallest power of two, in floats, that leaves at most so many ticks on a stretch of the line."""
    return (
        1 << (span // most).bit_length()
    )  # span // 2**k < most if and only if 2**k > span // most
