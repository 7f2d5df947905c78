"""The opening picture of *Why do they differ?*: two results of one component, how they got there, where, and how often.

The page draws what is handed over here and computes nothing: numbers are places in the picture, and all that is written
is text. The component stays the same while the histogram grows.
"""

from math import isnan
from os.path import commonprefix
from typing import Any

import torch

from lib.discrepancy.component import Component
from lib.discrepancy.frequencies import Ghost, frequencies
from lib.discrepancy.paths import paths
from lib.discrepancy.running_sums import result_text, running_sums
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
    return {
        "example": component
        and {
            "key": f"{experiment.query}&sample={component.sample}&component={component.component}",
            "results": _results(component),
            "drift": running_sums(component, NAMES),
            "network": paths(component),
        },
        "histogram": frequencies(tally, NAMES, component.ulps if component else None, ghost),
    }


def _results(component: Component) -> dict[str, Any]:
    """Both results side by side: their values, their bits, and the places of the bits that differ."""
    values = component.backward, component.jacobian
    dtype = DTYPES[component.dtype]
    bits = ["" if isnan(value) else bits_of(value, getattr(torch, component.dtype)) for value in values]
    texts = [result_text(value, component.dtype) for value in values]
    share = commonprefix(texts)
    differ = [place for place, (one, other) in enumerate(zip(*bits, strict=False)) if one != other]
    apart = (
        f"{component.apart} apart, {len(differ)} of {dtype.bits} bits different" if component.finite else "no distance"
    )
    return {
        "heading": f"One component, computed both ways: {apart}",
        "label": f"{NAMES[0]} gives {texts[0]}, {NAMES[1]} gives {texts[1]}: {apart}",
        "width": dtype.bits,
        "fields": [
            {"name": "sign", "symbol": "±", "bits": 1},
            {"name": "exponent", "symbol": "exp", "bits": dtype.bits - dtype.precision},
            {"name": "fraction", "symbol": "", "bits": dtype.precision - 1},
        ],
        "differ": differ,
        "sides": [
            {"kind": kind, "name": name, "share": share, "rest": text.removeprefix(share), "bits": of_side}
            for kind, name, text, of_side in zip(("first", "second"), NAMES, texts, bits, strict=True)
        ],
    }
