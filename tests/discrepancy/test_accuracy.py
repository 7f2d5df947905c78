"""Who is closer, over one network and over many.

Verdicts are compared with fractions in `reference`; their counts, and the samples that are not
close, in every state of the page.
"""

from collections import Counter
from math import inf, sqrt

import numpy as np
import pytest

from lib.discrepancy.accuracy import VerdictTally
from lib.discrepancy.intervals import of_networks, of_samples
from lib.discrepancy.sentences import LEAN, facts
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.quantities import minus
from lib.floats.sentences import said
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved
from lib.reference.judge import Judge
from lib.reference.pair import Pair
from lib.run.stream import Stream
from lib.run.tally import Histogram


def by_definition(won):
    """Σd/Σn of units in which the sides won so many, and sqrt(Σ(d − lean·n)²)/Σn."""
    total = sum(b + j for b, j in won)
    lean = sum(b - j for b, j in won) / total
    squares = sum((b - j - lean * (b + j)) ** 2 for b, j in won)
    return pytest.approx((lean, sqrt(squares) / total))


def test_many_networks_are_counted_as_networks():
    experiment = Experiment(samples=1000, networks="each-block", evaluation="batched")
    study = Discrepancy(experiment)
    tally = Stream(study, parts=[range(128 * 6, 1000)]).finish()
    won = []
    for block in (6, 7):
        closer = study.tally(study.measure(128 * block, inf)).verdict.closer
        won.append((closer["backward"], closer["jacobian"]))
    ends = of_networks(*np.array(won).T)
    figures = tally.figures()
    assert figures["lean_of_networks"] == by_definition(won)
    assert figures["lean_of_networks_interval"] == ends and figures["lean_interval"] is None
    assert figures["networks"] == 2
    assert tally.verdict.deciding_networks == sum(map(any, won))
    assert f"over 2 networks goes from {minus(f'{ends[0]:+.1%}')} to" in said(
        LEAN, facts(tally, experiment)
    )


def test_networks_beyond_the_bound_are_left_out():
    """They are counted together, under one key."""
    blocks = np.array([0, 4095, 4096])
    keys = np.stack([2 * blocks, 2 * blocks + 1], 1).ravel()
    wins = Histogram.of(keys, np.array([3, 1, 1, 1, 9, 0]))
    many = VerdictTally(network_wins=wins, networks=4103)
    assert many.lean_of_networks() == by_definition([(3, 1), (1, 1)])
    beyond = Experiment(samples=10**6, networks="each-block", evaluation="batched")
    study = Discrepancy(beyond)
    verdict = study.tally(study.measure(128 * 4101, inf)).verdict
    assert verdict.network_wins.keys.max() == 8193


def test_wins_are_counted_with_many_inputs():
    """One output, so the exact gradient is the weights; in each sample a side has as many right as
    it wins."""
    won = [(0, 300), (300, 0), (1, 256), (128, 127), (3, 0), (3, 0), (0, 0)]
    experiment = Experiment(inputs=300, hidden=(), outputs=1, output_activation="identity")
    net = network.build(experiment)
    backward = net[0].weight.repeat(len(won), 1)
    jacobian = backward.clone()
    for sample, (of_backward, of_jacobian) in enumerate(won):
        jacobian[sample, :of_backward] *= 2
        backward[sample, of_backward : of_backward + of_jacobian] *= 2
    x = sampling.block(experiment, 0)[: len(won)]
    judge = Judge(experiment).turned_to(net, x)
    pair = Pair(0, 0, 0, x, backward, jacobian)
    verdict = VerdictTally.of(judge.judge(0, pair, backward_and_saved(net, x)[1]))
    counted = sorted([*pair, count] for pair, count in Counter(won).items())
    assert np.stack(verdict.wins()).T.tolist() == counted
    assert verdict.lean() == by_definition(won)
    ones = np.ones(len(won), np.int64)
    assert verdict.interval() == pytest.approx(of_samples(*np.array(won).T, ones))
