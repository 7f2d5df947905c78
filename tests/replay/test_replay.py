import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import accumulate, product

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.network.comparison import JACOBIAN, Subject
from lib.replay import first_divergence, orders
from lib.replay.orders import Orders
from lib.replay.replay import Replay, method_replayed, replay, trace
from tests import oracles
from tests.cases import EVERY_DTYPE, EVERY_METHOD, REVERSE_MODE, SHAPES
from tests.known_orders import replayed

CASES = [
    *SHAPES,
    Experiment(outputs=1),
    Experiment(
        inputs=9, hidden=(6,), outputs=20, activation="leaky_relu", output_activation="softplus"
    ),
    Experiment(inputs=3, hidden=(), outputs=5, output_activation="identity"),
    Experiment(inputs=1, hidden=(21,), outputs=19),
]
POST = Experiment()
SAMPLE = 57


@cache
def last_component(experiment: Experiment) -> Replay:
    """The replay of one sample's last component, which several tests look at."""
    return replayed(replay(experiment, SAMPLE, experiment.inputs - 1))


def reason_not_replayed(done: Replay) -> str:
    """Where a replay is not verified nothing is claimed, but why."""
    assert not done.verified and done.reason
    assert (
        done.backward,
        done.jacobian,
        done.first_divergence,
        done.dot_order,
        done.sum_order,
    ) == (*((), (), None, "", ""),)
    assert done.backward_diverges_at is None and done.jacobian_diverges_at is None
    return done.reason


@pytest.mark.parametrize("faults", [("one", ""), ("", "the other"), ("one", "the other")])
def test_a_replay_that_is_not_verified_says_why_of_the_first_side_that_is_not(faults, monkeypatch):
    found = iter(faults)
    monkeypatch.setattr("lib.replay.replay.differs", lambda net, side: next(found))
    done = replay(POST, 0, 0)
    assert reason_not_replayed(done) == (faults[0] or faults[1])
    assert (done.backward_verified, done.jacobian_verified) == (not faults[0], not faults[1])


def sample(experiment: Experiment, number: int = 0) -> torch.Tensor:
    return sampling.block(experiment, 0)[number].clone()


