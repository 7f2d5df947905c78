"""The three cards below the picture: each answers a question with a figure, in Markdown."""

from lib.batch.study import BatchTally
from lib.display.quantities import percent, significant
from lib.experiment.query import Experiment
from lib.reference.bounds import unit_roundoff

WAITING = "The first samples are on their way."


def batch_bug_card(tally: BatchTally, size: int, experiment: Experiment) -> str:
    """Is it a bug? The worst change of an output, next to what rounding alone can do, if that is proved."""
    if not tally.at("output", size).components:
        return WAITING
    if not tally.changes(size):
        return f"There is nothing to explain: no bit changes in a batch of {size}."
    verdict = tally.at("output", size).verdict
    bound = verdict.bound_units.value
    if not verdict.max_units.value:
        units = significant(tally.at("gradient", size).verdict.max_units.value)
        return f"No output changes in a batch of {size}. The gradient does, by {units} rounding units at most."
    seen = significant(verdict.max_units.value)
    if bound is None:
        return f"An output changes by {seen} rounding units at most. No bound is proved for this."
    proved = significant(bound)
    if verdict.over_bound:
        return f"Look into it: outputs change by up to {seen} rounding units, and the proved bound is {proved}."
    if bound * unit_roundoff(experiment) >= 1:
        return f"Worst output: {seen} rounding units. The proved bound, {proved}, excludes nothing here."
    return f"Rounding alone can explain it. Worst output: {seen} of at most {proved} rounding units (proved)."


def batch_right_card(tally: BatchTally, size: int) -> str:
    """Which one is right? How often each side is closer to the exact value, where both differ."""
    if not tally.at("output", size).components:
        return WAITING
    closer = tally.closer(size)
    total = sum(closer.values())
    if not total:
        return "No component has been found in which one side is closer."
    alone, batch = (percent(count, total) for count in closer.values())
    return f"Closer to the exact value: alone in {alone}, in the batch in {batch}, of {total:,} judged that differ."


def batch_remedy_card(tally: BatchTally, size: int, experiment: Experiment) -> str:
    """What do I do? A tolerance, or the same batch every time."""
    if not tally.at("output", size).components:
        return WAITING
    if not tally.changes(size):
        return "Here, nothing. In tests, a tolerance accepts what another machine may change."
    moves = tally.changes(size, "place")
    padding = (
        "Padding to one size is not enough: the row's place matters, too."
        if moves
        else "For the same bits, pad to one size; here no row's place mattered."
    )
    return f"In tests, use a tolerance. {padding}"
