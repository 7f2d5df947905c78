"""A paste as values: numbers with their printed digits and their place in the text, brackets as shapes, and labels.

The text is never run. What is no value, such as a tolerance, an index or a line of a traceback, is blanked out first,
with as many spaces, so that every number keeps its place in the text and what was read can be marked there. Time is
linear in the length of the text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import prod

from lib.experiment.choices import DTYPES
from lib.experiment.fields import Refusal

MOST_CHARACTERS, MOST_NUMBERS, MOST_DIMENSIONS = 50_000, 2_000, 8
_OVERFLOW = 2**1024 - 2**970  # the smallest number that float64 rounds to infinity
_FARTHEST = 400  # powers of ten: the smallest float64 is above 10**-324, the largest one below 10**309

_NUMBER = r"[-+−]?(?:0x[0-9a-f]{1,14}(?:\.[0-9a-f]{0,14})?(?:p[-+]?[0-9]{1,4})?"
_NUMBER += r"|(?:[0-9]{1,400}+(?:\.[0-9]{0,400}+)?|\.[0-9]{1,400}+)(?:e[-+−]?[0-9]{1,6})?|nan|inf(?:inity)?)"
_ALIASES = {alias.lower(): name for name, dtype in DTYPES.items() for alias in dtype.aliases}
_NAMES = {name: name for name in DTYPES}
_NAMES |= {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}
_DTYPE = re.compile(
    r"(\bdtype[ ]?[=:][ ]?['<]?)?(?<![\w.])((?:torch|np|numpy|jnp|tf)\.)?(\w{1,30})(?!\w)['>]?", re.IGNORECASE
)
_COUNTED = "sample|row|column|element|component|term|float|ulp|layer|time|epoch|step|iteration|input|output|argument"
_COUNTED += "|decimal|digit|place|one|entrie|value|batche|number"
_BLANK = [
    re.compile(pattern, re.MULTILINE | re.IGNORECASE)
    for pattern in (
        # colours, margins and prompts of pytest, a terminal and IPython; rules
        r"\x1b\[[0-9;]{0,20}m|^[E>|][ \t]{1,20}(?=\S)|^[E>][ \t]{0,20}$|^[ \t]{0,20}(?:In|Out)[ ]?\[\d{0,6}\]:"
        r"|^[-=_]{3,200}.{0,200}$",
        # tracebacks and what pytest says twice, addresses, dates, versions, the factor of a NumPy column
        r"^[ \t]{0,20}File \"[^\"\n]{0,300}\", line \d{1,9}.*$|^\S{1,300}\.py:\d{1,9}:.*$|https?://\S{1,500}"
        r"|^[ \t]{0,20}\+[ ]{1,4}where .*$|\[torch\.\w{1,30} (?:of size )?\[[^\]\n]{0,60}\]\]"
        r"|\b\d{4}-\d\d-\d\d\S{0,30}|\b\d{1,4}(?:\.\d{1,4}){2,3}\S{0,30}|^[ \t]{0,9}[\d.]{1,9}e[-+]\d\d[ ]?\*[ \t]*$",
        # keywords of a tensor, and tolerances
        r"(?:\b(?:device|requires_grad|grad_fn|layout|size|weak_type|is_grads_batched)|(?:, |: )shape)[ ]?=[ ]?"
        r"(?:<[^<>\n]{0,200}>|'[^'\n]{0,60}'|\([^()\n]{0,60}\)|[\w.]{1,60})",
        rf"\(up to {_NUMBER} allowed\)|±[ ]?{_NUMBER}|\bat \w{{1,9}}[ ]?=[ ]?{_NUMBER}"
        r"|\b(?:[ra]tol|tol(?:erance)?|eps|epsilon|lr|threshold)"
        rf"\w{{0,9}}(?: (?:of|is|was))?[ ]?[=:]?[ ]?{_NUMBER}",
        # indices
        r"\bMismatched elements: .*$|\bMismatch at ind(?:ex|ices):|\d{1,9}(?:\.\d{0,20})?[ ]?%"
        r"|\b(?:at )?index(?: of)?[ ]?[:=]?[ ]?(?:\([\d, ]{0,60}\)|\[[\d, ]{0,60}\]|\d{1,9})"
        r"|^[ \t]{0,20}[\[(]\d{1,9}(?:, ?\d{1,9}){0,7},?[\])][ ]?:"
        r"|(?<=[\w)\]])\[-?\d{1,9}(?:, ?-?\d{1,9}){0,7}\](?!\()",
        # counts, factors and sums
        r"\b(?:for|of|with respect to|w\.?r\.?t\.?) (?:output|input|argument) \d{1,9}"
        rf"|\b(?:{_COUNTED}|line|seed|version|batch|rank|bs|n|dim|item)s?(?: size| of)?[ _]?[=:#]?[ ]?\d{{1,9}}\b"
        r"(?![.\de])"
        rf"|\b\d{{1,9}} (?:{_COUNTED})s?\b|\b\d{{1,9}}(?:st|nd|rd|th)\b"
        rf"|[*/@][ ]?{_NUMBER}|{_NUMBER}[ ]?\+[ ]?{_NUMBER}",
    )
]
"""What has digits and is no value."""

_CALL = re.compile(r"(?:(?<![\w.])|\.)([A-Za-z_][\w.]{0,80}'?)\([^()\[\]\n]{0,200}\)")
_TENSOR = re.compile(r"(?:^|\.)(?:\w*tensor|\w*array|matrix|Parameter|Size|TensorShape|constant)$", re.IGNORECASE)
_TUPLE = re.compile(
    rf"(?<!\w)\(((?:\s{{0,9}}{_NUMBER}\s{{0,9}},){{1,400}}(?:\s{{0,9}}{_NUMBER})?\s{{0,9}})\)", re.IGNORECASE
)
_TOKEN = re.compile(
    rf"(?P<open>\[)|(?P<close>\])|(?P<newline>\n)|(?P<gap>(?:\.\.\.|…)[\w.]*)"
    rf"|(?P<number>(?:\d{{1,3}}(?:,\d{{3}}){{1,9}}\.\d{{1,40}}|-?0,\d{{2,40}}(?![\d,.])|{_NUMBER}))(?!\w|\.\w)"
    r"|(?P<word>[^\W\d][\w.'’-]{0,80}|\w[\w.]{0,200}|(?<= )-(?= ))|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_DIFFERENCE = re.compile(
    r"diff(?!er\b|erent)|(?<![a-z])err(?:or)?s?\b|discrepan|deviat|residual|delta|[\w)] - [a-z]|\b\w-\w\b",
    re.IGNORECASE,
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
        """Whether it is written as a whole number: 3, 3. or 3.0."""
        return self.decimals == 0 or self.text.endswith(".0")


@dataclass(frozen=True)
class Value:
    """Numbers in one pair of brackets, with their shape, or one number, whose shape is (); and the words before it.

    `sizes` tells that it is written as a shape is, (3, 4) or torch.Size([3, 4]).
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...] = ()
    label: str = ""
    line: int = 0
    sizes: bool = False

    @cached_property
    def role(self) -> str:
        """What the label says: difference, relative, expected or value."""
        if _DIFFERENCE.search(self.label):
            return "relative" if _RELATIVE.search(self.label) else "difference"
        return "expected" if _EXPECTED.search(self.label) else "value"


