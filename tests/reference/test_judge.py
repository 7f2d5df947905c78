"""The judge on networks whose exact gradient can be written down, and values laid where each rule
must decide."""

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference import bounds
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED
from lib.reference.judge import UNJUDGED, Judge, Judged, goes_to_balls
from lib.reference.pair import Pair

INF, NAN = float("inf"), float("nan")


def judged(
    weights: list[list[float]],
    pairs: list[tuple[float, float]],
    dtype: str = "float32",
    activation: str = "identity",
) -> Judged:
    """A layer without biases, judged at x = 1 with a pair of values for each sample, the same in
    all its components."""
    w = torch.tensor(weights, dtype=getattr(torch, dtype))
    experiment = Experiment(
        inputs=w.shape[1],
        hidden=(),
        outputs=len(w),
        output_activation=activation,
        dtype=dtype,
        evaluation="batched",
    )
    net = network.build(experiment)
    net[0].weight.copy_(w)
    net[0].bias.fill_(0.0)
    x = torch.ones(len(pairs), w.shape[1], dtype=w.dtype)
    backward, jacobian = (
        np.repeat(np.array(values)[:, None], w.shape[1], 1) for values in zip(*pairs, strict=True)
    )
    gradients = Pair(0, 0, 0, x, torch.from_numpy(backward), torch.from_numpy(jacobian))
    return Judge(experiment).turned_to(net, x).judge(0, gradients, net(x)).judged


ULP = 2.0**-23
CLOSE, CLEAR = (1.0, 1.0 + ULP), (1.0, 1.0 + 4 * ULP)
"""1 + 2**-24 lies half-way between the first two, and on the side of the first of the others."""


@pytest.mark.parametrize(
    ("rest", "verdict"), [(2.0**-70, SECOND_CLOSER), (-(2.0**-70), FIRST_CLOSER), (0.0, TIE)]
)
def test_what_float64_cannot_decide_ball_arithmetic_does(rest, verdict):
    """The outputs' slopes add up to 1 + 2**-24 + rest, of which float64 loses the rest."""
    found = judged([[1.0], [2.0**-24], [rest]], [CLEAR, CLOSE, CLEAR, CLOSE])
    assert found.verdicts.ravel().tolist() == [FIRST_CLOSER, verdict, FIRST_CLOSER, verdict]
    assert found.certified == 2 and found.referenced.all()
    for errors in (found.first_errors[1], found.second_errors[1]):
        assert errors == pytest.approx(2.0**-24, rel=1e-9)


def test_a_sample_is_certified_where_only_one_of_its_components_is_undecided():
    found = judged([[1.0, 2.0], [2.0**-24, 0.0]], [CLOSE])
    assert found.verdicts.tolist() == [[TIE, SECOND_CLOSER]] and found.certified == 1


