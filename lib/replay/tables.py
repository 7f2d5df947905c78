"""A replay as tables, one for each evaluation, and as figures for JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from math import isfinite

import pandas as pd
import torch

from lib.floats.line import shortest
from lib.floats.quantities import hexadecimal
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import Step

MOST_ROWS = 400
_FIGURES = (
    *("sample", "component", "dtype", "verified", "backward_verified", "jacobian_verified", "reason"),
    *("dot_order", "sum_order", "replayed", "method", "discrepancy"),
)


def rows(replay: Replay) -> dict[str, pd.DataFrame]:
    """Return a table of operations for the backward gradient and one for the summed Jacobian, with a row per operation.

    Every column is text, empty if there is no value, and errors are in ulps. The columns that matter most come first;
    the very first marks the step at which the
    evaluation diverges from the other. A long sum is cut after `MOST_ROWS` operations.
    """
    dtype = getattr(torch, replay.dtype)
    return {
        "backward": _table(replay.backward[:MOST_ROWS], replay.backward_diverges_at, dtype),
        "jacobian": _table(replay.jacobian[:MOST_ROWS], replay.jacobian_diverges_at, dtype),
    }


def _table(steps: Sequence[Step], diverges_at: int | None, dtype: torch.dtype) -> pd.DataFrame:
    wide = torch.promote_types(dtype, torch.float32)  # 16-bit floats are added in float32
    return pd.DataFrame(
        {
            "diverges": ["▶ diverges" if place == diverges_at else "" for place in range(len(steps))],
            "operation": [step.label for step in steps],
            "w": ["" if step.left is None else shortest(step.left, dtype) for step in steps],
            "δ": ["" if step.right is None else shortest(step.right, dtype) for step in steps],
            "w·δ": ["" if step.product is None else shortest(step.product, wide) for step in steps],
            "error of w·δ": ["" if step.product is None else _ulps(step.product_error) for step in steps],
            "sum": [shortest(step.after, wide) for step in steps],
            "error of the sum": [_ulps(step.error) for step in steps],
            "exact sum": [decimal(step.exact) for step in steps],
            "sum before": [shortest(step.before, wide) for step in steps],
            "sum, bits": [hexadecimal(step.after) for step in steps],
            "accumulator": [str(step.accumulator) for step in steps],
        }
    )


def decimal(exact: Fraction) -> str:
    """Return a fraction as the nearest float64, marked as approximate unless it is exact."""
    return f"{'' if Fraction(float(exact)) == exact else '≈ '}{float(exact)!r}"


def _ulps(error: float) -> str:
    return f"{error:+.3f}" if error else "0"


def figures(replay: Replay) -> dict[str, object]:
    """Return everything about a replay for JSON, with exact numbers as the nearest float64 and as fractions in text."""
    of_method = replay.method_result
    return {
        **{name: getattr(replay, name) for name in _FIGURES},
        "backward": replay.backward_result,
        "jacobian": replay.jacobian_result,
        "method_result": of_method if isfinite(of_method) else None,
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