@dataclass(frozen=True)
class Reading:
    """What was read: values in order, the dtypes named, what was passed over; whether "..." or an end was left out."""

    text: str
    values: tuple[Value, ...]
    dtypes: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    elided: bool = False
    cut: bool = False


def read_number(text: str) -> Fraction | float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(_NUMBER, text.strip(), re.IGNORECASE):
        raise refused("{} is not a number.", text)
    return _printed(text.strip(), 0).value


def read(text: str) -> Reading:
    """Read a paste. Raise `PasteError` if it is too long, or if its brackets have rows of unequal length."""
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    left, passed, dtypes = _without_what_is_no_value(text)
    values, elided, cut = _values(left)
    return Reading(text, tuple(values), tuple(dict.fromkeys(dtypes)), tuple(passed), elided, cut)


def _spaces(found: re.Match[str] | str) -> str:
    return re.sub(r"[^\n]", " ", found if isinstance(found, str) else found[0])


def _without_what_is_no_value(text: str) -> tuple[str, list[str], list[str]]:
    """Return the text with all that is no value blanked out, what of that has digits, and the dtypes that are named."""
    passed: list[str] = []
    dtypes: list[str] = []

    def blank(found: re.Match[str]) -> str:
        if re.search(r"\d", found[0]):
            passed.append(found[0].strip()[:60])
        return _spaces(found)

    def named(found: re.Match[str]) -> str:
        name = found[3].lower()
        dtype = (_NAMES | _ALIASES if found[1] or found[2] else _NAMES).get(name)
        if found[1] and re.match(r"complex|float8", name):
            raise refused(f"The paste's dtype {{}} cannot be read: it must be one of {', '.join(DTYPES)}.", found[3])
        dtypes.extend([dtype] if dtype else [])
        return _spaces(found) if dtype or found[1] else found[0]

    text = _DTYPE.sub(named, text)
    lines = text.split("\n")
    typed = [line.startswith((">>>", "...")) for line in lines]
    answers = [line for line, own in zip(lines, typed, strict=True) if line.strip() and not own]
    if any("(DESIRED)" in line for line in answers):  # NumPy lists what differs, in full, besides the arrays
        typed = ["(DESIRED)" not in line for line in lines]
    if answers:
        text = "\n".join(_spaces(line) if own else line for line, own in zip(lines, typed, strict=True))
    for pattern in _BLANK:
        text = pattern.sub(blank, text)
    for _ in range(3):  # a call within a call
        text = _CALL.sub(lambda found: found[0] if _TENSOR.search(found[1]) else _words_alone(found[0]), text)
    return text, passed, dtypes


