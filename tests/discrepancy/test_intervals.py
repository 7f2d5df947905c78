"""Intervals hold the truth as often as they claim, in simulations where the truth is known.

Counts are discrete, so that the coverage at one truth jumps up and down as that truth moves; each
simulation draws its truth evenly within 0.1 of the named lean, and averages. Correlations are those
of Gaussian variables of which the components of a sample share a part; winners and decisions then
differ within a sample as they do in the app.
"""

from statistics import NormalDist

import mpmath
import numpy as np
import pytest

from lib.discrepancy.intervals import of_networks, of_samples, student

NORMAL = NormalDist()
REPEATS = 2000
"""The standard error of a coverage of 95 % is then 0.5 %."""


@pytest.mark.parametrize(
    "lean, decided, winner, whether, samples",
    [
        # the default
        (0.018, 0.7, 0.02, 0.1, 10),
        # 64 outputs
        (-0.226, 0.92, 0.1, 0.1, 30),
        # softmax
        (0.708, 0.48, 0.9, 0.6, 30),
    ],
)
def test_intervals_hold_the_truth_in_95_of_100_cases(lean, decided, winner, whether, samples):
    """A share of the components is decided. The components of a sample share a part of the variance
    of the winner, and of whether there is one."""
    generator = np.random.default_rng(samples)

    def correlated(shared):
        common = generator.standard_normal((REPEATS, samples, 1))
        own = generator.standard_normal((REPEATS, samples, 5))
        return shared**0.5 * common + (1 - shared) ** 0.5 * own

    leans = lean + generator.uniform(-0.1, 0.1, REPEATS)
    threshold = np.array([NORMAL.inv_cdf((1 + true) / 2) for true in leans])[:, None, None]
    known = correlated(whether) < NORMAL.inv_cdf(decided)
    won = correlated(winner) < threshold
    backward, jacobian = (known & won).sum(2), (known & ~won).sum(2)
    intervals = [*map(of_samples, backward, jacobian, np.ones_like(backward))]
    enough = (backward + jacobian > 0).sum(1) >= 5
    assert [ends is not None for ends in intervals] == enough.tolist()
    held = [ends[0] <= true <= ends[1] for true, ends in zip(leans, intervals, strict=True) if ends]
    assert 0.93 <= np.mean(held) <= 0.97


def test_variances_are_the_jackknifes():
    """Each network is left out in turn."""
    b = np.array([30, 6, 70, 12])
    n = np.array([58, 13, 130, 25])
    share = b.sum() / n.sum()
    left_out = (b.sum() - b) / (n.sum() - n)
    error = (3 / 4 * ((left_out - share) ** 2).sum()) ** 0.5
    half = 2 * student(round(n.sum() ** 2 / (n**2).sum() - 1, 2)) * error
    ends = (2 * share - 1 - half, 2 * share - 1 + half)
    assert of_networks(b, n - b) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("freedom", [0.5, 1, 1.37, 3, 63, 4095])
def test_quantiles_are_of_students_distribution(freedom):
    """The probability of [0, t] is half the incomplete beta function of 1/2 and n/2."""
    squared = mpmath.mpf(student(freedom)) ** 2
    share = squared / (freedom + squared)
    inside = mpmath.betainc(0.5, freedom / 2, 0, share, regularized=True) / 2
    assert abs(inside - 0.475) < 1e-13


def test_there_is_no_interval_where_nothing_can_be_said():
    none = np.zeros(10, np.int64)
    few = none.copy()
    few[:4] = 1
    for backward, jacobian in ((none, none), (few, none), (none, few)):
        assert of_samples(backward, jacobian, np.ones_like(none)) is None
    alike = np.array([30, 30])
    assert of_networks(none, none) is of_networks(alike[:1], alike[:1]) is None
    assert of_networks(alike, alike) is None
    assert of_networks(np.array([10**6, 1]), np.array([10**6, 2])) == (-1, 1)


def test_one_side_may_win_all():
    """It ends there."""
    threes = np.full(10, 3)
    # Wilson's lower end for ten of ten successes
    tenfold = 10 / (10 + NORMAL.inv_cdf(0.975) ** 2)
    ends = of_samples(threes, 0 * threes, np.ones_like(threes))
    assert ends == (pytest.approx(2 * tenfold - 1), 1)
    # a truth of ±1 is held, whatever is rounded
    for n in range(5, 60):
        won = np.ones(n, np.int64)
        assert of_samples(won, 0 * won, won)[1] == 1 and of_samples(0 * won, won, won)[0] == -1
