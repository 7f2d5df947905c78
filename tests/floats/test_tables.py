"""Tables keep their columns and types, with or without rows."""

import numpy as np
import pandas as pd

from lib.floats.tables import COUNT, NUMBER, TEXT, text_table, typed


def test_the_values_are_rounded_once_to_the_types_of_their_columns():
    types = {"x x2": NUMBER, "kind": TEXT, "components": COUNT}
    table = typed(types, iter([(0.1, np.float64(0.7), "equal", 2**53 + 1)]))
    assert table.dtypes.astype(str).to_dict() == {
        "x": "float32",
        "x2": "float32",
        "kind": "str",
        "components": "int64",
    }
    row = (np.float32(0.1), np.float32(0.7), "equal", 2**53 + 1)
    assert [*table.itertuples(index=False, name=None)] == [row]
    pd.testing.assert_frame_equal(typed(types, []), table[:0])


def test_a_table_to_read_is_all_text_with_a_dash_for_what_is_unknown():
    table = text_table([("2⁻¹", None)], ["step", "error"])
    assert table.to_dict("list") == {"step": ["2⁻¹"], "error": ["–"]}
    pd.testing.assert_frame_equal(text_table([{"step": "2⁻¹", "error": None}]), table)
    assert text_table([], ["step", "error"]).dtypes.equals(table.dtypes)
