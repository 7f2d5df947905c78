"""Two results of one number as bits: what `static/bits.js` draws."""

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, isnan
from typing import TypedDict

import torch

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import value_text
from lib.floats.quantities import distance, minus
from lib.floats.ulps import bits_of


class Field(TypedDict):
    """A part of a float: its name, a short name, and its number of bits."""

    name: str
    symbol: str
    bits: int


class Side(TypedDict):
    """One result: its name, its value as `text`, and its bits as 0 and 1, empty for NaN."""

    kind: str
    name: str
    text: str
    bits: str


class Bits(TypedDict):
    """What the drawing is told; `label` says it in words, and `width` is the number of bits."""

    heading: str
    label: str
    width: int
    fields: list[Field]
    sides: list[Side]


def bits_of_both(
    names: Sequence[str],
    values: Sequence[float],
    dtype: str,
    lead: str = "One component, both ways",
) -> Bits:
    """Return the data of the drawing.

    Args:
        names: the names of both sides.
        values: their results.
        dtype: the name of the dtype of the results.
        lead: the beginning of the heading.
    """
    row = DTYPES[dtype]
    apart = "no distance"
    if all(map(isfinite, values)):
        first, second = (FORMATS[dtype].nearest(Fraction(value)) for value in values)
        apart = f"{distance(abs(first - second))} apart"
    texts = [result_text(value, dtype) for value in values]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, dtype)) for value in values]
    if all(bits):
        differ = sum(first != second for first, second in zip(*bits, strict=True))
        apart = f"{apart}, {differ} of {row.bits} bits different"
    sides = zip(("first", "second"), names, texts, bits, strict=True)
    return {
        "heading": f"{lead}: {apart}",
        "label": f"{names[0]} gives {texts[0]}, {names[1]} gives {texts[1]}: {apart}",
        "width": row.bits,
        "fields": [
            {"name": "sign", "symbol": "±", "bits": 1},
            {"name": "exponent", "symbol": "exp", "bits": row.bits - row.precision},
            {"name": "fraction", "symbol": "", "bits": row.precision - 1},
        ],
        "sides": [
            {"kind": kind, "name": side, "text": text, "bits": bits}
            for kind, side, text, bits in sides
        ],
    }


def result_text(value: float, dtype: str) -> str:
    """Write a result of the dtype of this name: finite, infinite or NaN, a zero with its sign."""
    if not isfinite(value):
        return minus(str(value)).replace("inf", "∞").replace("nan", "NaN")
    return "−0" if str(value) == "-0.0" else value_text(value, dtype)
