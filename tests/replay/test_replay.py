"""A replay ends in PyTorch's own bits, and parts where plain PyTorch's gradients part."""

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
from lib.replay.orders import Orders
from lib.replay.passes import OTHER_BITS, differs, pass_of
from lib.replay.replay import Replay, method_replayed, replay
from tests import oracles
from tests.cases import EVERY_DTYPE, EVERY_METHOD, REVERSE_MODE, SHAPES
from tests.known_orders import known, replayed

CASES = [
    *(SHAPES[k] for k in (0, 1, 3)),
    Experiment(
        inputs=9, hidden=(6,), outputs=20, activation="leaky_relu", output_activation="softplus"
    ),
    Experiment(inputs=3, hidden=(), outputs=5, output_activation="identity"),
]
REPLAYED = [
    (method, evaluation)
    for method in REVERSE_MODE
    for evaluation in ("per-sample", "batched")
    if evaluation in METHODS[method].bounded
]
OF_METHODS = [
    Experiment(inputs=6, hidden=(9,), outputs=3, method=method, evaluation=evaluation)
    for method, evaluation in REPLAYED
]
SAMPLE = 57


@cache
def last_component(experiment: Experiment) -> Replay:
    return replayed(replay(experiment, SAMPLE, experiment.inputs - 1))


@pytest.mark.parametrize(
    ("case", "dtype"),
    [*product(CASES, EVERY_DTYPE), *product(OF_METHODS, ("float32", "bfloat16"))],
    ids=lambda value: getattr(value, "query", value),
)
def test_the_last_bits_are_those_of_pytorch(case, dtype):
    """Nothing here knows of orders: both replays end in the bits of a plain call of PyTorch."""
    experiment = replace(case, dtype=dtype)
    net, block = network.build(experiment), sampling.block(experiment, 0)
    at, place = (..., SAMPLE) if case.evaluation == "batched" else (SAMPLE, 0)
    component = case.inputs - 1
    jacobian = jacobians.METHODS[case.method](net, block[at].clone())
    rows = jacobian.view(-1, case.outputs, case.inputs)[place, :, component].tolist()
    summed = jacobian.sum(-2).view(-1, case.inputs)[place, component].item()
    backward = oracles.backward(net, block[at]).view(-1, case.inputs)[place, component].item()
    done = last_component(experiment)
    assert done.replayed == case.method
    assert (done.backward_result, done.jacobian_result) == (backward, summed)
    assert done.method_result == summed
    assert (done.backward[-1].after, done.jacobian[-1].after) == (backward, summed)
    assert [done.jacobian[end - 1].after for end in accumulate(done.row_lengths)] == rows
    assert done.discrepancy == backward - summed
    assert done.discrepancy == 0 or done.first_divergence is not None
    assert pickle.loads(pickle.dumps(done)) == done


