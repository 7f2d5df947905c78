"""The table that a failed `pytest.approx` of a list prints, as two vectors."""

import re

_TABLE = re.compile(r"Index[ ]{0,60}\|[ ]{0,60}Obtained[ ]{0,60}\|[ ]{0,60}Expected[^\r\n]{0,60}")
_CELL = r"[ ]{0,60}\|[ ]{0,60}([^| \r\n]{1,60})"
_ROW = re.compile(rf"\r?\n[E \t]{{0,30}}(?P<index>[^|\s][^|\r\n]{{0,60}}?){_CELL}{_CELL}[^\r\n]{{0,90}}")


def approx_vectors(text: str) -> tuple[str, list[str]]:
    """Return the table of a failed `pytest.approx` as two vectors, and what is left out; any other text as it is."""
    table = _TABLE.search(text)
    rows, end = [], table.end() if table else 0
    while table and (row := _ROW.match(text, end)):
        rows.append(row)
        end = row.end()
    if not rows:
        return text, []
    obtained, expected = (", ".join(row[place] for row in rows) for place in (2, 3))
    return f"obtained: [{obtained}]\nexpected: [{expected}]", [f"Index {', '.join(row['index'] for row in rows)}"]
