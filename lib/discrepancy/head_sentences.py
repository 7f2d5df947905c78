"""The head of the page's first tab: the claim with its figure, and one line of why, in Markdown."""

from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import percent
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment

WHEN_YOU_ADD = "3*(0.1 + 0.5) != 3*0.1 + 3*0.5"
"""Python that is true if its numbers are floats of any one of the dtypes, and each operation rounds to that dtype."""

_LONGEST_CODE = 30  # characters of a call that still fit into the line of why


def headline(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The claim of the page in at most 90 characters, with its figure as soon as there is one."""
    two = _two_ways(experiment)
    if tally.samples == 0:
        return f"{two}: do they agree?"
    if tally.finite == 0:
        return f"{two}: no component is finite in both."
    finite = "finite " if tally.nonfinite else ""
    if tally.equal == tally.finite:
        every = (
            f"the only {finite}component is" if tally.finite == 1 else f"all {tally.finite:,} {finite}components are"
        )
        return f"{two}: {every} equal."
    share = percent(tally.finite - tally.equal, tally.finite)
    return (
        f"{two}: {share} of {finite}components differ." if finite else f"{two}: {share} of its components differ. Why?"
    )


def _two_ways(experiment: Experiment) -> str:
    """What is compared: not every method computes the gradient."""
    gives = METHODS[experiment.method].gives
    if gives == "approximation":
        return "A gradient against finite differences"
    if gives == "sums" and experiment.outputs > 1:
        return "A gradient against a single call"
    return "One gradient, computed two ways"


def why_in_short(experiment: Experiment) -> str:
    """Why the two may differ, in one line."""
    method = METHODS[experiment.method]
    example = f"in {experiment.dtype}, `{WHEN_YOU_ADD}`."
    rounding = f"Rounding makes it matter when you add: {example}"
    if method.gives == "approximation":
        return (
            "A finite difference subtracts two nearly equal outputs: the digits they share cancel, their rounding "
            "errors stay."
        )
    if method.gives == "sums" and experiment.outputs > 1:
        return "`grad` adds up what all outputs send back to x, and returns that sum as every row."
    if method.gives != "rows":
        return f"{rounding} But here both are one backward pass: same additions, same rounding."
    if method.mode == "forward":
        return f"{rounding} `backward()` goes from outputs to inputs, forward mode from inputs to outputs."
    if experiment.outputs == 1:
        return f"{rounding} With one output, no rows are added: only operations on the way may round differently."
    other = f"`{method.summed}`" if len(method.summed) <= _LONGEST_CODE else "the Jacobian"
    adds = f"`backward()` adds outputs on its way back, {other} its rows at the end."
    return f"Same mathematics, different rounding: {example} {adds}"
