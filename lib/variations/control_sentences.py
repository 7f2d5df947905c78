"""Whether the controls hold, as a sentence of the page, in Markdown."""

from lib.experiment.query import Experiment
from lib.variations.controls import ControlsTally


def controls_claim(tally: ControlsTally, experiment: Experiment) -> str:
    """Whether the two gradients are equal wherever they must be."""
    rows = tally.figures()["controls"]
    if tally.samples == 0:
        return "The first samples of the controls are on their way."
    methods = [method for row in rows for method in row["methods"] if method["certain"]]
    methods = [method for method in methods if method["components"] > method["nonfinite"]]
    if not methods:
        return "No control has a finite component so far."
    wrong = sum(method["equal"] + method["nonfinite"] < method["components"] for method in methods)
    if wrong:
        return f"In {wrong} of {len(methods)} comparisons the two gradients differ, though they must not."
    return f"In all {len(methods)} comparisons so far the two gradients are equal, as they must be."
