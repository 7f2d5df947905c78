"""A paste as values: numbers with their printed digits and their place in the text, brackets as shapes, and labels.

The text is never run. What is no value, such as a tolerance, an index or a line of a traceback, is blanked out first,
with as many spaces, so that every number keeps its place in the text and what was read can be marked there. Time is
linear in the length of the text.
"""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod

from lib.experiment.choices import DTYPES
from lib.experiment.fields import Refusal

MOST_CHARACTERS, MOST_NUMBERS, MOST_DIMENSIONS = 100_000, 5_000, 8
_OVERFLOW = 2**1024 - 2**970  # the smallest number that float64 rounds to infinity
_FARTHEST = 400  # powers of ten: the smallest float64 is above 10**-324, the largest one below 10**309

_NUMBER = r"[-+−]?(?:0x[0-9a-f]{1,14}(?:\.[0-9a-f]{0,14})?(?:p[-+]?[0-9]{1,4})?"
_NUMBER += r"|(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?|\.[0-9]{1,400}+)(?:e[-+−]?[0-9]{1,6})?|nan|inf(?:inity)?)"
_SHORT = ("bf16", "fp16", "fp32", "fp64")
_DTYPE = rf"(?:torch\.|np\.|numpy\.|jnp\.)?(?:{'|'.join((*DTYPES, *_SHORT))})"
_DTYPE += (
    rf"|(?:(?<=dtype=)|(?<=dtype=')|(?<=dtype: )|torch\.)(?:{'|'.join(a for d in DTYPES.values() for a in d.aliases)})"
)
_ALIASES = {alias: name for name, dtype in DTYPES.items() for alias in dtype.aliases}
_ALIASES |= {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}

_BLANK = [
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        r"\x1b\[[0-9;]{0,20}m",
        r"^[E>|][ \t]{1,20}(?=\S)|^[E>][ \t]{0,20}$",
        r"^[ \t]{0,20}(?:In|Out)[ ]?\[\d{0,6}\]:|^[-=_]{3,200}.{0,200}$",
        r"^[ \t]{0,20}File \"[^\"\n]{0,300}\", line \d{1,9}.*$|^\S{1,300}\.py:\d{1,9}:.*$|https?://\S{1,500}"
        r"|\[torch\.\w{1,30} of size [^\]\n]{0,60}\]|^[ \t]{0,9}[\d.]{1,9}e[-+]\d\d[ ]?\*[ \t]*$",
        r"\b(?:device|requires_grad|grad_fn|layout|size|weak_type|is_grads_batched)[ ]?=[ ]?"
        r"(?:<[^<>\n]{0,200}>|'[^'\n]{0,60}'|\([^()\n]{0,60}\)|[\w.]{1,60})",
        rf"\(up to {_NUMBER} allowed\)|\b[ra]tol[ ]?[=:]?[ ]?{_NUMBER}|±[ ]?{_NUMBER}",
        rf"\b(?:tol(?:erance)?|eps|epsilon|lr|threshold)\w{{0,9}}(?: (?:of|is|was))?[ ]?[=:]?[ ]?{_NUMBER}",
        r"\bMismatched elements: .*$|\bMismatch at ind(?:ex|ices):|\d{1,9}(?:\.\d{0,20})?[ ]?%",
        r"\b(?:at )?index(?: of)?[ ]?[:=]?[ ]?(?:\([\d, ]{0,60}\)|\[[\d, ]{0,60}\]|\d{1,9})",
        r"^[ \t]{0,20}[\[(]\d{1,9}(?:, ?\d{1,9}){0,7},?[\])][ ]?:|(?<=[\w)\]])\[\d{1,9}(?:, ?\d{1,9}){0,7}\](?!\()",
        r"\b(?:for|of|with respect to|w\.?r\.?t\.?) (?:output|input|argument) \d{1,9}",
        r"\b(?:line|seed|epoch|step|iteration|row|rows|column|sample|samples|component|element|layer|version|batch|rank|"
        r"batch[ _]size|bs|n|dim)(?:[ ]?[=:#]?[ ]?)\d{1,9}\b(?![.\de])",
        r"\b\d{1,9} (?:samples|rows|columns|elements|terms|floats|ulps?|layers|times|epochs|steps|inputs|outputs"
        r"|decimals|digits|places)\b",
        r"\b\d{1,4}(?:\.\d{1,4}){2,3}\S{0,30}|\b\d{4}-\d\d-\d\d\S{0,30}(?: \d\d:\d\d\S{0,20})?",
        rf"[*/@][ ]?{_NUMBER}|\b\d{{1,9}}(?:st|nd|rd|th)\b",
    )
]
"""What has digits and is no value: colours, margins, tracebacks, tolerances, indices, counts, versions, factors."""

