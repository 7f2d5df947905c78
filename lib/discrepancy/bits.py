"""Two results of one number as bits: what `static/bits.js` draws."""

from collections.abc import Sequence
from math import isnan
from os.path import commonprefix
from typing import TypedDict

import torch

from lib.discrepancy.drift_picture import result_text
from lib.experiment.choices import DTYPES
from lib.floats.line import bits_of

LEAD = "One component, computed both ways"


class Field(TypedDict):
    """A part of a float: its name, a short name, and its number of bits."""

    name: str
    symbol: str
    bits: int


class Side(TypedDict):
    """One result: the digits that both results `share`, the `rest`, and its bits as 0 and 1."""

    kind: str
    name: str
    share: str
    rest: str
    bits: str


class Bits(TypedDict):
    """What the drawing is told; `label` says it in words, and `width` is the number of bits."""

    lead: str
    heading: str
    label: str
    width: int
    fields: list[Field]
    sides: list[Side]


def bits_of_both(
    names: Sequence[str], values: Sequence[float], name: str, apart: str, lead: str = LEAD
) -> Bits:
    """Return the data of the picture, for JSON: the results of both sides, by their names, in the dtype of this name.

    `apart` says how far apart they are, and the heading begins with `lead`.
    """
    dtype = DTYPES[name]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, name)) for value in values]
    texts = [result_text(value, name) for value in values]
    share = commonprefix(texts)
    if all(bits):
        differ = sum(one != other for one, other in zip(*bits, strict=True))
        apart = f"{apart}, {differ} of {dtype.bits} bits different"
    return {
        "lead": lead,
        "heading": f"{lead}: {apart}",
        "label": f"{names[0]} gives {texts[0]}, {names[1]} gives {texts[1]}: {apart}",
        "width": dtype.bits,
        "fields": [
            {"name": "sign", "symbol": "±", "bits": 1},
            {"name": "exponent", "symbol": "exp", "bits": dtype.bits - dtype.precision},
            {"name": "fraction", "symbol": "", "bits": dtype.precision - 1},
        ],
        "sides": [
            {
                "kind": kind,
                "name": name,
                "share": share,
                "rest": text.removeprefix(share),
                "bits": of_side,
            }
            for kind, name, text, of_side in zip(
                ("first", "second"), names, texts, bits, strict=True
            )
        ],
    }
