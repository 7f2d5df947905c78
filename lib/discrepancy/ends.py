"""The float line on which both running sums end: ticks, both results, and the exact value.

All places are ulps of the size `Component.ulp` above the exact value, or above the first finite
result where the exact value is not known. Where the spacing varies and not every float fits, there
are no ticks.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from os.path import commonprefix
from typing import TypedDict

from lib.discrepancy.bits import result_text
from lib.discrepancy.component import Component
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import exact_text, tick_distance, value_text
from lib.floats.quantities import distance, in_floats

NAMES = "backward()", "Jacobian"
"""The two sides as the drawing names them."""

_MOST_TICKS = 12
_KEPT = 2
"""The number of digits that are kept of those that all values share."""

_FEWEST_CUT = 4
"""Fewer digits are not worth cutting."""


class Tick(TypedDict):
    """A float: its place, its value, and the digits of it that differ."""

    at: float
    text: str
    short: str


class End(Tick):
    """A result or the exact value.

    `kind` is "first", "second" or "exact", and `shared` says whether both results are equal.
    """

    kind: str
    name: str
    shared: bool


def _place(value: Fraction, component: Component) -> float:
    return float(f"{float((value - _origin(component)) / component.ulp):.8g}")


def _origin(component: Component) -> Fraction:
    """The place 0: the exact value, or else the first result that is finite."""
    if component.exact is not None:
        return component.exact
    return Fraction(next(filter(isfinite, component.values), 0))


def ticks_between(component: Component, low: float, high: float) -> tuple[list[Tick], str]:
    """The floats between two places as ticks, and the distance of two ticks in words.

    Without ticks, the text is the height of the line.
    """
    floats = FORMATS[component.dtype]
    lowest, highest = (_origin(component) + Fraction(at) * component.ulp for at in (low, high))
    first = max(floats.ceil(lowest), 1 - floats.infinity)
    last = min(floats.floor(highest), floats.infinity - 1)
    every = tick_distance(last - first, _MOST_TICKS)
    uneven = first <= 0 <= last or floats.spacing(first) != floats.spacing(last)
    if every > 1 and uneven:
        return [], f"{in_floats(high - low)} ulps high"
    ticks: list[Tick] = []
    for ordinal in range(-(-first // every) * every, last + 1, every):
        value = floats.value(ordinal)
        text = value_text(float(value), component.dtype)
        ticks.append({"at": _place(value, component), "text": text, "short": text})
    unit = f"{distance(every)} from tick to tick"
    return ticks, unit if every > 1 else f"each tick: one {component.dtype}"


def ends_of(component: Component) -> list[End]:
    """The finite results, and the exact value if it is known; equal results share one name."""
    same = component.backward == component.jacobian
    names = ("both results", "") if same else NAMES
    ends: list[End] = []
    for kind, name, value in zip(("first", "second"), names, component.values, strict=True):
        if isfinite(value):
            text = result_text(value, component.dtype)
            ends.append(_end(kind, name, same, _place(Fraction(value), component), text))
    if ends and component.exact is not None:
        text = exact_text(component.exact, component.dtype)
        ends.append(_end("exact", "exact", False, 0.0, text))
    return ends


def _end(kind: str, name: str, shared: bool, at: float, text: str) -> End:
    return {"kind": kind, "name": name, "shared": shared, "at": at, "text": text, "short": text}


def shorten(parts: Sequence[Tick | End]) -> None:
    """Cut the digits that all texts share from their short forms."""
    cut = len(commonprefix([part["text"] for part in parts])) - _KEPT
    if cut >= _FEWEST_CUT:
        for part in parts:
            part["short"] = "…" + part["text"][cut:]
