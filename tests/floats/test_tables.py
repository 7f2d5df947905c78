"""Tables keep their columns and types, with or without rows."""

import numpy as np
import pandas as pd

from lib.floats.tables import COUNT, NUMBER, TEXT, text_table, typed


def test_columns_and_types_do_not_depend_on_the_rows():
    types = {"x x2": NUMBER, "kind": TEXT, "components": COUNT}
    table = typed(types, iter([(0.1, np.float64(0.7), "equal", 2**53 + 1)]))
    row = (np.float32(0.1), np.float32(0.7), "equal", 2**53 + 1)
    assert [*table.itertuples(index=False, name=None)] == [row]
    pd.testing.assert_frame_equal(typed(types, []), table[:0])
    table = text_table([("2⁻¹", None)], ["step", "error"])
    assert table.to_dict("list") == {"step": ["2⁻¹"], "error": ["–"]}
    assert text_table([], ["step", "error"]).dtypes.equals(table.dtypes)
