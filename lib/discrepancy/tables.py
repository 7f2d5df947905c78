"""A discrepancy tally as tables for the charts, and as the printout of the post.

Every table has the same columns and types whatever the tally holds, even if it is empty, and the axes are fixed once
the first samples are in. So a chart that streams only swaps rows, and nothing else moves.
"""

import re

import numpy as np
import pandas as pd
import torch

from lib.discrepancy.study import MOST_ULPS, DiscrepancyTally
from lib.display.quantities import minus
from lib.display.tables import COUNT, NUMBER, TEXT, typed, typed_columns
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import binade, ulp_distance
from lib.network.method_sentences import WORDS
from lib.run.tally import FullSample, Histogram, Place

_CONDITIONS = 10  # binades of the condition number that the cells show
_ZERO_ROW = -2  # lower end of the row of zeros; the row of one ulp begins at 0

_BETWEEN = (minus(str(ulps)) for ulps in range(1 - MOST_ULPS, MOST_ULPS))
ULP_LABELS = [f"≤ −{MOST_ULPS}", *_BETWEEN, f"≥ {MOST_ULPS}"]


def tables(tally: DiscrepancyTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use."""
    frame = _frame(tally, experiment)
    return {
        "ulps": _ulps(tally),
        "cells": _cells(tally, frame),
        "frame": frame,
        "arrivals": _arrivals(tally),
        "span": typed({"samples": COUNT, "share": "float64"}, [(1, 0.0), (max(experiment.samples, 10), 1.0)]),
    }


def _ulps(tally: DiscrepancyTally) -> pd.DataFrame:
    """Components by signed ulp distance; the end bins, at `MOST_ULPS`, collect longer distances.

    Columns: ulps (label), kind, components, share (of the finite components).
    """
    histogram = tally.ulps
    counts = np.zeros(2 * MOST_ULPS + 1, np.int64)
    np.add.at(counts, histogram.keys.clip(-MOST_ULPS, MOST_ULPS) + MOST_ULPS, histogram.counts)
    kind = np.where(np.arange(-MOST_ULPS, MOST_ULPS + 1) == 0, "equal", "different")
    types = {"ulps kind": TEXT, "components": COUNT, "share": NUMBER}
    return typed_columns(types, ULP_LABELS, kind, counts, counts / max(histogram.total, 1))


def _frame(tally: DiscrepancyTally, experiment: Experiment) -> pd.DataFrame:
    """The lower and the upper ends of the axes of the cells, as powers of two.

    Columns: x, y, line (where the distance in ulps equals the condition number), and the names written at its ends. The
    table depends only on the first samples, so it stays the same while later ones arrive. The row of zeros lies just
    above the lower end of y.
    """
    first = tally.first.samples
    condition = np.array([number for sample in first for number in sample.condition])
    known = condition[(condition > 0) & np.isfinite(condition)]
    left = max(0, int(binade(known).min())) if known.size else 0
    right = left + _CONDITIONS
    seen = [sample.backward for sample in first], [sample.jacobian for sample in first]
    backward, jacobian = (torch.tensor(part, dtype=getattr(torch, experiment.dtype)) for part in seen)
    finite = backward.isfinite() & jacobian.isfinite()
    farthest = int(ulp_distance(backward[finite], jacobian[finite]).max(initial=0))
    top = max(right, farthest.bit_length() + 2)
    ends = [(left, _ZERO_ROW, left, "", "0"), (right, top, right, "floats apart = S/|g|", "")]
    return typed({"x y line": NUMBER, "line_name zero_name": TEXT}, ends)


def _cells(tally: DiscrepancyTally, frame: pd.DataFrame) -> pd.DataFrame:
    """Components by the binades of the condition number (x to x2) and of the ulp distance (y to y2).

    Columns: x, x2, y, y2, kind, condition and ulps (labels), components, share (of the finite components). Zeros are in
    the lowest row; the edges collect the tails.
    """
    (left, right), (_, top) = frame["x"].astype(int), frame["y"].astype(int)
    (x, y), place = np.unique(_cells_of_pairs(tally, frame), axis=1, return_inverse=True)
    components = np.zeros(x.size, np.int64)
    np.add.at(components, place.ravel(), tally.pairs.counts)
    return typed_columns(
        {"x x2 y y2": NUMBER, "kind condition ulps": TEXT, "components": COUNT, "share": NUMBER},
        *(x, x + 1, y, y + 1),
        np.where(y == _ZERO_ROW, "equal", "different"),
        [_condition_label(exponent, left, right - 1) for exponent in x.tolist()],  # whole numbers have no limit there
        [_ulps_label(exponent, top - 1) for exponent in y.tolist()],
        components,
        components / max(tally.ulps.total, 1),
    )


def _cells_of_pairs(tally: DiscrepancyTally, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The cell, x and y, of each key of the joint histogram."""
    (left, right), (_, top) = frame["x"].astype(int), frame["y"].astype(int)
    condition, ulps, _ = tally.binades()
    return condition.clip(left, right - 1), np.where(ulps < 0, _ZERO_ROW, ulps.clip(max=top - 1))


def first_of_cell(tally: DiscrepancyTally, experiment: Experiment, x: int, y: int) -> Place | None:
    """The first component that the cell with the lower ends x and y counts, None if it counts none."""
    of_x, of_y = _cells_of_pairs(tally, _frame(tally, experiment))
    return tally.pairs_first.of_any(tally.pairs.keys[(of_x == x) & (of_y == y)])


def _condition_label(exponent: int, lowest: int, highest: int) -> str:
    if exponent == lowest:
        return f"below {2 ** (exponent + 1):,}"
    if exponent == highest:
        return f"{2**exponent:,} and more, or infinite"
    return f"{2**exponent:,} to {2 ** (exponent + 1):,}"


def _ulps_label(exponent: int, highest: int) -> str:
    if exponent <= 0:
        return "0" if exponent < 0 else "1"
    if exponent == highest:
        return f"{2**exponent:,} and more"
    return f"{2**exponent:,} to {2 ** (exponent + 1) - 1:,}"


def _arrivals(tally: DiscrepancyTally) -> pd.DataFrame:
    """The share of the finite components that are equal, among the first n samples: samples (n), share."""

    def so_far(histogram: Histogram) -> np.ndarray:
        counts = np.zeros(tally.arrived.keys.size, np.int64)
        counts[np.searchsorted(tally.arrived.keys, histogram.keys)] = histogram.counts
        return counts.cumsum()

    samples = so_far(tally.arrived)
    finite = samples * (tally.components // max(tally.samples, 1)) - so_far(tally.arrived_nonfinite)
    share = so_far(tally.arrived_equal) / np.maximum(finite, 1)
    return typed_columns({"samples": COUNT, "share": NUMBER}, samples, share)


def printout(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The first samples as PyTorch prints them: both vectors, whether they are equal, and their difference."""
    dtype = getattr(torch, experiment.dtype)
    name = WORDS[METHODS[experiment.method].gives].in_short
    return "\n\n".join(_print_sample(sample, dtype, name) for sample in tally.first.samples)


def _print_sample(sample: FullSample, dtype: torch.dtype, name: str) -> str:
    backward, jacobian = (torch.tensor(part, dtype=dtype) for part in (sample.backward, sample.jacobian))
    rows = {"backward": backward, name: jacobian, "equal": backward == jacobian, "difference": backward - jacobian}
    width = 1 + max(map(len, rows))
    lines = (f"{label:<{width}}{_one_line(str(row))}" for label, row in rows.items())
    return "\n".join([f"sample {sample.number}", *lines])


def _one_line(printed: str) -> str:
    return re.sub(r"\n\s*", " ", printed)
