"""A replay ends in PyTorch's own bits, and parts where plain PyTorch's gradients part."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import accumulate, product

import pytest
import torch

from lib.experiment.field_kinds import Refusal
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.replay.first_divergence import FirstDivergence
from lib.replay.orders import Orders
from lib.replay.passes import OTHER_BITS, pass_of, why_not_verified
from lib.replay.replay import replay
from tests import oracles
from tests.cases import EVERY_DTYPE, SHAPES, every_dtype, network_and_samples, network_of
from tests.discrepancy.test_component import FOLLOWED
from tests.known_orders import known, replayed

CASES = [
    *(SHAPES[k] for k in (0, 1, 3)),
    Experiment(9, (6,), 20, "leaky_relu", "softplus"),
    Experiment(3, (), 5, output_activation="identity"),
    Experiment(3, (4,), 3, output_activation="identity", seed=4),
]
REPLAYED = [
    (method, evaluation)
    for method in (*FOLLOWED, "jacrev")
    for evaluation in METHODS[method].bounded
]
OF_METHODS = [Experiment(16, (100,), 5, method="functional-vectorized", evaluation="per-sample")]
OF_METHODS += [Experiment(6, (9,), 3, method=row, evaluation=by) for row, by in REPLAYED]
SAMPLE = 57


@cache
def last_component(experiment):
    return replayed(replay(experiment, SAMPLE, experiment.inputs - 1))


@pytest.mark.parametrize(
    "case, dtype",
    [*product(CASES, EVERY_DTYPE), *product(OF_METHODS, ("float32", "float64", "bfloat16"))],
)
def test_the_last_bits_are_those_of_pytorch(case, dtype):
    """Nothing here knows of orders: both replays end in the bits of a plain call of PyTorch."""
    experiment = replace(case, dtype=dtype)
    net, block = network_and_samples(experiment)
    at, place = (..., SAMPLE) if case.evaluation == "batched" else (SAMPLE, 0)
    component = case.inputs - 1
    jacobian = jacobians.JACOBIANS[case.method](net, block[at].clone())
    rows = jacobian.view(-1, case.outputs, case.inputs)[place, :, component].tolist()
    summed = jacobian.sum(-2).view(-1, case.inputs)[place, component].item()
    backward = oracles.backward(net, block[at]).view(-1, case.inputs)[place, component].item()
    done = last_component(experiment)
    assert (done.jacobian_method, done.method_result) == (case.method, summed)
    assert (done.backward_result, done.jacobian_result) == (backward, summed)
    assert (done.backward[-1].after, done.jacobian[-1].after) == (backward, summed)
    assert [done.jacobian[end - 1].after for end in accumulate(done.row_lengths)] == rows
    assert done.discrepancy == backward - summed


def is_sum(value, rows):
    return value is None or Fraction(value) == sum(map(Fraction, rows))


def gradients_in_between(net, x, place):
    """The gradients of a module's output: of the sum of all outputs, and then of each."""
    inner = net[: place + 1](x).detach().requires_grad_()
    y = net[place + 1 :](inner)
    gradients = [torch.autograd.grad(z, inner, retain_graph=True)[0] for z in (y.sum(), *y)]
    return torch.stack(gradients)


@every_dtype
@pytest.mark.parametrize("case", CASES)
def test_the_steps_part_at_the_first_that_is_no_sum(case, dtype):
    experiment = replace(case, dtype=dtype)
    done = last_component(experiment)
    net, block = network_and_samples(experiment)
    x = block[SAMPLE].clone()
    gradients = [gradients_in_between(net, x, place).tolist() for place in range(len(net) - 1)]
    hidden = ["h1.", "h2."] if len(case.hidden) > 1 else ["h"] * len(case.hidden)
    names = [*hidden, "y"]
    length = len(done.backward)
    outputs = range(case.outputs)
    dots = [done.backward, *(done.jacobian[o * length : (o + 1) * length] for o in outputs)]
    weights = net[0].weight[:, -1].tolist()
    for row, steps, deltas in zip(
        ["", *(f"y{o}, " for o in outputs)], dots, gradients[0], strict=True
    ):
        assert {step.label: (step.left, step.right) for step in steps if step.left is not None} == {
            f"{row}{names[0]}{k}: w·δ": pair
            for k, pair in enumerate(zip(weights, deltas, strict=True))
        }

    def agree(steps):
        fields = ([getattr(step, name) for step in steps] for name in ("right", "product", "after"))
        return all(is_sum(value, rows) for value, *rows in fields)

    parts = [place for place, steps in enumerate(zip(*dots, strict=True)) if not agree(steps)]
    sum_of_rows = range(case.outputs * length, len(done.jacobian))
    rounded = [place for place in sum_of_rows if done.jacobian[place].error]
    in_rows = [outputs[-1] * length + place for place in parts]
    assert done.backward_diverges_at == next(iter(parts), None)
    assert done.jacobian_diverges_at == next(iter(in_rows or rounded), None)

    divergence = done.first_divergence
    for place, of_units in reversed(list(enumerate(gradients))):
        # the output of an activation goes into a linear layer
        is_dot_product = place % 2 == 1
        for unit, (value, *rows) in enumerate(zip(*of_units, strict=True)):
            is_off = is_dot_product and not any(row[unit] for row in gradients[place - 1][1:])
            if not is_off and not is_sum(value, rows):
                assert divergence.unit == f"{names[place // 2]}{unit}"
                assert (divergence.operation == "slope") != is_dot_product
                assert not is_sum(divergence.backward, divergence.rows)
                return
    assert (divergence is None) == (done.jacobian_diverges_at is None)
    if divergence:
        assert divergence.unit == f"x{case.inputs - 1}"
        assert divergence.step == (done.backward[parts[0]] if parts else done.jacobian[rounded[0]])


