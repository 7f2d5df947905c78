"""The tolerances against those of torch itself: their defaults, and what is close in each dtype."""

import inspect
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing._comparison import default_tolerances

from lib.floats.exact_floats import FORMATS, Tolerance, tolerances
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_each_check_has_the_defaults_of_pytorch(dtype):
    gradcheck = {
        name: one.default
        for name, one in inspect.signature(torch.autograd.gradcheck).parameters.items()
    }
    isclose = {
        one.name: one.default_value for one in torch.ops.aten.isclose.default._schema.arguments
    }
    found = {
        name: Tolerance(of["rtol"], of["atol"])
        for name, of in (("allclose", isclose), ("gradcheck", gradcheck))
    }
    assert (
        tolerances(dtype)
        == {"assert_close": Tolerance(*default_tolerances(getattr(torch, dtype)))} | found
    )


def near_the_limit(
    dtype: torch.dtype, tolerance: Tolerance, count: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Pairs whose difference is near what the tolerance allows, at all sizes of the dtype that people have."""
    generator = torch.Generator().manual_seed(0)
    sizes = torch.exp2(torch.randint(-20, 15, (count,), generator=generator).double())
    expected = (torch.randn(count, generator=generator, dtype=torch.float64) * sizes).to(dtype)
    part = 0.8 + 0.4 * torch.rand(count, generator=generator, dtype=torch.float64)
    allowed = tolerance.atol + max(tolerance.rtol, torch.finfo(dtype).eps) * expected.double().abs()
    return (expected.double() + part * allowed).to(dtype), expected


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("name", tolerances("float32"))
def test_close_is_what_isclose_finds_close_in_the_dtype(name, dtype):
    tolerance, form = tolerances(dtype)[name], FORMATS[dtype]
    actual, expected = near_the_limit(getattr(torch, dtype), tolerance, 800)
    close = torch.isclose(actual, expected, tolerance.rtol, tolerance.atol).tolist()
    pairs = [
        (Fraction(a), Fraction(b)) for a, b in zip(actual.tolist(), expected.tolist(), strict=True)
    ]
    assert [tolerance.holds(a - b, b, form) for a, b in pairs] == close
    assert len(set(close)) == 2


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@given(data=st.data())
def test_closeness_is_monotonic_so_that_ends_of_intervals_decide(dtype, data):
    form = FORMATS[dtype]
    places = st.integers(0, form.infinity - 1).map(form.value)
    near, far = sorted(data.draw(st.tuples(places, places)))
    small, large = sorted(data.draw(st.tuples(places, places)))
    for tolerance in tolerances(dtype).values():
        assert tolerance.holds(near, large, form) >= tolerance.holds(far, small, form)


def test_a_difference_that_overflows_is_never_close():
    ends = torch.tensor([60000.0, -60000.0], dtype=torch.float16)
    assert not torch.isclose(*ends, 10.0, 0.0)
    assert not Tolerance(10.0, 0.0).holds(Fraction(120000), Fraction(60000), FORMATS["float16"])
