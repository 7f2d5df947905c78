"""The float line of whole tensors against that of fractions, which knows no floating-point
operation."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS, format_of, shortest
from lib.floats.ulps import binade, ordinals, round_once, steps, to_float64, ulp_distance
from tests.floats.test_exact_floats import edges

every_dtype = pytest.mark.parametrize("dtype", [getattr(torch, name) for name in FORMATS], ids=str)
FARTHEST = 2**63 - 1


def floats(places, dtype):
    """The floats at these places of the line; the values of the formats are tested against bit
    patterns."""
    values = [float(format_of(dtype).value(place)) for place in places]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


@every_dtype
def test_places_and_distances_of_all_edges(dtype):
    form = format_of(dtype)
    known = [*edges(form), *range(-form.infinity + 3, form.infinity, form.infinity // 9)]
    x = floats(known, dtype)
    assert ordinals(x).tolist() == known and ordinals(-x[:1]).tolist() == [0]
    table = ulp_distance(x[:, None].expand(-1, len(x)), x.expand(len(x), -1))
    assert table.dtype == np.uint64
    assert table.tolist() == [[abs(a - b) for b in known] for a in known]
    pairs = list(product(known, repeat=2))
    signed = steps(*(floats(side, dtype) for side in zip(*pairs, strict=True)))
    expected = [max(-FARTHEST, min(a - b, FARTHEST)) for a, b in pairs]
    assert signed.dtype == np.int64 and signed.tolist() == expected
    assert ulp_distance(x[:0], x[:0]).size == 0 and ulp_distance(x[0], x[0]).shape == ()


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
@example(5e-324)
@example(-(2.0**-1022))
@example(math.nextafter(1, 0))
@example(1.7976931348623157e308)
def test_binade_is_the_exponent(x):
    """That of zero is below all others."""
    exponent, *rest = binade(np.array([x, 0.0, -0.0, 5e-324])).tolist()
    assert Fraction(2) ** exponent <= abs(Fraction(x)) < Fraction(2) ** (exponent + 1)
    assert rest == [-1075, -1075, -1074]
    assert binade(np.zeros(())).shape == ()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_round_once_decides_every_tie_of_16_bits(dtype):
    """Of two neighbours, the even one has an even place; the middle past the largest float is a tie
    with infinity."""
    last = format_of(dtype).infinity - 1
    is_even = np.arange(-last, last + 1) % 2 == 0
    below = to_float64(floats(range(-last, last + 1), dtype))
    above = np.append(below[1:], math.inf)
    gap = np.append(np.diff(below), below[-1] - below[-2])
    middle = below + gap / 2
    cases = [(middle, np.where(is_even, below, above))]
    for part in [0.49, *(quarters * 2.0**-k for quarters in (2, 3) for k in (3, 11, 14, 22, 38))]:
        cases += [(middle - part * gap, below), (middle + part * gap, above)]
    for x, expected in cases:
        assert np.array_equal(to_float64(round_once(torch.from_numpy(x), dtype)), expected)
    assert round_once(torch.tensor([math.nan], dtype=torch.float64), dtype).isnan()


@every_dtype
def test_no_fewer_digits_than_the_shortest_read_back(dtype):
    def read(text):
        return round_once(torch.tensor(float(text), dtype=torch.float64), dtype)

    infinity = format_of(dtype).infinity
    for value in floats(range(1, infinity, infinity // 300), dtype).tolist():
        text = shortest(-value, dtype)
        assert read(text) == -value
        digits = len(text.partition("e")[0].lstrip("-").replace(".", "").strip("0"))
        assert digits == 1 or read(f"{value:.{digits - 1}g}") != value
    texts = [shortest(value, dtype) for value in (math.inf, math.nan, -0.0)]
    assert texts == ["inf", "nan", "-0.0"]
