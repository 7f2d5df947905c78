"""The float line of whole tensors against that of fractions, which knows no floating-point
operation."""

import math
import struct
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.exact_floats import FORMATS, Format, format_of
from lib.floats.ulps import (
    ZERO_BINADE,
    binade,
    bits_of,
    ordinals,
    round_once,
    shortest,
    steps,
    to_float64,
    ulp_distance,
)
from tests.floats.test_exact_floats import edges

every_dtype = pytest.mark.parametrize("dtype", [getattr(torch, name) for name in FORMATS], ids=str)
every_16_bit_dtype = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
FARTHEST = 2**63 - 1


def floats(places, dtype):
    """The floats at these places of the line; the values of the formats are tested against bit
    patterns."""
    values = [float(format_of(dtype).value(place)) for place in places]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def places(form: Format) -> st.SearchStrategy[int]:
    return st.sampled_from(edges(form)) | st.integers(1 - form.infinity, form.infinity - 1)


@every_dtype
def test_places_and_distances_of_all_edges(dtype):
    known = edges(format_of(dtype))
    x = floats(known, dtype)
    assert ordinals(x).tolist() == known and ordinals(-x[:1]).tolist() == [0]
    table = ulp_distance(x.unsqueeze(1).expand(-1, len(x)), x.expand(len(x), -1))
    assert table.dtype == np.uint64
    assert table.tolist() == [[abs(a - b) for b in known] for a in known]
    pairs = list(product(known, repeat=2))
    signed = steps(*(floats(side, dtype) for side in zip(*pairs, strict=True)))
    expected = [max(-FARTHEST, min(a - b, FARTHEST)) for a, b in pairs]
    assert signed.dtype == np.int64 and signed.tolist() == expected


@every_dtype
@given(data=st.data())
def test_the_distance_of_any_two(dtype, data):
    a, b = data.draw(st.tuples(*[places(format_of(dtype))] * 2))
    assert ulp_distance(floats([a], dtype), floats([b], dtype)).tolist() == [abs(a - b)]


@every_dtype
def test_distances_keep_the_shape(dtype):
    x = torch.arange(24).reshape(2, 3, 4).to(dtype).transpose(0, 2)
    assert ulp_distance(x, x + 1).shape == ordinals(x).shape == (4, 3, 2)
    assert ulp_distance(x[:0], x[:0]).size == 0
    assert ulp_distance(x[0, 0, 0], x[0, 0, 0]).shape == binade(np.float64(3)).shape == ()


@every_dtype
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_infinities_and_nan_have_no_ulp_distance(dtype, value):
    fine = torch.zeros(3, dtype=dtype)
    faulty = torch.tensor([0, value, 0], dtype=dtype)
    for pair in ((fine, faulty), (faulty, fine), (faulty, faulty)):
        with pytest.raises(ValueError, match="infinities or NaN"):
            ulp_distance(*pair)
    other = torch.float32 if dtype == torch.float64 else torch.float64
    with pytest.raises(TypeError, match=f"{dtype} and {other}"):
        ulp_distance(fine, fine.to(other))


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
@example(5e-324)
@example(-(2.0**-1022))
@example(math.nextafter(1, 0))
@example(1.7976931348623157e308)
def test_binade_is_the_exponent_and_that_of_zero_is_below_all_others(x):
    exponent, *rest = binade(np.array([x, 0.0, -0.0, 5e-324])).tolist()
    assert Fraction(2) ** exponent <= abs(Fraction(x)) < Fraction(2) ** (exponent + 1)
    assert rest == [ZERO_BINADE, ZERO_BINADE, ZERO_BINADE + 1]
    assert binade(np.zeros(1)).dtype == binade(np.ones(1)).dtype == np.int32


@every_16_bit_dtype
def test_round_once_decides_every_tie_of_16_bits_and_all_around_it(dtype):
    """Of two neighbours, the even one has an even place; the middle past the largest float is a tie
    with infinity."""
    last = format_of(dtype).infinity - 1
    is_even = np.arange(-last, last + 1) % 2 == 0
    below = to_float64(floats(range(-last, last + 1), dtype))
    above = np.append(below[1:], math.inf)
    gap = np.append(np.diff(below), below[-1] - below[-2])
    middle = below + gap / 2
    parts = [quarters * 2.0**-k for quarters, k in product((2, 3), range(3, 30))]
    cases = [(middle, np.where(is_even, below, above))]
    for part in [0.49, *parts, 2.0**-40]:
        cases += [(middle - part * gap, below), (middle + part * gap, above)]
    for x, expected in cases:
        assert np.array_equal(to_float64(round_once(torch.from_numpy(x), dtype)), expected)
    assert round_once(torch.tensor([math.nan], dtype=torch.float64), dtype).isnan()


@given(st.floats())
def test_from_32_bits_on_pytorch_itself_rounds_once(x):
    x = torch.tensor([x], dtype=torch.float64)
    for dtype in (torch.float64, torch.float32):
        rounded = round_once(x, dtype)
        with np.errstate(over="ignore"):
            expected = x.numpy().astype(rounded.numpy().dtype)
        assert rounded.dtype == dtype and np.array_equal(rounded.numpy(), expected, equal_nan=True)


def count_of_digits(text):
    return len(text.lower().partition("e")[0].lstrip("-").replace(".", "").strip("0")) or 1


@given(st.floats(allow_nan=False, width=32))
def test_the_shortest_digits_of_float32_are_those_of_numpy(value):
    text = shortest(value, torch.float32)
    assert np.float32(text) == value
    assert count_of_digits(text) == count_of_digits(repr(float(str(np.float32(value)))))


@every_16_bit_dtype
def test_no_fewer_digits_read_back_to_a_16_bit_float(dtype):
    def read(text):
        return round_once(torch.tensor(float(text), dtype=torch.float64), dtype).item()

    for value in floats(range(1, 20_000, 97), dtype).tolist():
        text = shortest(value, dtype)
        fewer = f"{value:.{max(count_of_digits(text) - 1, 1)}g}"
        assert read(text) == value and (float(fewer) == float(text) or read(fewer) != value)
    texts = [shortest(value, dtype) for value in (math.inf, math.nan, -0.0)]
    assert texts == ["inf", "nan", "-0.0"]


@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize("value", [1.0, -1.0, 0.0, -0.0, 2.0**-14, -1.5 * 2.0**-16, 65280.0])
def test_the_bits_are_those_that_are_stored(value, dtype):
    """bfloat16 is the upper half of float32."""
    stored = struct.pack({"float64": ">d", "float16": ">e"}.get(dtype, ">f"), value)
    stored = stored[:2] if dtype == "bfloat16" else stored
    assert bits_of(value, getattr(torch, dtype)) == "".join(f"{byte:08b}" for byte in stored)
