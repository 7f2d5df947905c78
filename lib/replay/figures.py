"""A replay as JSON."""

from dataclasses import asdict
from math import isfinite

from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import Step

_FIGURES = (
    "sample",
    "component",
    "dtype",
    "verified",
    "reason",
    "dot_order",
    "sum_order",
    "method",
    "discrepancy",
)


def figures(replay: Replay) -> dict[str, object]:
    """Return everything about a replay for JSON.

    An exact number is given as the nearest float64, and as a fraction in a text.
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
