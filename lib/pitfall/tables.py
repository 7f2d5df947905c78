"""A pitfall tally, and the matrices of one sample, as tables for the charts.

Columns and types are the same whatever the tally holds, and the axes are fixed once the first samples are in.
"""

from math import ceil, floor, log10

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from lib.display.tables import COUNT, NUMBER, TEXT, text_table, typed, typed_columns
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.pitfall.errors import octaves
from lib.pitfall.fixes import Outcome
from lib.pitfall.study import PitfallTally
from lib.run.tally import Histogram

ROWS, SUM = "from the right rows", "from their sum"
"""The two populations of errors: the distances of the single call from what was asked for, and from what it
computes."""

_OCTAVE = log10(2)


def tables(tally: PitfallTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """The tables of both populations, by the names that the charts use."""
    left, right, rows, summed = _decades(tally, experiment)
    return {
        "populations": pd.concat(
            [_population(ROWS, tally.against_rows, left, right), _population(SUM, tally.against_sum, left, right)],
            ignore_index=True,
        ),
        "population_names": typed(
            {"x": NUMBER, "share": "float64", "kind": TEXT}, [(rows, 0.98, ROWS), (summed, 0.9, SUM)]
        ),
        "decades": typed({"x share": NUMBER, "zero_name": TEXT}, [(left, 0.0, "0"), (right, 1.0, "")]),
    }


def _decades(tally: PitfallTally, experiment: Experiment) -> tuple[int, int, float, float]:
    """The ends of the axis as powers of ten, and roughly where the two populations will lie on it."""
    eps = log10(torch.finfo(getattr(torch, experiment.dtype)).eps)
    largest = log10(tally.first.value) if tally.first.value else 0.0
    return floor(largest + eps) - 3, ceil(largest) + 1, largest - 0.5, largest + eps


def _population(kind: str, errors: Histogram, left: int, right: int) -> pd.DataFrame:
    """Entries by octave of error (x to x2, as powers of ten): x, x2, kind, error (label), entries, share.

    Zeros are in the first column; the edges collect the tails.
    """
    exponents, counts, zeros = octaves(errors)
    lowest, highest = ceil(left / _OCTAVE) + 2, floor(right / _OCTAVE) - 1
    gathered = Histogram.of(exponents.clip(lowest, highest), counts)
    x = np.concatenate([[left], gathered.keys * _OCTAVE])
    entries = np.concatenate([[zeros], gathered.counts])
    labels = ["0", *(_label(exponent, lowest, highest) for exponent in gathered.keys)]
    types = {"x x2": NUMBER, "kind error": TEXT, "entries": COUNT, "share": NUMBER}
    return typed_columns(types, x, x + _OCTAVE, kind, labels, entries, entries / max(errors.total, 1))


def _label(exponent: int, lowest: int, highest: int) -> str:
    low, high = f"{2.0**exponent:.1e}", f"{2.0 ** (exponent + 1):.1e}"
    if exponent == lowest:
        return f"below {high}"
    return f"{low} and above" if exponent == highest else f"{low} to {high}"


def entries(matrix: Tensor, largest: float) -> pd.DataFrame:
    """A matrix, shape (outputs, inputs), entry by entry: output, input, value, sign, shade.

    The shade, from 0 to 1, is abs(value) divided by the largest absolute value of the matrices shown side by side.
    """
    outputs, inputs = matrix.shape
    value = to_float64(matrix).ravel()
    shade = np.abs(value) / largest if largest else np.zeros(value.size)
    return typed_columns(
        {"output input": COUNT, "value sign": TEXT, "shade": NUMBER},
        np.repeat(np.arange(outputs), inputs),
        np.tile(np.arange(inputs), outputs),
        [f"{v:.4g}" for v in value],
        np.where(value < 0, "negative", "positive"),
        np.nan_to_num(shade, posinf=1.0),
    )


def fix_rows(outcomes: list[Outcome]) -> pd.DataFrame:
    """The attempts as a table to read, one row each; equal matrices share a letter, and the first attempt has A."""
    return text_table(
        {
            "attempt": outcome.attempt.name,
            "gives": _verdict(outcome),
            "values": outcome.bits or None,
            "forward passes": _passes(outcome.forward_passes, outcome.forward_points),
            "backward passes": str(outcome.backward_passes),
        }
        for outcome in outcomes
    )


def _verdict(outcome: Outcome) -> str:
    if outcome.matrix is None:
        return "✗ an error"
    return "✓ the rows" if outcome.right else "✗ the sum in each row"


def _passes(passes: int, points: int) -> str:
    return f"{passes}" if points == passes else f"{passes}, of {points} copies"
