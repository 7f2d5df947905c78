"""Which component is shown first and which comes next, against all that the study measured."""

from math import inf

import pytest

from lib.batch.arrangements import Pick
from lib.batch.example import example
from lib.batch.find_example import first_example, next_pick
from lib.batch.study import Batch
from lib.experiment.query import Experiment

CASES = [
    (Experiment(samples=30, hidden=(40,), activation="gelu"), 8),
    (Experiment(samples=31, dtype="float64", hidden=(6, 6)), 3),
    (Experiment(samples=30), 1),
]


def changes(experiment, size):
    """Every component of the samples that a batch changes, by sample, the outputs first."""
    measured = Batch(experiment).measure(0, inf)
    changed = [
        Pick(size, sample, quantity, component)
        for quantity in ("output", "gradient")
        for pair in [measured.of(quantity, size)]
        for sample, component in (pair.first != pair.second).nonzero().tolist()
    ]
    return sorted(changed, key=lambda pick: pick.sample)


@pytest.mark.parametrize("experiment, size", CASES)
def test_the_first_example_changes(experiment, size):
    """And the next is later."""
    changed = changes(experiment, size)
    first = first_example(experiment, size)
    near = [
        pick
        for pick in changed[:12]
        for shown in [example(experiment, pick)]
        if shown.orders and 0 < shown.shown.floats <= 3
    ]
    assert first == [*near, *changed, Pick(size, 0, "output", 0)][0]
    for sample in range(experiment.samples):
        pick = Pick(size, sample, "gradient", 2)
        later = [other for other in changed if other.sample > sample]
        assert next_pick(experiment, pick) == [*later, *changed, pick][0]
