"""Ways to compute a gradient, and comparisons of them, against plain calls of torch."""

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject, add_in_order, by, in_float64
from tests.oracles import PLAIN


@pytest.mark.parametrize("method", PLAIN)
def test_a_named_method_is_compared_whatever_the_method_of_the_experiment(method):
    net, x = network.build(Experiment()), sampling.block(Experiment(), 0)[0].clone()
    own, other = Subject(Experiment(method=method), net), Subject(Experiment(method="jacfwd"), net)
    expected = PLAIN[method](net, x).sum(0)
    assert by(method)(other, x).equal(expected) and JACOBIAN(own, x).equal(expected)
    assert by(method) is by(method)


def test_the_options_of_the_experiment_are_those_of_the_method():
    net, x = network.build(Experiment()), sampling.block(Experiment(), 0)[0].clone()
    short, long = (
        by("finite-difference")(Subject(Experiment(step=step), net), x) for step in (-10, -5)
    )
    assert not short.equal(long) and short.equal(
        JACOBIAN(Subject(Experiment(method="finite-difference", step=-10), net), x)
    )


def test_rows_are_added_one_after_the_other():
    rows = torch.randn(4, 9, 3, generator=torch.Generator().manual_seed(1))
    total = rows[:, 0]
    for k in range(1, 9):
        total = total + rows[:, k]
    assert add_in_order(rows).equal(total)


def test_the_weights_in_float64_are_those_of_the_network_and_built_when_they_are_asked_for():
    experiment = Experiment(dtype="bfloat16")
    subject = Subject(experiment, network.build(experiment))
    wide = subject.wide
    assert all(
        w.equal(v.double())
        for w, v in zip(wide.net.parameters(), subject.net.parameters(), strict=True)
    )
    assert subject.wide is wide
    x = sampling.block(experiment, 0)
    assert in_float64(BACKWARD)(subject, x).dtype == torch.bfloat16
    assert in_float64(BACKWARD) is in_float64(BACKWARD)
