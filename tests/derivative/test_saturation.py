"""The stretches of saturation against a look at every number, and at their ends."""

import math

import numpy as np
import pytest
import torch

from lib.derivative.certified import exists_at, reference
from lib.derivative.exact_derivatives import certify
from lib.derivative.formulas import AUTOGRAD, COMPUTED, derivatives_at
from lib.derivative.saturation import MOST_SEARCHED, saturation
from lib.experiment import functions
from lib.experiment.query import Experiment
from lib.floats.line import floats_at, ordinals, to_float64
from lib.network.sampling import POINTS
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("function", functions.FUNCTIONS)
def test_the_stretches_are_those_of_all_numbers_of_sixteen_bits(function, dtype):
    """Every number away from zero, in order: runs of zeros that should be none. Those with a single other number
    between them are one stretch, which is not solid."""
    found = saturation(Experiment(function=function, dtype=dtype))
    places = np.arange(1, ordinals(torch.tensor(math.inf, dtype=getattr(torch, dtype))))
    padded = np.resize(places, POINTS)
    expected = {name: [] for name in found}
    for sign in (-1, 1):
        x = sign * floats_at(padded, getattr(torch, dtype))
        computed = {name: to_float64(values) for name, values in derivatives_at(function, x).items()}
        nearest = reference(function, x, list(computed.values())).nearest
        for name, values in computed.items():
            wrong = ((values == 0) & (nearest != 0) & ~np.isnan(nearest))[: len(places)]
            zeros = np.flatnonzero(wrong)
            for run in np.split(zeros, np.flatnonzero(np.diff(zeros) > 2) + 1):
                if run.size:
                    ends = (to_float64(x)[place].item() for place in run[[0, -1]])
                    expected[name].append((*ends, bool((np.diff(run) == 1).all())))
    assert found == {name: (stretches, []) for name, stretches in expected.items()}
    assert list(found) == [AUTOGRAD, *functions.FUNCTIONS[function].formulas]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("function", ["reciprocal", "tanh", "sigmoid", "gelu", "exp", "abs"])
def test_a_stretch_begins_and_ends_with_a_zero_that_should_be_none(function, dtype):
    torch_dtype = getattr(torch, dtype)
    for name, (stretches, ends) in saturation(Experiment(function=function, dtype=dtype)).items():
        assert ends == []
        for first, last, _ in stretches:
            sign = math.copysign(1, first)
            ends = torch.tensor([abs(first), abs(last)], dtype=torch_dtype)
            assert ends.tolist() == [abs(first), abs(last)] and abs(first) <= abs(last)
            for place, saturated in zip(
                ordinals(ends)[[0, 0, 1, 1]] + [-1, 0, 0, 1], [False, True, True, False], strict=True
            ):
                x = sign * floats_at(np.full(POINTS, place), torch_dtype)
                at = x[0].item()
                zero = derivatives_at(function, x)[name][0] == 0
                exists = exists_at(function, np.array(at))
                assert bool(zero and exists and certify(function, at, torch_dtype).nearest) == saturated


def test_the_square_of_a_large_x_overflows():
    """From 2**64 on x**2 is infinite in float32, and 1/inf is 0; 1/x² is a subnormal up to 2**75."""
    found = saturation(Experiment())
    negative, positive = found["-1/x**2"].stretches
    assert positive[0] == 2.0**64 and 2.0**75 > positive[1] > 2.0**74.99
    assert negative == (-positive[0], -positive[1], True) and positive.solid
    assert found[AUTOGRAD] == found["-(1/x)*(1/x)"] == ([], [])


def test_sigmoid_saturates_far_before_its_derivative_is_gone():
    """1 + exp(−x) rounds to 1 from 16.64 on, the derivative stays above 0 to 104; autograd uses the rounded y."""
    (_, (first, last, _)) = saturation(Experiment(function="sigmoid"))[AUTOGRAD].stretches
    assert 16.6 < first < 16.7 and 103.9 < last < 104


def test_gelu_is_0_by_mistake_where_its_derivative_changes_its_sign_and_where_erf_has_saturated():
    """The derivative Φ(x) + x·φ(x) is 0 at −0.7518, beside a float or two; the tail is where 1 + erf(x/√2) is 0."""
    *near, tail = saturation(Experiment(function="gelu"))[AUTOGRAD].stretches
    assert all(end == pytest.approx(-0.751791, abs=1e-6) for stretch in near for end in stretch[:2])
    assert tail.last < tail.first < -5


@pytest.mark.parametrize("f", ["sin(1/x)", "atan(x)+atan(1/x)", "softplus(x)-log(1+exp(x))"])
def test_a_search_without_end_is_cut_off(f):
    found = saturation(Experiment(f=f))
    assert found[AUTOGRAD].ends and all(math.isfinite(end) for end in found[AUTOGRAD].ends)
    for name, (stretches, _) in found.items():
        computed = COMPUTED[Experiment(f=f).differentiated].derivatives[name]
        assert len(stretches) <= 4 * MOST_SEARCHED
        for first, last, _ in stretches:
            block = torch.full((POINTS,), first)
            block[1] = last
            assert computed(block)[:2].tolist() == [0, 0]
            assert certify(f, first, torch.float32).nearest != 0 or certify(f, last, torch.float32).nearest != 0
