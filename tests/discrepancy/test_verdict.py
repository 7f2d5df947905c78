"""Who is closer: counted again with fractions, however the samples are sliced, over one network and over many."""

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.discrepancy.intervals import of_networks
from lib.discrepancy.rounding_units import RoundingUnitsTally
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.verdict import _PAIR, MOST_NETWORKS, VerdictTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.bounds import bound_units
from lib.reference.judge import Gradients, Judge
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.cases import EVERY_DTYPE
from tests.exact_networks import rational_gradient

NEVER, AT_ONCE = float("inf"), 0.0

RATIONAL = [
    Experiment(output_activation="identity", samples=60),
    Experiment(output_activation="relu", activation="identity", samples=60, distribution="normal"),
    Experiment(
        hidden=(6, 4), output_activation="identity", outputs=3, samples=40, evaluation="batched"
    ),
]
"""Networks whose gradients are rational numbers."""


def verdict_of(experiment: Experiment) -> VerdictTally:
    return Stream(Discrepancy(experiment)).finish().verdict


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("experiment", RATIONAL, ids=lambda e: e.query)
def test_closer_is_what_fractions_count(experiment, dtype):
    experiment = replace(experiment, dtype=dtype)
    measured = Discrepancy(experiment).measure(0, NEVER)
    net = network.build(experiment)
    closer, won = Counter(), []
    for x, *values in zip(measured.x.tolist(), *(v.tolist() for v in measured.values), strict=True):
        of_sample = Counter()
        for exact, backward, jacobian in zip(rational_gradient(net, x), *values, strict=True):
            near, far = abs(Fraction(backward) - exact), abs(Fraction(jacobian) - exact)
            of_sample["backward" if near < far else "jacobian" if far < near else "tie"] += 1
        closer += of_sample
        won.append((of_sample["backward"], of_sample["jacobian"]))
    verdict = verdict_of(experiment)
    assert Counter(verdict.closer) == closer
    assert Counter(
        {(b, j): n for b, j, n in zip(*(part.tolist() for part in verdict.wins()), strict=True)}
    ) == Counter(won)
    assert verdict.referenced == experiment.samples


@pytest.mark.parametrize("dtype", ["bfloat16", "float64"])
def test_a_sample_on_a_kink_has_no_reference(dtype):
    """The samples and weights of bfloat16, which often meet a kink; fractions tell where."""
    experiment = Experiment(
        inputs=1, output_activation="identity", samples=600, seed=3, dtype=dtype
    )
    narrow = replace(experiment, dtype="bfloat16")
    net, x = (
        network.build(narrow).to(getattr(torch, dtype)),
        sampling.block(narrow, 0)[:600].to(getattr(torch, dtype)),
    )
    units = list(zip(net[0].weight.flatten().tolist(), net[0].bias.tolist(), strict=True))
    kinks = [
        any(Fraction(w) * Fraction(v) + Fraction(b) == 0 for w, b in units)
        for v in x.flatten().tolist()
    ]
    backward, saved = backward_and_saved(net, x)
    jacobian = backward.double() * (1 + 2.0**-30)
    judge = Judge(experiment).turned_to(net, x)
    verdict = VerdictTally.of(
        judge.judge(0, Gradients(0, 0, 0, x, backward.double(), jacobian), saved)
    )
    assert 0 < sum(kinks) == 600 - verdict.referenced
    assert verdict.closer["undecided"] == sum(kinks)
    assert verdict.certified == (verdict.referenced if dtype == "float64" else 0)


# Over the bound.


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize(
    "method", [name for name, row in METHODS.items() if row.bounded and row.gives != "sums"]
)
def test_rounding_stays_below_the_bound(method, dtype):
    verdict = verdict_of(
        Experiment(method=method, dtype=dtype, samples=20_000, evaluation="batched")
    )
    assert verdict.over_bound == 0 and verdict.max_units.value < verdict.bound_units.value
    assert (verdict.max_units.value == 0) == (method == "summed-output")


def test_what_no_rounding_explains_is_over_the_bound():
    experiment = Experiment(evaluation="batched")
    net, x = network.build(experiment), sampling.block(experiment, 0)[:4]
    backward, saved = backward_and_saved(net, x)
    judge, backward = Judge(experiment).turned_to(net, x), backward.double()
    unit = judge.judge(0, Gradients(0, 0, 0, x, backward, backward), saved).judged.unit
    for factor, over in ((0.99, 0), (1.01, backward.numel())):
        off = backward + torch.from_numpy(factor * bound_units(experiment) * unit)
        found = judge.judge(0, Gradients(0, 0, 0, x, backward, off), saved)
        assert VerdictTally.of(found).over_bound == over


WITHOUT_BOUND = [
    *(
        Experiment(method=method, samples=50)
        for method in ("finite-difference", "single-call", "copies")
    ),
    Experiment(hidden=(256, 256), dtype="bfloat16", samples=20, evaluation="batched"),
]


@pytest.mark.parametrize("experiment", WITHOUT_BOUND, ids=lambda e: e.query)
def test_where_no_bound_is_proved_none_is_claimed_and_none_exceeded(experiment):
    figures = verdict_of(experiment).figures()
    assert figures["bound_units"] is None
    assert figures["over_bound"] == 0 < figures["max_units"]


# The interval.


