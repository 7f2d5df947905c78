"""What follows from a row of a table of choices, and that no table that belongs to one may differ from it."""

import pytest
import torch

from lib.experiment.choices import DTYPES, complete
from lib.experiment.methods import METHODS


def test_a_table_has_the_rows_of_the_choices_and_no_others():
    assert complete("dtype", DTYPES, {name: 1 for name in reversed(DTYPES)}) == dict.fromkeys(
        DTYPES, 1
    )
    with pytest.raises(TypeError, match="^The dtype bfloat16 lacks a row.$"):
        complete("dtype", DTYPES, {name: 1 for name in DTYPES if name != "bfloat16"})
    with pytest.raises(TypeError, match="^The dtype float8 is not among the choices.$"):
        complete("dtype", DTYPES, dict.fromkeys([*DTYPES, "float8"], 1))


def test_the_exponents_of_a_dtype_are_those_of_pytorch():
    for name, dtype in DTYPES.items():
        assert torch.finfo(getattr(torch, name)).max.hex().endswith(f"p+{dtype.largest_exponent}")


def test_what_follows_from_the_mode_of_a_method():
    for name, method in METHODS.items():
        assert (method.mode == "none") == (method.gives == "approximation"), name
        assert not method.batched or method.mode == "reverse", name
        assert method.by_operations or method.mode != "forward", name
