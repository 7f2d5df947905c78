"""Figures as short texts: shares, distances, times and sizes, and lists of texts."""

import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context
from math import ceil, floor, log10
from sys import float_info

UNKNOWN = "–"
"""What a table shows in a cell without a value."""


def rounded_up(value: float) -> float:
    """Round a maximum up to three digits, so that it stays an upper bound."""
    return float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(value))


def at_most(value: float) -> str:
    """Write a maximum, above 0, in three digits, rounded up so that it stays an upper bound."""
    return f"{rounded_up(value):.2e}"


def percent(part: float, whole: float) -> str:
    """Write a share in per cent, as 0% or 100% only if that is exact; a dash if the whole is 0."""
    if whole == 0:
        return UNKNOWN
    share = part / whole
    if part not in (0, whole) and not 0.005 < share < 0.995:
        return "less than 1%" if share < 0.5 else "more than 99%"
    return f"{share:.0%}"


def share_of(share: float) -> str:
    """Write a share as an upper bound: in per cent from 1% on, else as a number."""
    if share >= 0.01:
        return f"{ceil(1000 * share) / 10:,.1f}".removesuffix(".0") + "%"
    return at_most(share) if share else "0"


def minus(text: str) -> str:
    """Replace the hyphens in a number that Python wrote by true minus signs."""
    return text.replace("-", "−")


def distance(ulps: int) -> str:
    """Write a distance on the float line in words, from a million floats on in three digits."""
    return counted(ulps, "float") if ulps < 10**6 else f"{size(ulps, 3)} floats"


def in_floats(error: float) -> str:
    """Write an error in floats or ulps, which need not be whole, without the unit.

    The largest float64 stands for itself and all larger numbers.
    """
    return f"over {power_of_two(1023)}" if error == float_info.max else size(error, 3)


def beside(off: float, what: str) -> str:
    """Write where a result lies relative to `what`: `off` ulps above it, or below if negative."""
    if off == 0:
        return f"on {what}"
    return f"{in_floats(abs(off))} ulps {'above' if off > 0 else 'below'} {what}"


def significant(number: float) -> str:
    """Write a number in three significant digits, from 1,000 to a million as a whole number."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1_000_000 else f"{number:.3g}"


def counted(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number:,} {word}s"


def listed(texts: Iterable[str], last_word: str = "and") -> str:
    """Join texts into a list within a sentence; no texts make an empty text."""
    *others, last = list(texts) or [""]
    return f"{', '.join(others)} {last_word} {last}" if others else last


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_two(exponent: int) -> str:
    return f"2{str(exponent).translate(_RAISED)}"


def power_of_ten(exponent: int) -> str:
    return f"10{str(exponent).translate(_RAISED)}"


_LOWERED = str.maketrans("0123456789.", "₀₁₂₃₄₅₆₇₈₉,")


def lowered(name: str) -> str:
    """Write the numbers in the name of an input or neuron, such as h1.2, as subscripts: h₁,₂."""
    return name.translate(_LOWERED)


def size(value: float, digits: int = 2) -> str:
    """Write a number, at least 0, in that many significant digits.

    A large number has a word, from millions to trillions. A larger or a tiny one is written as
    a multiple of a power of ten.
    """
    near = rounded(value, digits)
    if near == 0:
        return "0"
    if not 0.001 <= near < 10**15:
        text, _, exponent = f"{near:.{digits - 1}e}".partition("e")
        return f"{text} × {power_of_ten(int(exponent))}"
    unit, word = next((unit for unit in _LARGE if near >= unit[0]), (1, ""))
    decimals = max(0, digits - 1 - floor(log10(near / unit)))
    return f"{near / unit:,.{decimals}f}{word}"


_LARGE = ((10**12, " trillion"), (10**9, " billion"), (10**6, " million"))


def rounded(number: float, digits: int) -> float:
    """Round to this many significant digits."""
    return float(f"{number:.{digits - 1}e}")


def hexadecimal(number: float) -> str:
    """Write the bits of a float: a hexadecimal significand times a power of two."""
    return re.sub(r"\.?0+p", "p", number.hex())


def duration(seconds: float) -> str:
    """Write a waiting time in the largest unit of which it has at least two, or in seconds."""
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
