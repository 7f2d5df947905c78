"""The tables of batches hold what the tally counts."""

import pytest

from lib.batch.arrangements import CONDITIONS, QUANTITIES
from lib.batch.findings import conditions
from lib.batch.study import Batch, BatchTally
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.run.stream import Stream

EXPERIMENT = Experiment(inputs=64, hidden=(64,), outputs=8, samples=100)
SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]


@pytest.fixture(scope="module")
def tally() -> BatchTally:
    return Stream(Batch(EXPERIMENT)).finish()


def test_what_else_matters_by_size(tally):
    counted = tally.figures()["sizes"]
    varied = conditions(tally)
    assert varied["size"].tolist() == list(map(str, SIZES))
    for name, label in CONDITIONS.items():
        for cell, size in zip(varied[label], counted, strict=True):
            both = [
                found[quantity]
                for found in [size["conditions"].get(name)]
                if found
                for quantity in QUANTITIES
            ]
            shares = [percent(one["components"] - one["equal"], one["components"]) for one in both]
            assert cell == (", ".join(shares) or "–, –")
