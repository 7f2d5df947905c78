"""Finite differences by their step, as sentences of the page, in Markdown."""

from lib.experiment import Experiment
from lib.quantities import counted, step_text
from lib.reference import KINKED
from lib.studies.differences import DifferencesTally, FiniteDifferences
from lib.studies.differences_tables import best, digits


def differences_claim(tally: DifferencesTally, experiment: Experiment) -> str:
    """Where the error is smallest in the dtype that was chosen, how many digits that leaves, and what the step used
    leaves."""
    if tally.samples < FiniteDifferences.total(experiment):
        return "The error of every step, in one dtype after the other."
    found, used = best(tally, experiment, experiment.dtype), tally.at(experiment.dtype, experiment.step)
    if found is None:
        return "The exact gradient is 0 or does not exist, so there is no relative error."
    claim = (
        f"In {experiment.dtype} the smallest error is {found.error:.1e} of the largest component, with steps of "
        f"{_times(found.step)}: it leaves {digits(found.error)} digits. "
    )
    if found.step == experiment.step:
        return f"{claim}That is the step used."
    if used.error is None:
        return f"{claim}The step used, {_times(experiment.step)}, is lost: x + h rounds to x, or overflows."
    return (
        f"{claim}The step used, {_times(experiment.step)}, leaves {digits(used.error)}: its error is {used.error:.1e}."
    )


def differences_reading(tally: DifferencesTally, experiment: Experiment) -> str:
    """What the charts show, and why a curve leaves its lines."""
    samples = max((point.samples for point in tally.points.tallies.values()), default=0)
    reading = (
        f"Medians of {counted(samples, 'sample')}, each computed alone: the largest error of a component, next to the "
        "largest component of the exact gradient. Both axes are logarithmic. The dashed lines are computed, not "
        "fitted: the truncation h²/6·|f‴|, and u·Σ|y|/h, what the rounding of the outputs alone can do. "
        "◆ is the step used."
    )
    if KINKED & set(experiment.activations):
        reading += (
            " Where a step crosses a kink, the Taylor series ends, and the error is not ∝ h²: the longer the step, the "
            "more samples have such a kink."
        )
    return reading


def _times(step: int | None) -> str:
    return f"{step_text(step)}·max(1, |x|)"
