"""Two results as a picture of their bits."""

from collections.abc import Sequence
from math import isnan
from os.path import commonprefix
from typing import Any

import torch

from lib.discrepancy.running_sums import result_text
from lib.experiment.choices import DTYPES
from lib.floats.line import bits_of


def bits_of_both(
    names: Sequence[str], values: Sequence[float], name: str, apart: str, heading: str = ""
) -> dict[str, Any]:
    """Return the data of the picture, for JSON: the results of both sides, by their names, in the dtype of this name.

    `apart` says how far apart they are; without a `heading`, the picture is headed by that.
    """
    dtype = DTYPES[name]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, name)) for value in values]
    texts = [result_text(value, name) for value in values]
    share = commonprefix(texts)
    differ = [place for place, (one, other) in enumerate(zip(*bits, strict=False)) if one != other]
    if all(bits):
        apart = f"{apart}, {len(differ)} of {dtype.bits} bits different"
    return {
        "heading": heading or f"One component, computed both ways: {apart}",
        "label": f"{names[0]} gives {texts[0]}, {names[1]} gives {texts[1]}: {apart}",
        "width": dtype.bits,
        "fields": [
            {"name": "sign", "symbol": "±", "bits": 1},
            {"name": "exponent", "symbol": "exp", "bits": dtype.bits - dtype.precision},
            {"name": "fraction", "symbol": "", "bits": dtype.precision - 1},
        ],
        "differ": differ,
        "sides": [
            {"kind": kind, "name": name, "share": share, "rest": text.removeprefix(share), "bits": of_side}
            for kind, name, text, of_side in zip(("first", "second"), names, texts, bits, strict=True)
        ],
    }
