"""One component alone and in a batch, against plain PyTorch and exact values by other means."""

from fractions import Fraction

import mpmath
import pytest
import torch

from lib.batch.arrangements import Pick, block
from lib.batch.example import example
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import every_dtype
from tests.known_orders import known
from tests.oracles import as_fraction, exact_gradient, exact_outputs


def plain(net, x):
    """Return the values of a loop over the modules, and what `backward` leaves at each."""
    values = [x.clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
        values[-1].retain_grad()
    values[-1].backward(torch.ones_like(values[-1]))
    return [value.detach() for value in values], [value.grad for value in values]


@every_dtype
def test_an_example_has_the_values_of_plain_calls(dtype):
    """Its sum is one of those of plain calls, of operands that do not differ."""
    experiment = Experiment(hidden=(9, 7), activation="gelu", samples=64, dtype=dtype)
    net = network.build(experiment)
    samples = block(experiment, 0)
    for sample in range(0, 64, 9):
        row = sample % 4
        forward, backward = plain(net, samples[sample])
        batch = plain(net, samples[sample - row : sample - row + 4])
        sums = {}
        for k in (0, 2, 4):
            weight = net[k].weight
            for unit, bias in enumerate(net[k].bias.tolist()):
                values = forward[k + 1][unit].item(), batch[0][k + 1][row, unit].item()
                sums[values] = dot(weight[unit], forward[k]) + Fraction(bias)
            for unit, column in enumerate(weight.T):
                values = backward[k][unit].item(), batch[1][k][row, unit].item()
                sums[values] = dot(column, backward[k + 1])
        for quantity, component in (("output", 0), ("gradient", 2)):
            shown = example(experiment, Pick(4, sample, quantity, component))
            assert shown.row == row and (shown.orders is None) == bool(shown.reason)
            if "whose kernel" in shown.reason:
                continue
            known(shown.orders, shown.reason)
            values = shown.shown.alone, shown.shown.batch
            assert shown.shown.exact == sums[values]
            assert tuple(order.result for order in shown.orders) == values


def dot(weights, values):
    pairs = zip(weights.tolist(), values.tolist(), strict=True)
    return sum((Fraction(w) * Fraction(v) for w, v in pairs), Fraction())


@pytest.mark.parametrize("quantity, component", [("output", 1), ("gradient", 3)])
def test_exact_components_are_those_of_mpmath(quantity, component):
    """A method is not followed, so its component is shown itself; so is an output of a kernel."""
    experiment = Experiment(hidden=(9,), output_activation="sigmoid", samples=64, gradient="method")
    net = network.build(experiment)
    exact = exact_outputs if quantity == "output" else exact_gradient
    for size, sample in ((1, 5), (4, 9), (8, 30)):
        shown = example(experiment, Pick(size, sample, quantity, component))
        if quantity == "gradient":
            assert f"{experiment.method} are not followed" in shown.reason
        elif shown.orders:
            continue
        with mpmath.workdps(60):
            x = [mpmath.mpf(number) for number in block(experiment, 0)[sample].tolist()]
            expected = as_fraction(exact(net, x)[component])
        assert abs(shown.shown.exact - expected) <= abs(expected) * Fraction(1, 2**80)
