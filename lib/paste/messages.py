"""The values in the messages of failed checks, as two vectors: those of pytest and of NumPy.

A message may hold the same values twice, or arrays whose middle is left out beside some numbers that are printed in
full. What is best known is kept, in the words that `prose` reads; any other text is left as it is.
"""

import re
from collections.abc import Sequence

from lib.paste.tokenizer import PasteError

_TABLE = re.compile(r"Index[ ]{0,60}\|[ ]{0,60}Obtained[ ]{0,60}\|[ ]{0,60}Expected[^\r\n]{0,60}")
_CELL = r"[ ]{0,60}\|[ ]{0,60}([^| \r\n]{1,60})"
_ROW = re.compile(rf"\r?\n[ \t]{{0,30}}(?P<index>[^|\s][^|\r\n]{{0,60}}?){_CELL}{_CELL}[^\r\n]{{0,90}}")
_SCALARS = re.compile(
    r"comparison failed\s{1,30}Obtained: (?P<obtained>[^\s,;]{1,60})\s{1,30}Expected: (?P<expected>[^\s,;]{1,60})"
)
_SCALAR_TYPE = re.compile(r"assert (?:np|numpy)\.(?P<name>float(?:16|32|64))\(")
_MISMATCH = re.compile(
    r"^[ \t]{0,9}\[(?P<index>[0-9, ]{1,40})\]: (?P<actual>\S{1,60}) \((?:ACTUAL|x)\), (?P<desired>\S{1,60}) "
    r"\((?:DESIRED|y)\)",
    re.MULTILINE,
)
_DTYPE = re.compile(r"dtype=\w{1,20}")
_COMPARED = re.compile(
    r"where False = <(?:built-in method|function) (?:allclose|array_equal|equal|isclose)[ ][^<>\r\n]{0,150}>\("
)
_END_OF_CALL = re.compile(r"\)[ \t]*(?=\r?\n[ \t]*\+|\s*\Z)")
_SHAPES = re.compile(
    r"Impossible to compare \w{1,20} with different (?:sizes|shapes)"
    r"|\(shapes \([^()]{0,60}\), \([^()]{0,60}\) mismatch\)|attribute 'shape' do not match"
)


def values_in(text: str) -> tuple[str, list[str]]:
    """Return the values in the message of a failed check, and what is left out; any other text as it is.

    Raise `PasteError` if the message says that the two differ in shape.
    """
    if _SHAPES.search(text):
        raise PasteError("The two differ in shape, says the message: only vectors of one length can be compared.")
    for read in (_approx_table, _approx_scalars, _compared, _mismatches):
        if found := read(text):
            return found
    return text, []


def _approx_table(text: str) -> tuple[str, list[str]] | None:
    """Read the table of a failed `pytest.approx` of a list."""
    table = _TABLE.search(text)
    rows, end = [], table.end() if table else 0
    while table and (row := _ROW.match(text, end)):
        rows.append(row)
        end = row.end()
    return _two([(row["index"], row[2], row[3]) for row in rows]) if rows else None


def _approx_scalars(text: str) -> tuple[str, list[str]] | None:
    """Read the two numbers of a failed `pytest.approx`, of NumPy's scalars too."""
    said = _SCALARS.search(text)
    if said is None:
        return None
    by = _SCALAR_TYPE.search(text)
    named = f" dtype={by['name']}" if by else ""
    return f"obtained: {said['obtained']}\nexpected: {said['expected']}{named}", []


def _compared(text: str) -> tuple[str, list[str]] | None:
    """Read the arguments of a call that compares, such as `torch.allclose`, as pytest explains that it was false."""
    call = _COMPARED.search(text)
    end = _END_OF_CALL.search(text, call.end()) if call else None
    return (text[call.end() : end.start()], []) if call and end else None


def _mismatches(text: str) -> tuple[str, list[str]] | None:
    """Read the mismatches that NumPy prints in full, if it leaves out the middle of its arrays."""
    rows = list(_MISMATCH.finditer(text)) if "..." in text else []
    dtype = _DTYPE.search(text)
    named = f" {dtype[0]}" if dtype else ""
    return _two([(row["index"], row["actual"], row["desired"]) for row in rows], named) if rows else None


def _two(rows: Sequence[tuple[str, str, str]], named: str = "") -> tuple[str, list[str]]:
    places, obtained, expected = (", ".join(column) for column in zip(*rows, strict=True))
    return f"obtained: [{obtained}]\nexpected: [{expected}]{named}", [f"Index {places}"]