def test_the_lean_counts_samples():
    verdict = VerdictTally(
        leans=Histogram.of(np.array([3 * _PAIR + 1, 3 * _PAIR + 1, 0 * _PAIR + 2, 0]))
    )
    assert sorted(zip(*(part.tolist() for part in verdict.wins()), strict=True)) == [
        (0, 0, 1),
        (0, 2, 1),
        (3, 1, 2),
    ]
    lean, error = verdict.lean()
    assert lean == (2 + 2 - 2) / (4 + 4 + 2)
    assert error == pytest.approx(math.sqrt(2 * (2 - lean * 4) ** 2 + (-2 - lean * 2) ** 2) / 10)
    keys = [[3 * _PAIR + 1, *[0] * 9], [3 * _PAIR + 1] * 2]
    one, two = (
        VerdictTally(leans=Histogram.of(np.array(of_samples))).lean() for of_samples in keys
    )
    assert VerdictTally().lean() is one is None and two == (0.5, 0)


@pytest.mark.parametrize("blocks", [range(8), range(5, 8)])
def test_many_networks_are_counted_as_networks(blocks):
    experiment = Experiment(samples=1000, networks="each-block", evaluation="batched")
    study = Discrepancy(experiment)
    verdict = Stream(study, parts=[range(128 * blocks.start, 1000)]).finish().verdict
    assert verdict.networks == len(blocks)
    won = []
    for block in blocks:
        closer = study.tally(study.measure(128 * block, NEVER)).verdict.closer
        won.append((closer["backward"], closer["jacobian"]))
    total = sum(b + j for b, j in won)
    lean = sum(b - j for b, j in won) / total
    error = math.sqrt(sum((b - j - lean * (b + j)) ** 2 for b, j in won)) / total
    assert verdict.lean_of_networks() == pytest.approx((lean, error))
    assert verdict.interval_of_networks() == of_networks(*np.array(won).T)
    assert verdict_of(Experiment(samples=20)).lean_of_networks() is None
    wins = [
        Histogram(np.array([0, MOST_NETWORKS - 1, MOST_NETWORKS]), np.array(won))
        for won in ([3, 1, 9], [1, 1, 0])
    ]
    many = VerdictTally(backward_wins=wins[0], jacobian_wins=wins[1], networks=MOST_NETWORKS + 7)
    assert many.lean_of_networks()[0] == (4 - 2) / 6, (
        "those beyond the bound are counted together, and left out"
    )


def test_each_block_is_measured_on_its_own_network():
    experiment = Experiment(samples=300, networks="each-block", dtype="float64")
    study = Discrepancy(experiment)
    for number in (0, 128, 256, 130):
        measured = study.measure(number, AT_ONCE)
        net = network.build(experiment, number // 128)
        x = measured.x[0].clone().requires_grad_()
        net(x).sum().backward()
        torch.testing.assert_close(measured.backward[0], x.grad, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "experiment", [Experiment(samples=5), Experiment(samples=5, networks="each-block")]
)
def test_the_figures_are_json(experiment):
    figures = json.loads(json.dumps(verdict_of(experiment).figures(), allow_nan=False))
    for name in ("lean_interval", "lean_of_networks_interval"):
        assert figures[name] is None or -1 <= figures[name][0] < figures[name][1] <= 1
    if experiment.networks == "each-block":  # samples of one network are no independent networks
        assert figures["lean_interval"] is None and figures["lean"]
    assert set(figures["closer"]) == {"backward", "jacobian", "tie", "undecided"}
    assert figures["bound_units"] == bound_units(experiment) > figures["max_units"]
    assert figures["over_bound"] == 0 and figures["referenced"] == 5


def test_values_that_are_not_finite_get_no_verdict():
    experiment = Experiment(inputs=2, hidden=(), outputs=1, output_activation="identity")
    net, x = network.build(experiment), sampling.block(experiment, 0)
    backward = net[0].weight.repeat(len(x), 1)
    jacobian = backward.clone()
    backward[0, 0], jacobian[1, 1] = torch.inf, torch.nan
    judged = (
        Judge(experiment)
        .turned_to(net, x)
        .judge(0, Gradients(0, 0, 0, x, backward, jacobian), net(x))
    )
    assert VerdictTally.of(judged).closer == {
        "backward": 0,
        "jacobian": 0,
        "tie": backward.numel() - 2,
        "undecided": 0,
    }
    assert RoundingUnitsTally.of(judged).backward_errors.total == backward.numel() - 2


def test_wins_are_counted_right_in_samples_of_many_inputs():
    """One output, so the exact gradient is the weights; in each sample a side has as many right as it wins."""
    won = [(0, 300), (300, 0), (1, 256), (128, 127), (0, 0)]
    experiment = Experiment(
        inputs=300, hidden=(), outputs=1, output_activation="identity", samples=len(won)
    )
    net, x = network.build(experiment), sampling.block(experiment, 0)[: len(won)]
    backward, jacobian = (net[0].weight.repeat(len(won), 1) for _ in range(2))
    for sample, (of_backward, of_jacobian) in enumerate(won):
        jacobian[sample, :of_backward] *= 2
        backward[sample, of_backward : of_backward + of_jacobian] *= 2
    judged = (
        Judge(experiment)
        .turned_to(net, x)
        .judge(0, Gradients(0, 0, 0, x, backward, jacobian), net(x))
    )
    verdict = VerdictTally.of(judged)
    assert sorted(zip(*(part.tolist() for part in verdict.wins()), strict=True)) == [
        (*pair, 1) for pair in sorted(won)
    ]
    assert verdict.lean()[0] == sum(b - j for b, j in won) / sum(b + j for b, j in won)