def test_what_balls_decide_does_not_change_the_reference_of_the_block():
    """The slopes add up to 1 and three quarters of an ulp, of which float64 loses all."""
    weights = torch.tensor([[1.0], *[[2.0**-54]] * 3])
    experiment = Experiment(1, (), 4, output_activation="identity", evaluation="batched")
    net = network.build(experiment)
    net[0].weight.copy_(weights)
    x = torch.ones(1, 1)
    judge = Judge(experiment).turned_to(net, x)

    def judged_pair(first: float, second: float) -> Judged:
        sides = (torch.tensor([[value]], dtype=torch.float64) for value in (first, second))
        return judge.judge(0, Pair(0, 0, 0, x, *sides), net(x)).judged

    before = judged_pair(*CLEAR)
    assert judged_pair(1 - ULP, 1 + ULP).certified == 1
    assert judged_pair(*CLEAR).exact == before.exact


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_a_value_that_is_not_finite_is_neither_judged_nor_certified(value):
    found = judged([[1.0], [2.0**-24]], [(value, 1.0), (1.0, value), CLEAR])
    assert found.verdicts.ravel().tolist() == [UNJUDGED, UNJUDGED, FIRST_CLOSER]
    assert found.units.ravel()[:2].tolist() == [0, 0] and not found.over.ravel()[:2].any()
    assert found.certified == 0
    in_float64 = judged([[1.0], [2.0**-24]], [(value, 1.0)], "float64")
    assert in_float64.verdicts.tolist() == [[UNJUDGED]] and in_float64.exact.tolist() == [
        [1 + 2.0**-24]
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_errors_and_the_exact_gradient_are_those_of_the_weights(dtype):
    """Three quarters, from which the values are off by a quarter and by an eighth, and the other
    way round."""
    found = judged([[0.5], [0.25]], [(1.0, 0.625), (0.875, 1.0), (1.0, 0.5), (2.0, 2.0)], dtype)
    assert found.verdicts.ravel().tolist() == [SECOND_CLOSER, FIRST_CLOSER, TIE, TIE]
    assert found.first_errors.ravel().tolist() == [0.25, 0.125, 0.25, 1.25]
    assert found.second_errors.ravel().tolist() == [0.125, 0.25, 0.25, 1.25]
    assert found.exact.ravel().tolist() == [0.75] * 4
    assert found.certified == (
        4 if dtype == "float64" else 1
    )  # half-way float64 itself proves nothing


def test_on_a_kink_the_values_are_undecided_unless_they_are_equal():
    found = judged([[1.0, -1.0]], [(1.0, 2.0), (1.0, 1.0)], activation="relu")
    assert found.verdicts.tolist() == [[UNDECIDED] * 2, [TIE] * 2]
    assert np.isnan([found.exact, found.first_errors, found.second_errors]).all()
    assert found.certified == 0 and not found.referenced.any()


def test_units_and_what_is_over_the_bound_follow_from_the_discrepancy():
    """One weight of 3: the path sum is 3, and so a unit is 3·2**-24."""
    bound = bounds.bound_units(
        Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity")
    )
    unit = 3 * 2.0**-24
    found = judged(
        [[3.0]],
        [
            (3.0, 3.0),
            (3.0, 3.0 + unit),
            (3.0 + bound * unit, 3.0),
            (3.0, 3.0 - 1.01 * bound * unit),
        ],
    )
    assert found.unit == pytest.approx(unit, rel=1e-6)
    assert found.units.ravel() == pytest.approx([0, 1, bound, 1.01 * bound], rel=1e-6)
    assert found.over.ravel()[[0, 1, 3]].tolist() == [False, False, True]
    assert found.bound_units == bound


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_a_part_of_a_block_is_judged_as_in_the_whole(dtype):
    experiment = Experiment(dtype=dtype, evaluation="batched", samples=9000)
    net, x = network.build(experiment), sampling.block(experiment, 0)[:16].clone()
    x[9], net[0].bias[0] = 0, 0  # on a kink
    backward, saved = backward_and_saved(net, x)
    factors = 1 + np.random.default_rng(0).choice([0, 1e-3, -1e-3], backward.shape)
    jacobian = backward.double() * torch.from_numpy(factors)
    judge = Judge(experiment).turned_to(net, x)

    def judged_from(start: int, stop: int) -> Judged:
        some = slice(start, stop)
        gradients = Pair(0, start, 1017 + start, x[some], backward.double()[some], jacobian[some])
        return judge.judge(start, gradients, saved[some]).judged

    whole, part = judged_from(0, 16), judged_from(7, 12)
    for name in (
        "verdicts",
        "first_errors",
        "second_errors",
        "exact",
        "unit",
        "units",
        "referenced",
        "over",
    ):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[7:12], err_msg=name)
    assert np.isnan(whole.exact[9]).all() and (
        dtype == "float64" or not np.isnan(whole.exact[8]).any()
    )
    assert whole.referenced.tolist() == [
        number != 1026 and (number == 1024 or dtype != "float64") for number in range(1017, 1033)
    ]


# Which samples ball arithmetic judges in float64.


@pytest.mark.parametrize(
    ("hidden", "evaluation", "first", "every"),
    [
        ((10,), "per-sample", 1000, 4),  # 82 parameters
        ((10,), "batched", 1000, 512),
        ((15,), "batched", 1000, 512),  # 122
        ((16,), "batched", 500, 1024),  # 130: more than 128, so twice as seldom
        ((50,), "per-sample", 250, 16),  # 402
        ((256,) * 6, "per-sample", 1, 4 * 2587),  # 331,010, just above 2,586 times 128
    ],
)
def test_larger_networks_are_judged_more_seldom(hidden, evaluation, first, every):
    experiment = Experiment(hidden=hidden, evaluation=evaluation, dtype="float64")
    numbers = np.arange(3 * every)
    expected = [n for n in range(3 * every) if n < first or n % every == 0]
    assert np.flatnonzero(goes_to_balls(experiment, numbers)).tolist() == expected
