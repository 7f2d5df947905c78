"""The derivative by the rules, against numerical differentiation, which knows no rule."""

import mpmath
import pytest
from hypothesis import given

from lib.experiment.expressions import OF_ONE_NUMBER, nodes
from lib.experiment.parser import parse, read
from lib.experiment.textbook import derivative, text
from tests.expressions import WITH_EDGES, in_mpmath, texts


@given(texts(WITH_EDGES))
def test_a_text_is_read_back_as_the_same_tree(typed):
    tree = read(typed)
    assert parse(text(tree)) == tree
    assert parse(text(derivative(tree))) == derivative(tree)


@pytest.mark.parametrize(
    "f, by_hand",
    [
        ("x*tanh(softplus(x))", "tanh(softplus(x))+x*((1-tanh(softplus(x))**2)*sigmoid(x))"),
        ("x**0.5", "0.5*x**-0.5"),
        ("x**0+x", "1"),
        ("1/(1+exp(-x))", "--exp(-x)/(1+exp(-x))**2"),
        ("sin(x)/x", "(cos(x)*x-sin(x))/x**2"),
        ("maximum(x, 0)", "where(x>0,1.0,0.0)"),
        ("where(x > 1, log(x), x-1)", "where(x>1,1/x,1.0)"),
        ("x*-x", "-x+-x"),
        ("x**2/3-sin(x)**3", "2*x/3-3*sin(x)**2*cos(x)"),
    ],
)
def test_the_rules_as_a_textbook_has_them(f, by_hand):
    assert text(derivative(read(f))) == by_hand


STEP = mpmath.mpf(10) ** -40


def difference(typed, x):
    return (in_mpmath(typed, x + STEP) - in_mpmath(typed, x - STEP)) / (2 * STEP)


@pytest.mark.parametrize("name", sorted({*OF_ONE_NUMBER} - {"sign", "ones_like"}))
def test_slopes_are_those_that_differences_find(name):
    typed = f"{name}(x*x)"
    by_rules = text(derivative(read(typed))).replace("sign(x*x)", "1")
    with mpmath.workdps(120):
        x = mpmath.mpf("0.75")
        assert abs(in_mpmath(by_rules, x) - difference(typed, x)) <= mpmath.mpf(10) ** -30


def test_the_largest_derivatives_are_read():
    """Quotients within one another, as deep and as long as a visitor may send them."""
    deep = "x"
    while len(deep) + 4 <= 150 and deep.count("/") < 28:
        deep = f"x/({deep})"
    long = "*".join(["sin(x)"] * 28)
    for typed in (deep, long):
        tree = derivative(read(typed))
        assert parse(text(tree)) == tree
        assert len(list(nodes(tree))) > 100
