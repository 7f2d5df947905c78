"""Tables whose columns and types are the same whatever they hold: for charts, and to read."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

NUMBER, COUNT, TEXT = "float32", "int64", "str"
"""The types of columns that charts draw."""

UNKNOWN = "–"
"""What a table to read shows where nothing is known."""


def typed(types: Mapping[str, str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """A table for a chart: the same columns and types whether or not it has rows, so that a stream only adds rows.

    Args:
        types: the type of each column, in the order of the table. One key may name several columns, separated by
            spaces: `{"x y": NUMBER, "label": TEXT}`.
        rows: each with a value for every column; else ValueError.
    """
    named = _by_name(types)
    return pd.DataFrame(list(rows), columns=list(named)).astype(named)


def typed_columns(types: Mapping[str, str], *columns: object) -> pd.DataFrame:
    """The same of columns in the order of the types: each an array, a list, or one value for all rows."""
    named = _by_name(types)
    return pd.DataFrame(dict(zip(named, columns, strict=True))).astype(named)


def text_table(
    rows: Iterable[Mapping[str, str | None] | Sequence[str | None]], columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """A table to read: every cell is text, a dash where it is None.

    Args:
        rows: texts by column, or in the order of the columns.
        columns: their names; may be left out where there are rows that name them.
    """
    return pd.DataFrame(list(rows), columns=columns, dtype="str").fillna(UNKNOWN)


def _by_name(types: Mapping[str, str]) -> dict[str, str]:
    return {name: kind for names, kind in types.items() for name in names.split()}
