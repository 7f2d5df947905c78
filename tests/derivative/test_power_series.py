"""The power series' derivative is the derivative, wherever there is one, and nowhere else."""

import mpmath
import pytest
import torch
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.derivative import power_series
from lib.derivative.certified import certify
from lib.derivative.formulas import elementwise
from lib.derivative.power_series import UnknownSide
from lib.experiment.parser import read
from lib.reference.balls import precision
from tests.expressions import ANYWHERE, WITH_EDGES, in_mpmath, in_torch, texts


def compare(typed, x, is_certain):
    """Compare a slope with differences. If it `is_certain`, it exists where there are values."""
    step = mpmath.mpf(10) ** -60
    with mpmath.workdps(200), precision(600):
        try:
            above, below = (in_mpmath(typed, mpmath.mpf(x) + side * step) for side in (1, -1))
            ball = power_series.derivative(read(typed))(arb(x))
        except (ZeroDivisionError, OverflowError, ValueError, UnknownSide):
            assert not is_certain
            return
        has_values = all(isinstance(v, mpmath.mpf) and abs(v) < 1000 for v in (above, below))
        assert not is_certain or ball.is_finite() == has_values
        if has_values and ball.is_finite() and abs(ball) < 10**6:
            slope = mpmath.mpf(ball.str(60, radius=False))
            difference = (above - below) / (2 * step)
            assert abs(slope - difference) <= mpmath.mpf(10) ** -20 * (1 + abs(slope))


@given(texts(ANYWHERE), st.sampled_from([0.45, 0.8, -1.3]))
def test_it_contains_what_differences_find(typed, x):
    compare(typed, x, is_certain=False)


@pytest.mark.parametrize("name", WITH_EDGES)
def test_each_function_has_its_derivative(name):
    """Where it has values."""
    for x in (0.3, 1.7, -0.4, -1.2):
        compare(f"{name}(x)", x, is_certain=True)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
@settings(max_examples=40)
@given(typed=texts(WITH_EDGES))
def test_the_text_is_what_pytorch_computes(dtype, typed):
    x = torch.linspace(-3, 3, 64, dtype=torch.float64).to(getattr(torch, dtype))
    expected = in_torch(typed, x)
    if isinstance(expected, torch.Tensor):
        values = elementwise(read(typed))(x)
        assert values.dtype == x.dtype
        assert torch.equal(values.nan_to_num(7), expected.to(x.dtype).nan_to_num(7))


def test_constants_of_any_size_are_computed():
    x = torch.tensor([1e-20], dtype=torch.float64)
    product = elementwise(read(f"x*({10**15}*({10**15}*{10**15}))"))(x)
    assert product[0].item() == pytest.approx(1e25)
    assert elementwise(read("maximum(x*0, 1e300)"))(x.half())[0] == torch.inf
    assert elementwise(read("x+maximum(2, 3)"))(x)[0] == 3
    assert elementwise(read("where(x > 0, 1, 2)/2"))(x)[0] == 0.5
    with pytest.raises(OverflowError, match="PyTorch refuses a number in where"):
        elementwise(read("where(x > 0, x, 1e300)"))(x.float())


SLOPES = """
sqrt(x) -1 none   log(x) 0 none   1/x 0 none   log(x)*(x-x) -1 none   logit(x) 1 none
x**2-acos(x) 3 none   atanh(x) 1 none   ones_like(log(x))*x -1 none   maximum(x,x-1) 3 1
where(x>0,log(x),0)+x -1 1   x**0 5 0   sign(x)*x 2 1   relu(x)**0.5 -3.5 0
where(maximum(x,1)>1,x**2,3*x) -2 3   where(relu(x)>=0,x,2*x) -1 1   where(x<1,x,2*x) 0.5 1
where(x<=1,x,2*x) 2 2   acos(1-relu(x)) -1 0   x**2.5 4 20   x**-0.5 4 -0.0625   -exp(x) 800 -inf
softplus(x) 1e300 1   softplus(x) -1e300 0   gelu(x) 1e300 1   sin(x)**2+cos(x)**2 0.7 0
cosh(x) 1e300 inf   x*pi/pi 0.3 1   log1p(x) 1e-300 1   sin(exp(x)) 2500 undecided
where(x*x-x**2>0,x,-x) 2 undecided   where(x>=x,x**2,3*x) 2 undecided
x*(1+2**-53)*pi/pi 1 undecided   abs(log(pi)*x-log(pi)*x**2) 1 undecided   abs(x) 0 undecided
x**1.5 0 undecided   where(x>=0,x,-1) 0 undecided   sqrt((x-1)**4) 1 undecided
sigmoid(x+1/x) 0 none   x-sigmoid(log(x)) -1 none   atan(exp(x)) 1e68 0   tanh(sinh(x)) 1e300 0
exp(exp(x)) 1e300 undecided   x**(0.1*5) 4 0.25   x**(10*0.1) 3 1   x**-1 -0.0 none
where(x>1,log(x),x-1) 1 1   maximum(x**2,x**3) 0 0   maximum(x,relu(x)) 1.5 1
maximum(x,2*x) 0 undecided   minimum(x,x)+sqrt(x) -1 none
""".split()
"""Functions, an x, and the derivative there on paper: none where there is no value, and undecided
where no number of bits tells, half-way between two floats, at ties and edges, and where a step is
beyond all numbers of Arb."""


@pytest.mark.parametrize(
    "f, x, slope", [*zip(SLOPES[::3], SLOPES[1::3], SLOPES[2::3], strict=True)]
)
def test_the_nearest_float_is_that_on_paper(f, x, slope):
    found = certify(f, float(x), torch.float64)
    assert found.undecided == (slope == "undecided")
    if slope in ("none", "undecided"):
        assert found.nearest != found.nearest
    else:
        assert found.nearest == float(slope)


def test_another_thread_does_not_cut_constants_short():
    """flint has one length of power series for the process: what is built while it is short is
    whole."""
    cap = ctx.cap
    ctx.cap = 1
    try:
        slope = power_series.derivative(read("3*x+48"))
    finally:
        ctx.cap = cap
    with precision(60):
        assert slope(arb(0.5)) == 3 and ctx.cap == cap
