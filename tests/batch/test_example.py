"""One component alone and in a batch, against a plain loop of PyTorch and exact values by other means."""

from fractions import Fraction
from math import isfinite

import mpmath
import pytest
import torch

from lib.batch.example import Example, Place, example, is_compared
from lib.batch.study import block, block_size
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.oracles import SMOOTH, as_fraction, exact_gradient, rational_gradient

RELU = Experiment(hidden=(9, 7), output_activation="identity", samples=64)
SMOOTH_ONE = Experiment(activation="tanh", samples=64)
PLACES = [
    Place(size, sample, *one) for size, sample in [(1, 5), (4, 9), (8, 30)] for one in [("output", 1), ("gradient", 3)]
]


def by_hand(experiment: Experiment, place: Place) -> tuple[float, float]:
    """The component of one sample by itself, and of the same sample among its batch."""
    net, samples = network.build(experiment), block(experiment, 0)
    start = place.sample // place.size * place.size
    found = []
    for x, row in (samples[place.sample], ...), (samples[start : start + place.size], place.sample - start):
        x = x.clone().requires_grad_()
        y = net(x)
        y.backward(torch.ones_like(y))
        found.append((y.detach() if place.quantity == "output" else x.grad)[row][place.component].item())
    return found[0], found[1]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_both_values_are_those_of_a_plain_loop(dtype):
    experiment = Experiment(hidden=(9, 7), activation="gelu", dtype=dtype, samples=64)
    for place in PLACES:
        found = example(experiment, place)
        assert (found.alone, found.batch) == by_hand(experiment, place)
        assert found.row == place.sample % place.size and found.dtype == dtype and found.place == place
        infinity = torch.tensor(float("inf"), dtype=getattr(torch, dtype))
        at, goal = (torch.tensor(value, dtype=getattr(torch, dtype)) for value in sorted((found.alone, found.batch)))
        steps = 0
        while at < goal:
            at, steps = torch.nextafter(at, infinity), steps + 1
        assert found.ulps == steps
        assert (found.sum is None) == bool(found.reason)


def close(found: Fraction | None, expected: Fraction) -> bool:
    return found is not None and abs(found - expected) <= abs(expected) * Fraction(1, 2**80)


def test_the_exact_value_of_a_network_of_relus_is_that_of_fractions():
    net, samples = network.build(RELU), block(RELU, 0)
    for place in PLACES:
        x = samples[place.sample].tolist()
        if place.quantity == "gradient":
            expected = rational_gradient(net, x)[place.component]
        else:
            value = [Fraction(number) for number in x]
            for linear in net[::2]:
                rows = zip(linear.weight.tolist(), linear.bias.tolist(), strict=True)
                value = [Fraction(b) + sum(Fraction(w) * v for w, v in zip(ws, value, strict=True)) for ws, b in rows]
                value = value if linear is net[-2] else [max(number, Fraction()) for number in value]
            expected = value[place.component]
        assert close(example(RELU, place).exact, expected)


def test_the_exact_value_of_a_smooth_network_is_that_of_mpmath():
    net, samples = network.build(SMOOTH_ONE), block(SMOOTH_ONE, 0)
    with mpmath.workdps(60):
        for place in PLACES:
            x = samples[place.sample].tolist()
            if place.quantity == "gradient":
                expected = exact_gradient(net, ["tanh", "sigmoid"], x, 0.0)[place.component]
            else:
                value = [mpmath.mpf(number) for number in x]
                for linear, name in zip(net[::2], ("tanh", "sigmoid"), strict=True):
                    rows = zip(linear.weight.tolist(), linear.bias.tolist(), strict=True)
                    value = [SMOOTH[name](mpmath.fdot(zip(ws, value, strict=True)) + b) for ws, b in rows]
                expected = value[place.component]
            assert close(example(SMOOTH_ONE, place).exact, as_fraction(expected))


def closer(found: Example) -> str:
    off = [abs(Fraction(value) - found.exact) for value in (found.alone, found.batch)]
    return "tie" if off[0] == off[1] else ("alone", "batch")[off[1] < off[0]]


def test_closer_is_the_one_with_the_smaller_error():
    experiment = Experiment(samples=64, hidden=(64, 64))
    for sample in range(16):
        for quantity, component in ("output", 0), ("output", 1), ("gradient", 0), ("gradient", 4):
            found = example(experiment, Place(8, sample, quantity, component))
            assert found.closer == closer(found)


@pytest.mark.parametrize("size", [1, 3, 4, 64, 256])
def test_only_samples_of_whole_batches_are_compared(size):
    experiment = Experiment(samples=10**6)
    length = block_size(experiment)
    whole = {start + row for start in range(0, length - size + 1, size) for row in range(size)}
    for sample in [*range(8), *range(length - 260, length + 8), 2 * length - 1, 2 * length]:
        assert is_compared(experiment, Place(size, sample, "output", 0)) == (sample % length in whole)


@pytest.mark.parametrize(
    "place",
    [
        Place(4, -1, "output", 0),
        Place(4, 64, "output", 0),
        Place(4, 0, "output", 2),
        Place(4, 0, "output", -1),
        Place(4, 0, "gradient", 5),
        Place(4, 0, "loss", 0),
    ],
)
def test_no_component_of_the_experiment_is_none_that_is_compared(place):
    experiment = Experiment(samples=64)
    assert not is_compared(experiment, place)
    with pytest.raises(ValueError, match="is no component that is compared"):
        example(experiment, place)


def test_the_gradient_of_a_method_is_not_followed_but_its_outputs_are():
    experiment = Experiment(samples=64, gradient="method", method="jacrev")
    found = example(experiment, Place(4, 1, "gradient", 2))
    assert found.origin is None and found.sum is None and found.step == ""
    assert "jacrev" in found.reason and "are not followed" in found.reason
    assert example(experiment, Place(4, 1, "output", 1)).origin is not None


def test_what_is_shown_of_a_sum_ends_on_its_results():
    """The sum of the output's own layer, before an activation that returns it: both results are the values."""
    found = next(one for sample in range(64) if (one := example(RELU, Place(4, sample, "output", 0))).origin.at == 4)
    known(found.sum, found.reason)
    assert (found.sum.alone.result, found.sum.batch.result) == (found.alone, found.batch)
    assert isfinite(found.alone)
    for traced in found.sum.alone, found.sum.batch:
        assert len(traced.terms) == 8 and traced.terms[-1].name == "bias"
