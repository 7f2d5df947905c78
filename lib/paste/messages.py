"""The values in the messages of failed checks, as two vectors: those of pytest and of NumPy.

A message may hold the same values twice, or arrays whose middle is left out beside some numbers that are printed in
full. What is best known is kept, in the words that `prose` reads; any other text is left as it is.
"""

import re
from collections.abc import Sequence

from lib.paste.mismatches import refuse_mismatch
from lib.paste.passages import NUMBER
from lib.paste.tokenizer import refused

_TABLE = re.compile(r"Index[ ]{0,60}\|[ ]{0,60}Obtained[ ]{0,60}\|[ ]{0,60}Expected[^\r\n]{0,60}")
_CELL = r"[ ]{0,60}\|[ ]{0,60}([^| \r\n]{1,60})"
_ROW = re.compile(rf"\r?\n[ \t]{{0,30}}(?P<index>[^|\s][^|\r\n]{{0,60}}?){_CELL}{_CELL}[^\r\n]{{0,90}}")
_SCALARS = re.compile(
    r"comparison failed\s{1,30}Obtained: (?P<obtained>[^\s,;]{1,60})\s{1,30}Expected: (?P<expected>[^\s,;]{1,60})"
)
_ASSERTED = re.compile(
    rf"^(?:AssertionError: )?assert (?P<obtained>{NUMBER}) == (?P<expected>{NUMBER})[ \t]*"
    r"(?=\r?\n[ \t]*\+[ ]+where |\s*\Z)",
    re.MULTILINE,
)
_SCALAR_TYPE = re.compile(r"assert (?:np|numpy)\.(?P<name>float(?:16|32|64))\(")
_MISMATCH = re.compile(
    r"^[ \t]{0,9}\[(?P<index>[0-9, ]{1,40})\]: (?P<actual>\S{1,60}) \((?:ACTUAL|x)\), (?P<desired>\S{1,60}) "
    r"\((?:DESIRED|y)\)",
    re.MULTILINE,
)
_TOTAL = re.compile(r"Mismatched elements: [0-9]{1,9} / ([0-9]{1,9})\b")
_DTYPE = re.compile(r"dtype=\w{1,20}")
_COMPARED = re.compile(
    r"where [^\r\n]{1,400}? = <(?:built-in method|function) (?:allclose|array_equal|equal|isclose)[ ]"
    r"[^<>\r\n]{0,150}>\("
)
_RECEIVER = re.compile(
    r"^[ \t]{0,60}\+[ \t]{1,60}where <built-in method \w{1,20} of Tensor object[^<>\r\n]{0,60}> = "
    r"(?P<value>[^\r\n]{1,9999})\.(?:allclose|equal|isclose)[ \t]{0,60}$",
    re.MULTILINE,
)
_END_OF_CALL = re.compile(r"\)[ \t]*(?=\r?\n[ \t]*\+|\s*\Z)")
_OPERATOR = re.compile(r"(?<=[)\]0-9.]) (?:\*\*|//|[-+*/@%]) ")
_NUMPY_SAYS = (
    r"(?:Not equal to tolerance rtol=\S{1,40}, atol=\S{1,40}"
    r"|(?:Arrays|Items) are not (?:almost )?equal(?: to [0-9]{1,4} (?:decimals|significant digits:?))?)"
)
_OWN_WORDS = re.compile(
    rf"(?P<header>{_NUMPY_SAYS})(?P<words>.{{0,2000}}?)(?=\n[ \t]*(?:Mismatched elements: |ACTUAL: ))", re.DOTALL
)


def values_in(text: str) -> tuple[str, list[str]]:
    """Return the values in the message of a failed check, and what is left out; any other text as it is.

    Raise `PasteError` if the message tells of no values, such as of a mismatch in shape, or of values to be computed.
    """
    refuse_mismatch(text)
    text, own_words = _without_own_words(text)
    for read in (_approx_table, _approx_scalars, _scalars, _compared, _mismatches):
        if found := read(text):
            return found[0], own_words + found[1]
    return text, own_words


def _without_own_words(text: str) -> tuple[str, list[str]]:
    """Return a message of NumPy without its `err_msg`, which may hold numbers, and what that is."""
    said = _OWN_WORDS.search(text)
    if said is None or not said["words"].strip():
        return text, []
    return text[: said.end("header")] + text[said.end() :], [" ".join(said["words"].split())[:60]]


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


def _scalars(text: str) -> tuple[str, list[str]] | None:
    """Read the two numbers that an assert compares, not what pytest tells of where they come from."""
    said = _ASSERTED.search(text)
    return (f"obtained: {said['obtained']}\nexpected: {said['expected']}", []) if said else None


def _compared(text: str) -> tuple[str, list[str]] | None:
    """Read the arguments of a call that compares, such as `torch.allclose`, as pytest explains that it was false.

    Raise `PasteError` if an argument is a product, a sum or the like: pytest shows its terms.
    """
    call = _COMPARED.search(text)
    end = _END_OF_CALL.search(text, call.end()) if call else None
    arguments = text[call.end() : end.start()] if call and end else ""
    if arguments and "of Tensor object" in call[0] and (receiver := _RECEIVER.search(text, end.end())):
        arguments = f"{receiver['value']}, {arguments}"  # a method's first value is told of below the call
    if operator := _OPERATOR.search(arguments):
        raise refused(
            "The failed call computes with {}, but nothing is computed here: paste the values.", operator[0].strip()
        )
    return (arguments, []) if arguments else None


def _mismatches(text: str) -> tuple[str, list[str]] | None:
    """Read the mismatches that NumPy prints in full, if it leaves out the middle of its arrays, or if these are all."""
    rows, total = list(_MISMATCH.finditer(text)), _TOTAL.search(text)
    if "..." not in text and not (total and int(total[1]) == len(rows)):
        return None
    dtype = _DTYPE.search(text)
    named = f" {dtype[0]}" if dtype else ""
    return _two([(row["index"], row["actual"], row["desired"]) for row in rows], named) if rows else None


def _two(rows: Sequence[tuple[str, str, str]], named: str = "") -> tuple[str, list[str]]:
    places, obtained, expected = (", ".join(column) for column in zip(*rows, strict=True))
    return f"obtained: [{obtained}]\nexpected: [{expected}]{named}", [f"Index {places}"]
