"""The float line against exact arithmetic: every oracle here is a Fraction, and knows no floating-point operation."""

import math
import struct
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from lib.floats.line import (
    ZERO_BINADE,
    binade,
    bits_of,
    ordinals,
    round_once,
    shortest,
    spacing,
    to_float64,
    ulp_distance,
)

FORMATS = {torch.float64: (52, 11), torch.float32: (23, 8), torch.bfloat16: (7, 8), torch.float16: (10, 5)}
"""Fraction bits and exponent bits; the first bit is the sign."""

INTEGERS = {torch.float64: torch.int64, torch.float32: torch.int32, torch.bfloat16: torch.int16}

every_dtype = pytest.mark.parametrize("dtype", FORMATS, ids=str)
every_16_bit_dtype = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


def lowest_exponent(dtype):
    """The exponent of the normal numbers nearest to zero."""
    return 2 - 2 ** (FORMATS[dtype][1] - 1)


def decode(pattern, dtype):
    """The number that a bit pattern, 0 to 2**bits - 1, stands for; None for infinities and NaN."""
    fraction_bits, exponent_bits = FORMATS[dtype]
    sign, rest = divmod(pattern, 2 ** (fraction_bits + exponent_bits))
    exponent, fraction = divmod(rest, 2**fraction_bits)
    if exponent == 2**exponent_bits - 1:
        return None
    significand = fraction + (2**fraction_bits if exponent else 0)
    return (-1) ** sign * significand * Fraction(2) ** (max(exponent, 1) - 1 + lowest_exponent(dtype) - fraction_bits)


def floats(patterns, dtype):
    """The tensor with these bit patterns."""
    bits = 1 + sum(FORMATS[dtype])
    signed = [pattern - 2**bits if pattern >= 2 ** (bits - 1) else pattern for pattern in patterns]
    return torch.tensor(signed, dtype=INTEGERS.get(dtype, torch.int16)).view(dtype)


def one_float(pattern, dtype):
    return floats([pattern], dtype)


def exponent_of(value):
    """The e with 2**e <= abs(value) < 2**(e + 1), of a fraction whose denominator is a power of two."""
    numerator, denominator = abs(value).as_integer_ratio()
    return numerator.bit_length() - denominator.bit_length()


def quantum(value, dtype):
    """The step of the float line at a value: the same in a whole binade, and below the normal numbers."""
    exponent = max(exponent_of(value), lowest_exponent(dtype)) if value else lowest_exponent(dtype)
    return Fraction(2) ** (exponent - FORMATS[dtype][0])


def place(value, dtype):
    """The signed count of floats from zero to a float: so many whole binades, and the steps in the last one."""
    if value == 0:
        return 0
    binades = max(exponent_of(value), lowest_exponent(dtype)) - lowest_exponent(dtype)
    steps = binades * 2 ** FORMATS[dtype][0] + abs(value) / quantum(value, dtype)
    assert steps.denominator == 1
    return int(steps) if value > 0 else -int(steps)


@cache
def every_finite(dtype):
    """All finite floats of a 16-bit dtype as a tensor, and their values."""
    patterns = [pattern for pattern in range(2**16) if decode(pattern, dtype) is not None]
    return floats(patterns, dtype), [decode(pattern, dtype) for pattern in patterns]


@cache
def float_line(dtype):
    """The values of all finite floats of a 16-bit dtype in their order, zero once."""
    return sorted(set(every_finite(dtype)[1]))


def edges(dtype):
    """Bit patterns where something changes, of both signs: zeros, subnormals, normals, powers of two, the largest."""
    fraction_bits, exponent_bits = FORMATS[dtype]
    normal, one = 2**fraction_bits, (2 ** (exponent_bits - 1) - 1) * 2**fraction_bits
    largest = (2**exponent_bits - 1) * 2**fraction_bits - 1
    positive = [0, 1, 2, normal - 1, normal, normal + 1, one - 1, one, one + 1, largest - 1, largest]
    return [pattern + sign for pattern in positive for sign in (0, 2 ** (fraction_bits + exponent_bits))]


@cache
def finite_patterns(dtype):
    anywhere = st.integers(0, 2 ** (1 + sum(FORMATS[dtype])) - 1).filter(lambda p: decode(p, dtype) is not None)
    return st.one_of(st.sampled_from(edges(dtype)), anywhere)


