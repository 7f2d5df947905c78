"""Figures as short texts: shares, distances, times, sizes, and lists of them."""

import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Context
from math import floor, log10


def at_most(value: float) -> str:
    """A maximum in three digits, rounded up, so that nothing is above it: one text for it wherever it is shown."""
    if value == 0:
        return "0"
    return f"{float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(value)):.2e}"


def percent(part: int, whole: int) -> str:
    """A share in per cent, never rounded to none or to all of the whole unless it is; a dash of nothing."""
    if whole == 0:
        return "–"
    share = part / whole
    if part not in (0, whole) and not 0.005 <= share < 0.995:
        return "less than 1%" if share < 0.5 else "more than 99%"
    return f"{share:.0%}"


def signed_percent(share: float) -> str:
    """A difference of shares in per cent, to a tenth, with its sign; none before zero."""
    text = f"{share:+.1%}"
    return text[1:] if text[1:] == "0.0%" else text.replace("-", "−")


def distance(ulps: int) -> str:
    """A distance in ulps, in full or, where that would be long, in two digits."""
    return f"{ulps:,} ulp" if ulps < 100_000 else f"{ulps:.1e} ulp"


def decades(number: float) -> str:
    """So many powers of ten, to a half."""
    return f"{round(2 * number) / 2:g} decades"


_PREFIXES = {"s": (1e-9, ("ns", "µs", "ms", "s")), "B": (1, ("B", "kB", "MB", "GB"))}


def quantity(value: float, unit: str) -> str:
    """Seconds ("s") or bytes ("B") in three digits at most, with the prefix that fits."""
    smallest, names = _PREFIXES[unit]
    value /= smallest
    name, *larger = names
    while larger and value >= 999.5:
        value /= 1000
        name, *larger = larger
    whole = value == round(value) or value < 1
    return f"{value:.0f} {name}" if whole else f"{value:.{max(0, 2 - floor(log10(value)))}f} {name}"


def significant(number: float) -> str:
    """In three significant digits, or in whole thousands."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1_000_000 else f"{number:.3g}"


def counted(number: int, word: str) -> str:
    return f"1 {word}" if number == 1 else f"{number:,} {word}s"


def listed(texts: Iterable[str]) -> str:
    """Texts as a list within a sentence; none are an empty text."""
    *some, last = ["", *texts]
    return f"{', '.join(some[1:])} and {last}" if some[1:] else last


def step_text(step: int | None) -> str:
    """The step of finite differences next to max(1, |x|)."""
    return "eps^(1/3)" if step is None else power_of_two(step)


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_two(exponent: int) -> str:
    return f"2{str(exponent).translate(_RAISED)}"


def power_of_ten(exponent: int) -> str:
    return f"10{str(exponent).translate(_RAISED)}"


def hexadecimal(number: float) -> str:
    """The bits of a float: its significand in hexadecimal digits, without zeros at the end, times a power of two."""
    return re.sub(r"\.?0+p", "p", number.hex())


def duration(seconds: float) -> str:
    """A time to wait in its largest fitting unit."""
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