def test_the_sum_of_rows_diverges_at_its_first_rounding(monkeypatch):
    """Rows of 1, t and −t. In `backward()` t and −t meet first, and nothing is rounded."""
    experiment = Experiment(1, (2,), 3, "relu", "identity")
    last = [[1.0, 0.0], [0.0, 2.0**-30], [0.0, -(2.0**-30)]]
    net = network_of(experiment, [[1.0], [1.0]], [0.0] * 2, last, [0.0] * 3)
    monkeypatch.setattr(network, "build", lambda *arguments: net)
    done = replayed(replay(experiment, 0, 0))
    sum_of_rows = done.jacobian[sum(done.row_lengths) :]
    rounded = [step for step in sum_of_rows if step.error]
    known(len(rounded) > 1, "The rows are not added from left to right.")
    assert done.first_divergence == FirstDivergence(
        "sum of rows", "x0", 1.0, (1.0, 2.0**-30, -(2.0**-30)), rounded[0]
    )
    place = sum(done.row_lengths) + sum_of_rows.index(rounded[0])
    assert done.jacobian_diverges_at == place and done.backward_diverges_at is None


def test_a_replay_that_is_not_verified_says_why(monkeypatch):
    """Of the first side that is not."""
    for reasons in (("first", ""), ("", "second"), ("first", "second")):
        given = iter(reasons)
        monkeypatch.setattr(
            "lib.replay.replay.why_not_verified", lambda net, way, given=given: next(given)
        )
        done = replay(Experiment(), 0, 0)
        assert not done.verified and done.reason == (reasons[0] or reasons[1])
        assert done.backward == done.jacobian == () and done.first_divergence is None


def test_a_pass_may_not_be_replayed():
    """With other bits or without an order."""
    experiment = SHAPES[3]
    net, block = network_and_samples(experiment)
    way = pass_of("functional", net, block[0].clone())
    changed = [gradient.clone() for gradient in way.gradients]
    changed[2][1, 3] *= 1.5
    reason = why_not_verified(net, way)
    known(not reason, reason)
    no_number = "A gradient of this sample is infinite or NaN."
    for changes, reason in (
        ({"gradients": changed}, OTHER_BITS),
        ({"result": way.result * 1.5}, OTHER_BITS),
        ({"orders": way.orders | {2: Orders(reason="Not revealed.")}}, "Not revealed."),
        ({"gradients": [gradient / 0 for gradient in changed]}, no_number),
        ({"result": way.result / 0}, no_number),
    ):
        assert why_not_verified(net, replace(way, **changes)) == reason


def test_a_card_is_not_replayed_nor_a_missing_place(monkeypatch):
    post = Experiment()
    on_the_cpu = network_and_samples(post)
    monkeypatch.setattr(network, "build", lambda *arguments: on_the_cpu[0])
    monkeypatch.setattr(sampling, "block", lambda *arguments: on_the_cpu[1])
    done = replay(replace(post, device="cuda"), 0, 0)
    assert not done.verified and "not of a graphics card" in done.reason
    for number, component, sentence in (
        (-1, 0, "sample = -1 is not allowed: it must be a whole number from 0 to 4,999"),
        (0, 5, "component = 5 is not allowed: it must be a whole number from 0 to 4"),
    ):
        with pytest.raises(Refusal, match=sentence):
            replay(post, number, component)
