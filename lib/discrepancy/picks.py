"""Components to choose from: the worst ones, the cells of the chart by name, and those of the first samples."""

from collections.abc import Callable
from math import isfinite

import pandas as pd
import torch

from lib.discrepancy.study import DiscrepancyTally
from lib.display.float_line import value_text
from lib.display.tables import COUNT, TEXT, UNKNOWN
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import ulp_distance
from lib.network.method_sentences import WORDS
from lib.run.tally import Extreme, Place

WORST: dict[str, Callable[[DiscrepancyTally], Extreme[Place]]] = {
    "difference": lambda tally: tally.max_abs,
    "ulps": lambda tally: tally.max_ulps,
    "rounding units": lambda tally: tally.verdict.max_units,
}
"""What a component can be the worst by."""


def cells(table: pd.DataFrame) -> dict[tuple[float, float], str]:
    """Return what the cells of `tables` hold, in words, by their lower left corners, from left to right and from
    below; this order stays while samples arrive."""
    return {
        (cell.x, cell.y): f"S/|g| {cell.condition}, {cell.ulps} floats apart"
        for cell in table.sort_values(["x", "y"]).itertuples()
    }


def first_components(tally: DiscrepancyTally, experiment: Experiment) -> pd.DataFrame:
    """The components of the first samples, a row each.

    Columns: sample, component, both values (as text, in so many digits that neighbouring floats read differently) and
    floats apart (a dash if a value is infinite or NaN).
    """
    dtype = experiment.dtype
    rows = []
    for sample in tally.first.samples:
        values = zip(sample.backward, sample.jacobian, strict=True)
        rows += [(sample.number, place, *_texts(pair, dtype)) for place, pair in enumerate(values)]
    name = WORDS[METHODS[experiment.method].gives].in_short
    table = pd.DataFrame(rows, columns=["sample", "component", "backward", name])
    table["floats apart"] = _apart(tally, dtype)
    return table.astype({"sample": COUNT, "component": COUNT, "backward": TEXT, name: TEXT, "floats apart": TEXT})


def _texts(values: tuple[float, float], dtype: str) -> list[str]:
    return [value_text(value, dtype) if isfinite(value) else str(value) for value in values]


def _apart(tally: DiscrepancyTally, dtype: str) -> list[str]:
    """The distances of all components of the first samples, one after another."""
    first = tally.first.samples
    both = ([value for sample in first for value in sample.backward], [v for sample in first for v in sample.jacobian])
    one, other = (torch.tensor(values, dtype=getattr(torch, dtype)) for values in both)
    finite = one.isfinite() & other.isfinite()
    steps = iter(ulp_distance(one[finite], other[finite]).tolist())
    return [f"{next(steps):,}" if known else UNKNOWN for known in finite.tolist()]
