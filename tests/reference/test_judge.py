"""The judge on networks whose exact gradient is rational, and values laid where each rule must
decide."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment.choices import ACTIVATIONS
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.jacobians import backward_and_saved
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, TIE, UNDECIDED, UNJUDGED
from lib.reference.bounds import bound_units
from lib.reference.judge import Judge, goes_to_balls
from lib.reference.pair import Pair
from tests.cases import EVERY_DTYPE, network_and_samples, network_of
from tests.oracles import rational_gradient

INF, NAN = float("inf"), float("nan")

steps = st.tuples(st.integers(-3, 3), st.sampled_from([2.0**-52, 2.0**-30]))


@settings(max_examples=60)
@given(
    st.sampled_from(["relu", "identity"]),
    st.lists(st.integers(1, 5), max_size=3).map(tuple),
    st.sampled_from(EVERY_DTYPE),
    st.integers(0, 1000),
    st.data(),
)
def test_verdicts_and_errors_are_those_of_fractions(activation, hidden, dtype, seed, data):
    chosen = {"dtype": dtype, "distribution": "normal", "seed": seed, "evaluation": "batched"}
    experiment = Experiment(3, hidden, 2, activation, activation, **chosen)
    net, x = network_and_samples(experiment, 2)
    exact = [rational_gradient(net, sample) for sample in x.tolist()]
    nearest = np.array(exact, float)

    def side():
        relative = [step * size for step, size in data.draw(st.tuples(*[steps] * 6))]
        return nearest * (1 + np.reshape(relative, (2, 3))) + data.draw(steps)[0] * 2.0**-60

    sides = side(), side()
    pair = Pair(0, 0, 0, x, *map(torch.from_numpy, sides))
    saved = backward_and_saved(net, x)[1]
    judged = Judge(experiment).turned_to(net, x).judge(0, pair, saved).judged
    for i, j in np.ndindex(2, 3):
        first, second = (abs(Fraction(values[i, j]) - exact[i][j]) for values in sides)
        verdict = FIRST_CLOSER if first < second else SECOND_CLOSER if second < first else TIE
        assert judged.verdicts[i, j] == verdict
        room = 0 if dtype == "float64" else 1e-14 * judged.absolute_sums[i, j]
        errors = judged.first_errors[i, j], judged.second_errors[i, j]
        assert errors == pytest.approx((float(first), float(second)), rel=1e-12, abs=room)
        assert judged.exact[i, j] == pytest.approx(nearest[i, j], rel=0, abs=room)


def judging(weights, dtype="float32", activation="identity"):
    """A judge of a layer without biases at x = 1, of pairs of values, one pair a sample."""
    inputs, outputs = len(weights[0]), len(weights)
    chosen = {"output_activation": activation, "dtype": dtype, "evaluation": "batched"}
    experiment = Experiment(inputs, (), outputs, **chosen)
    net = network_of(experiment, weights, [0.0] * outputs)
    x = torch.ones(4, inputs, dtype=net[0].weight.dtype)
    judge = Judge(experiment).turned_to(net, x)

    def judged(*pairs):
        values = torch.tensor(pairs, dtype=torch.float64).T[:, :, None].expand(-1, -1, inputs)
        some = x[: len(pairs)]
        return judge.judge(0, Pair(0, 0, 0, some, *values), net(some))

    return judged


ULP = 2.0**-23
CLOSE, CLEAR = (1.0, 1.0 + ULP), (1.0, 1.0 + 4 * ULP)
"""1 + 2**-24 lies half-way between the first two, and on the side of the first of the others."""


@pytest.mark.parametrize(
    "rest, verdict", [(2.0**-70, SECOND_CLOSER), (-(2.0**-70), FIRST_CLOSER), (0.0, TIE)]
)
def test_balls_decide_what_float64_cannot(rest, verdict):
    """The outputs' slopes add up to 1 + 2**-24 + rest, of which float64 loses the rest. The
    reference of the block stays as it was."""
    judge = judging([[1.0], [2.0**-24], [rest]])
    judged = judge(CLEAR, CLOSE, CLEAR, CLOSE).judged
    assert judged.verdicts.ravel().tolist() == [FIRST_CLOSER, verdict, FIRST_CLOSER, verdict]
    assert judged.certified == 2 and judged.referenced.all()
    only_one_component = judging([[1.0, 2.0], [2.0**-24, 0.0]])(CLOSE).judged
    assert only_one_component.verdicts.tolist() == [[TIE, SECOND_CLOSER]]
    assert only_one_component.certified == 1
    by_balls = judging([[1.0], *[[2.0**-54]] * 3])
    before = by_balls(CLEAR).judged.exact
    assert by_balls((1 - ULP, 1 + ULP)).judged.certified == 1
    assert by_balls(CLEAR).judged.exact == before


@pytest.mark.parametrize("value", [INF, NAN])
@pytest.mark.parametrize("dtype, certified", [("float32", 0), ("float64", 3)])
def test_a_value_that_is_not_finite_is_not_judged(value, dtype, certified):
    judged = judging([[1.0], [2.0**-24]], dtype)((value, 1.0), (1.0, value), CLEAR).judged
    assert judged.verdicts.ravel().tolist() == [UNJUDGED, UNJUDGED, FIRST_CLOSER]
    assert judged.units.ravel()[:2].tolist() == [0, 0] and not judged.over.ravel()[:2].any()
    assert judged.certified == certified and (judged.exact == 1 + 2.0**-24).all()


def test_on_a_kink_different_values_are_undecided():
    judged = judging([[1.0, -1.0]], activation="relu")((1.0, 2.0), (1.0, 1.0)).judged
    assert judged.verdicts.tolist() == [[UNDECIDED] * 2, [TIE] * 2]
    assert np.isnan([judged.exact, judged.first_errors, judged.second_errors]).all()
    assert judged.certified == 0 and not judged.referenced.any()
    beside = judging([[1.0, -1.0, 2.0**-60]], activation="relu")((1.0, 1.0)).judged
    assert beside.referenced.all() and beside.certified == 1


def test_units_and_the_bound_are_of_the_discrepancy():
    """One weight of 3: the path sum is 3, and so a unit is 3·2**-24."""
    bound = bound_units(Experiment(1, (), 1, output_activation="identity"))
    unit = 3 * 2.0**-24
    units = [0, 1, 0.99 * bound, 1.01 * bound]
    judged = judging([[3.0]])(*((3.0, 3.0 - count * unit) for count in units)).judged
    assert judged.unit == pytest.approx(unit, rel=1e-6)
    assert judged.units.ravel() == pytest.approx(units, rel=1e-6)
    assert judged.over.ravel().tolist() == [False, False, False, True]
    assert judged.bound_units == bound


def test_the_condition_number_of_zero_and_of_nothing():
    """None means 0: no path reaches an output, or a value is not finite."""
    judge = judging([[1.0, 2.0, 0.0], [-1.0, -0.5, 0.0]])
    condition = judge((1.0, 1.0), (1.0, NAN)).condition
    assert condition.tolist() == [[INF, pytest.approx(2.5 / 1.5), 0], [0, 0, 0]]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(1, 1), (6, 5)])
def test_the_condition_number_is_of_all_paths(activation, hidden):
    """On a single path it is 1, whatever terms a slope is made of. The slopes are PyTorch's."""
    experiment = Experiment(1, hidden, 1, activation, "identity", "bfloat16", evaluation="batched")
    net, x = network_and_samples(experiment, 50)
    backward, saved = backward_and_saved(net, x)
    judge = Judge(experiment).turned_to(net, x)
    measured = judge.judge(0, Pair(0, 0, 0, x, backward, backward), saved)
    sums, h = torch.ones(50, 1, 1).double(), x.double()
    for module in net.double():
        if isinstance(module, torch.nn.Linear):
            sums = module.weight.abs() @ sums
        else:
            h = h.detach().requires_grad_()
            slope = torch.autograd.grad(module(h).sum(), h)[0]
            sums = slope.abs()[:, :, None] * sums
        h = module(h)
    assert measured.judged.absolute_sums == pytest.approx(sums[:, :, 0].detach().numpy(), 1e-6)
    known = measured.judged.exact != 0
    quotients = measured.judged.absolute_sums[known] / np.abs(measured.judged.exact[known])
    assert measured.condition[known] == pytest.approx(quotients.clip(1)) and known.any()
    assert sum(hidden) > 2 or measured.condition[known].max() < 1.001


