"""The two results of one component side by side: their values, their bits, and what differs in them, for a picture."""

from math import isnan
from os.path import commonprefix
from typing import Any

import torch

from lib.discrepancy.example import Example
from lib.display.float_line import value_text
from lib.display.quantities import distance
from lib.experiment.choices import DTYPES
from lib.floats.line import bits_of


def two_results(example: Example, names: tuple[str, str]) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides."""
    values = example.backward, example.jacobian
    dtype = DTYPES[example.dtype]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, example.dtype)) for value in values]
    texts = [result_text(value, example.dtype) for value in values]
    share = commonprefix(texts)
    differ = [place for place, (one, other) in enumerate(zip(*bits, strict=False)) if one != other]
    found = _found(example, bits, differ)
    return {
        "heading": f"One component, computed both ways: {found}",
        "label": f"{names[0]} gives {texts[0]}, {names[1]} gives {texts[1]}: {found}",
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


def result_text(value: float, dtype: str) -> str:
    """Write a result of the dtype of this name, also an infinite one or NaN, and tell the zeros apart."""
    if isnan(value):
        return "NaN"
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "−∞"
    return f"{'−' if not value and str(value)[0] == '-' else ''}{value_text(value, dtype)}"


def _found(example: Example, bits: list[str], differ: list[int]) -> str:
    """Say how far apart the results are, and in which bits."""
    if example.ulps is None:
        return "not both are finite numbers."
    width = len(bits[0])
    if not differ:
        return f"the same float, all {width} bits are equal."
    if not example.ulps:
        return "+0 and −0 are equal, and only their sign bits differ."
    apart = f"{distance(abs(example.ulps))} apart"
    last = width - differ[0]
    if last > len(differ):
        return f"{apart}. {len(differ)} of {width} bits {'differs' if len(differ) == 1 else 'differ'}."
    return f"{apart}. Only {'the last bit' if last == 1 else f'the last {last} of {width} bits'} " + (
        "differs." if last == 1 else "differ."
    )
