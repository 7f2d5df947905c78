"""A pasted matrix as numbers: nested lists, printed tensors and arrays, or plain rows.

What was pasted is only ever split into pieces, never run: a piece is a bracket, a comma, a number, one of a few names,
or the end of the reading in a `PasteError`, which is one sentence that says what cannot be read and what can. Time is
linear in the length, and nothing recurses.

Printouts come from forums, so they have labels, lack their last brackets, or hold several values. A label at the start
of a line ends whatever is still open before it. The first value of two or more dimensions is the matrix; where there
is none, the rows between two labels are.
"""

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

import numpy as np

MOST_CHARACTERS = 100_000
"""A printed Jacobian of 64 outputs and 64 inputs has about 90,000 characters in all digits of float64."""

MOST_DIMENSIONS = 4
_MOST_OPEN = 2 * MOST_DIMENSIONS  # the parentheses of calls and tuples are open besides the brackets

_CALL = r"(?:(?:torch|np|numpy|jnp)\.)?(?:tensor|array|asarray|Array|matrix|b?float(?:16|32|64)|int(?:32|64))[ ]?\("
_KEYWORD = re.compile(
    r"(?:dtype|device|requires_grad|grad_fn|layout|size|shape|weak_type)[ ]?=[ ]?"
    r"(?:<[^<>]{0,200}>|'[^']{0,60}'|\([^()]{0,60}\)|[\w.]{1,60})"
)
_PIECE = re.compile(
    rf"(?P<call>{_CALL})|(?P<open>[\[(])|(?P<close>[\])])|(?P<comma>,)|(?P<newline>[\r\n])|(?P<space>[^\S\r\n]+)"
    r"|(?P<word>[^\s\[\](),]+)"
)
_LABEL = re.compile(
    rf""">>>[^\r\n]*(?:\r?\n\.\.\.[^\r\n]*)*  # lines typed at a prompt
       | Out\[[0-9]{{1,6}}\]:
       | [^\W\d][^\[\](),\r\n]{{0,80}}?(?:[:=]|(?<![\w.])(?=[\[(]|{_CALL}))  # a few words""",
    re.VERBOSE | re.IGNORECASE,
)
_NUMBER = re.compile(
    r"[+-]?(?:(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf|infinity)", re.ASCII | re.IGNORECASE
)
_COMPLEX = re.compile(r"(?:[-+.0-9]|nan|inf)[-+.0-9einfa]*j", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x[0-9a-f]{1,14}(?:\.[0-9a-f]{0,14})?(?:p[+-]?[0-9]{1,4})?", re.ASCII | re.IGNORECASE)
_LONGEST_NUMBER = 400  # the largest float64 has 309 digits
_AFTER_MATRIX = re.compile(r"[^\s,;]\S{0,60}")
_OPENED_BY = {"]": ("[",), ")": ("(", "call")}

_Shape = tuple[int, ...]
_Value = tuple[int, _Shape, list[float]]  # the label that it follows, its shape and its numbers


class PasteError(ValueError):
    """One sentence: what cannot be read, and what can. `shown` is the part of it that was pasted."""

    def __init__(self, sentence: str, shown: str = "") -> None:
        super().__init__(sentence)
        self.shown = shown


def parse(text: str) -> np.ndarray:
    """The first matrix in the text, float64, of 2 to 4 dimensions; a single row has the shape (1, n).

    Raises `PasteError` where there is none, or where something before its end cannot be read.
    """
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; allowed are at most {MOST_CHARACTERS:,}.")
    if not text.strip():
        raise PasteError("Nothing was pasted: paste a matrix as nested lists, or as a tensor or an array is printed.")
    if all(line.startswith(">>>") for line in text.split("\n") if line.strip()):
        text = text.replace(">>>", "")  # with no output below it, what was typed is the matrix
    values = _read(text)
    if not (values and len(values[-1][1]) > 1):
        blocks = [list(block) for _, block in groupby(values, key=lambda value: value[0])]
        values = next((block for block in blocks if len(block) > 1), blocks[0] if blocks else [])
    else:
        values = values[-1:]
    rows = _Group("(")
    for _, shape, _ in values:
        rows.add(shape)
    matrix = np.array([number for _, _, numbers in values for number in numbers])
    if not matrix.size:
        raise PasteError("There are no numbers in it: paste a matrix as nested lists, or as a tensor is printed.")
    return matrix.reshape(rows.shape if len(rows.shape) > 1 else (1, -1))


def number(text: str) -> float:
    """The one number in the text, in decimal or hexadecimal digits; `PasteError` where it is none, or infinite."""
    word = text.strip().replace("\N{MINUS SIGN}", "-")[: _LONGEST_NUMBER + 1]
    decimal, hexadecimal = _NUMBER.fullmatch(word), _HEXADECIMAL.fullmatch(word)
    if len(word) <= _LONGEST_NUMBER and (hexadecimal or decimal and decimal["digits"]):
        with suppress(OverflowError):
            value = float.fromhex(word) if hexadecimal else float(word)
            if math.isfinite(value):
                return value
    raise _refused("{} is not a finite number: write it in decimal digits, as -0.9074, or as 0x1.8p-3.", text)


@dataclass
class _Group:
    """An open bracket, call or line of plain numbers, and the items that it has so far, all of one shape."""

    kind: str
    count: int = 0
    item: _Shape = ()
    commas: int = 0

    def add(self, shape: _Shape) -> None:
        if self.count and shape != self.item:
            raise _ragged(self.count, shape, self.item)
        self.count, self.item = self.count + 1, shape

    @property
    def shape(self) -> _Shape:
        """A tensor(…) is its one argument, and so are parentheses around one item with no comma, as in Python."""
        only = self.count == 1 and (self.kind == "call" or self.kind == "(" and not self.commas)
        return self.item if only else (self.count, *self.item)


class _Reading:
    """What was read so far: the groups that are open, the numbers in them, and the complete values."""

    def __init__(self) -> None:
        self.open: list[_Group] = []
        self.numbers: list[float] = []
        self.values: list[_Value] = []
        self.labels = 0

    def begin(self, kind: str) -> None:
        self.open.append(_Group(kind))
        if sum(group.kind == "[" for group in self.open) > MOST_DIMENSIONS or len(self.open) > _MOST_OPEN:
            raise _too_deep()

    def end(self) -> None:
        shape = self.open.pop().shape
        if len(shape) > MOST_DIMENSIONS:
            raise _too_deep()
        if self.open:
            self.open[-1].add(shape)
        else:
            self.values.append((self.labels, shape, self.numbers))
            self.numbers = []

    def add(self, number: float) -> None:
        if not self.open:
            self.open.append(_Group("line"))
        self.numbers.append(number)
        self.open[-1].add(())

    def end_line(self) -> None:
        if self.open and self.open[-1].kind == "line":
            self.end()

    def cut(self) -> None:
        """Ends what is open, as where a printout lacks its last brackets; a group that has no item yet is none."""
        while self.open:
            if self.open[-1].count:
                self.end()
            else:
                self.open.pop()

    @property
    def has_matrix(self) -> bool:
        return bool(self.values) and len(self.values[-1][1]) > 1


def _read(text: str) -> list[_Value]:
    """The values of the text in order, up to the first matrix."""
    reading = _Reading()
    position, before, line_begins = 0, "", True
    while position < len(text) and not reading.has_matrix:
        in_call = bool(reading.open) and reading.open[-1].kind == "call"
        if in_call and (keyword := _KEYWORD.match(text, position)):
            position, before, line_begins = keyword.end(), "keyword", False
            continue
        if line_begins and (label := _LABEL.match(text, position)):
            reading.cut()
            reading.labels += 1
            position, before = label.end(), "label"
            continue
        piece = _PIECE.match(text, position)
        kind, position = piece.lastgroup, piece.end()
        if kind == "space":
            continue
        line_begins = kind == "newline"
        if kind == "newline":
            reading.end_line()
            continue
        if kind in ("open", "call"):
            reading.begin(piece[0] if kind == "open" else "call")
        elif kind == "close":
            if not reading.open or reading.open[-1].kind not in _OPENED_BY[piece[0]]:
                raise _refused("The closing bracket {} matches no opening one.", piece[0])
            reading.end()
            if reading.has_matrix and (after := _AFTER_MATRIX.match(text, position)):  # such as .T or [0] or * 2
                raise _refused("After the matrix comes {}, but nothing is computed here.", after[0])
        elif kind == "comma":
            if before not in ("word", "close", "keyword"):
                raise PasteError("Before a comma a number is missing: every place of a matrix needs its number.")
            if reading.open:
                reading.open[-1].commas += 1
        else:
            reading.add(_number(piece[0]))
        before = kind
    reading.cut()
    return reading.values


def _number(word: str) -> float:
    if number := _NUMBER.fullmatch(word.replace("\N{MINUS SIGN}", "-")):
        value = float(number[0])
        if number["digits"] and (math.isinf(value) or value == 0 and number["digits"].strip("0.")):
            raise _refused("The number {} is beyond the range of float64, in which a matrix is read.", word)
        return value
    if "..." in word or "…" in word:
        call = "set_printoptions(threshold=10**6)"
        raise _refused(f"Numbers are left out at {{}}: print it all, after torch.{call} or np.{call}.", word)
    if _COMPLEX.fullmatch(word):
        raise _refused("The number {} is complex: only real matrices can be read.", word)
    raise _refused("{} is not a number: only lists of numbers and printed tensors or arrays can be read.", word)


def _refused(sentence: str, pasted: str) -> PasteError:
    shown = repr(pasted[:60])
    shown = shown if len(pasted) <= 60 and len(shown) <= 60 else f"{shown[:57]}…"
    return PasteError(sentence.format(shown), shown)


def _too_deep() -> PasteError:
    return PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: more dimensions cannot be read.")


def _ragged(place: int, shape: _Shape, before: _Shape) -> PasteError:
    if () in (shape, before):
        return PasteError("Numbers and lists are mixed in one list: every row needs brackets of its own.")
    rows = [f"{' × '.join(map(str, size))} number{'' if size == (1,) else 's'}" for size in (shape, before)]
    return PasteError(f"Row {place}, counted from 0, has {rows[0]} where the rows before it have {rows[1]} each.")
