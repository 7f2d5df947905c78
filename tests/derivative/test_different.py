"""A formula that is not the derivative is told apart from one that rounds, and the sentences say which it is."""

import mpmath
import pytest

from lib.derivative.certified import disproof
from lib.derivative.sentences import facts_of
from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.expressions import in_mpmath

RIGHT = [
    *[
        ("tanh(x)", "1-tanh(x)**2"),
        ("tanh(x)", "1/cosh(x)**2"),
        ("log(x)", "1/x"),
        ("log(1+x)", "1/(1+x)"),
    ],
    *[
        ("sqrt(x)", "0.5*x**-0.5"),
        ("where(x > 0, x, 0)", "where(x > 0, 1, 0)"),
        ("relu(x)**2", "2*relu(x)"),
    ],
    *[
        ("atan(x)+atan(1/x)", "0"),
        ("sigmoid(x)", "sigmoid(x)*sigmoid(-x)"),
        ("x*x", "((x+1)**2-(x-1)**2)/2"),
    ],
]
WRONG = [
    *[
        ("tanh(x)", "1-tanh(x)"),
        ("x**2", "2*x+1e-30"),
        ("log(x)**2", "2*log(x)"),
        ("sin(x)", "cos(x)+x*1e-40"),
    ],
    *[
        ("sigmoid(x)", "sigmoid(x)"),
        ("where(x > 3, x, 0)", "where(x > 3, 2, 0)"),
        ("exp(2*x)", "exp(2*x)"),
    ],
]


@pytest.mark.parametrize(("f", "df"), RIGHT)
def test_what_is_the_derivative_is_not_disproved(f, df):
    experiment = Experiment(f=f, df=df, samples=50)
    assert disproof(experiment, df) is None
    assert not facts_of(Stream(Derivative(experiment)).finish(), df, experiment).wrong


@pytest.mark.parametrize(("f", "df"), WRONG)
def test_what_is_not_the_derivative_is_disproved_at_an_x(f, df):
    experiment = Experiment(f=f, df=df, samples=50)
    found = disproof(experiment, df)
    with mpmath.workdps(80):
        h = mpmath.mpf(10) ** -30
        slope = (in_mpmath(f, found.x + h) - in_mpmath(f, found.x - h)) / (2 * h)
        by_hand = in_mpmath(df, mpmath.mpf(found.x))
        assert abs(slope - by_hand) > mpmath.mpf(10) ** -45
        assert float(found.one) == pytest.approx(float(slope), rel=2e-5)
        assert float(found.other) == pytest.approx(float(by_hand), rel=2e-5)


@pytest.mark.parametrize(
    ("f", "df", "x_from"),
    [
        ("minimum(x**2,100)", "2*x", "uniform"),
        ("x**2", "where(x > 8, 0.0, 2*x)", "log-uniform"),
        ("sqrt(x-100)", "1/sqrt(x-100)", "log-uniform"),
        ("x", "where(x > 0.07, where(x < 0.075, 0, 1), 1)", "normal"),
    ],
)
def test_what_is_the_derivative_near_0_alone_is_disproved_where_the_study_looks(f, df, x_from):
    """The last of them in so narrow a range that only the largest error leads there."""
    experiment = Experiment(f=f, df=df, x_from=x_from, samples=2000)
    tally = Stream(Derivative(experiment)).finish()
    assert facts_of(tally, df, experiment).wrong


def test_only_the_visitors_own_formula_is_doubted():
    experiment = Experiment(function="relu", df="where(x > 0, 1, 0.5)")
    assert disproof(experiment, experiment.df).one == "0"
    assert disproof(experiment, "1*(x>0)") is None and disproof(experiment, "") is None
