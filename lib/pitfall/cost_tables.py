"""The costs as tables for the charts, and as a table to read."""

from math import ceil, floor, log2, log10

import numpy as np
import pandas as pd

from lib.display.quantities import microseconds, quantity
from lib.display.tables import COUNT, NUMBER, TEXT, typed
from lib.experiment.methods import METHODS
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

_NAMES = 1.8  # the width of the names to the right of the curves, in octaves
_ROW = 1 / 22  # the height of a name, as a fraction of the axis


def tables(costs: list[Cost], sizes: list[int]) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use. Times and bytes are given as powers of ten."""
    curves, frame = _curves(costs), _frame(costs, sizes)
    ticks = typed({"x": NUMBER}, [(log2(outputs),) for outputs in sizes])
    return {
        "costs": curves,
        "cost_frame": frame,
        "cost_ticks": ticks,
        "cost_names": _names(curves, frame),
        "slope": _slope(costs, sizes),
    }


def _curves(costs: list[Cost]) -> pd.DataFrame:
    """The costs, one row each: what the chart draws, as exponents, and the same as texts."""
    types = {"method family": TEXT, "outputs": COUNT, "x seconds low high bytes": NUMBER, "time spread memory": TEXT}
    return typed(
        types,
        [
            (
                *(cost.method, _FAMILY[cost.method], cost.outputs, log2(cost.outputs)),
                *(log10(cost.seconds), log10(cost.low), log10(cost.high), log10(max(cost.peak, 1))),
                microseconds(cost.seconds),
                f"{microseconds(cost.low)} to {microseconds(cost.high)}",
                quantity(cost.peak, "B"),
            )
            for cost in costs
        ],
    )


def _frame(costs: list[Cost], sizes: list[int]) -> pd.DataFrame:
    """The ends of the axes: x, seconds and bytes, all as exponents."""
    times = [log10(part) for cost in costs for part in (cost.low, cost.high)]
    peaks = [log10(max(cost.peak, 1)) for cost in costs]
    lowest = (0, floor(min(times)), floor(min(peaks)))
    highest = (log2(sizes[-1]) + _NAMES, ceil(max(times)), ceil(max(peaks)))
    return typed({"x seconds bytes": NUMBER}, [lowest, highest])


def _names(curves: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """The place of each method's name: at the end of its curve, but clear of its neighbours."""
    ends = curves.sort_values("outputs", kind="stable").groupby("method", as_index=False).last()
    ends = ends[["method", "family", "x", "seconds", "bytes"]]
    for column in ("seconds", "bytes"):
        bottom, top = frame[column]
        ends[column] = _spread_out(ends[column].to_numpy(), (top - bottom) * _ROW, top).astype(np.float32)
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


def _slope(costs: list[Cost], sizes: list[int]) -> pd.DataFrame:
    """The line of slope 1 through the first point of the loop (`rows`): twice the outputs, twice the time."""
    start = next((log10(cost.seconds) for cost in costs if cost.method == "rows"), None)
    ends = {} if start is None else {0.0: "", log2(sizes[-1]): "twice the outputs, twice the time"}
    return typed({"x seconds": NUMBER, "name": TEXT}, [(x, start + x * log10(2), name) for x, name in ends.items()])


def readable(costs: list[Cost], quantity_of: str) -> pd.DataFrame:
    """One row per method and one column per number of outputs: the median `seconds`, or the `peak` memory in bytes."""
    rows: dict[str, dict[str, str]] = {method: {} for method in METHODS}
    for cost in costs:
        shown = microseconds(cost.seconds) if quantity_of == "seconds" else quantity(cost.peak, "B")
        rows[cost.method][str(cost.outputs)] = shown
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
