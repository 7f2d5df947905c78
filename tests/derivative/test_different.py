"""A formula that is not the derivative is told apart from one that rounds, and the sentences say which it is."""

import mpmath
import pytest

from lib.derivative.different import disproof
from lib.derivative.opening_sentences import does_it_matter, head_claim, head_why, which_formula
from lib.derivative.sentences import derivative_conditions, why_by_hand
from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.expressions import in_mpmath

RIGHT = [
    *[("tanh(x)", "1-tanh(x)**2"), ("tanh(x)", "1/cosh(x)**2"), ("log(x)", "1/x"), ("log(1+x)", "1/(1+x)")],
    *[("sqrt(x)", "0.5*x**-0.5"), ("where(x > 0, x, 0)", "where(x > 0, 1, 0)"), ("relu(x)**2", "2*relu(x)")],
    *[("atan(x)+atan(1/x)", "0"), ("sigmoid(x)", "sigmoid(x)*sigmoid(-x)"), ("x*x", "((x+1)**2-(x-1)**2)/2")],
]
WRONG = [
    *[("tanh(x)", "1-tanh(x)"), ("x**2", "2*x+1e-30"), ("log(x)**2", "2*log(x)"), ("sin(x)", "cos(x)+x*1e-40")],
    *[("sigmoid(x)", "sigmoid(x)"), ("where(x > 3, x, 0)", "where(x > 3, 2, 0)"), ("exp(2*x)", "exp(2*x)")],
]


@pytest.mark.parametrize(("f", "df"), RIGHT)
def test_what_is_the_derivative_is_not_disproved(f, df):
    experiment = Experiment(f=f, df=df, samples=50)
    assert disproof(experiment, df) is None
    tally = Stream(Derivative(experiment)).finish()
    assert "not the derivative" not in head_claim(tally, df, experiment)
    assert head_why(tally, df, experiment).startswith("Checked at many x, both are the derivative of ")
    assert "another function" not in does_it_matter(tally, df, experiment)


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
    tally = Stream(Derivative(experiment)).finish()
    assert head_claim(tally, df, experiment).endswith(
        f" is not the derivative of {f.replace('**2', '²').replace('*', '·')}."
    )
    assert "Rounding does not explain that." in head_why(tally, df, experiment)
    assert does_it_matter(tally, df, experiment).startswith("Yes: ")


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
    assert "is not the derivative of" in head_claim(tally, df, experiment)
    assert "Rounding does not explain that." in head_why(tally, df, experiment)
    assert does_it_matter(tally, df, experiment).startswith("Yes: ")


def test_only_the_visitors_own_formula_is_doubted():
    experiment = Experiment(function="relu", df="where(x > 0, 1, 0.5)")
    assert disproof(experiment, experiment.df).one == "0"
    assert disproof(experiment, "1*(x>0)") is None and disproof(experiment, "") is None
    assert "all formulas but yours are equal" in derivative_conditions(experiment)
    assert "all formulas are equal" in derivative_conditions(Experiment(function="relu", df="sign(x)/2+1/2"))


def test_the_sentences_of_an_own_function_name_the_chain_rule_and_the_rules():
    experiment = Experiment(f="x*tanh(softplus(x))", samples=20)
    tally = Stream(Derivative(experiment)).finish()
    assert which_formula(tally, experiment).startswith("The chain rule, step by step backwards through f.")
    assert "applies the chain rule to the steps of `x*tanh(softplus(x))`" in why_by_hand(experiment).why
    by_rules = "tanh(softplus(x))+x*((1-tanh(softplus(x))**2)*sigmoid(x))"
    assert f"By the rules of a textbook, not simplified, it is `{by_rules}`." in derivative_conditions(experiment)
