"""A replay in words, its operations as tables, and everything as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from math import isfinite

import pandas as pd
import torch

from lib.experiment.methods import METHODS
from lib.floats.exact_floats import shortest
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import Step

MOST_OPERATIONS = 400
"""The most operations of each evaluation in its table."""

_WHERE = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the gradient passes through the activation",
    "sum of rows": "where the rows are added",
}


def in_words(replay: Replay) -> str:
    """Say what both evaluations give, and where they diverge if that differs."""
    place = f"component {replay.component} of sample {replay.sample:,}"
    if not replay.verified:
        return f"There is no replay of {place}. {replay.reason}"
    text = partial(shortest, dtype=getattr(torch, replay.dtype))
    label = METHODS[replay.jacobian_method].label
    sentences = [
        f"In {place}, `backward()` gives `{text(replay.backward_result)}` "
        f"and `{label}` gives `{text(replay.jacobian_result)}`."
    ]
    divergence = replay.first_divergence
    if divergence and replay.discrepancy:
        where = f"the gradient of {divergence.unit}, {_WHERE[divergence.operation]}"
        sentences += [
            f"They first diverge in {where}.",
            f"There, `backward()` has `{text(divergence.backward)}`, "
            f"and the rows add up to {_decimal(divergence.exact)}.",
        ]
    if replay.method != replay.jacobian_method:
        sentences.append(
            f"These are the operations of `{label}`: "
            f"`{replay.method}` gives `{text(replay.method_result)}` here."
        )
    return " ".join(sentences)


def orders_in_words(replay: Replay) -> str:
    """Say in which orders a verified replay adds, and how to read its tables."""
    return (
        "Verified: with PyTorch's own results of the activations, the replay reproduces the bits "
        "of every dot product and of the sum of rows. Order of addition: "
        f"{replay.dot_order} in the dot products below, {replay.sum_order} in the sum of rows. "
        "Errors are in ulps. A product that is fused with its addition (FMA) is not rounded. "
        "≈ marks an exact number that is shown rounded to float64."
    )


def tables(replay: Replay) -> dict[str, pd.DataFrame]:
    """Return a table of operations for the backward gradient and one for the summed Jacobian.

    There is a row for each operation, of the first `MOST_OPERATIONS`. Every column is text, empty
    if there is no value. The first column marks the step at which the evaluation diverges from the
    other.
    """
    dtype = getattr(torch, replay.dtype)
    return {
        "backward": _table(replay.backward, replay.backward_diverges_at, dtype),
        "jacobian": _table(replay.jacobian, replay.jacobian_diverges_at, dtype),
    }


def _table(steps: Sequence[Step], diverges_at: int | None, dtype: torch.dtype) -> pd.DataFrame:
    wide = torch.promote_types(dtype, torch.float32)  # 16-bit floats are added in float32
    steps = steps[:MOST_OPERATIONS]
    marks = ["▶ diverges" if place == diverges_at else "" for place in range(len(steps))]
    return pd.DataFrame(
        {
            "diverges": marks,
            "operation": [step.label for step in steps],
            "w": [_text(step.left, dtype) for step in steps],
            "δ": [_text(step.right, dtype) for step in steps],
            "w·δ": [_product(step, wide) for step in steps],
            "error of w·δ": [
                "" if step.product is None else _ulps(step.product_error) for step in steps
            ],
            "sum": [_text(step.after, wide) for step in steps],
            "error of the sum": [_ulps(step.error) for step in steps],
            "exact sum": [_decimal(step.exact) for step in steps],
        }
    )


def _text(value: float | None, dtype: torch.dtype) -> str:
    return "" if value is None else shortest(value, dtype)


def _product(step: Step, dtype: torch.dtype) -> str:
    """Return the product as it is added: exactly if it is fused, else a number of the dtype."""
    text = _text(step.product, dtype)
    if step.product is None or step.product_error:
        return text
    is_exact = step.product == Fraction(step.left) * Fraction(step.right)
    return text if is_exact else f"≈ {text}"


def _decimal(exact: Fraction) -> str:
    """Return a fraction as the nearest float64, marked as approximate unless it is exact."""
    nearest = float(exact)
    return f"{nearest!r}" if Fraction(nearest) == exact else f"≈ {nearest!r}"


def _ulps(error: float) -> str:
    return f"{error:+.3f}" if error else "0"


_FIGURES = (
    *("sample", "component", "dtype", "verified", "reason"),
    *("dot_order", "sum_order", "method", "discrepancy"),
)


def figures(replay: Replay) -> dict[str, object]:
    """Return everything about a replay for JSON.

    Exact numbers are the nearest float64, and fractions as text.
    """
    divergence = replay.first_divergence
    by_method = replay.method_result
    return {
        **{name: getattr(replay, name) for name in _FIGURES},
        "replayed": replay.jacobian_method,
        "backward": replay.backward_result,
        "jacobian": replay.jacobian_result,
        "method_result": by_method if isfinite(by_method) else None,
        "parting": divergence and _exactly(divergence),
        "backward_parts_at": replay.backward_diverges_at,
        "jacobian_parts_at": replay.jacobian_diverges_at,
        "backward_steps": list(map(_exactly, replay.backward)),
        "jacobian_steps": list(map(_exactly, replay.jacobian)),
    }


def _exactly(operation: Step | FirstDivergence) -> dict[str, object]:
    exact = operation.exact
    fields = asdict(operation) | {"exact": float(exact), "exact_fraction": str(exact)}
    if isinstance(operation, FirstDivergence) and operation.step:
        fields["step"] = _exactly(operation.step)
    return fields