@every_16_bit_dtype
def test_all_other_patterns_of_16_bits_are_infinite_or_nan(dtype):
    x = floats([pattern for pattern in range(2**16) if decode(pattern, dtype) is None], dtype)
    assert np.array_equal(spacing(x), to_float64(x.abs()), equal_nan=True)
    for value in x[:: x.numel() // 20]:
        with pytest.raises(ValueError, match="infinities or NaN"):
            ulp_distance(value.reshape(1), torch.ones(1, dtype=dtype))


@every_dtype
def test_ulp_distance_counts_the_steps_between_all_edges(dtype):
    patterns = edges(dtype)
    places = [place(decode(pattern, dtype), dtype) for pattern in patterns]
    x = floats(patterns, dtype)
    distances = ulp_distance(x.unsqueeze(1).expand(-1, len(x)), x.expand(len(x), -1))
    assert distances.dtype == np.uint64
    assert distances.tolist() == [[abs(a - b) for b in places] for a in places]


@every_dtype
@given(data=st.data())
def test_ulp_distance_counts_the_steps_between_any_two(dtype, data):
    patterns = finite_patterns(dtype)
    a, b = data.draw(patterns), data.draw(patterns)
    steps = abs(place(decode(a, dtype), dtype) - place(decode(b, dtype), dtype))
    assert ulp_distance(one_float(a, dtype), one_float(b, dtype)).tolist() == [steps]


@every_dtype
def test_distance_and_spacing_keep_the_shape(dtype):
    x = torch.arange(24).reshape(2, 3, 4).to(dtype).transpose(0, 2)
    assert ulp_distance(x, x + 1).shape == spacing(x).shape == ordinals(x).shape == (4, 3, 2)
    assert ulp_distance(x[:0], x[:0]).size == spacing(x[:0]).size == 0
    assert ulp_distance(x[0, 0, 0], x[0, 0, 0]).shape == binade(np.float64(3)).shape == ()
    assert spacing(x[1, 1, 1].requires_grad_()) == torch.finfo(dtype).eps * 16


@every_dtype
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_infinities_and_nan_have_no_ulp_distance(dtype, value):
    fine, faulty = torch.zeros(3, dtype=dtype), torch.tensor([0, value, 0], dtype=dtype)
    for pair in ((fine, faulty), (faulty, fine), (faulty, faulty)):
        with pytest.raises(ValueError, match="infinities or NaN"):
            ulp_distance(*pair)


@every_dtype
def test_two_dtypes_have_no_ulp_distance(dtype):
    for other in FORMATS.keys() - {dtype}:
        with pytest.raises(TypeError, match=f"{dtype} and {other}"):
            ulp_distance(torch.zeros(1, dtype=dtype), torch.zeros(1, dtype=other))


@every_dtype
@given(data=st.data())
def test_spacing_is_the_gap_to_the_next_float(dtype, data):
    pattern = data.draw(finite_patterns(dtype))
    here, after = (decode(pattern + step, dtype) for step in (0, 1))
    gap = abs(here - decode(pattern - 1, dtype)) if after is None else abs(after - here)
    assert spacing(one_float(pattern, dtype)).tolist() == [gap]


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
@example(5e-324)
@example(-(2.0**-1022))
@example(math.nextafter(1, 0))
@example(1.7976931348623157e308)
def test_binade_is_the_exponent(x):
    (exponent,) = binade(np.array([x])).tolist()
    assert Fraction(2) ** exponent <= abs(Fraction(x)) < Fraction(2) ** (exponent + 1)


def test_the_binade_of_zero_is_below_all_others():
    assert binade(np.array([[0.0, -0.0]])).tolist() == [[ZERO_BINADE, ZERO_BINADE]]
    assert binade(np.array([5e-324])).tolist() == [ZERO_BINADE + 1]
    assert binade(np.zeros(1)).dtype == binade(np.ones(1)).dtype == np.int32


@every_16_bit_dtype
def test_round_once_decides_every_tie_of_16_bits_and_all_around_it(dtype):
    """Of two neighbours, the even one has an even place; the middle past the largest float is a tie with infinity."""
    is_even = [place(value, dtype) % 2 == 0 for value in float_line(dtype)]
    below = np.array(float_line(dtype), np.float64)
    above = np.append(below[1:], math.inf)
    gap = np.append(np.diff(below), below[-1] - below[-2])
    middle, even = below + gap / 2, np.where(is_even, below, above)
    assert np.array_equal(to_float64(round_once(torch.from_numpy(middle), dtype)), even)
    for part in [0.49, *(quarters * 2.0**-k for quarters in (2, 3) for k in range(3, 30)), 2.0**-40]:
        for x, expected in ((middle - part * gap, below), (middle + part * gap, above)):
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


@given(st.floats(allow_nan=False, width=32))
def test_the_shortest_digits_of_float32_are_those_of_numpy(value):
    text = shortest(value, torch.float32)
    assert np.float32(text) == value
    assert len(significant_digits(text)) == len(significant_digits(repr(float(str(np.float32(value))))))


@every_16_bit_dtype
def test_no_fewer_digits_read_back_to_a_16_bit_float(dtype):
    for place in range(1, 20_000, 37):
        value = one_float(place, dtype).item()
        text = shortest(value, dtype)
        assert round_once(torch.tensor(float(text), dtype=torch.float64), dtype).item() == value
        fewer = f"{value:.{max(len(significant_digits(text)) - 1, 1)}g}"
        assert (
            float(fewer) == float(text)
            or round_once(torch.tensor(float(fewer), dtype=torch.float64), dtype).item() != value
        )


def significant_digits(text):
    return text.lower().partition("e")[0].lstrip("-").replace(".", "").strip("0") or "0"


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 0.0, -0.0])
def test_special_numbers_have_names(value):
    assert shortest(value, torch.float16) == repr(value)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("value", [1.0, -1.0, 0.0, -0.0, 2.0**-14, -1.5 * 2.0**-16, 65504.0])
def test_the_bits_are_those_that_are_stored(value, dtype):
    stored = struct.pack({"float64": ">d", "float32": ">f", "float16": ">e"}[dtype], value)
    assert bits_of(value, getattr(torch, dtype)) == "".join(f"{byte:08b}" for byte in stored)


def test_the_bits_of_bfloat16_are_the_upper_half_of_those_of_float32():
    assert bits_of(-1.5, torch.bfloat16) == "1011111111000000"