_NAMED = re.compile(rf"(?<![\w.])({_DTYPE})(?![\w(])['>]?", re.IGNORECASE)
_OTHER = re.compile(r"\bdtype[ ]?=[ ]?['<]?(?:torch\.)?(\w{1,30})['>]?")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)[^\n]{0,2000}", re.MULTILINE)
_CALL = re.compile(
    r"(?<![\w.])(?:[a-z_]\w{0,30}\.){0,2}(tensor|array|asarray|matrix|parameter|size)\s?\(", re.IGNORECASE
)
_CODE = re.compile(
    rf"(?<![\w.])[A-Za-z_][\w.]{{0,80}}\((?!\s*[\[(])(?![^()\n]{{0,80}}[\[(]\s*{_NUMBER})[^()\n]{{0,200}}\)"
)
_TOKEN = re.compile(
    rf"(?P<call>(?:(?:torch|np|numpy|jnp)\.)?\w{{0,30}}\()|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<comma>[,;|&])|(?P<newline>\n)"
    rf"|(?P<gap>(?:\.\.\.|…)[\w.]*)|(?P<number>(?:\d{{1,3}}(?:,\d{{3}}){{1,9}}\.\d{{1,40}}|-?0,\d{{2,40}}(?![\d,.])|{_NUMBER}))"
    r"(?!\w|\.\w|j\b)|(?P<word>[^\W\d][\w.'’-]{0,80}|\w[\w.]{0,200})|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)

_DIFFERENCE = re.compile(
    r"diff(?!er\b|erent)|(?<![a-z])err(?:or)?s?\b|discrepan|deviat|residual|delta|[\w)] ?- ?[a-z]", re.IGNORECASE
)
_RELATIVE = re.compile(r"\brel(?:ative)?\b|relative_", re.IGNORECASE)
_EXPECTED = re.compile(r"\b(?:expected|desired|reference|ref|target|truth|exact|baseline)\b", re.IGNORECASE)


class PasteError(Refusal):
    """Why a paste cannot be read, in one sentence that says what can."""


def refused(sentence: str, pasted: str) -> PasteError:
    """Return the sentence as an error, with {} replaced by as much of the paste as is fit to be shown."""
    shown = repr(pasted[:60])
    shown = shown if len(pasted) <= 60 and len(shown) <= 60 else f"{shown[:57]}…"
    return PasteError(sentence.format(shown), shown)


@dataclass(frozen=True)
class Printed:
    """A number as text, its value, and where it stands.

    `digits` counts its significant digits, `place` is the power of ten of the last one, `decimals` counts those after
    its point and is None in e-notation. All three are None if the number is exact (hexadecimal), NaN or an infinity.
    """

    text: str
    value: Fraction | float
    span: tuple[int, int] = (0, 0)
    digits: int | None = None
    place: int | None = None
    decimals: int | None = None

    @property
    def finite(self) -> bool:
        return isinstance(self.value, Fraction)

    @property
    def whole(self) -> bool:
        """Whether it is written as a whole number, without a point."""
        return self.decimals == 0 and not self.text.endswith(".")


@dataclass(frozen=True)
class Value:
    """Numbers that belong together: their shape if they stand in brackets, else a part of a line; and its label."""

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...] = ()
    label: str = ""
    line: int = 0
    bracketed: bool = False
    call: str = ""
    cut: bool = False

    @property
    def role(self) -> str:
        """What the label says: difference, relative, expected or value."""
        if _RELATIVE.search(self.label) and _DIFFERENCE.search(self.label):
            return "relative"
        if _DIFFERENCE.search(self.label):
            return "difference"
        return "expected" if _EXPECTED.search(self.label) else "value"


@dataclass(frozen=True)
class Reading:
    """What was read: the values in order, the dtypes that are named, what was passed over, and whether it has "..."."""

    text: str
    values: tuple[Value, ...]
    dtypes: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    elided: bool = False
    named_calls: tuple[str, ...] = field(default=())


