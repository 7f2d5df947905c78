"""What a tally has measured of two ways to one gradient, and what is known of the method."""

from lib.discrepancy.accuracy import proved_bound
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.outcome import State

ZERO = "The exact gradient is 0, since the outputs of softmax add up to 1"


def state_of(tally: DiscrepancyTally, experiment: Experiment) -> State:
    """Return what a tally of an experiment has measured."""
    judged = tally.verdict
    gives = METHODS[experiment.method].gives
    softmax = experiment.output_activation == "softmax"
    return State(
        "`backward()`",
        "the Jacobian",
        experiment.dtype,
        checks=tally.samples,
        finite=tally.finite,
        where=", wherever both sides are finite" if tally.nonfinite else "",
        different=tally.finite - tally.equal,
        largest=tally.max_abs.value,
        relative=judged.relative.value,
        units=judged.max_units.value,
        bound=proved_bound([judged], experiment),
        beyond=judged.over_bound,
        not_close=judged.not_close,
        kept=judged.kept.value,
        closer=[judged.closer[side] for side in ("backward", "jacobian", "tie", "undecided")],
        another=another_function(experiment),
        approximates=approximates(experiment),
        instead=INSTEAD.get(gives, ""),
        equal=""
        if gives == "sum"
        else "The `jacobian` of `net(x).sum()` usually gives equal values.",
        zero=f"{ZERO}." if softmax else "",
    )


def another_function(experiment: Experiment) -> str:
    """Return why the method does not compute the gradient, not even in exact arithmetic, or "".

    With softmax the sum of the rows is 0, and so is the gradient: then even a single call is right.
    """
    outputs = experiment.outputs
    gives_sums = METHODS[experiment.method].gives == "sums"
    if not gives_sums or outputs == 1 or experiment.output_activation == "softmax":
        return ""
    return (
        f"Each row of a single call is the sum of all {outputs} rows, so their sum is "
        f"{outputs} times the gradient: the pitfall."
    )


def approximates(experiment: Experiment) -> str:
    """Return why the method only approximates the gradient, or ""."""
    if METHODS[experiment.method].gives != "approximation":
        return ""
    return (
        "Finite differences approximate the gradient: with long steps they are inexact, and with "
        "short steps digits cancel."
    )


INSTEAD = {
    "sums": "Ask for one row per call, or use `is_grads_batched=True` with the identity matrix.",
    "approximation": "Use autograd. `torch.autograd.gradcheck` compares it with finite "
    "differences, in float64.",
}
"""What to do where a method does not compute the gradient, by `Method.gives`."""
