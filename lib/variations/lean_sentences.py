"""To which side the verdict leans with more outputs, and why, as sentences of the page, in Markdown."""

from lib.discrepancy.verdict import VerdictTally
from lib.display.quantities import counted, listed, signed_percent
from lib.experiment.query import Experiment
from lib.variations.lean import NETWORKS, Lean, LeanTally, Point, points
from lib.variations.lean_tables import all_ties, last_points, moved, text_of
from lib.variations.mechanisms import MECHANISMS


def outputs_claim(tally: LeanTally, experiment: Experiment) -> str:
    """To which side each dtype leans with the most outputs."""
    if tally.samples < Lean.total(experiment):
        return "Who is closer with more and more outputs, in every dtype: one network after another."
    sides: dict[str | None, list[str]] = {}
    for dtype, point in last_points(experiment).items():
        outputs = point.experiment.outputs  # the same in every dtype
        sides.setdefault(_side(tally.at(dtype, outputs)), []).append(dtype)
    unknown = sides.pop(None, [])
    told = "; ".join(f"to {side} in {listed(dtypes)}" for side, dtypes in sides.items())
    claims = [f"the verdict leans {told}"] if told else []
    claims += [f"the lean has no interval in {listed(unknown)}"] if unknown else []
    return f"With {outputs} outputs {', and '.join(claims)}."


def causes(tally: LeanTally, experiment: Experiment) -> str:
    """Which mechanisms move the lean when they are switched off, and which do not, as a list by dtype."""
    if tally.samples < Lean.total(experiment):
        return ""
    return "\n".join(f"- **{dtype}**: {_causes(tally, point)}" for dtype, point in last_points(experiment).items())


def _causes(tally: LeanTally, point: Point) -> str:
    plain = tally.at(point.experiment.dtype, point.experiment.outputs)
    if plain.interval_of_networks() is None:
        return "the lean has no interval, so nothing can be said of its causes."
    found = [f"{MECHANISMS[name].label} ({_after(other)})" for name, other in moved(tally, point).items()]
    what = f"Switched off, these move it: {', '.join(found)}." if found else "Nothing here moves it for certain."
    return f"the lean is {text_of(plain)}. {what}"


def _after(tally: VerdictTally) -> str:
    return "all ties" if all_ties(tally) else f"to {signed_percent(tally.lean_of_networks()[0])}"


def lean_conditions(experiment: Experiment) -> str:
    """How the lean was measured, and how to read it."""
    samples = points(experiment)[0].experiment.samples // NETWORKS
    return (
        f"{NETWORKS} networks at each point, {counted(samples, 'sample')} on each, {experiment.evaluation}, "
        "against `functional.jacobian`. The lean is the share of the decided components in which `backward()` is "
        "closer, minus the share in which the Jacobian is. Intervals are 95% and count networks. Another machine may "
        "have other kernels, and another lean."
    )


def _side(tally: VerdictTally) -> str | None:
    """The side that the verdict leans to; None if there is no interval."""
    interval = tally.interval_of_networks()
    if interval is None:
        return None
    if interval[0] <= 0 <= interval[1]:
        return "neither side for certain"
    return "`backward()`" if interval[0] > 0 else "the Jacobian"
