"""Pasted numbers among words: which are values, and which are an index, a count or a tolerance.

Outside of brackets whatever is no number is passed over, and so are the numbers of the `PASSAGES`, which are kept to be
shown. Nothing that may have been meant as a value is passed over in silence: a word that begins like a number and is
none is refused. Inside brackets, where every place needs its number, `tokenizer` reads.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

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

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]*\w)"
_WHOLE = r"[0-9]{1,9}(?![\w.]*[0-9])"
_GAP = r"[ \t]{0,9}"
_PLACES = r"[0-9:, -]{1,60}"
_NUMBERED = (
    "component|sample|row|col(?:umn)?|element|entry|step|epoch|iter(?:ation)?|batch|line|output|input|layer|dim|axis"
    "|seed|rank|trial|fold|version"
)
_COUNTED = (
    "places|decimals|digits|failed|passed|skipped|warnings?|errors|samples|elements|components|steps|iterations|epochs"
    "|outputs|inputs|rows|columns"
)
_WRAPPERS = "print|repr|str|float|abs|approx|pytest\\.approx|Decimal|Fraction"
"""Calls whose argument is the value itself."""

_LINE_BEGINS = {
    "typed at a prompt": r">>>[^\r\n]*(?:\r?\n\.\.\.[^\r\n]*)*",
    "typed into a notebook": r"In[ ]?\[[0-9]{1,6}\]:[^\r\n]*(?:\r?\n[ ]{1,12}\.\.\.:[^\r\n]*)*",
    "line of code in a traceback": r">[ ]{2,}[^\r\n]*",
    "place": rf"{_GAP}\[{_PLACES}\](?={_GAP}:|[ \t]{{1,9}}[-+.0-9])",
}
PASSAGES = {
    "index": rf"(?<!\w)(?:at[ ])?ind(?:ex|ices){_GAP}[=:]?{_GAP}(?:\({_PLACES}\)|\[{_PLACES}\]|{_WHOLE})"
    rf"|(?<![\w.])[A-Za-z_][\w.]{{0,60}}(?:\[{_PLACES}\])+",
    "shape": rf"(?<!\w)(?:(?:shape|size){_GAP}[=:]?{_GAP}[(\[](?:{_PLACES})?[)\]]|torch\.Size\(\[{_PLACES}\]\))",
    "dtype": rf"(?<!\w)dtype{_GAP}[=:]{_GAP}(?P<dtype>'[^'\r\n]{{0,60}}'|[\w.<>=|]{{1,60}})"
    r"|(?<![\w.(])torch\.(?P<bare>b?float(?:16|32|64))(?![\w.]|[ ]?\()"
    r"|\[torch\.(?:cuda\.)?(?P<kind>[A-Za-z0-9]{0,20}Tensor) of size [0-9x]{1,60}[^\]\r\n]{0,60}\]",
    "address": r"<[^<>\r\n]{0,200}[ ]at[ ]0x[0-9a-f]{1,16}>|<[A-Za-z0-9]{1,60}>",
    "tolerance": rf"(?<![a-zA-Z])(?:[ar]?tol(?:erance)?|eps(?:ilon)?|threshold|up to|within){_GAP}[=:]?{_GAP}{_NUMBER}"
    rf"|(?:±|\+/?-){_GAP}{_NUMBER}",
    "time": r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\w)|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?![\w.]*\w)",
    "version": r"[0-9]{1,9}(?:\.[0-9]{1,9}){2,9}[\w.+-]{0,60}",
    "count": rf"{_WHOLE}{_GAP}/{_GAP}{_WHOLE}|[0-9.]{{1,20}}{_GAP}(?:%|(?:ulps?|ULPs?|[mµun]?s|seconds)(?!\w))"
    rf"|[0-9]{{1,9}}[ ](?:{_COUNTED})(?!\w)|(?<!\w)(?:{_NUMBERED})[ ]#?{_WHOLE}",
}
"""What is passed over together with the numbers in it, by what these are."""

_CALLED = re.compile(rf"(?<![\w.])(?!{CALL}|(?:{_WRAPPERS})\()[A-Za-z_][\w.]{{0,60}}(?=[(\[])")
_REACHES = 200  # characters of the arguments of a call, and of what is called on its result
_CHAINED = re.compile(r"\.[A-Za-z_]\w{0,60}")
_STANDS_ALONE = re.compile(r"(?<![\w.])[0-9.]*[0-9]")
_FRACTION = re.compile(rf"(?<![\w.])(?:[0-9]+\.|\.[0-9]|[0-9]+e[-+]?[0-9])|(?:{CALL})", re.I)
_IS_VALUE_OF = re.compile(rf"{_GAP}(?:=|:|->|→|≈){_GAP}(?={_NUMBER})")
_COMMA_INSIDE = re.compile(
    r"(?<![^\s(:=])[-+]?[0-9]{1,400}(?:,[0-9]{1,400}|(?:,[0-9]{3}){1,99}(?:\.[0-9]{0,400})?)(?:e[-+]?[0-9]{1,4})?(?![^\s):;])",
    re.IGNORECASE,
)

_LINE_BEGIN = re.compile("|".join(_LINE_BEGINS.values()))
_PASSAGE = re.compile("|".join(PASSAGES.values()), re.IGNORECASE)
_BEGINS_VALUE = re.compile(rf"\[|{CALL}")
_NESTED = re.compile(rf"\({_GAP}(?:[\[(]|{CALL})")
_PARENTHESES = re.compile(r"\(([^()\[\]]{1,200})\)")
_REMARK = re.compile(r"[ \t]{0,9}\(((?!nan\b|inf)[^\W\d][^\[\](),\r\n0-9]{0,80})\)|[ \t]{1,9}(difference)\)", re.I)
_TOKEN = re.compile(rf"(?:(?!->|:{CALL})[^\s,\[\](){{}};|\"'`=<>≈≠→])+")
_DECORATION = "~*_"
_ENDS_WORD = ".:!?"
_BEGINS_NUMBER = re.compile(r"[-+]?\.?\d")
_OPERATORS = {"+", "-", "*", "**", "/", "//", "%", "@"}
_BEFORE_NUMBER = re.compile(rf"{_GAP}\(?{_NUMBER}")

_DIFFERENCE = re.compile(
    r"(?<![a-z])(?:diff(?:erences?|s)?|err(?:ors?)?|discrepanc(?:y|ies)|deviations?|residuals?)(?![a-z])"
    r"(?!\s+(?:between|of|in|from)(?![a-z]))"
)
_RELATIVE = re.compile(r"(?<![a-z])rel(?:ative)?(?![a-z])")
_EXPECTED = re.compile(r"(?<![a-z])(?:expected|desired|reference|target|truth|numerical|exact)(?![a-z])")


@dataclass
class Run:
    """Numbers that stand together, in brackets or with no word between them: the line that they begin on, and the words
    before them and right behind."""

    line: int
    words: str
    numbers: list[Printed | NotFinite | None] = field(default_factory=list)
    shape: Shape = ()
    in_brackets: bool = False
    remark: str = ""

    @property
    def role(self) -> Role:
        said = f"{self.words} {self.remark}".lower()
        if _DIFFERENCE.search(said):
            return "relative" if _RELATIVE.search(said) else "difference"
        return "expected" if _EXPECTED.search(said) else "value"


@dataclass
class Prose:
    """A text as it is read: its runs in order, what was passed over with a number in it, and the dtypes that it names.

    Raises `PasteError` where something that may be meant as a number cannot be read.
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
        """Reads what begins at a position, and returns where it ends."""
        text, char = self.text, self.text[position]
        line_begins = position == 0 or text[position - 1] in "\r\n"
        if char in "\r\n":
            return self._end_line(position)
        if line_begins and (passage := _LINE_BEGIN.match(text, position)):
            return self._pass_over(passage[0], passage.end())
        if char.isspace():
            return position + 1
        if passage := _PASSAGE.match(text, position):
            if named := passage["dtype"] or passage["bare"] or passage["kind"]:
                self.dtypes.append(named)
                self._before = "word"
                return passage.end()
            return self._pass_over(passage[0], passage.end())
        if end := self._call_ends(position):
            self._pass_over(text[position:end], end)
            self._words.append(text[position:end])  # as `diff.max(0)`, which says what the number behind it is
            return end
        if comma := _COMMA_INSIDE.match(text, position):
            raise refused(
                "The comma of {} may be in one number or between two: write a decimal point, no comma for thousands, "
                "and a space behind a comma between numbers.",
                comma[0],
            )
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
        if not (self._words and self._words[-1].endswith(":")):  # a heading of the next line
            self._words = []
        self._line, self._before = self._line + 1, "line"
        return position + 1

    def _pass_over(self, passage: str, end: int) -> int:
        self.passed.append(passage.strip())
        self._line += passage.count("\n")
        self._before = "word"
        return end

    def _call_ends(self, position: int) -> int | None:
        """Where a call ends whose arguments are no values, together with what is called on its result.

        They are none if they are all whole, as the 0 in `J.sum(0)[0].item()`, or if the value stands behind, as in
        `f(0.5) = 0.25`. None where there is no such call, or no number in it.
        """
        called = _CALLED.match(self.text, position)
        if called is None:
            return None
        end = called.end()
        while closing := _closing(self.text, end):
            end = closing
            if chained := _CHAINED.match(self.text, end):
                end = chained.end()
        call = self.text[position:end]
        if "(" not in call or not _STANDS_ALONE.search(call):
            return None
        return end if _IS_VALUE_OF.match(self.text, end) or not _FRACTION.search(call) else None

    def _is_tuple(self, position: int) -> bool:
        """Whether parentheses hold numbers or values only: others are punctuation, or those of some call."""
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
        """Words in parentheses right behind a number say what it is."""
        remark = _REMARK.match(self.text, end)
        if remark is None:
            return end
        self.runs[-1].remark = remark[1] or remark[2]
        return remark.end()

    def _token(self, token: str, end: int) -> int:
        if token in _OPERATORS and self._before == "number" and _BEFORE_NUMBER.match(self.text, end):
            raise refused("Between two numbers stands {}, but nothing is computed here: paste the values.", token)
        word = token.strip(_DECORATION).replace("\N{MINUS SIGN}", "-")
        word = word if _is_number(word) else word.rstrip(_ENDS_WORD)
        if _is_number(word):
            self._add(printed(word))
            return self._remark(end)
        if "..." in token or "…" in token or _BEGINS_NUMBER.match(word):
            if self._before != "word" or _BEGINS_NUMBER.match(word):
                raise no_number(token)
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


def _closing(text: str, start: int) -> int | None:
    """The end of the brackets that open at a place; None where none do, or they are not closed on that line."""
    depth = 0
    for place in range(start, min(start + _REACHES, len(text))):
        depth += (text[place] in "([") - (text[place] in ")]")
        if depth == 0 and place > start:
            return place + 1
        if depth == 0 or text[place] in "\r\n":
            return None
    return None


def _is_number(word: str) -> bool:
    return bool(DECIMAL.fullmatch(word) or HEXADECIMAL.fullmatch(word))