def test_the_gradient_of_a_softmax_is_0_without_balls():
    x = torch.ones(1, 1, dtype=torch.float64)
    experiment = Experiment(1, (), 2, "relu", "softmax", "float64", evaluation="batched")
    net = network.build(experiment)
    pair = Pair(0, 0, 1001, x, x, x)
    judged = Judge(experiment).turned_to(net, x).judge(0, pair, net(x))
    assert np.isnan(judged.judged.exact).all() and judged.condition == INF


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_part_of_a_block_is_judged_as_in_the_whole(dtype):
    """In float64 those that ball arithmetic judges: of these, the sample with number 1024."""
    experiment = Experiment(dtype=dtype, evaluation="batched", samples=9000)
    net, x = network_and_samples(experiment, 16)
    backward, saved = backward_and_saved(net, x)
    factors = 1 + np.random.default_rng(0).choice([0, 1e-3, -1e-3], backward.shape)
    sides = backward.double(), backward.double() * torch.from_numpy(factors)
    judge = Judge(experiment).turned_to(net, x)

    def judged(some):
        values = [side[some] for side in sides]
        pair = Pair(0, some.start, 1017 + some.start, x[some], *values)
        return judge.judge(some.start, pair, saved[some]).judged

    whole, part = judged(slice(0, 16)), judged(slice(6, 12))
    for name in ("verdicts", "first_errors", "exact", "unit", "referenced"):
        np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[6:12])
    by_balls = [number == 1024 or dtype != "float64" for number in range(1017, 1033)]
    assert whole.referenced.tolist() == by_balls


@pytest.mark.parametrize(
    "hidden, evaluation, first, every",
    [
        # 82 parameters
        ((10,), "per-sample", 1000, 4),
        # 122
        ((15,), "batched", 1000, 512),
        # 130: more than 128, so twice as seldom
        ((16,), "batched", 500, 1024),
        # 331,010, just above 2,586 times 128
        ((256,) * 6, "per-sample", 1, 4 * 2587),
    ],
)
def test_larger_networks_are_judged_more_seldom(hidden, evaluation, first, every):
    experiment = Experiment(hidden=hidden, evaluation=evaluation, dtype="float64")
    numbers = np.arange(3 * every)
    expected = [n for n in range(3 * every) if n < first or n % every == 0]
    assert np.flatnonzero(goes_to_balls(experiment, numbers)).tolist() == expected
