"""Ways to compute a gradient, against plain calls of torch."""

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import comparison, network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject, add_in_order, by, in_float64
from tests.oracles import PLAIN, backward

NET = network.build(Experiment())
BLOCK = sampling.block(Experiment(), 0)[:7]


@pytest.mark.parametrize("method", PLAIN)
def test_a_named_method_is_compared_whatever_the_method_of_the_experiment(method):
    x = BLOCK[0].clone()
    expected = PLAIN[method](NET, x).sum(0)
    assert by(method)(Subject(Experiment(method="jacfwd"), NET), x).equal(expected)
    assert JACOBIAN(Subject(Experiment(method=method), NET), x).equal(expected)
    assert by(method) is by(method)


def test_the_options_of_the_experiment_are_those_of_the_method():
    short, long = (Subject(Experiment(step=step), NET) for step in (-10, -5))
    difference = by("finite-difference")
    assert not difference(short, BLOCK).equal(difference(long, BLOCK))


def test_rows_are_added_one_after_the_other():
    rows = torch.randn(4, 9, 3, generator=torch.Generator().manual_seed(1))
    total = rows[:, 0]
    for row in rows.unbind(1)[1:]:
        total = total + row
    assert add_in_order(rows).equal(total)


def test_float64_has_the_same_weights_and_is_rounded_once():
    experiment = Experiment(dtype="bfloat16")
    net = network.build(experiment)
    subject = Subject(experiment, net)
    x = sampling.block(experiment, 0)[0].clone()
    wide = backward(subject.wide.net, x.double())
    gradient = in_float64(BACKWARD)(subject, x)
    assert subject.wide is subject.wide and gradient.dtype == torch.bfloat16
    assert (gradient.double() - wide).abs().max() <= wide.abs().max() * 2**-9


def test_a_block_is_split_into_samples_or_into_batches():
    sizes = []
    way = comparison.Way("y", lambda subject, x: sizes.append(x.shape) or x)
    assert comparison.alone(way)(None, BLOCK).equal(BLOCK)
    assert comparison.in_batches(way, 3)(None, BLOCK).equal(BLOCK)
    assert sizes == [(5,)] * 7 + [(3, 5), (3, 5), (1, 5)]
