"""The costs as tables for the chart, and as a table to read."""

from math import log2, log10

import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.floats.quantities import microseconds, quantity
from lib.floats.tables import COUNT, NUMBER, TEXT, typed
from lib.pitfall.costs import Cost

_PASSES = {
    ("reverse", ""): "a pass per output",
    ("reverse", "cotangents"): "a batch of cotangents",
    ("reverse", "copies"): "a copy of the input per output",
    ("forward", ""): "forward mode",
}
_NO_ROWS = "not the rows, or not exact"
_FAMILY = {
    name: _PASSES[method.mode, method.batched] if method.gives == "rows" else _NO_ROWS
    for name, method in METHODS.items()
}
FAMILIES = {
    family: tuple(name for name in METHODS if _FAMILY[name] == family) for family in [*_PASSES.values(), _NO_ROWS]
}
"""Groups of methods that cost alike for the same reason."""

_ROW = 1 / 22  # the height of a name, as a fraction of the axis


def tables(costs: list[Cost]) -> dict[str, pd.DataFrame]:
    """Both tables, by the names that the chart uses. Times are given as powers of ten."""
    curves = _curves(costs)
    return {"costs": curves, "cost_names": _names(curves)}


def _curves(costs: list[Cost]) -> pd.DataFrame:
    """The costs, one row each: what the chart draws, as exponents, and the same as texts."""
    types = {"method family": TEXT, "outputs": COUNT, "x seconds low high": NUMBER, "time spread memory": TEXT}
    return typed(
        types,
        [
            (
                *(cost.method, _FAMILY[cost.method], cost.outputs, log2(cost.outputs)),
                *(log10(cost.seconds), log10(cost.low), log10(cost.high)),
                microseconds(cost.seconds),
                f"{microseconds(cost.low)} to {microseconds(cost.high)}",
                quantity(cost.peak, "B"),
            )
            for cost in costs
        ],
    )


def _names(curves: pd.DataFrame) -> pd.DataFrame:
    """The place of each method's name: at the end of its curve, but clear of its neighbours."""
    ends = curves.sort_values("outputs", kind="stable").groupby("method", as_index=False).last()
    ends = ends[["method", "family", "x", "seconds"]]
    bottom, top = curves["low"].min(), curves["high"].max()
    ends["seconds"] = _spread_out(ends["seconds"].to_numpy(), (top - bottom) * _ROW, top).astype(np.float32)
    return ends


def _spread_out(places: np.ndarray, gap: float, top: float) -> np.ndarray:
    """Move places apart, by one sweep up and one down, until neighbours are at least a gap apart."""
    order = np.argsort(places, kind="stable")
    moved = places[order].astype(float)
    for i in range(1, moved.size):
        moved[i] = max(moved[i], moved[i - 1] + gap)
    ceiling = top
    for i in reversed(range(moved.size)):
        moved[i] = min(moved[i], ceiling)
        ceiling = moved[i] - gap
    result = np.empty_like(moved)
    result[order] = moved
    return result


def readable(costs: list[Cost]) -> pd.DataFrame:
    """One row per method and one column per number of outputs: the median time, and the peak memory."""
    rows: dict[str, dict[str, str]] = {method: {} for method in METHODS}
    for cost in costs:
        rows[cost.method][str(cost.outputs)] = f"{microseconds(cost.seconds)}, {quantity(cost.peak, 'B')}"
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
