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

from lib.discrepancy.intervals import FEWEST_SAMPLES, of_networks, of_samples, student

NORMAL = NormalDist()
Z = NORMAL.inv_cdf(0.975)
REPEATS = 2000  # the standard error of a coverage of 95 % is then 0.5 %


def correlated(generator: np.random.Generator, samples: int, shared: float) -> np.ndarray:
    """Normal variables, shape (repeats, samples, 5), whose last five share a part of their
    variance."""
    common = generator.standard_normal((REPEATS, samples, 1))
    own = generator.standard_normal((REPEATS, samples, 5))
    return shared**0.5 * common + (1 - shared) ** 0.5 * own


@pytest.mark.parametrize(
    ("lean", "decided", "winner", "whether", "samples"),
    [(0.018, 0.7, 0.02, 0.1, 10), (-0.226, 0.92, 0.1, 0.1, 30), (0.708, 0.48, 0.9, 0.6, 30)],
    ids=["the default", "64 outputs", "softmax"],
)
def test_intervals_over_samples_hold_the_truth_in_95_of_100_cases(
    lean, decided, winner, whether, samples
):
    """A share of the components is decided. The components of a sample share a part of the variance
    of the winner, and of whether there is one."""
    generator = np.random.default_rng(samples)
    leans = lean + generator.uniform(-0.1, 0.1, REPEATS)
    threshold = np.array([NORMAL.inv_cdf((1 + true) / 2) for true in leans])[:, None, None]
    known = correlated(generator, samples, whether) < NORMAL.inv_cdf(decided)
    won = correlated(generator, samples, winner) < threshold
    backward, jacobian = (known & won).sum(2), (known & ~won).sum(2)
    intervals = [*map(of_samples, backward, jacobian, np.ones_like(backward))]
    enough = (backward + jacobian > 0).sum(1) >= FEWEST_SAMPLES
    assert [ends is not None for ends in intervals] == enough.tolist()
    held = [ends[0] <= true <= ends[1] for true, ends in zip(leans, intervals, strict=True) if ends]
    assert 0.93 <= np.mean(held) <= 0.97


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
