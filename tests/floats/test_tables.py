"""Tables keep their columns and types, with or without rows."""

import numpy as np
import pandas as pd

from lib.floats.tables import COUNT, NUMBER, TEXT, text_table, typed

TYPES = {"x x2": NUMBER, "kind": TEXT, "components": COUNT}
DTYPES = [np.float32, np.float32, pd.StringDtype(na_value=np.nan), np.int64]


def test_the_values_are_rounded_once_to_the_types_of_their_columns():
    rows = [(0.1, 2, "equal", 3), (np.float64(0.7), np.int64(5), "different", 2**53 + 1)]
    table = typed(TYPES, iter(rows))
    assert table.columns.tolist() == ["x", "x2", "kind", "components"]
    assert table.dtypes.tolist() == DTYPES
    first, second = table.itertuples(index=False, name=None)
    assert first == (np.float32(0.1), 2.0, "equal", 3)
    assert second == (np.float32(0.7), 5.0, "different", 2**53 + 1)
    pd.testing.assert_frame_equal(typed(TYPES, []), table[:0])


def test_a_table_to_read_is_all_text_with_a_dash_for_what_is_unknown():
    by_name = text_table([{"step": "2⁻¹", "error": None}, {"step": "1", "error": "0.5"}])
    in_order = text_table([("2⁻¹", None), ("1", "0.5")], ["step", "error"])
    pd.testing.assert_frame_equal(by_name, in_order)
    assert by_name.to_dict("list") == {"step": ["2⁻¹", "1"], "error": ["–", "0.5"]}
    assert set(map(str, by_name.dtypes)) == {"str"}
    assert text_table([], ["step", "error"]).dtypes.equals(by_name.dtypes)
