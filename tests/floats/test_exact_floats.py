"""The formats of the dtypes against what PyTorch says of them."""

from fractions import Fraction
from math import frexp

import numpy as np
import pytest
import torch

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, format_of
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_format_is_that_of_torch(dtype):
    finfo, form = torch.finfo(getattr(torch, dtype)), FORMATS[dtype]
    assert DTYPES[dtype].bits == finfo.bits
    assert (form.eps, form.largest, form.smallest) == (finfo.eps, finfo.max, finfo.smallest_normal * finfo.eps)
    assert 2.0**form.smallest_exponent == form.smallest
    assert format_of(getattr(torch, dtype)) is form
    assert form.overflow == (2 - form.eps / 2) * Fraction(2) ** form.largest_exponent


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_a_quantum_is_the_step_between_neighbours(dtype):
    form = FORMATS[dtype]
    for ordinal in (1, 2, 1 << (form.precision - 1), 3 << (form.precision - 1), form.infinity - 2):
        lower, upper = form.value(ordinal), form.value(ordinal + 1)
        assert upper - lower == Fraction(2) ** form.quantum(frexp(lower)[1])


def test_other_names_of_a_dtype_are_those_of_pytorch_or_numpy():
    for name, dtype in DTYPES.items():
        for alias in dtype.aliases:
            if alias.endswith("Tensor"):
                assert torch.tensor([0.0], dtype=getattr(torch, name)).type() == f"torch.{alias}"
            else:
                assert getattr(torch, alias, None) is getattr(torch, name) or np.dtype(alias) == np.dtype(name)
