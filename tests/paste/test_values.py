"""Values are read as they were printed: the oracle is the array that a library prints."""

from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.paste.answer import answer
from lib.paste.figures import figures
from lib.paste.printed import PasteError, read_number
from lib.paste.values import values_of

SHAPES = st.sampled_from([(), (5,), (3, 4), (2, 3, 4), (2, 3, 2, 3), (1,) * 7 + (2,)])
DTYPES = st.sampled_from(
    [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64]
)
SCALES = st.sampled_from([1e-12, 1e-3, 1.0, 1e3])
PRINTERS = {
    "tensor": str,
    "array": lambda x: repr(x.numpy()) if x.dtype != torch.bfloat16 else str(x),
    "print": lambda x: str(x.numpy()) if x.dtype != torch.bfloat16 else str(x),
    "list": lambda x: str(x.tolist()),
    "parameter": lambda x: f"Parameter containing:\n{x.clone().requires_grad_()}",
}


def only(text):
    (value,) = values_of(text)
    return value


@given(SHAPES, DTYPES, SCALES, st.sampled_from(sorted(PRINTERS)), st.integers(0, 99))
def test_what_is_printed_is_read_with_its_shape(shape, dtype, scale, printer, seed):
    generator = torch.Generator().manual_seed(seed)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    x = (torch.randn(shape, dtype=wide, generator=generator) * scale).to(dtype)
    text = PRINTERS[printer](x)
    value = only(text)
    assert (value.shape, value.is_complex, value.gap) == (shape, dtype.is_complex, False)
    expected = (torch.view_as_real(x) if dtype.is_complex else x).double().numpy()
    read = np.array([number.value for number in value.numbers]).reshape(expected.shape)
    # four decimals, or four after the leading digit; NumPy prints no more than the dtype has
    unit = 0 if "e-" in text and not dtype.is_complex else 1e-4
    smallest = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps
    assert np.allclose(read, expected, 1e-3, unit + smallest + 1e-3 * np.abs(expected).max())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_reads_back(x):
    for text in (repr(x), x.hex(), f"{x:.17e}", repr(x).replace("-", "−")):
        assert only(text).numbers[0].value == x == read_number(text)
    assert read_number(x.hex()) == x


@pytest.mark.parametrize(
    "text, shapes",
    [
        ("[tensor([1., 2.]), tensor([1., 3.])]", [(2,), (2,)]),
        ("[[1, 2], [3]]", [(2,), ()]),
        ("[7., 8.] % 2.5", [(2,), ()]),
        ("f(x)[-1] 0.5, step 3\n0.25", [(), ()]),
        ("x[3] = 0.5, torch.Size([3, 4])", [(), (2,)]),
        ("{'a': tensor([0.5, 1.]), 'b': tensor(0.25)}", [(2,), ()]),
        ("np.complex64(3-4j) [[1.+1.j, 2.]]", [(), (1, 2)]),
        ("np.float32(0.5) Array([1., 2.], dtype=float32)", [(), (2,)]),
        (
            "step 3, 0.5, 16.7%, 100 samples, torch 2.13.0, 12:30:05, cuda:0, no nan, 1,234.5 0,41",
            [()],
        ),
    ],
)
def test_values_are_found_in_a_text(text, shapes):
    values = values_of(text)
    assert [value.shape for value in values] == shapes
    for value in values:
        assert len(value.numbers) == prod(value.shape) * (1 + value.is_complex)


@pytest.mark.parametrize(
    "text",
    [
        "1e999",
        "0e123456789",
        "0x1p9999",
        "x" * 50_001,
        "1 " * 2001,
        "tensor(1., dtype=float8)",
        "[" * 10,
    ],
)
def test_what_cannot_be_read_is_one_sentence(text):
    assert not values_of("x" * 50_000)
    assert len(values_of("1 " * 2000)) == 2000
    assert values_of("[" * 9 + "1, 2" + "]" * 9)[0].shape == (*[1] * 8, 2)
    with pytest.raises(PasteError) as caught:
        figures(answer(text, "float32"))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)
