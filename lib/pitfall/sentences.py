"""What the single call returns, and why, as sentences of the page, in Markdown."""

from lib.display.quantities import at_most, decades, percent
from lib.display.why import Why
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.study import PitfallTally, rows_method


def pitfall_claim(tally: PitfallTally, experiment: Experiment) -> str:
    """The claim of the pitfall with the current figures, in Markdown."""
    call = "One call of `torch.autograd.grad` for all rows"
    if tally.samples == 0:
        return f"{call}: the first samples are on their way."
    if tally.entries == 0:
        return f"{call} gave no finite entries."
    if experiment.outputs == 1:
        return f"{call} is right with one output: there is one row, and it is the sum."
    if not tally.rows_equal:
        return f"{call} gave rows that differ in {tally.seen[0]:,} of {tally.samples:,} samples."
    if tally.worst.value == 0:
        return f"{call} gave {experiment.outputs} equal rows, and here all rows are equal to their sum."
    claim = f"{call} gave {experiment.outputs} equal rows, each the sum of all: up to {at_most(tally.worst.value)} off"
    if tally.decades is None or tally.decades < 0.25:
        return f"{claim} the right row."
    return f"{claim} the right row, and {decades(tally.decades)} closer to the sum of the rows."


def pitfall_rows(tally: PitfallTally, experiment: Experiment) -> str:
    """What the single call computes instead, and which method computed the right rows, in Markdown."""
    rows, equal = tally.backward.total, tally.backward[1]
    method = rows_method(experiment)
    note = "" if method == experiment.method else f", since `{experiment.method}` returns none"
    right = f"The right rows come from `{METHODS[method].api}`{note}."
    if rows == 0:
        return right
    share = percent(equal, rows)
    return f"Of the {rows:,} rows that one call gave, {share} equal the gradient that `backward()` gives. {right}"


def why_the_sum(experiment: Experiment) -> Why:
    """Why the single call returns the sum of all rows."""
    if experiment.outputs == 1:
        do = "With one output there is nothing to do: its row is the sum."
    else:
        do = (
            "Go back once per row: in a loop, or with `is_grads_batched=True` and the identity as `grad_outputs`. Or "
            "give each output a leaf of its own *before* the forward pass: a copy made later is not in the graph."
        )
    return Why(
        "Gradients flow from the outputs back to the leaf, and add up where paths meet. All outputs come from the one "
        "x, so all rows meet there. However often you ask x, their sum is all it has.",
        do,
        {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
    )
