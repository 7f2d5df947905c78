"""A replay told: where its evaluations diverge in words, its operations as tables, and everything
as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from math import isfinite
from types import SimpleNamespace

import pandas as pd
import torch

from lib.experiment.methods import METHODS
from lib.floats.line import shortest
from lib.floats.quantities import hexadecimal
from lib.floats.sentences import Sentence
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import Step

MOST_ROWS = 400
"""The most operations of each evaluation in its table."""

_WHERE = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}
_FIGURES = (
    *(
        "sample",
        "component",
        "dtype",
        "verified",
        "backward_verified",
        "jacobian_verified",
        "reason",
    ),
    *("dot_order", "sum_order", "replayed", "method", "discrepancy"),
)

FIRST_DIVERGENCE = (
    Sentence("There is no replay of {f.place}. {f.replay.reason}", lambda f: not f.replay.verified),
    Sentence(
        "In {f.place}, `backward()` gives `{f.backward}` and `{f.label}` gives `{f.jacobian}`.",
        lambda f: f.replay.verified,
    ),
    Sentence("They first diverge in {f.where}.", lambda f: f.where),
    Sentence(
        "There, `backward()` has `{f.there}`, and the rows add up to {f.rows}.", lambda f: f.where
    ),
)
"""What the two evaluations of a component give, and where they diverge if that differs."""

OTHER_METHOD = (
    Sentence(
        "These are the operations of `{f.label}`: `{f.replay.method}` gives `{f.by_method}` here.",
        lambda f: f.replay.verified and f.replay.method != f.replay.replayed,
    ),
)

VERIFIED = (
    Sentence(
        "Verified: the replay reproduces PyTorch's own bits in every gradient on the way. Order of addition: "
        "{f.replay.dot_order} in dot products, {f.replay.sum_order} in the sum of rows. Errors are in ulps, and ≈ "
        "marks an exact sum that is rounded to float64.",
        lambda f: f.replay.verified,
    ),
)


def facts(replay: Replay) -> SimpleNamespace:
    """Return a replay with its figures as texts: those of the first divergence are empty if the
    results are equal."""
    text = partial(shortest, dtype=getattr(torch, replay.dtype))
    found = replay.first_divergence if replay.discrepancy else None
    return SimpleNamespace(
        replay=replay,
        place=f"component {replay.component} of sample {replay.sample:,}",
        label=METHODS[replay.replayed].label,
        backward=text(replay.backward_result),
        jacobian=text(replay.jacobian_result),
        by_method=text(replay.method_result),
        where=f"the gradient of {found.unit}, {_WHERE[found.operation]}" if found else "",
        there=text(found.backward) if found else "",
        rows=_decimal(found.exact) if found else "",
    )


def tables(replay: Replay) -> dict[str, pd.DataFrame]:
    """Return a table of operations for the backward gradient and one for the summed Jacobian, with
    a row per operation.

    Every column is text, empty if there is no value, and errors are in ulps. The columns that
    matter most come first; the very first marks the step at which the evaluation diverges from the
    other. A long sum is cut after `MOST_ROWS` operations.
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
            "diverges": [
                "▶ diverges" if place == diverges_at else "" for place in range(len(steps))
            ],
            "operation": [step.label for step in steps],
            "w": ["" if step.left is None else shortest(step.left, dtype) for step in steps],
            "δ": ["" if step.right is None else shortest(step.right, dtype) for step in steps],
            "w·δ": ["" if step.product is None else shortest(step.product, wide) for step in steps],
            "error of w·δ": [
                "" if step.product is None else _ulps(step.product_error) for step in steps
            ],
            "sum": [shortest(step.after, wide) for step in steps],
            "error of the sum": [_ulps(step.error) for step in steps],
            "exact sum": [_decimal(step.exact) for step in steps],
            "sum before": [shortest(step.before, wide) for step in steps],
            "sum, bits": [hexadecimal(step.after) for step in steps],
            "accumulator": [str(step.accumulator) for step in steps],
        }
    )


def _decimal(exact: Fraction) -> str:
    """Return a fraction as the nearest float64, marked as approximate unless it is exact."""
    return f"{'' if Fraction(float(exact)) == exact else '≈ '}{float(exact)!r}"


def _ulps(error: float) -> str:
    return f"{error:+.3f}" if error else "0"


def figures(replay: Replay) -> dict[str, object]:
    """Return everything about a replay for JSON, with exact numbers as the nearest float64 and as
    fractions in text."""
    of_method, divergence = replay.method_result, replay.first_divergence
    return {
        **{name: getattr(replay, name) for name in _FIGURES},
        "backward": replay.backward_result,
        "jacobian": replay.jacobian_result,
        "method_result": of_method if isfinite(of_method) else None,
        "parting": divergence
        and _exactly(divergence) | {"step": divergence.step and _exactly(divergence.step)},
        "backward_parts_at": replay.backward_diverges_at,
        "jacobian_parts_at": replay.jacobian_diverges_at,
        "backward_steps": list(map(_exactly, replay.backward)),
        "jacobian_steps": list(map(_exactly, replay.jacobian)),
    }


def _exactly(of: Step | FirstDivergence) -> dict[str, object]:
    return asdict(of) | {"exact": float(of.exact), "exact_fraction": str(of.exact)}
