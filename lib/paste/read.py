"""A paste as values: numbers with their printed digits and their place in the text, brackets as shapes, and labels.

The text is never run. What is no value, such as a tolerance, an index or a line of a traceback, is blanked out first,
with as many spaces, so that every number keeps its place in the text and what was read can be marked there. Time is
linear in the length of the text.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import prod

from lib.experiment.choices import DTYPES
from lib.experiment.fields import Refusal
from lib.paste.noise import NUMBER, TENSOR, spaces, without_noise

MOST_CHARACTERS, MOST_NUMBERS, MOST_DIMENSIONS = 50_000, 2_000, 8
_OVERFLOW = 2**1024 - 2**970  # the smallest number that float64 rounds to infinity
_FARTHEST = 400  # powers of ten: the smallest float64 is above 10**-324, the largest one below 10**309

_ALIASES = {alias.lower(): name for name, dtype in DTYPES.items() for alias in dtype.aliases}
_NAMES = {name: name for name in DTYPES}
_NAMES |= {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}
_DTYPE = re.compile(
    r"(\bdtype[ ]?[=:][ ]?['<]?)?(?<![\w.])((?:torch|np|numpy|jnp|tf)\.)?(\w{1,30})(?!\w)['>]?", re.IGNORECASE
)
_TUPLE = re.compile(
    rf"(?<!\w)\(((?:\s{{0,9}}{NUMBER}\s{{0,9}},){{1,400}}(?:\s{{0,9}}{NUMBER})?\s{{0,9}})\)", re.IGNORECASE
)
_TOKEN = re.compile(
    rf"(?P<open>\[)|(?P<close>\])|(?P<newline>\n\s*)|(?P<gap>(?:\.\.\.|…)[\w.]*)"
    rf"|(?P<number>(?:\d{{1,3}}(?:,\d{{3}}){{1,9}}\.\d{{1,40}}|{NUMBER}(?:\.\.\.|…)?)(?!\w|\.\w))"
    r"|(?P<word>[^\W\d][\w.'’-]{0,80}|\w[\w.]{0,200})|[^\w\[\]\n.…+−–-]+|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_DIFFERENCE = re.compile(
    r"(?<!finite.)(?<!central.)(?<!forward.)diff(?!er\b|erent)|(?<![a-z])err(?:or)?s?\b"
    r"|discrepan|deviat|delta|round-off|[\w)\]] - [a-z(]|\b\w-\w\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\brel(?:ative)?\b|relative_", re.IGNORECASE)
_EXPECTED = re.compile(
    r"\b(?:expected|desired|reference|ref|target|truth|exact|baseline|should(?: have been| be)?|instead of)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\b(?:got|gets?|gives?|says?|returns?|is now)\b", re.IGNORECASE)
_VERSUS = re.compile(r"vs\.?|versus|!=|against", re.IGNORECASE)
_TENSORS = re.compile(r"[\w.]{0,40}(?:tensor|array|matrix)\(", re.IGNORECASE)
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_BULLET = re.compile(r"^[ \t]*(?:[-*•#>]+[ \t]+)+|[`*]+")


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
    """Numbers in one pair of brackets, with their shape, or one number, whose shape is (); and the words that name it.

    The label stands before it on its line, or after it, or is the heading above. `sizes` tells that it is written as a
    shape is, (3, 4) or torch.Size([3, 4]); `part` that its end is missing.
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...] = ()
    label: str = ""
    line: int = 0
    sizes: bool = False
    part: bool = False

    @cached_property
    def role(self) -> str:
        """What the label says: difference, relative, expected or value."""
        found = _DIFFERENCE.search(self.label)
        if found and not _TOLD.search(self.label, found.end()):
            return "relative" if _RELATIVE.search(self.label) else "difference"
        return "expected" if _EXPECTED.search(self.label) else "value"