def read_number(text: str) -> Fraction | float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(_NUMBER, text.strip(), re.IGNORECASE):
        raise refused("{} is not a number.", text)
    return _printed(text.strip(), 0).value


def read(text: str) -> Reading:
    """Read a paste. Raise `PasteError` if it is too long, or if something in brackets is no number."""
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    left, passed, dtypes = _without(text)
    parser = _Parser(left)
    parser.run()
    return Reading(text, tuple(parser.values), tuple(dtypes), tuple(passed), parser.elided, tuple(parser.calls))


def _without(text: str) -> tuple[str, list[str], list[str]]:
    """Return the text with all that is no value blanked out, what of that has digits, and the dtypes that are named."""
    passed: list[str] = []
    dtypes: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if re.search(r"\d", found[0]):
            passed.append(found[0].strip()[:60])
        return re.sub(r"[^\n]", " ", found[0])

    def named(found: re.Match[str]) -> str:
        name = found[1].rpartition(".")[2].lower()
        name = next((one for one in (*DTYPES, *_ALIASES) if one.lower() == name), name)
        dtypes.append(_ALIASES.get(name, name))
        return " " * len(found[0])

    def other(found: re.Match[str]) -> str:
        if re.match(r"complex|float\d", found[1]):
            raise refused(f"The paste's dtype {{}} cannot be read: it must be one of {', '.join(DTYPES)}.", found[1])
        return " " * len(found[0])

    prompts = [line for line in text.split("\n") if line.strip()]
    if any(not line.startswith((">>>", "...")) for line in prompts):
        text = _PROMPT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    else:
        text = text.replace(">>>", "   ")
    for pattern in _BLANK[:5]:
        text = pattern.sub(blank, text)
    text = _OTHER.sub(other, _NAMED.sub(named, text))
    for pattern in _BLANK[5:]:
        text = pattern.sub(blank, text)
    return text, passed, list(dict.fromkeys(dtypes))


def _printed(word: str, start: int) -> Printed:
    """Read a word that is a number."""
    span = start, start + len(word)
    text = word.replace("−", "-")
    if re.match(r"-?0,", text):
        text = text.replace(",", ".")
    text = text.replace(",", "")
    lower = text.lower()
    sign = -1 if lower.startswith("-") else 1
    if "0x" in lower:
        whole, _, power = lower.lstrip("+-")[2:].partition("p")
        before, _, after = whole.partition(".")
        return Printed(word, sign * int(before + after, 16) * Fraction(2) ** (int(power or 0) - 4 * len(after)), span)
    if lower.lstrip("+-")[0] in "ni":
        return Printed(word, float(lower), span)
    mantissa, _, power = lower.lstrip("+-").partition("e")
    whole, _, after = mantissa.partition(".")
    exponent = int(power or 0)
    place, digits = exponent - len(after), len((whole + after).lstrip("0"))
    if digits and abs(place + digits) > _FARTHEST:
        raise refused("The number {} is beyond the range of float64.", word)
    value = sign * int(whole + after) * Fraction(10) ** (place if digits else 0)
    if abs(value) >= _OVERFLOW:
        raise refused("The number {} is beyond the range of float64.", word)
    return Printed(text, value, span, digits, place, None if power else len(after))