def _words_alone(call: str) -> str:
    """Blank out the arguments of a call of a function that is no tensor, such as `randn(3, 4)`."""
    return re.sub(r"\b\d[\w.]*|\W", lambda one: " " * len(one[0]), call)


def _printed(word: str, start: int) -> Printed:
    """Read a word that is a number."""
    span, text = (start, start + len(word)), word.replace("−", "-")
    if "0x" in text.lower():
        return Printed(word, Fraction(float.fromhex(text)), span)
    text = text.replace(",", "." if re.match(r"-?0,", text) else "")
    value = Decimal(text)
    if not value.is_finite():
        return Printed(word, float(text), span)
    place = int(value.as_tuple().exponent)
    if value and abs(value.adjusted()) > _FARTHEST or abs(value) >= _OVERFLOW:
        raise refused("The number {} is beyond the range of float64.", word)
    digits = len(value.as_tuple().digits) if value else 0
    return Printed(text, Fraction(value if value else 0), span, digits, place, None if "e" in text.lower() else -place)


class _Brackets:
    """What stands in brackets that are not closed yet: the shapes of the parts, and all their numbers."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []
        self.numbers: list[Printed] = []


def _values(text: str) -> tuple[list[Value], bool, bool]:
    """Read values; brackets nest, and round ones count where they hold a tuple of numbers."""
    tuples: set[int] = set()

    def square(found: re.Match[str]) -> str:
        tuples.add(found.start())
        return f"[{found[1]}]"

    values: list[Value] = []
    words: list[str] = []
    stack: list[_Brackets] = []
    line, count, elided, was_cut, sizes = 0, 0, False, False, False

    def close(cut: bool = False) -> None:
        nonlocal was_cut
        part = stack.pop()
        if not part.numbers:
            return
        was_cut = was_cut or cut
        shape = _shape(part, cut)
        if stack:
            stack[-1].shapes.append(shape)
            stack[-1].numbers.extend(part.numbers)
        else:
            values.append(Value(tuple(part.numbers), shape, " ".join(words[-12:]), line, sizes))
            words.clear()

    for token in _TOKEN.finditer(_TUPLE.sub(square, text)):
        kind, word = token.lastgroup, token[0]
        if kind == "open":
            sizes = sizes if stack else token.start() in tuples or words[-1:] != [] and words[-1].endswith("Size")
            stack.append(_Brackets())
            if len(stack) > MOST_DIMENSIONS:
                raise PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: so many cannot be read.")
        elif kind == "close" and stack:
            close()
        elif kind == "gap":
            elided = elided or bool(stack)
        elif kind == "word" and not _TENSOR.search(word):
            while stack:  # brackets hold no other words: these were not closed
                close(cut=True)
            words.append(word)
        elif kind == "word":
            words += [] if stack else [word]
        elif kind == "newline":
            line += 1
        elif kind == "number":
            count += 1
            if count > MOST_NUMBERS:
                raise PasteError(f"The paste has more than {MOST_NUMBERS:,} numbers.")
            number = _printed(word, token.start())
            if stack:
                stack[-1].shapes.append(())
                stack[-1].numbers.append(number)
            else:
                last = values[-1] if values and not values[-1].shape and values[-1].line == line else None
                label = " ".join(words[-12:]) or (last.label if last else "")
                values.append(Value((number,), (), label, line))
                words.clear()
    while stack:
        close(cut=True)
    return values, elided, was_cut


def _shape(part: _Brackets, cut: bool) -> tuple[int, ...]:
    """Return the shape of what stands in brackets; of brackets that were cut off, less a row that is not complete."""
    first = part.shapes[0]
    if all(shape == first for shape in part.shapes):
        return (len(part.shapes), *first)
    if cut and all(shape == first for shape in part.shapes[:-1]):
        del part.numbers[prod(first) * (len(part.shapes) - 1) :]
        return (len(part.shapes) - 1, *first)
    raise PasteError(_ragged(part.shapes))


def _ragged(shapes: Sequence[tuple[int, ...]]) -> str:
    place = next(place for place, shape in enumerate(shapes) if shape != shapes[0])
    sizes = [" × ".join(map(str, shape)) or "no list of" for shape in (shapes[place], shapes[0])]
    return f"Row {place}, counted from 0, has {sizes[0]} numbers where the rows before it have {sizes[1]}."
