"""Tables have the same rows."""

import pytest

from lib.experiment.choices import DTYPES, complete


def test_a_table_has_the_rows_of_the_choices_and_no_others():
    table = dict.fromkeys(reversed(DTYPES), 1)
    assert complete("dtype", DTYPES, table) is table
    with pytest.raises(TypeError, match="^The dtype float16 lacks a row.$"):
        complete("dtype", DTYPES, {name: 1 for name in DTYPES if name != "float16"})
    with pytest.raises(TypeError, match="^The dtype float8 is not among the choices.$"):
        complete("dtype", DTYPES, {**table, "float8": 1})
