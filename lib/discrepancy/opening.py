"""The opening picture of *Why do they differ?*: two results of one component, how they got there, where, and how often.

The page draws what is handed over here and computes nothing: numbers are places in the picture, and all that is written
is text. The example stays the same while the histogram grows.
"""

from typing import Any

from lib.discrepancy.example import Example
from lib.discrepancy.frequencies import Ghost, bar_of, frequencies
from lib.discrepancy.paths import paths
from lib.discrepancy.running_sums import running_sums
from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.two_results import two_results
from lib.experiment.query import Experiment
from lib.network.method_sentences import words


def opening(
    experiment: Experiment, tally: DiscrepancyTally, example: Example | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `example` is None until it is known.

    `ghost` is the histogram of the experiment before this one.
    """
    other = words(experiment).in_short
    names = "backward()", other[0].upper() + other[1:]
    picked = None if example is None or example.ulps is None else bar_of(example.ulps)
    return {
        "example": None if example is None else _example(experiment, example, names),
        "histogram": frequencies(tally, names, picked, ghost),
    }


def _example(experiment: Experiment, example: Example, names: tuple[str, str]) -> dict[str, Any]:
    return {
        "key": f"{experiment.query}&sample={example.sample}&component={example.component}",
        "results": two_results(example, names),
        "drift": running_sums(example, names),
        "network": paths(example),
    }
