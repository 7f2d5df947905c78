"""Intervals hold the truth as often as they claim, in simulations where the truth is known.

Counts are discrete, so that the coverage at one truth jumps up and down as that truth moves; each simulation draws its
truth evenly within 0.1 of the named lean, and averages. Correlations are those of Gaussian variables of which the
components of a sample share a part; winners and decisions then differ within a sample as they do in the app: nearly
independent by default, nearly all with one winner for softmax.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

import mpmath
import numpy as np
import pytest

from lib.discrepancy.intervals import FEWEST_SAMPLES, of_networks, of_samples, student

NORMAL = NormalDist()
COMPONENTS = 5
REPEATS = 4000  # the standard error of a coverage of 95 % is then 0.3 %


@dataclass(frozen=True)
class Truth:
    """A lean, by how much it scatters over networks, the share of components that are decided; and how much of their
    variance the components of a sample have in common, for the winner and for whether there is one."""

    lean: float
    scatter: float
    decided: float
    winner: float
    whether: float


TRUTHS = {
    "no lean": Truth(0.0, 0.14, 0.7, 0.0, 0.1),
    "the default": Truth(0.018, 0.12, 0.7, 0.02, 0.1),
    "64 outputs in float32": Truth(-0.226, 0.14, 0.92, 0.1, 0.1),
    "64 outputs in bfloat16": Truth(0.258, 0.16, 0.7, 0.1, 0.1),
    "softmax": Truth(0.708, 0.08, 0.48, 0.9, 0.6),
    "few decided": Truth(0.08, 0.14, 0.1, 0.1, 0.3),
}


def coverage(
    truth: np.ndarray, intervals: Iterable[tuple[float, float] | None]
) -> tuple[float, float]:
    """How many of the intervals that there are hold their truth, and in how many cases there is one."""
    held = [
        ends[0] <= true <= ends[1]
        for true, ends in zip(truth, intervals, strict=True)
        if valid(ends)
    ]
    return sum(held) / len(held), len(held) / len(truth)


def valid(ends: tuple[float, float] | None) -> bool:
    assert ends is None or -1 <= ends[0] < ends[1] <= 1
    return ends is not None


def correlated(generator: np.random.Generator, shape: tuple[int, int], shared: float) -> np.ndarray:
    """Normal variables of shape (*shape, COMPONENTS) whose last dimension shares that part of the variance."""
    common, own = (
        generator.standard_normal((*shape, 1)),
        generator.standard_normal((*shape, COMPONENTS)),
    )
    return shared**0.5 * common + (1 - shared) ** 0.5 * own


def thresholds(shares: np.ndarray) -> np.ndarray:
    return np.array([NORMAL.inv_cdf(share) for share in shares])


@pytest.mark.parametrize("samples", [10, 30, 300])
@pytest.mark.parametrize("name", TRUTHS)
def test_intervals_over_samples_hold_the_truth_in_95_of_100_cases(name, samples):
    truth, generator = TRUTHS[name], np.random.default_rng(samples)
    repeats = 6000 if samples < 300 else REPEATS
    leans = truth.lean + generator.uniform(-0.1, 0.1, repeats)
    shape = repeats, samples
    decided = correlated(generator, shape, truth.whether) < NORMAL.inv_cdf(truth.decided)
    won = correlated(generator, shape, truth.winner) < thresholds((1 + leans) / 2)[:, None, None]
    backward, jacobian = (decided & won).sum(2), (decided & ~won).sum(2)
    covered, given = coverage(leans, map(of_samples, backward, jacobian, np.ones_like(backward)))
    assert 0.93 <= covered <= 0.97
    assert given == ((backward + jacobian > 0).sum(1) >= FEWEST_SAMPLES).mean()
    assert given > 0.9 or (name, samples) == ("few decided", 10)


def over_networks(
    truth: Truth, generator: np.random.Generator, decided: np.ndarray
) -> tuple[float, float]:
    """The coverage of networks that decide so many components, and whose leans scatter as a beta distribution."""
    leans = truth.lean + generator.uniform(-0.1, 0.1, REPEATS)
    share, variance = (1 + leans) / 2, (truth.scatter / 2) ** 2
    size = share * (1 - share) / variance - 1  # of the beta distribution of that mean and variance
    backward = generator.binomial(
        decided,
        generator.beta((share * size)[:, None], ((1 - share) * size)[:, None], decided.shape),
    )
    return coverage(leans, map(of_networks, backward, decided - backward))


@pytest.mark.parametrize("networks", [2, 4, 16, 64])
@pytest.mark.parametrize("name", TRUTHS)
def test_intervals_over_networks_hold_the_truth_in_95_of_100_cases(name, networks):
    generator = np.random.default_rng(networks)
    shares = generator.uniform(0.8, 1.2, (REPEATS, networks)) * min(TRUTHS[name].decided, 0.8)
    covered, given = over_networks(TRUTHS[name], generator, generator.binomial(640, shares))
    assert 0.93 <= covered <= 0.97 and given > 0.99


@pytest.mark.parametrize("networks", [2, 4, 16])
@pytest.mark.parametrize("spread", [0.5, 1.2])
def test_networks_that_decide_very_different_numbers_of_components_count_for_what_they_tell(
    networks, spread
):
    """As narrow networks of ReLUs do: one of six decides none, the others log-normal numbers. The interval errs to the
    wide side there; that of equal numbers, with m − 1 degrees of freedom, held the truth in 82 % of the cases."""
    generator = np.random.default_rng(networks)
    numbers = (300 * np.exp(spread * generator.standard_normal((REPEATS, networks)))).astype(int)
    decided = np.where(generator.uniform(size=numbers.shape) < 1 / 6, 0, numbers)
    covered, _ = over_networks(TRUTHS["the default"], generator, decided)
    assert 0.93 <= covered <= 0.99


def test_the_variance_over_networks_is_the_jackknifes():
    """Each network left out in turn, in plain Python."""
    backward, jacobian = np.array([30, 6, 70, 12]), np.array([28, 7, 60, 13])
    b, n = backward.tolist(), (backward + jacobian).tolist()
    left_out = [(sum(b) - b[i]) / (sum(n) - n[i]) for i in range(4)]
    share = sum(b) / sum(n)
    error = (3 / 4 * sum((one - share) ** 2 for one in left_out)) ** 0.5
    freedom = sum(n) ** 2 / sum(one**2 for one in n) - 1
    half = 2 * student(round(freedom, 2)) * error
    assert of_networks(backward, jacobian) == pytest.approx(
        (2 * share - 1 - half, 2 * share - 1 + half), rel=1e-12
    )


def test_the_interval_over_samples_is_wilsons_of_the_effective_number():
    """By the formulas of NOTE [samples], in plain Python."""
    b, j = [2, 0, 3, 1, 2, 0], [1, 1, 0, 2, 3, 0]
    n = [won + lost for won, lost in zip(b, j, strict=True)]
    total, share, samples = sum(n), sum(b) / sum(n), 5  # the last has no decided component
    variance = (
        samples
        / (samples - 1)
        * sum((won - share * of) ** 2 for won, of in zip(b, n, strict=True))
        / total**2
    )
    most, rarer = (
        sum(of**2 for of in n) / total,
        4,
    )  # samples in which the Jacobian, the rarer winner, won something
    effect = (rarer * variance / (share * (1 - share) / total) + most / 2) / (rarer + 1 / 2)
    assert effect > 1
    number, z = total / effect, NORMAL.inv_cdf(0.975)
    centre, below = share + z * z / 2 / number, 1 + z * z / number
    half = z * (share * (1 - share) / number + (z / 2 / number) ** 2) ** 0.5
    ends = [2 * (centre + way * half) / below - 1 for way in (-1, 1)]
    assert of_samples(np.array(b), np.array(j), np.ones(6, np.int64)) == pytest.approx(
        ends, rel=1e-12
    )


def test_components_count_for_no_more_than_independent_ones():
    """Six samples in which either side won one component scatter less than twelve coins: Wilson's for six of twelve."""
    ones = np.ones(6, np.int64)
    half = NORMAL.inv_cdf(0.975) / (12 + NORMAL.inv_cdf(0.975) ** 2) ** 0.5
    assert of_samples(ones, ones, ones) == pytest.approx((-half, half), rel=1e-12)


