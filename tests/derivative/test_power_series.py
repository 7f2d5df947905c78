"""The power series' derivative is the derivative, wherever there is one, and nowhere else."""

import math

import mpmath
import pytest
import torch
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.derivative import power_series
from lib.derivative.certified import certify, exactly
from lib.derivative.formulas import COMPUTED, autograd, elementwise
from lib.derivative.power_series import Undecided
from lib.experiment.parser import parse, read
from lib.experiment.textbook import derivative, text
from lib.reference.balls import precision
from tests.expressions import ANYWHERE, WITH_EDGES, in_mpmath, in_torch, texts

XS = st.sampled_from([-2.5, -1.0, -0.375, 0.0, 0.125, 0.6, 1.0, 3.25])


@given(texts(WITH_EDGES), XS)
def test_it_overlaps_the_textbooks_derivative(typed, x):
    """Two computations that share no rule: power series, and the rules with balls put in."""
    tree = read(typed)
    with precision(400):
        try:
            series = power_series.derivative(tree)(arb(x))
            by_rules = power_series.value(derivative(tree))(arb(x))
        except Undecided:
            return
        if series.is_finite() and by_rules.is_finite():
            assert series.overlaps(by_rules)


@given(texts(ANYWHERE), st.sampled_from([-1.3, 0.45, 0.8]))
def test_it_contains_what_differences_find(typed, x):
    h = mpmath.mpf(10) ** -60
    with mpmath.workdps(200):
        try:
            above, below = (in_mpmath(typed, mpmath.mpf(x) + side * h) for side in (1, -1))
        except (ZeroDivisionError, OverflowError, ValueError):
            return
        if not all(isinstance(v, mpmath.mpf) and abs(v) < 1000 for v in (above, below)):
            return
        difference = (above - below) / (2 * h)
        with precision(600):
            try:
                ball = power_series.derivative(read(typed))(arb(x))
            except Undecided:
                return
            if not ball.is_finite() or abs(ball) > 10**6:
                return
            found = mpmath.mpf(ball.str(60, radius=False))
        assert abs(found - difference) <= mpmath.mpf(10) ** -20 * (1 + abs(found))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
@settings(max_examples=40)
@given(typed=texts(WITH_EDGES))
def test_the_text_is_what_pytorch_computes(dtype, typed):
    x = torch.linspace(-3, 3, 64, dtype=torch.float64).to(getattr(torch, dtype))
    expected = in_torch(typed, x)
    if not isinstance(expected, torch.Tensor):
        return
    found = elementwise(read(typed))(x)
    assert found.dtype == x.dtype
    assert torch.equal(found.nan_to_num(7), expected.to(x.dtype).nan_to_num(7))


def test_constants_of_any_size_are_computed():
    x = torch.tensor([1e-20], dtype=torch.float64)
    assert elementwise(read(f"x*({10**15}*({10**15}*{10**15}))"))(x)[0].item() == pytest.approx(
        1e25
    )
    assert elementwise(read("maximum(x*0, 1e300)"))(x.half())[0] == torch.inf


NOWHERE = [
    *[
        ("sqrt(x)", -1.0),
        ("log(x)", 0.0),
        ("log(x)", -2.0),
        ("1/x", 0.0),
        ("x**-1", -0.0),
        ("rsqrt(x)", 0.0),
    ],
    *[
        ("asin(x)", -3.0),
        ("0*log(x)", -1.0),
        ("log(x)**0", -1.0),
        ("logit(x)", 2.0),
        ("logit(x)", 1.0),
    ],
    *[("x+atanh(x)", -2.5), ("x+log(x)", -1.0), ("x**2-acos(x)", 3.0), ("1-(x-log(x))", -1.0)],
    *[("atanh(x)", 1.0), ("log1p(x)", -1.0), ("ones_like(log(x))*x", -1.0), ("sin(x)/x", 0.0)],
]


@pytest.mark.parametrize(("f", "x"), NOWHERE)
def test_there_is_none_where_there_is_no_value(f, x):
    with precision(100):
        assert power_series.derivative(read(f))(arb(x)).is_nan()
    found = certify(f, x, torch.float32)
    assert found.nearest != found.nearest and not found.undecided


