"""The vertical axis of the running sums: a float line whose places are floats above the exact value, or above the first
finite result where the exact value is not known.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from os.path import commonprefix
from typing import Any

from lib.discrepancy.example import Example
from lib.display.float_line import tick_distance, tick_text, value_text
from lib.display.quantities import distance
from lib.floats.exact_floats import FORMATS

_MOST_TICKS = 12
_KEPT, _FEWEST_CUT = 2, 4  # of the digits that all values share, so many are kept; fewer are not worth cutting


def place_of(value: Fraction, example: Example) -> float:
    """Return the place of a value on the axis."""
    return float(f"{float((value - _origin(example)) / example.ulp):.8g}")


def _origin(example: Example) -> Fraction:
    """The place 0: the exact value, or else the first result that is finite."""
    if example.exact is not None:
        return example.exact
    return Fraction(next(filter(isfinite, (example.backward, example.jacobian)), 0))


def ticks_within(example: Example, names: tuple[str, str], low: float, high: float) -> tuple[list[dict[str, Any]], str]:
    """The floats between two places as ticks, and what a tick stands for, in words."""
    floats = FORMATS[example.dtype]
    lowest, highest = (_origin(example) + Fraction(at) * example.ulp for at in (low, high))
    first = max(floats.ceil(lowest), 1 - floats.infinity)
    last = min(floats.floor(highest), floats.infinity - 1)
    every = tick_distance(last - first, _MOST_TICKS)
    if every > 1 and (first <= 0 <= last or floats.spacing(first) != floats.spacing(last)):
        return [], f"{distance(last - first + 1)} high; ulp: spacing at {_spaced_at(example, names)}"
    ticks = [
        {"at": place_of(floats.value(k), example), "text": value_text(float(floats.value(k)), example.dtype)}
        for k in range(-(-first // every) * every, last + 1, every)
    ]
    if every > 1:
        return ticks, tick_text(every)
    if example.hit == "none":
        nearest = place_of(example.nearest, example)
        for tick in ticks:
            if tick["at"] == nearest:
                tick["name"] = "nearest float"
    return ticks, f"each {'line' if example.drift.backward else 'tick'}: one {example.dtype}"


def _spaced_at(example: Example, names: tuple[str, str]) -> str:
    """Name the value that `Example.ulp` is the spacing of floats at."""
    if example.exact:
        return "exact"
    sizes = [abs(value) if isfinite(value) else -1 for value in (example.backward, example.jacobian)]
    return names[sizes.index(max(sizes))]


def shorten(parts: Sequence[dict[str, Any]]) -> None:
    """Give each part a short text, in which the digits that all of them share are cut."""
    cut = len(commonprefix([part["text"] for part in parts])) - _KEPT
    for part in parts:
        part["short"] = "…" + part["text"][cut:] if cut >= _FEWEST_CUT else part["text"]
