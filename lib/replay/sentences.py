"""Sentences of the page about a replay, in Markdown."""

import torch

from lib.experiment.methods import METHODS
from lib.floats.line import shortest
from lib.replay.replay import Replay

_HAPPENED = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}


def first_divergence_claim(replay: Replay) -> str:
    """Say where the two evaluations of a component diverge, or why that is not shown."""
    of = f"component {replay.component} of sample {replay.sample:,}"
    if not replay.verified:
        return f"{of[0].upper()}{of[1:]} is not replayed. {replay.reason}"
    dtype = getattr(torch, replay.dtype)
    both = f"`backward()` and `{METHODS[replay.replayed].label}`"
    one, other = (f"`{shortest(result, dtype)}`" for result in (replay.backward_result, replay.jacobian_result))
    if replay.first_divergence is None:
        return f"In {of}, {both} never diverge: both give {one}."
    divergence = replay.first_divergence
    what = _HAPPENED[divergence.operation]
    rows = " + ".join(f"`{shortest(row, dtype)}`" for row in divergence.rows[:4])
    rows += " + …" if len(divergence.rows) > 4 else ""
    total = float(divergence.exact)
    equals = "=" if total == divergence.exact else "≈"
    return (
        f"In {of}, {both} first diverge in the gradient of {divergence.unit}, {what}: "
        f"`backward()` has `{shortest(divergence.backward, dtype)}`, the rows have {rows} {equals} "
        f"{total!r}. {f'Yet both results are {one}' if one == other else f'The results are {one} and {other}'}."
    )


def verified(replay: Replay) -> str:
    """Say that a replay reproduces PyTorch's values, and in which orders it adds."""
    return (
        "Verified: the replay reproduces PyTorch's own bits in every gradient on the way. Order of addition: "
        f"{replay.dot_order} in dot products, {replay.sum_order} in the sum of rows. Errors are in ulps, and ≈ marks "
        "an exact sum that is rounded to float64."
    )


def replayed_method(replay: Replay) -> str:
    """Say what the chosen method returned; return "" if the replay already shows that method."""
    if replay.method == replay.replayed:
        return ""
    result = shortest(replay.method_result, getattr(torch, replay.dtype))
    if replay.method_result == replay.jacobian_result:
        gives = "gives the same value here"
    elif METHODS[replay.method].gives == "sum" and replay.method_result == replay.backward_result:
        gives = f"gives `{result}` here, as `backward()` does, by the same operations"
    else:
        gives = f"gives `{result}` here, by operations that are not shown"
    return f"These are the operations of `{METHODS[replay.replayed].label}`: `{replay.method}` {gives}."
