"""The first samples number by number, against PyTorch itself."""

import pytest
import torch

from lib.discrepancy.rows import first_rows
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from tests.oracles import place_of


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_each_row_has_the_values_of_both_ways(evaluation):
    experiment = Experiment(samples=7, evaluation=evaluation)
    study = Discrepancy(experiment).measure(0, float("inf"))
    rows = first_rows(experiment, 3)
    assert rows["sample"].tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert rows["component"].tolist() == [*range(5)] * 3
    sides = [side[:3].flatten().tolist() for side in (study.first, study.second)]
    for name, side in zip(("backward()", "Jacobian"), sides, strict=True):
        texts = [float(text) for text in rows[name]]
        assert torch.equal(torch.tensor(texts), torch.tensor(side))
    pairs = list(zip(*sides, strict=True))
    assert rows["equal"].tolist() == [first == second for first, second in pairs]
    assert rows["difference"].tolist() == [first - second for first, second in pairs]
    places = [[place_of(value, "float32") for value in side] for side in sides]
    apart = [first - second for first, second in zip(*places, strict=True)]
    assert rows["floats apart"].tolist() == apart


def test_what_is_not_finite_has_no_distance():
    overflowing = Experiment(
        inputs=2, hidden=(), outputs=1, dtype="float16", method="finite-difference", step=-60
    )
    assert first_rows(overflowing, 1)["floats apart"].isna().all()
