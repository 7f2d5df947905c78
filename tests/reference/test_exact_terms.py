"""The terms of an exact component against plain fractions and decimals."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.arb_gradient import ArbNetwork, OnKink
from tests.cases import EVERY_DTYPE
from tests.exact_networks import exact_component, first_deltas

CASES = [
    Experiment(),
    Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity"),
    Experiment(inputs=3, hidden=(), outputs=4, output_activation="tanh"),
    Experiment(inputs=3, hidden=(4, 3), outputs=2, activation="tanh"),
    Experiment(
        inputs=4, hidden=(5,), outputs=3, activation="leaky_relu", output_activation="softmax"
    ),
    Experiment(inputs=2, hidden=(3,), outputs=1, output_activation="softmax"),
    Experiment(
        inputs=2,
        hidden=(4, 4, 3),
        outputs=2,
        activation="identity",
        output_activation="relu",
        seed=2,
    ),
]


@pytest.mark.parametrize(
    ("case", "dtype"), list(zip(CASES, [*EVERY_DTYPE, *EVERY_DTYPE[:3]], strict=True))
)
def test_the_terms_are_those_of_plain_fractions(case, dtype):
    experiment = replace(case, dtype=dtype)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].tolist()
    deltas = first_deltas(net, experiment.activations, x)
    for component in range(experiment.inputs):
        terms = ArbNetwork(net, experiment).terms(x, component)
        weights = [Fraction(w) for w in net[0].weight[:, component].tolist()]
        expected = [[w * delta for w, delta in zip(weights, row, strict=True)] for row in deltas]
        size = sum(abs(term) for row in expected for term in row)
        for row, by_fractions in zip(terms.rows, expected, strict=True):
            for term, exact in zip(row, by_fractions, strict=True):
                assert abs(term - exact) <= size / 2**75
        total = sum(map(sum, expected))
        assert abs(terms.component - total) <= abs(total) / 2**79 + Fraction(1, 10**100)
        assert terms.component == sum(map(sum, terms.rows))


@pytest.mark.parametrize("outputs", [1, 4])
def test_the_terms_of_softmax_add_up_to_nothing(outputs):
    experiment = Experiment(outputs=outputs, output_activation="softmax")
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].tolist()
    terms = ArbNetwork(net, experiment).terms(x, 2)
    assert terms.component == 0 and terms.radius == 0
    assert outputs == 1 or any(term for row in terms.rows for term in row)


def test_at_a_kink_there_are_no_terms():
    experiment = Experiment(inputs=2, hidden=(3,))
    net = network.build(experiment)
    net[0].bias.zero_()
    with pytest.raises(OnKink):
        ArbNetwork(net, experiment).terms([0.0, 0.0], 0)


def test_the_precision_is_raised_until_terms_that_cancel_are_certain():
    """Two outputs whose slopes are nearly equal, with weights 1 and −1 + 2**-52: 52 bits cancel."""
    experiment = Experiment(
        inputs=1, hidden=(), outputs=2, output_activation="tanh", dtype="float64"
    )
    net = network.build(experiment)
    net[0].weight[:, 0] = torch.tensor([1, -1 + 2.0**-52], dtype=torch.float64)
    net[0].bias[:] = torch.tensor([0.25, 0.75], dtype=torch.float64)
    terms, exact = (
        ArbNetwork(net, experiment).terms([0.25], 0),
        exact_component(net, ("tanh",), [0.25], 0),
    )
    assert 0 < abs(exact) < 2.0**-50 and terms.radius <= abs(exact) / 2**80
    assert abs(terms.component - exact) <= abs(exact) / 2**80
