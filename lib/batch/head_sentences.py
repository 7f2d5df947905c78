"""The head of the tab of the batches: the claim with its figure, and one line of why, in Markdown."""

from lib.batch.evaluated import QUANTITIES
from lib.batch.study import BatchTally
from lib.display.quantities import percent
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment


def batch_headline(tally: BatchTally, size: int) -> str:
    """The claim of the tab for a batch size, with its figures as soon as there are any."""
    two = f"Alone, or in a batch of {size}"
    components = [tally.at(quantity, size).components for quantity in QUANTITIES]
    if not any(components):
        return f"{two}: the same bits?"
    changed = [tally.changed(quantity, size) for quantity in QUANTITIES]
    if not any(changed):
        return f"{two}: all {sum(components):,} outputs and gradient components are equal."
    outputs, gradient = (percent(part, whole) for part, whole in zip(changed, components, strict=True))
    return f"{two}: {outputs} of outputs and {gradient} of gradient components differ."


def why_in_a_batch(tally: BatchTally, size: int, experiment: Experiment) -> str:
    """Why they differ, or why they are equal, in one line."""
    if tally.changes(size):
        return (
            "Another shape calls another kernel, which may add the same terms in another order, and so round "
            "differently."
        )
    if experiment.device == "cpu" and DTYPES[experiment.dtype].narrow:
        return (
            f"In {experiment.dtype}, the CPU adds up in float32 and rounds the sum at its end: another order, if there "
            "is one, rarely shows."
        )
    if not tally.at("output", size).components:
        return "The first samples are on their way."
    return "Whatever the kernels of both shapes do otherwise, these results came out the same."