def gradients_in_between(
    net: torch.nn.Sequential, x: torch.Tensor, place: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of the output of module `place`: all outputs at once, (width,), and each,
    (outputs, width)."""
    inner = net[: place + 1](x).detach().requires_grad_()
    rest = net[place + 1 :]
    together = torch.autograd.grad(rest(inner).sum(), inner)[0]
    outputs = len(rest(inner))
    return together, torch.stack(
        [torch.autograd.grad(rest(inner)[o], inner)[0] for o in range(outputs)]
    )


def whole_numbers(experiment: Experiment, seed: int) -> tuple[torch.nn.Sequential, torch.Tensor]:
    net, generator = network.build(experiment), torch.Generator().manual_seed(seed)
    for parameter in net.parameters():
        parameter.copy_(torch.randint(-3, 4, parameter.shape, generator=generator))
    return net, torch.randint(-3, 4, (experiment.inputs,), generator=generator).to(
        net[0].weight.dtype
    )


REPLAYED = [
    (method, evaluation)
    for method in REVERSE_MODE
    for evaluation in ("per-sample", "batched")
    if evaluation in METHODS[method].bounded
]
OF_METHODS = [
    Experiment(
        inputs=6, hidden=(20, 9), outputs=3, activation="tanh", method=method, evaluation=evaluation
    )
    for method, evaluation in REPLAYED
]


@pytest.mark.parametrize(
    ("case", "dtype"),
    [*product(CASES, EVERY_DTYPE), *product(OF_METHODS, ("float32", "bfloat16"))],
    ids=lambda value: getattr(value, "query", value),
)
def test_the_last_bits_are_those_of_pytorch(case, dtype):
    """Nothing here knows of orders: a plain loop or batch by PyTorch has the bits in which both
    replays end."""
    experiment, method = replace(case, dtype=dtype), jacobians.METHODS[case.method]
    net, block, batched = (
        network.build(experiment),
        sampling.block(experiment, 0),
        case.evaluation == "batched",
    )
    plain = cache(
        lambda number: (method(net, block[number].clone()), oracles.backward(net, block[number]))
    )
    for number, component, done in (
        (0, 0, replayed(replay(experiment, 0, 0))),
        (SAMPLE, case.inputs - 1, last_component(experiment)),
    ):
        jacobian, gradient = plain(... if batched else number)
        place = number if batched else 0
        rows = jacobian.view(-1, case.outputs, case.inputs)[place, :, component].tolist()
        summed = jacobian.sum(-2).view(-1, case.inputs)[place, component].item()
        assert done.replayed == case.method
        assert done.backward_result == gradient.view(-1, case.inputs)[place, component].item()
        assert done.jacobian_result == done.method_result == summed
        assert (done.backward[-1].after, done.jacobian[-1].after) == (done.backward_result, summed)
        assert [done.jacobian[end - 1].after for end in accumulate(done.row_lengths)] == rows
        assert done.discrepancy == done.backward_result - summed
        assert done.discrepancy == 0 or done.first_divergence is not None
        assert pickle.loads(pickle.dumps(done)) == done


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_the_factors_are_the_weights_and_the_gradients_of_the_units(case, dtype):
    experiment = replace(case, dtype=dtype)
    done, net = last_component(experiment), network.build(experiment)
    units, letter = len(net[0].bias), "h" if case.hidden else "y"
    together, each = gradients_in_between(net, sample(experiment, SAMPLE), 0)
    name = f"{letter}1." if len(case.hidden) > 1 else letter
    length = len(done.backward)
    for of, steps in [("", done.backward)] + [
        (f"y{o}, ", done.jacobian[o * length : (o + 1) * length]) for o in range(case.outputs)
    ]:
        vector = each[int(of[1:-2])] if of else together
        factors = {step.label: (step.left, step.right) for step in steps if step.left is not None}
        assert factors == {
            f"{of}{name}{unit}: w·δ": (net[0].weight[unit, -1].item(), vector[unit].item())
            for unit in range(units)
        }


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_the_marked_step_is_the_first_that_is_not_the_sum_of_the_rows_steps(case, dtype):
    done = last_component(replace(case, dtype=dtype))
    length = len(done.backward)
    rows = [done.jacobian[o * length : (o + 1) * length] for o in range(case.outputs)]

    def agree(place: int) -> bool:
        for name in ("right", "product", "after"):
            value, *of_rows = (getattr(steps[place], name) for steps in (done.backward, *rows))
            if value is not None and Fraction(value) != sum(map(Fraction, of_rows)):
                return False
        return True

    first = next((place for place in range(length) if not agree(place)), None)
    assert done.backward_diverges_at == first
    if first is not None:
        assert done.jacobian_diverges_at == (case.outputs - 1) * length + first
    else:
        errors = [
            place
            for place, step in enumerate(done.jacobian)
            if place >= case.outputs * length and step.error
        ]
        assert done.jacobian_diverges_at == (errors[0] if errors else None)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_they_part_at_the_first_gradient_that_is_not_the_sum_of_the_rows_gradients(case, dtype):
    experiment = replace(case, dtype=dtype)
    done, net, x = last_component(experiment), network.build(experiment), sample(experiment, SAMPLE)
    places = [gradients_in_between(net, x, place) for place in range(len(net) - 1)]
    found = None
    for place, (together, each) in reversed(list(enumerate(places))):
        activation = (
            place % 2 == 1
        )  # of the output of an activation: the gradient is a dot product of the layer above
        for unit, (value, rows) in enumerate(zip(together.tolist(), each.T.tolist(), strict=True)):
            blocked = activation and not places[place - 1][1][:, unit].any()
            if found is None and not blocked and Fraction(value) != sum(map(Fraction, rows)):
                found = place // 2, unit, activation
    if found is None:
        assert done.first_divergence is None or done.first_divergence.unit == f"x{case.inputs - 1}"
        return
    layer, unit, activation = found
    hidden = f"h{layer + 1}." if len(case.hidden) > 1 else "h"
    assert done.first_divergence.unit == f"{'y' if layer == len(case.hidden) else hidden}{unit}"
    assert (done.first_divergence.operation in ("product", "sum", "rounding")) == activation
    assert (done.first_divergence.operation == "slope") != activation
    assert (
        done.first_divergence.exact
        == sum(map(Fraction, done.first_divergence.rows))
        != Fraction(done.first_divergence.backward)
    )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("hidden", [(), (10,), (7, 5)], ids=str)
def test_with_one_output_they_never_part(hidden, dtype):
    done = replay(Experiment(hidden=hidden, outputs=1, dtype=dtype), 5, 2)
    replayed(done)
    assert (
        done.first_divergence is None
        and done.backward_diverges_at is None
        and done.jacobian_diverges_at is None
    )
    assert done.discrepancy == 0


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**31),
    hidden=st.sampled_from([(), (10,), (4, 3)]),
    outputs=st.integers(1, 6),
)
def test_with_small_whole_numbers_every_operation_is_exact(dtype, seed, hidden, outputs):
    experiment = Experiment(
        hidden=hidden, outputs=outputs, output_activation="identity", dtype="float32"
    )
    if dtype in ("float32", "float64"):  # 16 bits cannot hold all the whole numbers of three layers
        experiment = replace(experiment, dtype=dtype)
    else:
        assume(len(hidden) < 2)
    done = trace(experiment, *whole_numbers(experiment, seed), 0, 0)
    replayed(done)
    assert all(step.error == 0 == step.product_error for step in (*done.backward, *done.jacobian))
    assert done.first_divergence is None and done.discrepancy == 0


@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_other_methods_leave_the_replay_to_functional(method, evaluation):
    experiment = Experiment(method=method, evaluation=evaluation)
    assert method_replayed(experiment) == (
        method if (method, evaluation) in REPLAYED else "functional"
    )


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_the_result_of_the_method_itself_is_beside_the_one_replayed(method):
    experiment = Experiment(samples=10, method=method, step=-9)
    done, net = replay(experiment, 3, 2), network.build(experiment)
    by_method = JACOBIAN(Subject(experiment, net), sample(experiment, 3))
    assert (done.method, done.method_result) == (method, by_method[2].item())


def test_an_unknown_order_is_not_guessed(monkeypatch):
    monkeypatch.setattr(
        first_divergence,
        "orders_of",
        lambda *shape, **options: Orders(reason="It is not revealed."),
    )
    assert reason_not_replayed(replay(POST, 0, 0)) == "It is not revealed."


def test_other_bits_than_those_of_pytorch_are_no_replay(monkeypatch):
    replayed(replay(POST, 0, 0))

    def backwards(tree, left, right):
        return (left.flip(1)[:, :, None] * right.flip(0)).cumsum(1)[:, -1]

    monkeypatch.setattr(orders, "add_up", backwards)
    done = [replay(POST, number, 0) for number in range(5)]
    assert {reason_not_replayed(one) for one in done} == {first_divergence.OTHER_BITS}


def test_an_infinite_gradient_is_not_replayed():
    net = network.build(replace(POST, output_activation="identity"))
    net[2].weight.fill_(3e38)
    done = trace(replace(POST, output_activation="identity"), net, sample(POST), 0, 0)
    assert reason_not_replayed(done) == "A gradient of this sample is infinite or NaN."


@pytest.mark.parametrize(
    ("number", "component", "sentence"),
    [
        (5000, 0, "sample = 5000 is not allowed: it must be a whole number from 0 to 4,999."),
        (-1, 0, "sample = -1 is not allowed: it must be a whole number from 0 to 4,999."),
        (0, 5, "component = 5 is not allowed: it must be a whole number from 0 to 4."),
    ],
)
def test_a_place_that_the_experiment_does_not_have_is_refused(number, component, sentence):
    with pytest.raises(ValueError) as refused:
        replay(POST, number, component)
    assert str(refused.value) == sentence
