"""What each fix gives, and what each method costs, as tables for the page to show."""

import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.floats.quantities import microseconds
from lib.floats.tables import text_table
from lib.pitfall.fixes import Outcome


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