@dataclass(frozen=True)
class Reading:
    """What was read: values in order, the dtypes named, what was passed over, and the lines without that."""

    text: str
    values: tuple[Value, ...]
    dtypes: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def parts(self) -> bool:
        """Whether numbers are left out somewhere."""
        return any(value.part for value in self.values)


def read_number(text: str) -> Fraction | float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(NUMBER, text.strip(), re.IGNORECASE):
        raise refused("{} is not a number.", text)
    return _printed(text.strip(), 0).value


def read(text: str) -> Reading:
    """Read a paste. Raise `PasteError` if it is too long, or if its brackets have rows of unequal length."""
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    named, dtypes = _without_dtypes(text)
    left, passed = without_noise(named)
    values = _Values(left).values
    return Reading(text, tuple(values), tuple(dict.fromkeys(dtypes)), tuple(passed), tuple(left.split("\n")))


def _without_dtypes(text: str) -> tuple[str, list[str]]:
    """Blank out dtypes, and list them. A tensor printed without one beside another with one is of PyTorch's default."""
    dtypes: list[str] = []

    def named(found: re.Match[str]) -> str:
        name = found[3].lower()
        dtype = (_NAMES | _ALIASES if found[1] or found[2] else _NAMES).get(name)
        if found[1] and re.match(r"complex|float8", name):
            raise refused(f"The paste's dtype {{}} cannot be read: it must be one of {', '.join(DTYPES)}.", found[3])
        dtypes.extend([dtype] if dtype else [])
        return spaces(found) if dtype or found[1] else found[0]

    tensors = [part for part in re.split(r"\btensor\((?=[\[\d-])", text)[1:]]
    if len({"dtype=" in part for part in tensors}) == 2:
        dtypes.append("float32")
    return _DTYPE.sub(named, text), dtypes


def _printed(word: str, start: int) -> Printed:
    """Read a word that is a number."""
    span, text = (start, start + len(word)), re.sub(r"[−–]", "-", word.rstrip("…"))
    text = text[:-3] if text.endswith("...") else text
    if "0x" in text.lower():
        return Printed(word, Fraction(float.fromhex(text)), span)
    text = re.sub(r"[ ]?[×·*x][ ]?10(?:\^|\*\*)?", "e", text.replace(",", "").translate(_RAISED))
    text = re.sub(r"d(?=[-+])", "e", text, flags=re.IGNORECASE)
    value = Decimal(text)
    if not value.is_finite():
        return Printed(word, float(text), span)
    place = int(value.as_tuple().exponent)
    if value and abs(value.adjusted()) > _FARTHEST or abs(value) >= _OVERFLOW:
        raise refused("The number {} is beyond the range of float64.", word)
    digits = len(value.as_tuple().digits) if value else 0
    shown = word if len(word) > len(text) else text
    return Printed(shown, Fraction(value if value else 0), span, digits, place, None if "e" in text.lower() else -place)


class _Brackets:
    """What stands in brackets that are not closed yet: the shapes of the parts, and all their numbers."""

    def __init__(self, start: int, line: int, sizes: bool) -> None:
        self.start, self.line, self.sizes = start, line, sizes
        self.shapes: list[tuple[int, ...]] = []
        self.numbers: list[Printed] = []
        self.part = False


