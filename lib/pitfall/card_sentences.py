"""The three cards below the picture: each answers a question with a figure, in Markdown."""

from lib.display.quantities import counted, percent
from lib.experiment.query import Experiment
from lib.pitfall.populations import far_apart, typical_sizes
from lib.pitfall.study import PitfallTally


def rounding_card(tally: PitfallTally, experiment: Experiment) -> str:
    """Is it rounding? The typical error of an entry of the single call, and of the right rows."""
    if tally.samples == 0:
        return "The first samples are on their way."
    if tally.right_errors.total == 0:
        return "No entry could be compared with the exact one."
    right, single = typical_sizes(tally)
    if experiment.outputs == 1:
        return f"Yes: with one output the sum is the row, typically off by {single}."
    if far_apart(tally, experiment):
        return f"No. Wrong rows are typically off by {single}; the right ones, by rounding alone, by {right}."
    if tally.typical_errors[1] > tally.typical_errors[0] == 0:
        return f"No. One call is typically off by {single}, and the right rows are typically exact."
    return f"It cannot be told here: one call is typically off by {single}, the right rows by {right}."


def fix_card(experiment: Experiment) -> str:
    """What is the fix?"""
    if experiment.outputs == 1:
        return "None is needed: there is 1 row, and it is the sum."
    return (
        f"One call per row: {experiment.outputs} for your network. Or `is_grads_batched=True`, with the identity "
        "matrix as `grad_outputs`."
    )


def notice_card(tally: PitfallTally, experiment: Experiment) -> str:
    """How do I notice? How often all rows were equal, and what that proves."""
    if experiment.outputs == 1:
        return "There is nothing to notice: a single row has no other to equal."
    seen = f", as in {percent(tally.seen[1], tally.samples)} of {counted(tally.samples, 'sample')}"
    return (
        f"All rows are equal{seen if tally.samples else ''}. A warning sign, not a proof: right rows can be equal, too."
    )
