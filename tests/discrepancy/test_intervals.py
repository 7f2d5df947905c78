"""Intervals hold the truth as often as they claim, in simulations where the truth is known.

Counts are discrete, so that the coverage at one truth jumps up and down as that truth moves; each
simulation draws its truth evenly within 0.1 of the named lean, and averages. Correlations are those
of Gaussian variables of which the components of a sample share a part; winners and decisions then
differ within a sample as they do in the app.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import mpmath
import numpy as np
import pytest

from lib.discrepancy.intervals import FEWEST_SAMPLES, of_networks, of_samples, student

NORMAL = NormalDist()
Z = NORMAL.inv_cdf(0.975)
COMPONENTS = 5
REPEATS = 2000  # the standard error of a coverage of 95 % is then 0.5 %


@dataclass(frozen=True)
class Truth:
    """A lean, how much it scatters over networks, the share of components that are decided, and the
    part of their variance that the components of a sample share: for the winner, and for whether
    there is one."""

    lean: float
    scatter: float
    decided: float
    winner: float
    whether: float


TRUTHS = {
    "the default": Truth(0.018, 0.12, 0.7, 0.02, 0.1),
    "64 outputs": Truth(-0.226, 0.14, 0.92, 0.1, 0.1),
    "softmax": Truth(0.708, 0.08, 0.48, 0.9, 0.6),
    "few decided": Truth(0.08, 0.14, 0.1, 0.1, 0.3),
}
SAMPLES = [("the default", 10), ("64 outputs", 30), ("softmax", 30), ("few decided", 30)]


def coverage(
    truth: np.ndarray, intervals: Iterable[tuple[float, float] | None]
) -> tuple[float, float]:
    """How many of the intervals that there are hold their truth, and in how many cases there is
    one."""
    held = []
    for true, ends in zip(truth, intervals, strict=True):
        if ends is not None:
            assert -1 <= ends[0] < ends[1] <= 1
            held.append(ends[0] <= true <= ends[1])
    return sum(held) / len(held), len(held) / len(truth)


def correlated(generator: np.random.Generator, shape: tuple[int, int], shared: float) -> np.ndarray:
    """Normal variables, shape (repeats, samples, components), that share a part of their variance
    in a sample."""
    common = generator.standard_normal((*shape, 1))
    own = generator.standard_normal((*shape, COMPONENTS))
    return shared**0.5 * common + (1 - shared) ** 0.5 * own


@pytest.mark.parametrize(("name", "samples"), SAMPLES)
def test_intervals_over_samples_hold_the_truth_in_95_of_100_cases(name, samples):
    truth = TRUTHS[name]
    generator = np.random.default_rng(samples)
    shape = REPEATS, samples
    leans = truth.lean + generator.uniform(-0.1, 0.1, shape[0])
    threshold = np.array([NORMAL.inv_cdf((1 + lean) / 2) for lean in leans])[:, None, None]
    decided = correlated(generator, shape, truth.whether) < NORMAL.inv_cdf(truth.decided)
    won = correlated(generator, shape, truth.winner) < threshold
    backward = (decided & won).sum(2)
    jacobian = (decided & ~won).sum(2)
    covered, given = coverage(leans, map(of_samples, backward, jacobian, np.ones_like(backward)))
    assert 0.93 <= covered <= 0.97
    assert given == ((backward + jacobian > 0).sum(1) >= FEWEST_SAMPLES).mean()


@pytest.mark.parametrize("networks", [2, 4, 64])
@pytest.mark.parametrize("name", ["the default", "softmax"])
def test_intervals_over_networks_hold_the_truth_in_95_of_100_cases(name, networks):
    """The leans of the networks scatter as a beta distribution."""
    truth = TRUTHS[name]
    generator = np.random.default_rng(networks)
    shares = generator.uniform(0.8, 1.2, (REPEATS, networks)) * min(truth.decided, 0.8)
    decided = generator.binomial(640, shares)
    leans = truth.lean + generator.uniform(-0.1, 0.1, REPEATS)
    share = (1 + leans[:, None]) / 2
    size = share * (1 - share) / (truth.scatter / 2) ** 2 - 1  # of the beta distribution
    backward = generator.binomial(
        decided, generator.beta(share * size, (1 - share) * size, decided.shape)
    )
    covered, given = coverage(leans, map(of_networks, backward, decided - backward))
    assert 0.93 <= covered <= 0.97 and given > 0.99


def test_the_variance_over_networks_is_the_jackknifes():
    """Each network left out in turn, in plain Python."""
    b = [30, 6, 70, 12]
    n = [58, 13, 130, 25]
    share = sum(b) / sum(n)
    left_out = [(sum(b) - b[i]) / (sum(n) - n[i]) for i in range(4)]
    error = (3 / 4 * sum((part - share) ** 2 for part in left_out)) ** 0.5
    freedom = sum(n) ** 2 / sum(number**2 for number in n) - 1
    half = 2 * student(round(freedom, 2)) * error
    ends = of_networks(np.array(b), np.array(n) - np.array(b))
    assert ends == pytest.approx((2 * share - 1 - half, 2 * share - 1 + half), rel=1e-12)


@pytest.mark.parametrize("freedom", [0.5, 1, 1.37, 3, 63, 4095])
def test_the_quantiles_are_those_of_students_distribution(freedom):
    quantile = student(freedom)
    with mpmath.workdps(30):
        n = mpmath.mpf(freedom)
        factor = mpmath.gamma((n + 1) / 2) / mpmath.sqrt(n * mpmath.pi) / mpmath.gamma(n / 2)
        inside = mpmath.quad(
            lambda t: factor * (1 + t * t / n) ** (-(n + 1) / 2), mpmath.linspace(0, quantile, 9)
        )
        assert abs(inside - mpmath.mpf("0.475")) < 1e-13


def test_there_is_no_interval_where_nothing_can_be_said():
    none = np.zeros(10, np.int64)
    few = none.copy()
    few[: FEWEST_SAMPLES - 1] = 1
    for backward, jacobian in ((none, none), (few, none), (none, few)):
        assert of_samples(backward, jacobian, np.ones_like(none)) is None
    alike = np.array([30, 30])
    assert of_networks(none, none) is of_networks(alike[:1], alike[:1]) is None
    assert of_networks(alike, alike) is None
    hardly_two = of_networks(np.array([10**6, 1]), np.array([10**6, 2]))
    assert hardly_two == (-1, 1)


def test_where_one_side_won_all_the_interval_ends_there_and_has_a_width():
    threes = np.full(10, 3)
    low, high = of_samples(threes, 0 * threes, np.ones_like(threes))
    tenfold = 10 / (10 + Z**2)  # Wilson's lower end for ten successes in ten trials
    assert (low, high) == (pytest.approx(2 * tenfold - 1), 1)
    for n in range(5, 60):  # a truth of ±1 is held, whatever is rounded
        won = np.ones(n, np.int64)
        assert of_samples(won, 0 * won, won)[1] == 1 and of_samples(0 * won, won, won)[0] == -1
