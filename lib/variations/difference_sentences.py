"""Finite differences by their step, as sentences of the page, in Markdown."""

from lib.display.quantities import counted, step_text
from lib.experiment.query import Experiment
from lib.reference.activations import KINKED, PIECEWISE_LINEAR
from lib.variations.difference_tables import best, digits
from lib.variations.differences import DifferencesTally, FiniteDifferences

_LOST = "x + h rounds to x, or an intermediate value overflows"


def differences_claim(tally: DifferencesTally, experiment: Experiment) -> str:
    """The step with the smallest error in the chosen dtype, how many digits that leaves, and how many the step used
    leaves."""
    if tally.samples < FiniteDifferences.total(experiment):
        return "The error of every step, in one dtype after another."
    found, used = best(tally, experiment, experiment.dtype), tally.at(experiment.dtype, experiment.step)
    if found is None and used.nonfinite:
        return f"In {experiment.dtype} no step has a finite median error: {_LOST}."
    if found is None:
        return "The exact gradient is 0 or does not exist, so there is no relative error."
    claim = (
        f"In {experiment.dtype} the smallest error is {found.error:.1e} of the largest component, with steps of "
        f"{_times(found.step)}: it leaves {digits(found.error)} digits. "
    )
    if found.step == experiment.step:
        return f"{claim}That is the step used."
    if used.error is None:
        return f"{claim}The step used, {_times(experiment.step)}, has no finite median error: {_LOST}."
    return (
        f"{claim}The step used, {_times(experiment.step)}, leaves {digits(used.error)}: its error is {used.error:.1e}."
    )


def differences_reading(tally: DifferencesTally, experiment: Experiment) -> str:
    """What the charts show, and why a curve departs from its lines."""
    points = tally.known.values()
    most = counted(max((point.samples for point in points), default=0), "sample")
    running = tally.samples < FiniteDifferences.total(experiment)
    left_out = any(point.samples > point.errors.total + point.nonfinite for point in points)
    if not running and not any(point.errors.total + point.nonfinite for point in points):
        return "There is no curve: in no sample is there an exact gradient other than 0."
    reading = (
        f"Medians of {'up to ' if running else ''}{most}, each computed alone: the largest error of a component, next "
        "to the largest component of the exact gradient. "
        f"{'Samples whose exact gradient is 0 or does not exist are left out. ' if left_out else ''}"
        f"Both axes are logarithmic. {_lines(experiment)} ◆ is the step used."
    )
    if KINKED & set(experiment.activations):
        reading += (
            " Where a step crosses a kink, the Taylor series ends, and the error is not ∝ h²: the longer the step, the "
            "more samples have such a kink."
        )
    return reading


def _lines(experiment: Experiment) -> str:
    """What the dashed lines are; a piecewise linear network has no truncation error, and so no line for it."""
    rounding = "u·Σ|y|/h, what the rounding of the outputs alone can do"
    if set(experiment.activations) - PIECEWISE_LINEAR:
        return f"The dashed lines are computed, not fitted: the truncation h²/6·|f‴|, and {rounding}."
    where = "Between its kinks the" if KINKED & set(experiment.activations) else "The"
    return (
        f"The dashed line is computed, not fitted: {rounding}. {where} network is linear in x, so f‴ is 0, and there "
        "is no truncation."
    )


def _times(step: int | None) -> str:
    return f"{step_text(step)}·max(1, |x|)"
