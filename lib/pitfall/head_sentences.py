"""The head of the tab: the claim with its figure, and one line of why, in Markdown."""

from lib.experiment.query import Experiment
from lib.pitfall.populations import far_apart, times
from lib.pitfall.study import PitfallTally


def headline(tally: PitfallTally, experiment: Experiment) -> str:
    """The claim of the tab in at most 85 characters, with its figure as soon as there is one."""
    call = "One call for all Jacobian rows puts their sum in each"
    if experiment.outputs == 1:
        return "With one output, one call is right: the sum of all rows is its row."
    if tally.samples == 0:
        return "One call for all rows of a Jacobian: what comes back?"
    if tally.entries == 0:
        return "One call for all rows of a Jacobian: no entry is finite."
    if not tally.rows_equal:
        return f"One call for all rows gave rows that differ in {tally.seen[0]:,} of {tally.samples:,} samples."
    if tally.worst.value == 0:
        return f"{call}, and here each row equals that sum."
    if far_apart(tally, experiment):
        return f"{call}: {times(tally)} times rounding error."
    return f"{call}."


def why_in_short(experiment: Experiment) -> str:
    """Why all rows are the same, in one line."""
    if experiment.outputs == 1:
        return "`grad(y, x)` sends one gradient back to x: nothing is added to it."
    return "`grad([y[0], y[1], …], [x, x, …])` adds up the gradients of all outputs; naming x again repeats the sum."
