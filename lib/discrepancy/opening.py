"""The opening picture of *Why do they differ?*: two results of one component, how they got there, where, and how often.

The page draws what is handed over here and computes nothing: numbers are places in the picture, and all that is written
is text. The component stays the same while the histogram grows.
"""

from typing import Any

from lib.discrepancy.bits import bits_of_both
from lib.discrepancy.component import Component
from lib.discrepancy.frequencies import Ghost, frequencies
from lib.discrepancy.paths import paths
from lib.discrepancy.running_sums import running_sums
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.query import Experiment

NAMES = "backward()", "Jacobian"
"""The two sides as the picture names them."""


def opening(
    experiment: Experiment, tally: DiscrepancyTally, component: Component | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `component` is None until it is known.

    `ghost` is the histogram of the experiment before this one.
    """
    apart = f"{component.apart} apart" if component and component.finite else "no distance"
    return {
        "example": component
        and {
            "of": experiment.query,
            "key": f"{experiment.query}&sample={component.sample}&component={component.component}",
            "results": bits_of_both(NAMES, (component.backward, component.jacobian), component.dtype, apart),
            "drift": running_sums(component, NAMES),
            "network": paths(component),
        },
        "histogram": frequencies(tally, NAMES, component.ulps if component else None, ghost),
    }
