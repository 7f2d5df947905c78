"""What printed digits tell of a float, held against printing itself, and how far apart two can be."""

from types import SimpleNamespace

import numpy as np
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from lib.paste.answer import answer
from lib.paste.kinds import kind_of
from lib.paste.read import read

FLOATS = st.floats(width=32, min_value=2.0**-60, max_value=2.0**60)
TWO = st.tuples(FLOATS, st.integers(0, 40))
FORMATS = st.sampled_from(["{:.4f}", "{:.4e}", "{:.6f}", "{:.8e}", "{:.9g}", "{!r}"])


def pair_of(text, dtype="float32"):
    pairs = kind_of(read(text), dtype).pairs
    assert len(pairs) == 1
    return SimpleNamespace(
        ulps=tuple(int(end[0]) for end in pairs.ulps),
        differences=tuple(float(end[0]) for end in pairs.differences),
        third=pairs.third,
    )


def steps_from(x, steps):
    return float((np.float32(x).view(np.int32) + np.int32(steps)).view(np.float32))


@given(TWO, FORMATS)
def test_the_distance_is_within_what_the_digits_allow(two, form):
    x, steps = two
    y = steps_from(x, steps)
    pair = pair_of(f"tensor([{form.format(x)}]) tensor([{form.format(y)}])")
    assert pair.ulps[0] <= steps <= pair.ulps[1]
    assert pair.differences[0] <= abs(float(y) - float(x)) <= pair.differences[1]


@given(TWO)
def test_nine_digits_tell_the_distance(two):
    x, steps = two
    assert pair_of(f"tensor([{x:.8e}]) tensor([{steps_from(x, steps):.8e}])").ulps == (steps, steps)


@given(st.floats(width=32, min_value=2.0**-7, max_value=2.0**7), st.integers(1, 16))
def test_a_printed_difference_tells_what_four_decimals_do_not(x, steps):
    y = steps_from(x, steps)
    pair = pair_of(f"{x:.4f} {y:.4f} {np.float32(y) - np.float32(x):.4e}")
    assert pair.third and pair.ulps[0] <= steps <= pair.ulps[1]
    assume(np.frexp(x)[1] == np.frexp(y)[1])
    assert pair.ulps[1] - pair.ulps[0] <= 16


@given(
    st.floats(width=32, min_value=2.0**-13, max_value=2.0**15),
    st.sampled_from(["float64", "float32", "bfloat16", "float16"]),
)
def test_a_number_is_the_nearest_float(x, dtype):
    number = kind_of(read(repr(x)), dtype).numbers.value[0]
    exact = torch.tensor(x, dtype=torch.float64)
    assert abs(number - x) <= abs(exact.to(getattr(torch, dtype)).double().item() - x)


def test_numbers_that_are_no_values_are_passed_over():
    found = answer("x[3]: 0.5 (up to 1e-05 allowed), row 7: 0.25, rtol=1e-3, torch 2.13.0", "float32")
    assert [found.kind.pairs.first.text(0), found.kind.pairs.second.text(0)] == ["0.5", "0.25"]
    assert len(found.reading.passed) == 5


def test_dtypes_are_read_where_they_are_named():
    for text, dtype in {
        "tensor([1.5, 2.5], dtype=torch.float64)": "float64",
        "array([1.5, 2.5])": "float64",
        "array([1.5, 2.5], dtype=float32)": "float32",
        "bf16: 1.5 2.5": "bfloat16",
        "tensor([1.5, 2.5], dtype=torch.half)": "float16",
        "the single half 1.5 2.5": "float32",
    }.items():
        assert kind_of(read(text), "float32").format.name == dtype, text