class _Parser:
    """Values from a text without what is none: brackets nest, and outside of them each line has its numbers."""

    def __init__(self, text: str) -> None:
        self.text, self.line, self.elided, self.count = text, 0, False, 0
        self.values: list[Value] = []
        self.open: list[tuple[str, list[tuple[int, ...]], list[Printed]]] = []
        self.words: list[str] = []
        self.calls: list[str] = []
        self.run_of: list[Printed] = []
        self.call = ""

    def run(self) -> None:
        text = _CODE.sub(lambda found: self._code(found), self.text)
        for token in _TOKEN.finditer(text):
            kind, word = str(token.lastgroup), token[0]
            if kind in ("call", "open"):
                self._begin(kind, word)
            elif kind == "close":
                self._end()
            elif kind == "number":
                self._number(_printed(word, token.start()))
            elif kind == "newline":
                self._newline()
            elif kind == "gap":
                self.elided = self.elided or bool(self._in_brackets)
            elif kind == "word":
                self._word(word)
            elif kind == "other" and word == "-" and not self._in_brackets:
                self.words.append("-")
        self._finish_run()
        while self.open:
            self._end(cut=True)

    @staticmethod
    def _code(found: re.Match[str]) -> str:
        """Blank out numbers within a call of a function that is no tensor, such as `randn(3, 4)`."""
        keep = _CALL.match(found[0]) is not None
        return found[0] if keep else re.sub(r"\b\d[\w.]*|\W", lambda one: " " * len(one[0]), found[0])

    @property
    def _in_brackets(self) -> bool:
        return any(kind == "[" for kind, *_ in self.open)

    def _begin(self, kind: str, word: str) -> None:
        self._finish_run()
        if kind == "call":
            self.call = word.rstrip("(").rpartition(".")[2]
            self.calls.append(self.call)
            if self.call not in ("tensor", "array", "Size", "Parameter") and not self._in_brackets:
                self.words.append(self.call)
        self.open.append(("[" if word == "[" else "(", [], []))
        if len(self.open) > 2 * MOST_DIMENSIONS:
            raise PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: more dimensions cannot be read.")

    def _end(self, cut: bool = False) -> None:
        self._finish_run()
        if not self.open:
            return
        kind, shapes, numbers = self.open.pop()
        if not numbers:
            return
        if kind == "(" and len(shapes) == 1:
            shape = shapes[0]
        elif any(one != shapes[0] for one in shapes):
            if not cut:
                raise _ragged(shapes)
            whole = prod(shapes[0]) * (len(shapes) - 1)  # the last row is not complete
            numbers, shape = numbers[:whole], (len(shapes) - 1, *shapes[0])
        else:
            shape = (len(shapes), *shapes[0])
        if self.open and (self.open[-1][0] == "[" or self._in_brackets):
            self.open[-1][1].append(shape)
            self.open[-1][2].extend(numbers)
            return
        bracketed = kind == "[" or len(shapes) > 1
        if self.call in ("array", "Array"):
            numbers = [_by_numpy(number) for number in numbers]
        self._add(Value(tuple(numbers), shape, self._label(), self.line, bracketed or bool(shape), self.call, cut))
        self.call = ""

    def _number(self, number: Printed) -> None:
        self.count += 1
        if self.count > MOST_NUMBERS:
            raise PasteError(f"The paste has more than {MOST_NUMBERS:,} numbers.")
        if self.open:
            self.open[-1][1].append(())
            self.open[-1][2].append(number)
        else:
            self.run_of.append(number)

    def _word(self, word: str) -> None:
        if self._in_brackets:
            if word in ("True", "False"):
                raise PasteError("True and False say where two differ and not by how much: paste the numbers.")
            raise refused("{} is not a number: only numbers can stand in brackets.", word)
        self._finish_run()
        if self.open and self.open[-1][2]:
            _, shapes, numbers = self.open[-1]
            self._add(Value(tuple(numbers), (len(numbers),), self._label(), self.line))
            shapes.clear()
            numbers.clear()
        if re.match(r"\d[\d.e+-]*j$|\d.*j$", word):
            raise refused("The number {} is complex: only real numbers can be read.", word)
        self.words.append(word)

    def _newline(self) -> None:
        if not self.open or not self._in_brackets:
            self._finish_run()
        self.line += 1

    def _finish_run(self) -> None:
        if self.run_of:
            self._add(Value(tuple(self.run_of), (len(self.run_of),), self._label(), self.line))
            self.run_of = []

    def _label(self) -> str:
        label, self.words = " ".join(self.words[-12:]), []
        return label

    def _add(self, value: Value) -> None:
        self.values.append(value)


def _by_numpy(number: Printed) -> Printed:
    """Return a number of a NumPy array, which has eight decimals, and drops zeros at their end."""
    if number.decimals is None or number.place is None or number.digits is None or not -8 < number.place:
        return number
    more = 8 - number.decimals if "." in number.text else 0
    digits = number.digits + more if number.digits else 0
    return replace(number, digits=digits, place=number.place - more, decimals=number.decimals + more)


def _ragged(shapes: list[tuple[int, ...]]) -> PasteError:
    place = next(place for place, shape in enumerate(shapes) if shape != shapes[0])
    if () in (shapes[place], shapes[0]):
        return PasteError("Numbers and lists are mixed in one list: every row needs brackets of its own.")
    sizes = [" × ".join(map(str, shape)) for shape in (shapes[place], shapes[0])]
    return PasteError(f"Row {place}, counted from 0, has {sizes[0]} numbers where the rows before it have {sizes[1]}.")