def gradients_in_between(
    net: torch.nn.Sequential, x: torch.Tensor, place: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradients of the output of a module: of all outputs at once, (width,), and of each."""
    inner = net[: place + 1](x).detach().requires_grad_()
    y = net[place + 1 :](inner)
    together = torch.autograd.grad(y.sum(), inner, retain_graph=True)[0]
    each = [torch.autograd.grad(output, inner, retain_graph=True)[0] for output in y]
    return together, torch.stack(each)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_the_steps_are_of_the_weights_and_gradients_and_part_at_the_first_that_is_no_sum(
    case, dtype
):
    experiment = replace(case, dtype=dtype)
    done, net = last_component(experiment), network.build(experiment)
    x = sampling.block(experiment, 0)[SAMPLE].clone()
    length, outputs = len(done.backward), case.outputs
    rows = [done.jacobian[o * length : (o + 1) * length] for o in range(outputs)]
    together, each = gradients_in_between(net, x, 0)
    unit = "h1." if len(case.hidden) > 1 else "h" if case.hidden else "y"
    weights = net[0].weight[:, -1].tolist()
    sums = {"": (done.backward, together)}
    sums |= {f"y{o}, ": (rows[o], each[o]) for o in range(outputs)}
    for row, (steps, deltas) in sums.items():
        factors = {step.label: (step.left, step.right) for step in steps if step.left is not None}
        numbers = enumerate(zip(weights, deltas.tolist(), strict=True))
        assert factors == {f"{row}{unit}{k}: w·δ": pair for k, pair in numbers}

    def agree(place: int) -> bool:
        for name in ("right", "product", "after"):
            value, *of_rows = (getattr(steps[place], name) for steps in (done.backward, *rows))
            if value is not None and Fraction(value) != sum(map(Fraction, of_rows)):
                return False
        return True

    first = next((place for place in range(length) if not agree(place)), None)
    assert done.backward_diverges_at == first
    if first is not None:
        assert done.jacobian_diverges_at == (outputs - 1) * length + first
    else:
        of_rows = range(outputs * length, len(done.jacobian))
        rounded = [place for place in of_rows if done.jacobian[place].error]
        assert done.jacobian_diverges_at == (rounded[0] if rounded else None)


def first_unit_apart(experiment: Experiment) -> tuple[str, bool] | None:
    """The first unit whose gradient is not the sum of the rows', and whether it is a dot product.

    The gradient of the output of an activation is a dot product of the layer behind.
    """
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[SAMPLE].clone()
    places = [gradients_in_between(net, x, place) for place in range(len(net) - 1)]
    for place, (together, each) in reversed(list(enumerate(places))):
        of_activation = place % 2 == 1
        layer = place // 2 + 1
        hidden = f"h{layer}." if len(experiment.hidden) > 1 else "h"
        letter = "y" if layer == len(experiment.widths) - 1 else hidden
        for unit, (value, rows) in enumerate(zip(together.tolist(), each.T.tolist(), strict=True)):
            is_off = of_activation and not places[place - 1][1][:, unit].any()
            if not is_off and Fraction(value) != sum(map(Fraction, rows)):
                return f"{letter}{unit}", of_activation
    return None


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_they_part_at_the_first_gradient_that_is_not_the_sum_of_the_rows_gradients(case, dtype):
    experiment = replace(case, dtype=dtype)
    divergence = last_component(experiment).first_divergence
    apart = first_unit_apart(experiment)
    if apart is None:
        assert divergence is None or divergence.unit == f"x{case.inputs - 1}"
        return
    unit, of_dot_product = apart
    assert divergence.unit == unit
    assert (divergence.operation == "slope") != of_dot_product
    assert (divergence.operation in ("product", "sum", "rounding")) == of_dot_product
    exact = sum(map(Fraction, divergence.rows))
    assert divergence.exact == exact != Fraction(divergence.backward)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=8)
@given(
    seed=st.integers(0, 2**31 - 1),
    hidden=st.sampled_from([(), (10,), (4, 3)]),
    outputs=st.integers(1, 6),
)
def test_with_one_output_or_with_small_whole_numbers_they_never_part(dtype, seed, hidden, outputs):
    experiment = Experiment(outputs=outputs, hidden=hidden, output_activation="identity")
    experiment = replace(experiment, dtype=dtype, seed=seed)
    net = network.build(experiment)
    if outputs > 1:
        assume(len(hidden) < 2 or dtype in ("float32", "float64"))  # 16 bits do not hold them all
        generator = torch.Generator().manual_seed(seed)
        for parameter in net.parameters():
            parameter.copy_(torch.randint(-3, 4, parameter.shape, generator=generator))
        block = torch.randint(-3, 4, (1, experiment.inputs), generator=generator)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "build", lambda *arguments: net)
        if outputs > 1:
            patch.setattr(sampling, "block", lambda *arguments: block.to(net[0].weight.dtype))
        done = replayed(replay(experiment, 0, 2))
    assert done.first_divergence is None and done.discrepancy == 0
    assert done.backward_diverges_at is None and done.jacobian_diverges_at is None
    if outputs > 1:
        steps = *done.backward, *done.jacobian
        assert all(step.error == 0 == step.product_error for step in steps)


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_other_methods_leave_the_replay_to_functional_and_have_their_own_result(method):
    for evaluation in ("per-sample", "batched"):
        is_replayed = (method, evaluation) in REPLAYED
        experiment = Experiment(method=method, evaluation=evaluation)
        assert method_replayed(experiment) == (method if is_replayed else "functional")
    experiment = Experiment(samples=10, method=method, step=-9)
    done, net = replay(experiment, 3, 2), network.build(experiment)
    x = sampling.block(experiment, 0)[3].clone()
    by_method = JACOBIAN(Subject(experiment, net), x)[2].item()
    assert (done.method, done.method_result) == (method, by_method)


# What is not replayed.

POST = Experiment()


def reason_not_replayed(done: Replay) -> str:
    """Where a replay is not verified nothing is claimed, but why."""
    assert not done.verified and done.reason
    assert done.backward == done.jacobian == () and done.first_divergence is None
    assert done.dot_order == done.sum_order == ""
    assert done.backward_diverges_at is None and done.jacobian_diverges_at is None
    return done.reason


@pytest.mark.parametrize("reasons", [("first", ""), ("", "second"), ("first", "second")])
def test_a_replay_that_is_not_verified_says_why_of_the_first_side_that_is_not(reasons, monkeypatch):
    given = iter(reasons)
    monkeypatch.setattr("lib.replay.replay.differs", lambda net, way: next(given))
    done = replay(POST, 0, 0)
    assert reason_not_replayed(done) == (reasons[0] or reasons[1])
    assert (done.backward_verified, done.jacobian_verified) == (not reasons[0], not reasons[1])


def test_a_pass_with_other_bits_or_without_an_order_differs():
    experiment = SHAPES[3]
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    way = pass_of("functional", net, x)
    changed = [gradient.clone() for gradient in way.gradients]
    changed[2][1, 3] *= 1.5
    infinite = [torch.full_like(gradient, torch.inf) for gradient in way.gradients]
    known(not differs(net, way), differs(net, way))
    for changes, reason in (
        ({"gradients": changed}, OTHER_BITS),
        ({"result": way.result * 1.5}, OTHER_BITS),
        ({"orders": way.orders | {2: Orders(reason="Not revealed.")}}, "Not revealed."),
        ({"gradients": infinite}, "A gradient of this sample is infinite or NaN."),
        ({"result": way.result / 0}, "A gradient of this sample is infinite or NaN."),
    ):
        assert differs(net, replace(way, **changes)) == reason


def test_a_card_is_not_replayed(monkeypatch):
    on_the_cpu = network.build(POST), sampling.block(POST, 0)
    monkeypatch.setattr(network, "build", lambda *arguments: on_the_cpu[0])
    monkeypatch.setattr(sampling, "block", lambda *arguments: on_the_cpu[1])
    reason = "Only what the CPU computes is replayed, not what a graphics card does."
    assert reason_not_replayed(replay(replace(POST, device="cuda"), 0, 0)) == reason


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