BY_HAND = [
    *[
        ("maximum(x, x-1)", 3.0, 1),
        ("where(x > 0, log(x), 0)+x", -1.0, 1),
        ("x**0", 5.0, 0),
        ("sign(x)*x", 2.0, 1),
    ],
    *[
        ("sqrt(relu(x))", -1.0, 0),
        ("relu(x)**0.5", -3.5, 0),
        ("where(maximum(x, 1) > 1, x**2, 3*x)", -2.0, 3),
    ],
    *[
        ("where(relu(x) > 0, x, 2*x)", -1.0, 2),
        ("where(relu(x) >= 0, x, 2*x)", -1.0, 1),
        ("abs(x)**1.5", 4.0, 3),
    ],
    *[
        ("acos(1-relu(x))", -1.0, 0),
        ("minimum(x, 1-x)", 0.25, 1),
        ("x**2.5", 4.0, 20),
        ("abs(x)", -0.1, -1),
    ],
    ("where(relu(x) > 0, x, exp(x)-1)", -1.0, math.exp(-1)),
    # Huge, tiny, or nearly a float.
    *[("exp(x)", 1e300, torch.inf), ("exp(x)", -1e300, 0.0), ("-exp(x)", 800.0, -torch.inf)],
    *[("tanh(x)", 1e300, 0.0), ("softplus(x)", 1e300, 1.0), ("softplus(x)", -1e300, 0.0)],
    *[("sin(x)**2+cos(x)**2", 0.7, 0.0), ("exp(x)/exp(x)", 1e5, 0.0), ("gelu(x)", 1e300, 1.0)],
    *[("cosh(x)", 1e300, torch.inf), ("x*pi/pi", 0.3, 1.0), ("x+1e16-1e16", 0.1, 1.0)],
    *[("log1p(x)", 1e-300, 1.0), ("0.1*x", 2.0, 0.1)],
]


@pytest.mark.parametrize(("f", "x", "slope"), BY_HAND)
def test_the_nearest_float_is_that_of_the_derivative_on_paper(f, x, slope):
    assert certify(f, x, torch.float64).nearest == slope


def test_half_way_between_two_floats_is_decided_somehow():
    """Exactly 1 + 2**-24, which no precision tells from its neighbours once pi has come and gone."""
    assert certify("x*(1+2**-24)*pi/pi", 1.0, torch.float32).nearest in (1.0, 1 + 2**-23)


@pytest.mark.parametrize(
    "f", ["tanh", "sigmoid", "softplus", "gelu", "sqrt", "log", "exp", "square"]
)
@pytest.mark.parametrize("x", [1e-30, 0.3, 2.5, 17.0])
def test_a_listed_function_and_its_text_have_the_same_derivative(f, x):
    listed, own = certify(f, x, torch.float64), certify(f"{f}(x)", x, torch.float64)
    assert (own.nearest, own.ulp) == (listed.nearest, listed.ulp)
    assert own.residual == pytest.approx(listed.residual, abs=2**-30)
    assert exactly(f"{f}(x)", x).text == exactly(f, x).text


@pytest.mark.parametrize(
    "f", ["x*tanh(softplus(x))", "sin(x)/x", "where(x > 1, log(x)*x, sqrt(x))"]
)
def test_the_value_is_that_of_mpmath(f):
    for x in (0.3, 1.5, 40.0):
        with precision(300), mpmath.workdps(60):
            ball = power_series.value(parse(f))(arb(x))
            assert (
                abs(mpmath.mpf(ball.str(50, radius=False)) - in_mpmath(f, mpmath.mpf(x)))
                < mpmath.mpf(10) ** -45
            )


def test_autograd_differentiates_the_text():
    x = torch.linspace(0.2, 3, 32, dtype=torch.float64)
    f = COMPUTED["x*tanh(softplus(x))"]
    by_rules = in_torch(text(derivative(read("x*tanh(softplus(x))"))), x)
    torch.testing.assert_close(autograd(f.f, x), by_rules, rtol=1e-14, atol=0)
    torch.testing.assert_close(f.formulas["rules"](x), by_rules, rtol=0, atol=0)


def test_what_another_thread_computes_does_not_cut_constants_short():
    """flint has one length of power series for the process: one that is built while it is short is whole."""
    cap, ctx.cap = ctx.cap, 1
    try:
        at = power_series.derivative(read("3*x+48"))
    finally:
        ctx.cap = cap
    with precision(60):
        assert at(arb(0.5)) == 3


UNDECIDED = [
    *[
        ("sin(exp(x))", 2500.0),
        ("sin(x**64)", 1e100),
        ("exp(exp(exp(x)))", 10.0),
        ("where(x-x > 0, x, -x)", 2.0),
    ],
    ("abs(log(pi)*x-log(pi)*x**2)", 1.0),  # 0, which no number of bits tells
    # Ties, whether both sides meet there or not.
    *[
        ("abs(x)", 0.0),
        ("relu(x)", 0.0),
        ("sqrt(x)", 0.0),
        ("x**1.5", 0.0),
        ("acos(x)", 1.0),
        ("sign(x)", 0.0),
    ],
    *[
        ("maximum(x, 0)", 0.0),
        ("minimum(x, 1-x)", 0.5),
        ("where(x > 0, x, 0)", 0.0),
        ("x*abs(x)", 0.0),
    ],
    *[("where(x >= 0, x, -1)", 0.0), ("sqrt((x-1)**4)", 1.0), ("where(x > 1, log(x), x-1)", 1.0)],
]


@pytest.mark.parametrize(("f", "x"), UNDECIDED)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_stays_undecided_is_no_number_and_no_kink(f, x, dtype):
    found = certify(f, x, dtype)
    assert found.undecided and found.nearest != found.nearest


def test_only_what_is_proved_to_be_zero_is_called_zero():
    assert exactly("sin(x)**2+cos(x)**2", 1.5).text == "within 1e-902 of 0"
    assert exactly("x*0", 1.5).text == "0"
