"""A formula that is not the derivative is told apart from one that rounds."""

import mpmath
import pytest

from lib.derivative.counterexample import counterexample
from lib.derivative.sentences import facts
from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from tests.cases import finish
from tests.expressions import in_mpmath

RIGHT = """
tanh(x)               1-tanh(x)**2
sqrt(x)               0.5*x**-0.5
where(x>0,x,0)        where(x>0,1,0)
atan(x)+atan(1/x)     0
0.1*x**3              0.3*x**2
0.1*x**3              0.30000000000000004*x**2
1/(0.1*x)             -10/x**2
sqrt(2)*x             1.414213562373095
x/sqrt(2)             0.7071068
0.70710678*x          1/sqrt(2)
9007199254740992*x+x  9007199254740993
"""
WRONG = """
tanh(x)               1-tanh(x)
x**2                  2*x+1e-30
x/sqrt(2)             0.70710679
x/sqrt(2)             0.707107
0.25*x                0.25000000000001
x**3/5*3              9*x**2/5+1e-25
"""
WRONG_FAR_FROM_0 = """
minimum(x**2,100)     2*x                             uniform
sqrt(x-100)           1/sqrt(x-100)                   log-uniform
x                     where(x>0.07,where(x<0.075,0,1),1)  normal
"""


def rows(table):
    return [line.split() for line in table.strip().splitlines()]


def wrong(experiment):
    tally = finish(Derivative, experiment)
    return facts(tally, experiment.df, experiment).wrong


@pytest.mark.parametrize("f, df", rows(RIGHT))
def test_what_is_the_derivative_is_not_disproved(f, df):
    assert not wrong(Experiment(f=f, df=df, samples=50))


@pytest.mark.parametrize(
    "function, df",
    [
        ("log", "1/abs(x)"),
        ("gelu", "0.5*erfc(-x*0.7071067811865476)+x*exp(-x**2/2)*0.3989422804014327"),
    ],
)
def test_listed_derivatives_are_compared(function, df):
    """Where they exist."""
    assert not wrong(Experiment(function=function, df=df, samples=50))


@pytest.mark.parametrize("f, df", rows(WRONG))
def test_other_functions_are_disproved_at_an_x(f, df):
    example = counterexample(Experiment(f=f, df=df, samples=50), df)
    with mpmath.workdps(80):
        apart = mpmath.diff(lambda x: in_mpmath(f, x), example.x)
        apart -= in_mpmath(df, mpmath.mpf(example.x))
        assert abs(apart) > mpmath.mpf(10) ** -45
        shown = mpmath.mpf(example.derivative) - mpmath.mpf(example.by_hand)
        assert shown == pytest.approx(apart, rel=0.1)


@pytest.mark.parametrize("f, df, x_from", rows(WRONG_FAR_FROM_0))
def test_what_is_right_near_0_only_is_disproved(f, df, x_from):
    """The last of them in so narrow a range that only the largest error leads there."""
    experiment = Experiment(f=f, df=df, x_from=x_from, samples=2000)
    assert wrong(experiment) and not facts(Derivative.empty, df, experiment).wrong


@pytest.mark.parametrize(
    "df",
    [
        # another part has larger errors
        "where(x>40,2.05*x,((x+1)**2-(x-1)**2)/2)",
        # the other floats of the dtype are the same
        "where(abs(x-1.03)<0.02,2.0001*x,2*x)",
    ],
)
@pytest.mark.parametrize("x_from", ["uniform", "normal"])
def test_a_small_wrong_part_is_disproved(df, x_from):
    experiment = Experiment(f="x**2", df=df, x_from=x_from, dtype="bfloat16", samples=2000)
    reaches = (x_from == "uniform") == (">40" in df)
    assert bool(wrong(experiment)) == reaches
