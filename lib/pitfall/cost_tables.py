"""The costs as tables for the charts, and as a table to read."""

from math import ceil, floor, log2, log10

import numpy as np
import pandas as pd

from lib.display.quantities import quantity
from lib.experiment.choices import METHODS
from lib.pitfall.costs import Cost

FAMILIES = {
    "a pass per output": ("functional", "rows"),
    "a batch of cotangents": ("functional-vectorized", "jacrev", "batched-grad"),
    "a copy of the input per output": ("copies",),
    "forward mode": ("functional-forward", "jacfwd"),
    "not the rows, or not exact": ("summed-output", "single-call", "finite-difference"),
}
"""The methods by what makes them cost what they do."""

_FAMILY = {method: family for family, methods in FAMILIES.items() for method in methods}
_NAMES = 1.8  # octaves to the right of the curves that the names take
_ROW = 1 / 22  # height of a name as a part of the axis


def tables(costs: list[Cost], sizes: list[int]) -> dict[str, pd.DataFrame]:
    """The tables by the names under which the charts know them. Times and bytes are given as powers of ten."""
    curves = pd.DataFrame(
        {
            "method": pd.Series([cost.method for cost in costs], dtype="str"),
            "family": pd.Series([_FAMILY[cost.method] for cost in costs], dtype="str"),
            "outputs": np.array([cost.outputs for cost in costs], np.int64),
            "x": np.array([log2(cost.outputs) for cost in costs], np.float32),
            "seconds": np.array([log10(cost.seconds) for cost in costs], np.float32),
            "low": np.array([log10(cost.low) for cost in costs], np.float32),
            "high": np.array([log10(cost.high) for cost in costs], np.float32),
            "bytes": np.array([log10(max(cost.peak, 1)) for cost in costs], np.float32),
            "time": pd.Series([quantity(cost.seconds, "s") for cost in costs], dtype="str"),
            "spread": pd.Series(
                [f"{quantity(cost.low, 's')} to {quantity(cost.high, 's')}" for cost in costs], dtype="str"
            ),
            "memory": pd.Series([quantity(cost.peak, "B") for cost in costs], dtype="str"),
        }
    )
    frame = _frame(costs, sizes)
    return {
        "costs": curves,
        "cost_frame": frame,
        "cost_names": _names(curves, frame),
        "slope": _slope(costs, sizes),
    }


def _frame(costs: list[Cost], sizes: list[int]) -> pd.DataFrame:
    """The ends of the axes: x, seconds and bytes, all as exponents."""
    times = [log10(part) for cost in costs for part in (cost.low, cost.high)]
    peaks = [log10(max(cost.peak, 1)) for cost in costs]
    return pd.DataFrame(
        {
            "x": np.array([0, log2(sizes[-1]) + _NAMES], np.float32),
            "seconds": np.array([floor(min(times)), ceil(max(times))], np.float32),
            "bytes": np.array([floor(min(peaks)), ceil(max(peaks))], np.float32),
        }
    )


def _names(curves: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Where the name of each method is written: at the end of its curve, but clear of its neighbours."""
    ends = curves.sort_values("outputs", kind="stable").groupby("method", as_index=False).last()
    ends = ends[["method", "family", "x", "seconds", "bytes"]]
    for column in ("seconds", "bytes"):
        bottom, top = frame[column]
        ends[column] = _spread_out(ends[column].to_numpy(), (top - bottom) * _ROW, top).astype(np.float32)
    return ends


def _spread_out(places: np.ndarray, gap: float, top: float) -> np.ndarray:
    """The places moved as little as a sweep up and one down can, until neighbours are at least a gap apart."""
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
    """The line of slope 1 through the loop's first point: twice the outputs, twice the time."""
    start = next((log10(cost.seconds) for cost in costs if cost.method == "rows"), None)
    ends = [] if start is None else [0.0, log2(sizes[-1])]
    return pd.DataFrame(
        {
            "x": np.array(ends, np.float32),
            "seconds": np.array([start + end * log10(2) for end in ends], np.float32),
            "name": pd.Series(["", "twice the outputs, twice the time"][: len(ends)], dtype="str"),
        }
    )


def readable(costs: list[Cost], quantity_of: str) -> pd.DataFrame:
    """One row per method, one column per number of outputs: the medians of `seconds`, or `peak` memory in bytes."""
    unit = {"seconds": "s", "peak": "B"}[quantity_of]
    rows = {method: {} for method in METHODS}
    for cost in costs:
        rows[cost.method][str(cost.outputs)] = quantity(getattr(cost, quantity_of), unit)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("method")
