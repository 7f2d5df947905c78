"""The first samples number by number, against plain calls."""

import pytest
import torch
from torch.autograd.functional import jacobian

from lib.discrepancy.rows import first_rows
from lib.experiment.query import Experiment
from lib.network import network, sampling
from tests.oracles import backward, place_of


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_each_row_has_the_values_of_both_ways(evaluation):
    experiment = Experiment(samples=7, evaluation=evaluation)
    net = network.build(experiment)
    x = sampling.block(experiment, 0)
    if evaluation == "batched":
        sides = backward(net, x), jacobian(lambda x: net(x).sum(0), x).sum(0)
    else:
        sides = zip(*((backward(net, point), jacobian(net, point).sum(0)) for point in x[:3]))  # noqa: B905
        sides = map(torch.stack, sides)
    first, second = (side[:3].flatten().tolist() for side in sides)
    rows = first_rows(experiment, 3)
    assert rows["sample"].tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert rows["component"].tolist() == [*range(5)] * 3
    for name, side in (("backward()", first), ("Jacobian", second)):
        texts = [float(text) for text in rows[name]]
        assert torch.equal(torch.tensor(texts), torch.tensor(side))
    pairs = list(zip(first, second, strict=True))
    assert rows["equal"].tolist() == [a == b for a, b in pairs]
    assert rows["difference"].tolist() == [a - b for a, b in pairs]
    apart = [place_of(a, "float32") - place_of(b, "float32") for a, b in pairs]
    assert rows["floats apart"].tolist() == apart


def test_what_is_not_finite_has_no_distance():
    overflowing = Experiment(
        inputs=2, hidden=(), outputs=1, dtype="float16", method="finite-difference", step=-60
    )
    assert first_rows(overflowing, 1)["floats apart"].isna().all()