def test_kinds_of_samples_are_as_many_samples():
    generator = np.random.default_rng(0)
    backward, jacobian = generator.integers(0, 3, (2, 40))
    kinds, count = np.unique(np.stack([backward, jacobian]), axis=1, return_counts=True)
    each = of_samples(backward, jacobian, np.ones_like(backward))
    assert of_samples(*kinds, count) == pytest.approx(each, rel=1e-12)


@pytest.mark.parametrize("freedom", [0.5, 1, 1.37, 2, 3, 15, 63, 400, 4095])
def test_the_quantiles_are_those_of_students_distribution(freedom):
    found = student(freedom)
    with mpmath.workdps(30):
        n = mpmath.mpf(freedom)
        factor = mpmath.gamma((n + 1) / 2) / mpmath.sqrt(n * mpmath.pi) / mpmath.gamma(n / 2)
        inside = mpmath.quad(
            lambda t: factor * (1 + t * t / n) ** (-(n + 1) / 2), mpmath.linspace(0, found, 9)
        )
        assert abs(inside - mpmath.mpf("0.475")) < 1e-13


def test_nothing_is_said_where_nothing_can_be():
    none = np.zeros(10, np.int64)
    few = none.copy()
    few[: FEWEST_SAMPLES - 1] = 1
    for backward, jacobian in ((none, none), (few, none), (none, few)):
        assert of_samples(backward, jacobian, np.ones_like(none)) is None
    one, alike = np.array([40]), np.array([30, 30])
    assert of_networks(none, none) is of_networks(one, one) is of_networks(alike, alike) is None
    few_and_many = of_networks(
        np.array([10**6, 1]), np.array([10**6, 2])
    )  # hardly more than one network
    assert few_and_many == (-1, 1)


def test_where_one_side_won_all_the_interval_ends_there_and_has_a_width():
    all_ = np.full(10, 3)
    low, high = of_samples(all_, 0 * all_, np.ones_like(all_))
    tenfold = 10 / (
        10 + NORMAL.inv_cdf(0.975) ** 2
    )  # Wilson's lower end for ten successes in ten trials
    assert (low, high) == (pytest.approx(2 * tenfold - 1), 1)
    for n in range(5, 60):  # a truth of ±1 is held, whatever is rounded
        won, none = np.full(n, 1), np.zeros(n, int)
        assert of_samples(won, none, won)[1] == 1 and of_samples(none, won, won)[0] == -1
    lows = [of_samples(np.full(n, 3), np.zeros(n, int), np.ones(n, int))[0] for n in (5, 30, 300)]
    assert lows == sorted(lows)