class _Values:
    """Values in the order of the text; brackets nest, and round ones count where they hold a tuple of numbers."""

    def __init__(self, text: str) -> None:
        self.tuples: set[int] = set()
        self.text = _TUPLE.sub(self._square, text)
        self.values: list[Value] = []
        self.stack: list[_Brackets] = []
        self.line = self.count = self.label_start = 0
        self.heading, self.heading_line, self.on_line = "", 0, 0
        for token in _TOKEN.finditer(self.text):
            self._take(token)
        self._end_line(len(text), len(text))
        while self.stack:
            self._close(len(text), cut=True)

    def _square(self, found: re.Match[str]) -> str:
        self.tuples.add(found.start())
        return f"[{found[1]}]"

    def _take(self, token: re.Match[str]) -> None:
        kind, start = token.lastgroup, token.start()
        if kind == "open":
            sizes = start in self.tuples or self.text[max(start - 5, 0) : start].endswith(("Size(", "Size"))
            self.stack.append(_Brackets(start, self.line, sizes))
            if len(self.stack) > MOST_DIMENSIONS:
                raise PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: so many cannot be read.")
        elif kind == "close" and self.stack:
            self._close(token.end())
        elif kind == "gap":
            for part in self.stack:
                part.part = True
        elif kind == "word":
            tensor = TENSOR.search(token[0]) and all(self.text[part.start - 1] != "(" for part in self.stack)
            while self.stack and not tensor:  # brackets hold no words but these: they were not closed
                self._close(start, cut=True)
        elif kind == "newline":
            self._end_line(start, token.end())
        elif kind == "number":
            self._number(_printed(token[0], start))

    def _number(self, number: Printed) -> None:
        self.count += 1
        if self.count > MOST_NUMBERS:
            raise PasteError(f"The paste has more than {MOST_NUMBERS:,} numbers.")
        if self.stack:
            self.stack[-1].shapes.append(())
            self.stack[-1].numbers.append(number)
        else:
            self._add(Value((number,), (), self._label(number.span[0]), self.line), number.span[1])

    def _close(self, end: int, cut: bool = False) -> None:
        part = self.stack.pop()
        if not part.numbers:
            return
        shape = _shape(part, cut or part.part)
        if self.stack:
            self.stack[-1].shapes.append(shape)
            self.stack[-1].numbers.extend(part.numbers)
        else:
            label = self._label(part.start)
            self._add(Value(tuple(part.numbers), shape, label, part.line, part.sizes, cut or part.part), end)

    def _add(self, value: Value, end: int) -> None:
        if self.on_line and _VERSUS.fullmatch(value.label):
            self.values[-1] = replace(self.values[-1], label="")  # "difference at 3: 0.5 vs. 0.25"
        self.values.append(value)
        self.on_line += 1
        self.label_start = end

    def _label(self, start: int) -> str:
        own = _words(self.text[max(self.label_start, start - 200) : start])
        return own or (self.values[-1].label if self.on_line else self.heading)

    def _end_line(self, end: int, next_line: int) -> None:
        """Let the words after the only value of a line name it, or those of a line without values what is below."""
        words = _words(self.text[max(self.label_start, end - 200) : end])
        if self.on_line == 1 and words and self.values[-1].label == self.heading:
            self.values[-1] = replace(self.values[-1], label=f"{self.heading} {words}".strip())
        elif not self.on_line and not self.stack and words:
            self.heading, self.heading_line = words, self.line
        lines = self.text.count("\n", end, next_line)
        if lines > 1 and self.values and self.values[-1].line >= self.heading_line:
            self.heading = ""
        self.line += lines
        self.label_start, self.on_line = max(self.label_start, next_line), 0


def _words(text: str) -> str:
    """Return what may be a label, or "" if no word is in it."""
    text = _BULLET.sub("", _TENSORS.sub("", text)).strip(" \t\n,;|({\"'")
    return text if re.search(r"[^\W\d_]", text) else ""


def _shape(part: _Brackets, cut: bool) -> tuple[int, ...]:
    """Return the shape of what stands in brackets; if some of it is missing, of the rows before that are complete."""
    first = part.shapes[0]
    alike = next((place for place, shape in enumerate(part.shapes) if shape != first), len(part.shapes))
    if alike < len(part.shapes) and not cut:
        sizes = [" × ".join(map(str, shape)) or "no list of" for shape in (part.shapes[alike], first)]
        raise PasteError(
            f"Row {alike}, counted from 0, has {sizes[0]} numbers where the rows before it have {sizes[1]}."
        )
    del part.numbers[prod(first) * alike :]
    return (alike, *first)
