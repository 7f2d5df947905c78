"""The orders in which this machine adds up the sums of every layer, for a sample alone and in batches of each size."""

from lib.batch.conditions import SIZES
from lib.experiment.query import Experiment
from lib.replay import layers


def orders(experiment: Experiment) -> dict[str, object]:
    """Return the orders as figures for JSON: those of a sample alone first, in which `batch` is None."""
    return {
        "orders": [{"batch": batch, **row} for batch in (None, *SIZES) for row in layers.figures(experiment, batch)]
    }
