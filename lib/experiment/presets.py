"""Experiments worth seeing, to which the page has links."""

from lib.experiment.query import Experiment

PRESETS = {
    "the default network": Experiment(),
    "one output": Experiment(outputs=1),
    "a wide network": Experiment(hidden=(64, 64)),
    "a million samples": Experiment(evaluation="batched", samples=10**6),
}
"""Experiments worth seeing, by the name that the page gives them."""
