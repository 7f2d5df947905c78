"""The tables of batches hold what the tally counts."""

import pytest

from lib.batch.arrangements import CONDITIONS, QUANTITIES
from lib.batch.findings import closer, conditions
from lib.batch.study import Batch, BatchTally
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.run.stream import Stream

EXPERIMENT = Experiment(inputs=64, hidden=(64,), outputs=8, samples=100)
SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]


@pytest.fixture(scope="module")
def tally() -> BatchTally:
    return Stream(Batch(EXPERIMENT)).finish()


def test_who_is_closer_and_what_else_matters_by_size(tally):
    of_sizes, counted = closer(tally), tally.figures()["sizes"]
    assert of_sizes["size"].tolist() == list(map(str, SIZES))
    for verdict in ("alone", "batch", "tie", "undecided"):
        counts = [sum(size[quantity]["closer"][verdict] for quantity in QUANTITIES) for size in counted]
        totals = [sum(sum(size[quantity]["closer"].values()) for quantity in QUANTITIES) for size in counted]
        assert of_sizes[verdict].tolist() == list(map(percent, counts, totals))
    varied = conditions(tally)
    assert varied["size"].tolist() == list(map(str, SIZES))
    for name, label in CONDITIONS.items():
        for cell, size in zip(varied[label], counted, strict=True):
            both = [found[quantity] for found in [size["conditions"].get(name)] if found for quantity in QUANTITIES]
            shares = [percent(one["components"] - one["equal"], one["components"]) for one in both]
            assert cell == (", ".join(shares) or "–, –")
