"""Tables for charts and tables to read, whose columns and types do not depend on their rows."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

NUMBER, COUNT, TEXT = "float32", "int64", "str"
"""The column types of tables for charts."""

UNKNOWN = "–"
"""What a table to read shows in a cell without a value."""


def typed(types: Mapping[str, str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Build a table for a chart, with the same columns and types even without rows.

    Args:
        types: the type of each column, in the order of the table. One key may name several columns,
            separated by spaces: `{"x y": NUMBER, "label": TEXT}`.
        rows: the rows, each with a value for every column; otherwise ValueError is raised.
    """
    named = {name: kind for names, kind in types.items() for name in names.split()}
    return pd.DataFrame(list(rows), columns=list(named)).astype(named)


def text_table(
    rows: Iterable[Mapping[str, str | None] | Sequence[str | None]],
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Build a table to read: every cell is text, and None becomes a dash.

    Args:
        rows: texts by column, or in the order of the columns.
        columns: the names of the columns; may be left out if there are rows that name them.
    """
    return pd.DataFrame(list(rows), columns=columns, dtype="str").fillna(UNKNOWN)
