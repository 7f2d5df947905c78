"""A replay to read: as a table of each evaluation, and as figures for JSON."""

from dataclasses import asdict
from fractions import Fraction
from math import isfinite

import pandas as pd
import torch

from lib.display.quantities import hexadecimal
from lib.floats.line import shortest
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import Step

MOST_ROWS = 400


def rows(replay: Replay) -> dict[str, pd.DataFrame]:
    """The operations of the backward gradient and of the summed Jacobian, a table each, one row per operation in order.

    Every column is text, empty where there is nothing; errors are in ulps. The step at which an evaluation diverges
    from the other is marked in the first column. Of a long sum there are the first `MOST_ROWS` operations.
    """
    dtype = getattr(torch, replay.dtype)
    sides = {
        "backward": (replay.backward, replay.backward_diverges_at),
        "jacobian": (replay.jacobian, replay.jacobian_diverges_at),
    }
    return {
        name: pd.DataFrame(
            [_cells(step, dtype, place == at) for place, step in enumerate(steps[:MOST_ROWS])], columns=_COLUMNS
        )
        for name, (steps, at) in sides.items()
    }


_COLUMNS = [
    "diverges",
    "operation",
    "accumulator",
    "w",
    "δ",
    "w·δ",
    "error of w·δ",
    "sum before",
    "exact sum",
    "sum",
    "sum, bits",
    "error of the sum",
]


def _cells(step: Step, dtype: torch.dtype, diverges: bool) -> list[str]:
    wide = torch.promote_types(dtype, torch.float32)  # what 16-bit floats are added in
    factors = ["" if factor is None else shortest(factor, dtype) for factor in (step.left, step.right)]
    multiplied = step.product is not None
    return [
        "▶ diverges" if diverges else "",
        step.label,
        str(step.accumulator),
        *factors,
        shortest(step.product, wide) if multiplied else "",
        _ulps(step.product_error) if multiplied else "",
        shortest(step.before, wide),
        _decimal(step.exact),
        shortest(step.after, wide),
        hexadecimal(step.after),
        _ulps(step.error),
    ]


def _decimal(exact: Fraction) -> str:
    """A fraction as the nearest float64, said to be near where it is not the same."""
    return f"{'' if Fraction(float(exact)) == exact else '≈ '}{float(exact)!r}"


def _ulps(error: float) -> str:
    return f"{error:+.3f}" if error else "0"


def figures(replay: Replay) -> dict[str, object]:
    """Everything about a replay, for JSON; exact numbers are there as the nearest float64 and as fractions in text."""
    return {
        "sample": replay.sample,
        "component": replay.component,
        "dtype": replay.dtype,
        "verified": replay.verified,
        "backward_verified": replay.backward_verified,
        "jacobian_verified": replay.jacobian_verified,
        "reason": replay.reason,
        "dot_order": replay.dot_order,
        "sum_order": replay.sum_order,
        "backward": replay.backward_result,
        "jacobian": replay.jacobian_result,
        "method": replay.method,
        "method_result": replay.method_result if isfinite(replay.method_result) else None,
        "discrepancy": replay.discrepancy,
        "parting": None if replay.first_divergence is None else _first_divergence(replay.first_divergence),
        "backward_parts_at": replay.backward_diverges_at,
        "jacobian_parts_at": replay.jacobian_diverges_at,
        "backward_steps": [_step(step) for step in replay.backward],
        "jacobian_steps": [_step(step) for step in replay.jacobian],
    }


def _first_divergence(divergence: FirstDivergence) -> dict[str, object]:
    step = None if divergence.step is None else _step(divergence.step)
    return {**asdict(divergence), "rows": list(divergence.rows), **_exact(divergence.exact), "step": step}


def _step(step: Step) -> dict[str, object]:
    return {**asdict(step), **_exact(step.exact)}


def _exact(exact: Fraction) -> dict[str, object]:
    return {"exact": float(exact), "exact_fraction": str(exact)}
