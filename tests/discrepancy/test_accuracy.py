"""Who is closer: counted again with fractions, however the samples are sliced, over one network and
over many."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.testing._comparison import default_tolerances

from lib.discrepancy.accuracy import _PAIR, MOST_NETWORKS, VerdictTally
from lib.discrepancy.intervals import of_networks
from lib.discrepancy.sentences import LEAN, facts
from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.bounds import bound_units
from lib.reference.judge import Judge
from lib.reference.pair import Pair
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.cases import EVERY_DTYPE
from tests.exact_networks import rational_gradient

NEVER = float("inf")

RATIONAL = [
    Experiment(output_activation="identity", samples=60),
    Experiment(
        hidden=(6, 4), output_activation="identity", outputs=3, samples=40, evaluation="batched"
    ),
]
"""Networks whose gradients are rational numbers."""


def verdict_of(experiment: Experiment) -> VerdictTally:
    return Stream(Discrepancy(experiment)).finish().verdict


def wins_of(verdict: VerdictTally) -> dict[tuple[int, int], int]:
    """The number of samples by how many components each side won."""
    backward, jacobian, count = (part.tolist() for part in verdict.wins())
    return dict(zip(zip(backward, jacobian, strict=True), count, strict=True))


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("experiment", RATIONAL, ids=lambda e: e.query)
def test_closer_is_what_fractions_count(experiment, dtype):
    experiment = replace(experiment, dtype=dtype)
    measured = Discrepancy(experiment).measure(0, NEVER)
    net = network.build(experiment)
    closer = Counter()
    won = Counter()
    for x, *values in zip(measured.x.tolist(), *(v.tolist() for v in measured.values), strict=True):
        of_sample = Counter()
        for exact, backward, jacobian in zip(rational_gradient(net, x), *values, strict=True):
            near, far = abs(Fraction(backward) - exact), abs(Fraction(jacobian) - exact)
            of_sample["backward" if near < far else "jacobian" if far < near else "tie"] += 1
        closer += of_sample
        won[of_sample["backward"], of_sample["jacobian"]] += 1
    verdict = verdict_of(experiment)
    assert Counter(verdict.closer) == closer and wins_of(verdict) == won
    assert verdict.referenced == experiment.samples


def judged(experiment: Experiment, first: Tensor, second: Tensor) -> Pair:
    """Both results of the first samples, judged."""
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[: len(first)]
    _, saved = backward_and_saved(net, x)
    judge = Judge(experiment).turned_to(net, x)
    return judge.judge(0, Pair(0, 0, 0, x, first, second), saved)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_what_fails_a_check_or_differs_much_is_counted_as_pytorch_does(dtype):
    """Whether `isclose` fails in either order, how much of S is left there, and what is above the
    bound."""
    experiment = Experiment(samples=64, dtype=dtype, output_activation="identity")
    exact = Discrepancy(experiment).measure(0, NEVER).first
    rtol, atol = default_tolerances(exact.dtype)
    generator = torch.Generator().manual_seed(1)
    limits = torch.rand(exact.shape, generator=generator, dtype=torch.float64) * 1.2
    limits[::2] *= 0.5  # every other sample passes
    moved = (exact.double() * (1 + rtol * limits) + atol * limits).to(exact.dtype)
    measured = judged(experiment, exact, moved)
    tally = VerdictTally.of(measured)
    close = torch.isclose(exact, moved, rtol, atol) & torch.isclose(moved, exact, rtol, atol)
    assert tally.not_close == int((~close).any(1).sum()) > 0
    largest = torch.stack([exact, moved]).double().abs().amax((0, 2))[:, None]
    apart = (exact.double() - moved.double()).abs()
    assert tally.relative.value == (apart / largest).max().item()
    far = (~close | (apart / largest >= 0.01)).numpy()
    left = np.abs(measured.judged.exact) / measured.judged.path_sums
    assert tally.kept.value == pytest.approx(left[far].max()) and tally.underflowed == 0
    units = apart.numpy() / measured.judged.unit
    assert tally.over_bound == (units > bound_units(experiment)).sum()
    assert bool(tally.over_bound) == (not DTYPES[dtype].narrow)
    assert tally.figures()["max_units"] == pytest.approx(units.max())


def test_a_subnormal_sum_of_sizes_underflows():
    """The smallest normal number of float16 is 2**-14."""
    for dtype, size, underflowed in (
        ("float16", 2.0**-20, 3),
        ("float16", 2.0**-14, 0),
        ("float32", 2.0**-20, 0),
    ):
        experiment = Experiment(samples=3, dtype=dtype, output_activation="identity")
        exact = Discrepancy(experiment).measure(0, NEVER).first
        measured = judged(experiment, exact, exact + 1)
        tiny = replace(measured.judged, path_sums=measured.judged.path_sums * 0 + size)
        tally = VerdictTally.of(replace(measured, judged=tiny))
        assert (tally.not_close, tally.underflowed) == (3, underflowed)


# The lean and its intervals.


@pytest.mark.parametrize("blocks", [range(8), range(5, 8)])
def test_many_networks_are_counted_as_networks(blocks):
    experiment = Experiment(samples=1000, networks="each-block", evaluation="batched")
    study = Discrepancy(experiment)
    tally = Stream(study, parts=[range(128 * blocks.start, 1000)]).finish()
    verdict = tally.verdict
    won = []
    for block in blocks:
        closer = study.tally(study.measure(128 * block, NEVER)).verdict.closer
        won.append((closer["backward"], closer["jacobian"]))
    total = sum(b + j for b, j in won)
    lean = sum(b - j for b, j in won) / total
    error = math.sqrt(sum((b - j - lean * (b + j)) ** 2 for b, j in won)) / total
    assert verdict.networks == len(blocks)
    assert verdict.lean_of_networks() == pytest.approx((lean, error))
    ends = verdict.interval_of_networks()
    assert ends == of_networks(*np.array(won).T)
    texts = [f"{share:+.1%}".replace("-", "−") for share in (lean, *ends)]
    text = said(LEAN, facts(tally, experiment))
    assert f"is {texts[0]}." in text and f"over {len(blocks)} networks" in text
    assert f"from {texts[1]} to {texts[2]}." in text


def test_networks_beyond_the_bound_are_counted_together_and_left_out():
    blocks = np.array([0, MOST_NETWORKS - 1, MOST_NETWORKS])
    keys = np.stack([2 * blocks, 2 * blocks + 1], 1).ravel()
    wins = Histogram.of(keys, np.array([3, 1, 1, 1, 9, 0]))
    many = VerdictTally(network_wins=wins, networks=MOST_NETWORKS + 7)
    assert many.lean_of_networks()[0] == (4 - 2) / 6
    assert many.interval() is None, "samples of many networks are not independent"
    assert verdict_of(Experiment(samples=20)).lean_of_networks() is None


def test_wins_are_counted_right_in_samples_of_many_inputs():
    """One output, so the exact gradient is the weights; in each sample a side has as many right as
    it wins."""
    won = [(0, 300), (300, 0), (1, 256), (128, 127), (0, 0)]
    experiment = Experiment(inputs=300, hidden=(), outputs=1, output_activation="identity")
    weight = network.build(experiment)[0].weight
    backward, jacobian = (weight.repeat(len(won), 1) for _ in range(2))
    for sample, (of_backward, of_jacobian) in enumerate(won):
        jacobian[sample, :of_backward] *= 2
        backward[sample, of_backward : of_backward + of_jacobian] *= 2
    verdict = VerdictTally.of(judged(experiment, backward, jacobian))
    assert wins_of(verdict) == dict.fromkeys(won, 1)
    lean, error = verdict.lean()
    total = sum(b + j for b, j in won)
    assert lean == sum(b - j for b, j in won) / total
    squares = sum((b - j - lean * (b + j)) ** 2 for b, j in won)
    assert error == pytest.approx(math.sqrt(squares) / total)
    single = VerdictTally(leans=Histogram.of(np.array([3 * _PAIR + 1, *[0] * 9])))
    assert VerdictTally().lean() is single.lean() is None
