"""The matrices of one sample, and what each fix gives, as tables for the page to show."""

import numpy as np
import pandas as pd
from torch import Tensor

from lib.experiment.methods import METHODS
from lib.floats.line import to_float64
from lib.floats.quantities import microseconds
from lib.floats.tables import COUNT, NUMBER, TEXT, text_table, typed_columns
from lib.pitfall.fixes import Outcome


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


def times(costs: pd.DataFrame, outputs: int) -> pd.DataFrame:
    """The times of one Jacobian with this many outputs, in microseconds, the fastest first: what the chart draws."""
    found = costs[costs["outputs"] == outputs].sort_values("median")
    rows = [METHODS[method].gives == "rows" for method in found["method"]]
    gives = np.where(rows, "the rows", "not the rows, or not exact")
    return found.assign(
        time=found["median"].map(microseconds), gives=gives, **1e6 * found[["low", "median", "high"]]
    ).drop(columns="outputs")
