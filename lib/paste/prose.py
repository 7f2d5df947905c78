"""Pasted numbers among words: which are values, and which are an index, a count or a tolerance.

Outside brackets, the reader skips whatever is not a number and also the passages with numbers that `passages` lists,
which are kept so that they can be shown. Nothing that may have been meant as a value is skipped silently: a word that
begins like a number but is not one is refused. Inside brackets, where every place needs a number, `tokenizer` reads.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from lib.paste.passages import GAP, LINE_BEGIN, NUMBER, PASSAGE, call_end
from lib.paste.printed import NotFinite, Printed, printed
from lib.paste.tokenizer import (
    CALL,
    DECIMAL,
    HEXADECIMAL,
    PasteError,
    Shape,
    no_number,
    read_one,
    refused,
    without_prompts,
)

Role = Literal["value", "expected", "difference", "relative"]

_COMMA_INSIDE = re.compile(
    r"(?<![^\s(:=])[-+]?[0-9]{1,400}(?:,[0-9]{1,400}|(?:,[0-9]{3}){1,99}(?:\.[0-9]{0,400})?)(?:e[-+]?[0-9]{1,4})?(?![^\s):;])",
    re.IGNORECASE,
)

_THOUSANDS = re.compile(r"(?<![^\s(:=,])[-+]?[0-9]{1,3}(?:['’][0-9]{3}){1,99}(?:\.[0-9]{0,400})?(?![\w.'’])")

_BEGINS_VALUE = re.compile(rf"\[|{CALL}")
_NESTED = re.compile(rf"\({GAP}(?:[\[(]|{CALL})")
_PARENTHESES = re.compile(r"\(([^()\[\]]{1,200})\)")
_REMARK = re.compile(r"[ \t]{0,9}\(((?!nan\b|inf)[^\W\d][^\[\](),\r\n0-9]{0,80})\)|[ \t]{1,9}(difference)\)", re.I)
_TOKEN = re.compile(rf"(?:(?!->|:{CALL})[^\s,\[\](){{}};|\"'`=<>≈≠→])+")
_DECORATION = "~*_$"
_ENDS_WORD = ".:!?"
_BEGINS_NUMBER = re.compile(r"[-+]?\.?\d")
_OPERATORS = {"+", "-", "*", "**", "/", "//", "%", "@"}
_OPERATION = re.compile(rf"[*/%@^]{{1,2}}{NUMBER}")
_BEFORE_NUMBER = re.compile(rf"{GAP}\(?{NUMBER}")

_DIFFERENCE = re.compile(
    r"(?<![a-z])(?:diff(?:erences?|s)?|err(?:ors?)?|discrepanc(?:y|ies)|deviations?|residuals?)(?![a-z])"
    r"(?!\s+(?:between|of|in|from)(?![a-z]))"
)
_ABSOLUTE = re.compile(r"(?<![a-z])abs(?:olute)?(?![a-z])")
_RELATIVE = re.compile(r"(?<![a-z])rel(?:ative)?(?![a-z])")
_EXPECTED = re.compile(r"(?<![a-z])(?:expected|desired|reference|target|truth|numerical|exact)(?![a-z])")


@dataclass
class Run:
    """Numbers that belong together: in brackets, or with no word between them.

    `line` is the line on which they begin, `words` are the words before them, and `remark` is the remark right after.
    """

    line: int
    words: str
    numbers: list[Printed | NotFinite | None] = field(default_factory=list)
    shape: Shape = ()
    in_brackets: bool = False
    remark: str = ""

    @property
    def role(self) -> Role:
        if _DIFFERENCE.search(self._said):
            return "relative" if _RELATIVE.search(self._said) else "difference"
        return "expected" if _EXPECTED.search(self._said) else "value"

    @property
    def is_absolute(self) -> bool:
        """Whether the words say that its numbers are absolute values."""
        return bool(_ABSOLUTE.search(self._said))

    @property
    def _said(self) -> str:
        return f"{self.words} {self.remark}".lower()


@dataclass
class Prose:
    """A text once read: its runs in order, the skipped passages with numbers in them, and the dtypes that it names.

    Making one raises `PasteError` if something that may be meant as a number cannot be read.
    """

    text: str
    runs: list[Run] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    dtypes: list[str] = field(default_factory=list)
    _line: int = 0
    _words: list[str] = field(default_factory=list)
    _before: Literal["line", "word", "number", "comma"] = "line"

    def __post_init__(self) -> None:
        self.text = without_prompts(self.text)
        position = 0
        while position < len(self.text):
            position = self._step(position)

    def _step(self, position: int) -> int:
        """Read what begins at a position, and return where it ends."""
        text, char = self.text, self.text[position]
        line_begins = position == 0 or text[position - 1] in "\r\n"
        if char in "\r\n":
            return self._end_line(position)
        if line_begins and (passage := LINE_BEGIN.match(text, position)):
            return self._pass_over(passage[0], passage.end())
        if char.isspace():
            return position + 1
        if passage := PASSAGE.match(text, position):
            if named := passage["dtype"] or passage["bare"] or passage["kind"]:
                self.dtypes.append(named)
                self._before = "word"
                return passage.end()
            return self._pass_over(passage[0], passage.end())
        if end := call_end(text, position):
            self._pass_over(text[position:end], end)
            self._words.append(text[position:end])  # like `diff.max(0)`, which says what the next number is
            return end
        if comma := _COMMA_INSIDE.match(text, position):
            raise refused(
                "The comma of {} may be in one number or between two: write a decimal point, no comma for thousands, "
                "and a space behind a comma between numbers.",
                comma[0],
            )
        if apart := _THOUSANDS.match(text, position):
            raise refused("The number {} has apostrophes: write it without a sign between thousands.", apart[0])
        if _BEGINS_VALUE.match(text, position) or char == "(" and self._is_tuple(position):
            return self._bracketed(position)
        if char == ",":
            if self._before == "comma":
                raise PasteError("Before a comma a number is missing: every place needs its number.")
            self._before = "comma" if self._before == "number" else self._before
            return position + 1
        if char == "]":
            raise refused("The closing bracket {} matches no opening one.", char)
        token = _TOKEN.match(text, position)
        return self._token(token[0], token.end()) if token else position + 1

    def _end_line(self, position: int) -> int:
        if not (self._words and self._words[-1].endswith(":")):  # a heading for the next line
            self._words = []
        self._line, self._before = self._line + 1, "line"
        return position + 1

    def _pass_over(self, passage: str, end: int) -> int:
        self.passed.append(passage.strip())
        self._line += passage.count("\n")
        self._before = "word"
        return end

    def _is_tuple(self, position: int) -> bool:
        """Whether parentheses hold only numbers or values; other parentheses are punctuation or belong to a call."""
        if position and (self.text[position - 1].isalnum() or self.text[position - 1] == "_"):
            return False
        if inside := _PARENTHESES.match(self.text, position):
            words = inside[1].replace(",", " ").split()
            return bool(words) and all(map(_is_number, words))
        return bool(_NESTED.match(self.text, position))

    def _bracketed(self, position: int) -> int:
        values, end = read_one(self.text, position, printed)
        for value in values:
            by_torch = "tensor" in value.calls
            numbers = [number.by_torch if by_torch and number else number for number in value.numbers]
            self.runs.append(Run(self._line, " ".join(self._words), numbers, value.shape, in_brackets=True))
            self.dtypes += value.dtypes
            self.dtypes += [call for call in value.calls if "float" in call]
        self._line += self.text.count("\n", position, end)
        self._words, self._before = [], "number"
        return self._remark(end) if values else end

    def _remark(self, end: int) -> int:
        """Read the words in parentheses right after a number, which say what it is, and return where they end."""
        remark = _REMARK.match(self.text, end)
        if remark is None:
            return end
        self.runs[-1].remark = remark[1] or remark[2]
        return remark.end()

    def _token(self, token: str, end: int) -> int:
        if token in _OPERATORS and self._before == "number" and _BEFORE_NUMBER.match(self.text, end):
            raise refused("Between two numbers stands {}, but nothing is computed here: paste the values.", token)
        begin = end - len(token)
        if (operation := _OPERATION.match(token)) and self.text.endswith((")", "]"), 0, begin):
            if self._before == "number":
                raise refused("After a value comes {}, but nothing is computed here: paste the result.", operation[0])
            return self._pass_over(operation[0], begin + operation.end())
        word = token.strip(_DECORATION).replace("\N{MINUS SIGN}", "-")
        word = word if _is_number(word) else word.rstrip(_ENDS_WORD)
        if _is_number(word):
            self._add(printed(word))
            return self._remark(end)
        if "..." in token or "…" in token or _BEGINS_NUMBER.match(word):
            if self._before != "word" or _BEGINS_NUMBER.match(word):
                raise no_number(token)
        if any(map(str.isnumeric, word)) and not any(map(str.isalpha, word)):  # such as --5 or ½
            self.passed.append(token)
        self._words.append(token)
        self._before = "word"
        return end

    def _add(self, number: Printed | NotFinite) -> None:
        run = self.runs[-1] if self.runs and self._before in ("number", "comma") else None
        if run is None or run.in_brackets or run.remark:
            run = Run(self._line, " ".join(self._words))
            self.runs.append(run)
        run.numbers.append(number)
        run.shape = (len(run.numbers),)
        self._words, self._before = [], "number"


def _is_number(word: str) -> bool:
    return bool(DECIMAL.fullmatch(word) or HEXADECIMAL.fullmatch(word))
