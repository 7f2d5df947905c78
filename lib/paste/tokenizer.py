"""A paste as nested values: split into tokens, never run.

A token is a bracket, a comma, a number or one of a few names; anything else raises a `PasteError`. Time is linear in
the length, and nothing recurses. The caller converts the words to numbers, and so may keep their digits.

Printouts come from forums, so they may have labels, lack their last brackets, or hold several values. A label at the
start of a line ends whatever is still open before it; a remark in parentheses may follow a value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from lib.experiment.fields import Refusal

MOST_CHARACTERS = 100_000
"""A printed Jacobian of 64 outputs and 64 inputs has about 90,000 characters in all digits of float64."""

MOST_DIMENSIONS = 4
_MOST_OPEN = 2 * MOST_DIMENSIONS  # parentheses of calls and tuples are open in addition to the brackets

CALL = r"(?:(?:torch|np|numpy|jnp)\.)?(?:tensor|array|asarray|Array|matrix|b?float(?:16|32|64)|int(?:32|64))[ ]?\("
_KEYWORD = re.compile(
    r"(?P<name>dtype|device|requires_grad|grad_fn|layout|size|shape|weak_type)[ ]?=[ ]?"
    r"(?P<value><[^<>]{0,200}>|'[^']{0,60}'|\([^()]{0,60}\)|[\w.]{1,60})"
)
_TOKEN = re.compile(
    rf"(?P<call>{CALL})|(?P<open>[\[(])|(?P<close>[\])])|(?P<comma>,)|(?P<newline>[\r\n])|(?P<space>[^\S\r\n]+)"
    r"|(?P<word>[^\s\[\](),]+)"
)
_LABEL = re.compile(
    rf""">>>[^\r\n]*(?:\r?\n\.\.\.[^\r\n]*)*  # lines typed at a prompt
       | Out\[[0-9]{{1,6}}\]:
       | [^\W\d][^\[\](),\r\n]{{0,80}}?(?:[:=]|(?<![\w.])(?=[\[(]|{CALL}))  # a few words""",
    re.VERBOSE | re.IGNORECASE,
)
_REMARK = re.compile(r"\((?!(?:nan|inf|infinity)\b)[^\W\d][^\[\](),\r\n]{0,80}\)", re.IGNORECASE)
DECIMAL = re.compile(
    r"[+-]?(?:(?P<digits>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e(?P<exponent>[+-]?[0-9]+))?|nan|inf|infinity)",
    re.ASCII | re.IGNORECASE,
)
"""A decimal number with its `digits`, which are None for NaN and infinities, and its `exponent`."""
_COMPLEX = re.compile(r"(?:[-+.0-9]|nan|inf)[-+.0-9einfa]*j", re.ASCII | re.IGNORECASE)
HEXADECIMAL = re.compile(
    r"[+-]?0x(?P<whole>[0-9a-f]{1,14})(?:\.(?P<after>[0-9a-f]{0,14}))?(?:p(?P<exponent>[+-]?[0-9]{1,4}))?",
    re.ASCII | re.IGNORECASE,
)
"""A hexadecimal number such as 0x1.8p-3: the `whole` digits before its point, those `after` it, and its `exponent`."""
_AFTER_MATRIX = re.compile(r"[^\s,;]\S{0,60}")
_OPENED_BY = {"]": ("[",), ")": ("(", "call")}

Shape = tuple[int, ...]
Number = TypeVar("Number")


class Value(NamedTuple, Generic[Number]):
    """A value in a paste: its shape, and its numbers in order.

    `label` is the number of labels before it, `calls` are the calls around it, such as tensor, and `dtypes` are the
    dtypes that these calls name, as written. `is_cut` says whether one of its brackets is not closed.
    """

    label: int
    shape: Shape
    numbers: list[Number]
    calls: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    is_cut: bool = False


class PasteError(Refusal):
    """An error in a paste, as one sentence that says what cannot be read, and what can."""


def read(text: str, number: Callable[[str], Number], to_matrix: bool = False) -> list[Value[Number]]:
    """Return the values in the text in order; with `to_matrix`, stop at the first that has two or more dimensions.

    `number` converts a word to a number. It raises `PasteError`, as does a text that is not a list of values.
    """
    reading, _ = _read(without_prompts(text), 0, number, to_matrix, one=False)
    return reading.values


def read_one(text: str, position: int, number: Callable[[str], Number]) -> tuple[list[Value[Number]], int]:
    """Return the value that begins at a position, in a list that is empty if it has no numbers, and where it ends."""
    reading, end = _read(text, position, number, to_matrix=False, one=True)
    return reading.values, end


def without_prompts(text: str) -> str:
    """Return the text, without its prompts if every line was typed at one. Raise `PasteError` if it is too long."""
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed.")
    if all(line.startswith(">>>") for line in text.split("\n") if line.strip()):
        return text.replace(">>>", "")
    return text


def _read(
    text: str, position: int, number: Callable[[str], Number], to_matrix: bool, one: bool
) -> tuple["_Reading[Number]", int]:
    reading: _Reading[Number] = _Reading()
    before, line_begins = "", not one
    while position < len(text) and not (to_matrix and reading.has_matrix or one and before and not reading.open):
        in_call = bool(reading.open) and reading.open[-1].kind == "call"
        if in_call and (keyword := _KEYWORD.match(text, position)):
            if keyword["name"] == "dtype":
                reading.dtypes.append(keyword["value"])
            position, before, line_begins = keyword.end(), "keyword", False
            continue
        if line_begins and (label := _LABEL.match(text, position)):
            reading.cut()
            if one:
                break
            reading.labels += 1
            position, before = label.end(), "label"
            continue
        if before == "close" and not reading.open and (remark := _REMARK.match(text, position)):
            position = remark.end()
            continue
        token = _TOKEN.match(text, position)
        kind, position = token.lastgroup, token.end()
        if kind == "space":
            continue
        line_begins = kind == "newline"
        if kind == "newline":
            reading.end_line()
            continue
        if kind in ("open", "call"):
            if kind == "call":
                reading.calls.append(token[0].rstrip(" (").rpartition(".")[2])
            reading.begin(token[0] if kind == "open" else "call")
        elif kind == "close":
            if not reading.open or reading.open[-1].kind not in _OPENED_BY[token[0]]:
                raise refused("The closing bracket {} matches no opening one.", token[0])
            reading.end()
            after = _AFTER_MATRIX.match(text, position)  # such as .T or [0] or * 2
            if to_matrix and reading.has_matrix and after:
                raise refused("After the matrix comes {}, but nothing is computed here.", after[0])
        elif kind == "comma":
            if before not in ("word", "close", "keyword"):
                raise PasteError("Before a comma a number is missing: every place needs its number.")
            if reading.open:
                reading.open[-1].commas += 1
        else:
            reading.add(number(token[0].replace("\N{MINUS SIGN}", "-")))
        before = kind
    reading.cut()
    return reading, position


def no_number(word: str) -> PasteError:
    """Return an error that says why a word is not a number."""
    if "..." in word or "…" in word:
        call = "set_printoptions(threshold=10**6)"
        return refused(f"Numbers are left out at {{}}: print it all, after torch.{call} or np.{call}.", word)
    if _COMPLEX.fullmatch(word):
        return refused("The number {} is complex: only real numbers can be read.", word)
    return refused("{} is not a number: only lists of numbers and printed tensors or arrays can be read.", word)


def refused(sentence: str, pasted: str) -> PasteError:
    """Return the sentence as an error, with {} replaced by as much of the paste as is fit to be shown."""
    shown = repr(pasted[:60])
    shown = shown if len(pasted) <= 60 and len(shown) <= 60 else f"{shown[:57]}…"
    return PasteError(sentence.format(shown), shown)


@dataclass
class Group:
    """An open bracket, call or line of plain numbers, and its items so far, which all have the same shape."""

    kind: str
    count: int = 0
    item: Shape = ()
    commas: int = 0

    def add(self, shape: Shape) -> None:
        if self.count and shape != self.item:
            raise _ragged(self.count, shape, self.item)
        self.count, self.item = self.count + 1, shape

    @property
    def shape(self) -> Shape:
        """The shape of the value. tensor(…) is its one argument, and (item) without a comma is the item."""
        only = self.count == 1 and (self.kind == "call" or self.kind == "(" and not self.commas)
        return self.item if only else (self.count, *self.item)


class _Reading(Generic[Number]):
    """The state of reading: the open groups, the numbers in them, and the complete values."""

    def __init__(self) -> None:
        self.open: list[Group] = []
        self.numbers: list[Number] = []
        self.calls: list[str] = []
        self.dtypes: list[str] = []
        self.values: list[Value[Number]] = []
        self.labels = 0

    def begin(self, kind: str) -> None:
        self.open.append(Group(kind))
        if sum(group.kind == "[" for group in self.open) > MOST_DIMENSIONS or len(self.open) > _MOST_OPEN:
            raise _too_deep()

    def end(self, is_cut: bool = False) -> None:
        shape = self.open.pop().shape
        if len(shape) > MOST_DIMENSIONS:
            raise _too_deep()
        if self.open:
            self.open[-1].add(shape)
        else:
            value = Value(self.labels, shape, self.numbers, tuple(self.calls), tuple(self.dtypes), is_cut)
            self.values.append(value)
            self.numbers, self.calls, self.dtypes = [], [], []

    def add(self, number: Number) -> None:
        if not self.open:
            self.open.append(Group("line"))
        self.numbers.append(number)
        self.open[-1].add(())

    def end_line(self) -> None:
        if self.open and self.open[-1].kind == "line":
            self.end()

    def cut(self) -> None:
        """Close all open groups, since a printout may lack its last brackets; drop groups that have no items yet."""
        while self.open:
            if self.open[-1].count:
                self.end(is_cut=self.open[-1].kind != "line")
            else:
                self.open.pop()

    @property
    def has_matrix(self) -> bool:
        return bool(self.values) and len(self.values[-1].shape) > 1


def _too_deep() -> PasteError:
    return PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: more dimensions cannot be read.")


def _ragged(place: int, shape: Shape, before: Shape) -> PasteError:
    if () in (shape, before):
        return PasteError("Numbers and lists are mixed in one list: every row needs brackets of its own.")
    rows = [f"{' × '.join(map(str, size))} number{'' if size == (1,) else 's'}" for size in (shape, before)]
    return PasteError(f"Row {place}, counted from 0, has {rows[0]} where the rows before it have {rows[1]} each.")
