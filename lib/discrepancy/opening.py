"""The opening picture of *Why do they differ?*: two results of one component, how they got there, where, and how often.

The page draws what is handed over here and computes nothing: numbers are places in the picture, and all that is written
is text. The component stays the same while the histogram grows.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from os.path import commonprefix
from typing import Any

import torch

from lib.discrepancy.component import Component
from lib.discrepancy.drift_picture import drift_picture, result_text
from lib.discrepancy.frequencies import Ghost, frequencies
from lib.discrepancy.paths import paths
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.line import bits_of

NAMES = "backward()", "Jacobian"
"""The two sides as the picture names them."""


def opening(
    experiment: Experiment, tally: DiscrepancyTally, component: Component | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `component` is None until it is known.

    `ghost` is the histogram of the experiment before this one.
    """
    apart = f"{component.apart} apart" if component and component.finite else "no distance"
    return {
        "example": component
        and {
            "of": replace(experiment, samples=1).query,
            "key": f"{experiment.query}&sample={component.sample}&component={component.component}",
            "results": bits_of_both(NAMES, (component.backward, component.jacobian), component.dtype, apart),
            "drift": drift_picture(component, NAMES),
            "network": paths(component),
        },
        "histogram": frequencies(tally, NAMES, component.ulps if component else None, ghost),
    }


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
