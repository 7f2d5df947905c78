"""The derivative by the rules, against numerical differentiation, which knows no rule."""

import mpmath
import pytest
from hypothesis import given

from lib.experiment.expressions import OF_ONE_NUMBER, nodes
from lib.experiment.parser import parse, read
from lib.experiment.textbook import derivative, text
from tests.expressions import SMOOTH, WITH_EDGES, in_mpmath, texts


@given(texts(WITH_EDGES))
def test_a_text_is_read_back_as_the_same_tree(typed):
    tree = read(typed)
    assert parse(text(tree)) == tree
    assert parse(text(derivative(tree))) == derivative(tree)


@pytest.mark.parametrize(
    ("f", "by_hand"),
    [
        ("x*tanh(softplus(x))", "tanh(softplus(x))+x*((1-tanh(softplus(x))**2)*sigmoid(x))"),
        ("x**2", "2*x"),
        ("x**0.5", "0.5*x**-0.5"),
        ("x**-2", "-2*x**-3"),
        ("x**0+x", "1"),
        ("3*x+pi", "3"),
        ("1/(1+exp(-x))", "--exp(-x)/(1+exp(-x))**2"),
        ("sin(x)/x", "(cos(x)*x-sin(x))/x**2"),
        ("x/3", "1/3"),
        ("maximum(x, 0)", "where(x>0,1.0,0.0)"),
        ("where(x > 1, log(x), x-1)", "where(x>1,1/x,1.0)"),
        ("sign(x)*x+ones_like(x)", "sign(x)"),
        ("x*-x", "-x+-x"),
    ],
)
def test_the_rules_as_a_textbook_has_them(f, by_hand):
    assert text(derivative(read(f))) == by_hand


@pytest.mark.parametrize("name", OF_ONE_NUMBER)
@pytest.mark.parametrize("x", ["0.3", "0.75"])
def test_each_function_has_the_slope_that_differences_find(name, x):
    typed = f"{name}(x*x)" if name not in ("sign", "ones_like") else f"{name}(x)*x"
    with mpmath.workdps(60):
        at = mpmath.mpf(x)
        of = {"sign": abs, "ones_like": lambda u: u}.get(name, lambda u: in_mpmath(typed, u))
        expected = mpmath.diff(of, at)
        by_rules = (
            text(derivative(read(typed))).replace("sign(x)", "1").replace("ones_like(x)", "1")
        )
        by_rules = by_rules.replace("sign(x*x)", "1")
        assert abs(in_mpmath(by_rules, at) - expected) <= mpmath.mpf(10) ** -30


@given(texts(SMOOTH))
def test_any_expression_has_the_slope_that_differences_find(typed):
    with mpmath.workdps(120):
        at = mpmath.mpf("0.7")
        try:
            f = [
                in_mpmath(typed, at + h)
                for h in (0, mpmath.mpf(10) ** -40, -(mpmath.mpf(10) ** -40))
            ]
            found = in_mpmath(text(derivative(read(typed))), at)
        except (ZeroDivisionError, OverflowError):
            return
        if any(abs(v) > 10**6 for v in (*f, found)) or "maximum" in typed or "where" in typed:
            return
        # Python itself computes what has no x, as 1/0.1, in float64.
        assert abs((f[1] - f[2]) / (2 * mpmath.mpf(10) ** -40) - found) <= mpmath.mpf(10) ** -12 * (
            1 + abs(found)
        )


def test_the_derivative_of_the_largest_expressions_is_read():
    """Quotients within one another, as deep and as long as a visitor may send them."""
    deep = "x"
    while len(deep) + 4 <= 150 and deep.count("/") < 28:
        deep = f"x/({deep})"
    long = "*".join(["sin(x)"] * 28)
    for typed in (deep, long):
        tree = derivative(read(typed))
        assert parse(text(tree)) == tree
        assert len(list(nodes(tree))) > 100
