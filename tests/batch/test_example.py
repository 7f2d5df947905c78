"""One component alone and in a batch, against a plain loop of PyTorch and exact values by other means."""

from fractions import Fraction

import mpmath
import pytest
import torch

from lib.batch.arrangements import Pick, block, block_size, is_compared
from lib.batch.example import Ends, Node, example
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.oracles import as_fraction, backward, exact_gradient, exact_outputs

PLACES = [
    Pick(size, sample, *one)
    for size, sample in [(1, 5), (4, 9), (8, 30)]
    for one in [("output", 1), ("gradient", 3)]
]


def by_hand(experiment: Experiment, place: Pick) -> tuple[float, float]:
    """The component of one sample by itself, and of the same sample among its batch."""
    net, samples = network.build(experiment), block(experiment, 0)
    start = place.sample // place.size * place.size
    found = []
    for x, row in (
        (samples[place.sample], ...),
        (samples[start : start + place.size], place.sample - start),
    ):
        values = net(x.clone()) if place.quantity == "output" else backward(net, x)
        found.append(values[row][place.component].item())
    return found[0], found[1]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_both_values_are_those_of_a_plain_loop(dtype):
    experiment = Experiment(hidden=(9, 7), activation="gelu", dtype=dtype, samples=64)
    for place in PLACES:
        found = example(experiment, place)
        assert (found.component.alone, found.component.batch) == by_hand(experiment, place)
        assert found.row == place.sample % place.size and found.place == place
        assert (found.orders is None) == bool(found.reason)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize(("start", "steps"), [(0.5, 0), (1.0, 3), (-1.0, 2), (0.0, 4)])
def test_the_distance_is_counted_in_floats(dtype, start, steps):
    at = torch.tensor(start, dtype=getattr(torch, dtype))
    for _ in range(steps):
        at = torch.nextafter(at, torch.full_like(at, float("inf")))
    assert (
        Ends("", dtype, start, at.item()).floats
        == Ends("", dtype, at.item(), start).floats
        == steps
    )
    assert Ends("", dtype, start, float("inf")).floats is None


@pytest.mark.parametrize(("activation", "last"), [("tanh", "sigmoid"), ("relu", "identity")])
def test_the_exact_value_of_a_component_is_that_of_mpmath(activation, last):
    """The gradient of a method is not followed, so the component is shown itself; an output, if a kernel differs."""
    experiment = Experiment(
        hidden=(9,), activation=activation, output_activation=last, samples=64, gradient="method"
    )
    net, samples = network.build(experiment), block(experiment, 0)
    with mpmath.workdps(60):
        for place in PLACES:
            found, x = example(experiment, place), samples[place.sample].tolist()
            if place.quantity == "gradient":
                expected = exact_gradient(net, x)[place.component]
            elif found.orders:
                continue
            else:
                expected = exact_outputs(net, [mpmath.mpf(number) for number in x])[place.component]
            expected = as_fraction(expected)
            assert found.shown == found.component and found.of_itself and found.node is None
            assert "are not followed" in found.reason and experiment.method in found.reason
            assert abs(found.shown.exact - expected) <= abs(expected) * Fraction(1, 2**80)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_sum_has_the_terms_of_its_layer_and_ends_on_what_the_layer_returns(dtype):
    """What goes into a layer comes from the modules before it, called by hand, where nothing differs yet."""
    experiment = Experiment(hidden=(9, 7), samples=64, dtype=dtype)
    net, samples = network.build(experiment), block(experiment, 0)
    for sample in range(0, 64, 5):
        for quantity, component in ("output", 0), ("gradient", 2):
            found = example(experiment, Pick(4, sample, quantity, component))
            if "A kernel of" in found.reason:
                continue
            known(found.orders, found.reason)
            start, unit = sample // 4 * 4, found.node.unit
            ends = []
            for x, row in (
                (samples[sample].clone(), ...),
                (samples[start : start + 4].clone(), sample - start),
            ):
                h = [x.requires_grad_()]
                for module in net:
                    h.append(module(h[-1]))
                slopes = torch.autograd.grad(h[-1].sum(), h)
                at = found.node.k
                if found.node.direction == "forward":
                    factors = zip(
                        net[at - 1].weight[unit].tolist(), h[at - 1][row].tolist(), strict=True
                    )
                    exact = Fraction(net[at - 1].bias[unit].item())
                    ends.append(h[at][row][unit].item())
                else:
                    factors = zip(
                        net[at].weight[:, unit].tolist(), slopes[at + 1][row].tolist(), strict=True
                    )
                    exact = Fraction()
                    ends.append(slopes[at][row][unit].item())
                assert found.shown.exact == exact + sum(
                    Fraction(w) * Fraction(value) for w, value in factors
                )
            assert (found.shown.alone, found.shown.batch) == tuple(ends)
            assert len(found.orders) == 2 and found.shown.name.startswith(
                ("The sum for ", "The gradient with respect to ")
            )


def test_a_kernel_that_differs_after_equal_sums_is_said_to():
    """The first number of a batch is computed by another kernel of sigmoid than the last ones, on most machines."""
    experiment = Experiment(inputs=2, hidden=(), outputs=3, samples=256)
    for place in (Pick(256, sample, "output", unit) for sample in range(256) for unit in range(3)):
        found = example(experiment, place)
        if found.node == Node("forward", 2, place.component):
            assert found.orders is None and "A kernel of sigmoid returns other bits" in found.reason
            assert found.shown == found.component and found.shown.floats
            return
    pytest.skip("No kernel of sigmoid differs here.")


@pytest.mark.parametrize("size", [1, 3, 4, 64, 256])
def test_only_samples_of_whole_batches_are_compared(size):
    experiment = Experiment(samples=10**6)
    length = block_size(experiment)
    whole = {start + row for start in range(0, length - size + 1, size) for row in range(size)}
    for sample in [*range(8), *range(length - 260, length + 8), 2 * length - 1, 2 * length]:
        assert is_compared(experiment, Pick(size, sample, "output", 0)) == (
            sample % length in whole
        )


@pytest.mark.parametrize(
    "of", [(-1, "output", 0), (64, "output", 0), (0, "output", 2), (0, "gradient", 5), (0, "", 0)]
)
def test_no_component_of_the_experiment_is_none_that_is_compared(of):
    experiment, place = Experiment(samples=64), Pick(4, *of)
    assert not is_compared(experiment, place)
    with pytest.raises(ValueError, match="is no component that is compared"):
        example(experiment, place)
