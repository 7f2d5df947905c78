"""One component alone and in a batch, against plain PyTorch and exact values by other means."""

from fractions import Fraction

import mpmath
import pytest
import torch
from torch import Tensor, nn

from lib.batch.arrangements import Pick, block
from lib.batch.example import example
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.oracles import as_fraction, exact_gradient, exact_outputs


def plain(net: nn.Sequential, x: Tensor) -> tuple[list[Tensor], list[Tensor]]:
    """Return the values of a loop over the modules, and what `backward` leaves at each."""
    values = [x.clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
        values[-1].retain_grad()
    values[-1].backward(torch.ones_like(values[-1]))
    return [value.detach() for value in values], [value.grad for value in values]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_an_example_has_the_values_of_plain_calls_and_the_exact_sum_of_the_terms(dtype):
    """Its sum is one of those of plain calls, of operands that do not differ."""
    experiment = Experiment(hidden=(9, 7), activation="gelu", samples=64, dtype=dtype)
    net = network.build(experiment)
    samples = block(experiment, 0)
    for sample in range(0, 64, 9):
        start = sample // 4 * 4
        row = sample - start
        forward, backward = plain(net, samples[sample])
        of_batch = plain(net, samples[start : start + 4])
        sums = {}
        for k in (0, 2, 4):
            linear = net[k]
            terms = (linear.weight.tolist(), forward[k].tolist(), linear.bias.tolist())
            for unit, value in enumerate(forward[k + 1].tolist()):
                other = of_batch[0][k + 1][row][unit].item()
                sums[value, other] = dot(terms[0][unit], terms[1]) + Fraction(terms[2][unit])
            for unit, value in enumerate(backward[k].tolist()):
                other = of_batch[1][k][row][unit].item()
                weights = linear.weight[:, unit].tolist()
                sums[value, other] = dot(weights, backward[k + 1].tolist())
        for quantity, component in (("output", 0), ("gradient", 2)):
            shown = example(experiment, Pick(4, sample, quantity, component))
            assert shown.row == row
            assert (shown.orders is None) == bool(shown.reason)
            if "A kernel of" in shown.reason:
                continue
            known(shown.orders, shown.reason)
            assert shown.shown.exact == sums[shown.shown.alone, shown.shown.batch]
            assert [order.result for order in shown.orders] == [
                shown.shown.alone,
                shown.shown.batch,
            ]


def dot(weights: list[float], values: list[float]) -> Fraction:
    products = (Fraction(w) * Fraction(v) for w, v in zip(weights, values, strict=True))
    return sum(products, Fraction())


@pytest.mark.parametrize(("quantity", "component"), [("output", 1), ("gradient", 3)])
def test_the_exact_value_of_a_component_is_that_of_mpmath(quantity, component):
    """A method is not followed, so its component is shown itself; so is an output of a kernel."""
    experiment = Experiment(hidden=(9,), output_activation="sigmoid", samples=64, gradient="method")
    net = network.build(experiment)
    samples = block(experiment, 0)
    exact = exact_outputs if quantity == "output" else exact_gradient
    for size, sample in ((1, 5), (4, 9), (8, 30)):
        shown = example(experiment, Pick(size, sample, quantity, component))
        if quantity == "gradient":
            assert f"{experiment.method} are not followed" in shown.reason
        elif shown.orders:
            continue
        with mpmath.workdps(60):
            x = [mpmath.mpf(number) for number in samples[sample].tolist()]
            expected = as_fraction(exact(net, x)[component])
        assert abs(shown.shown.exact - expected) <= abs(expected) * Fraction(1, 2**80)


def test_a_kernel_that_differs_after_equal_sums_is_named():
    """The first number of a batch is computed by another kernel of sigmoid, on most machines."""
    experiment = Experiment(inputs=2, hidden=(), outputs=3, samples=256)
    for sample in range(256):
        for unit in range(3):
            shown = example(experiment, Pick(256, sample, "output", unit))
            if shown.orders is None:
                assert "A kernel of sigmoid returns" in shown.reason and shown.shown.floats
                return
    pytest.skip("No kernel of sigmoid differs here.")


def test_a_component_that_is_not_compared_is_refused():
    with pytest.raises(ValueError, match="is no component that is compared"):
        example(Experiment(samples=64), Pick(4, 64, "output", 0))
