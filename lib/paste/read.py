"""A paste as values: numbers with their printed digits and their place in the text, brackets as shapes, and labels.

The text is never run. What is no value, such as a tolerance, an index or a line of a traceback, is blanked out first,
with as many spaces, so that every number keeps its place in the text and what was read can be marked there. If nothing
is left, what was typed is read as well. Time is linear in the length of the text.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod

from lib.experiment.choices import DTYPES
from lib.paste.calls import named_by_print
from lib.paste.noise import spaces, without_noise, without_signs_of_a_diff
from lib.paste.patterns import CODE, LABEL, TEXT, says
from lib.paste.printed import PasteError, Printed, Value, printed

MOST_CHARACTERS, MOST_NUMBERS, MOST_DIMENSIONS = 50_000, 2_000, 8

_ALIASES = {alias.lower(): name for name, dtype in DTYPES.items() for alias in dtype.aliases}
_NAMES = {name: name for name in DTYPES}
_NAMES |= {"bf16": "bfloat16"} | {f"{f}{bits}": f"float{bits}" for bits in (16, 32, 64) for f in ("fp", "f")}
_PARTS = {"complex64": "float32", "complex128": "float64", "cfloat": "float32", "cdouble": "float64"}


@dataclass(frozen=True)
class Reading:
    """What was read: values in order, the dtypes named, what was passed over, and the lines without that."""

    text: str
    values: tuple[Value, ...]
    dtypes: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @cached_property
    def sentences(self) -> set[int]:
        """The lines that have five words or more."""
        return {at for at, line in enumerate(self.lines) if len(TEXT["word"].findall(line)) > 4}

    @property
    def parts(self) -> bool:
        """Whether numbers are left out somewhere."""
        return any(value.part for value in self.values)


def read(text: str) -> Reading:
    """Read a paste. Raise `PasteError` if it is too long, or if its brackets have rows of unequal length."""
    if len(text) > MOST_CHARACTERS:
        raise PasteError(f"The paste has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    named, dtypes = _without_dtypes(text)
    named = named.replace("</tr>", "\n    ")
    named = TEXT["matrix"].sub(lambda found: f"{'[]'[found[1] == 'end']:{len(found[0])}}", named)
    for code in (True, False):
        left, passed = without_noise(named, code)
        left, signs = without_signs_of_a_diff(left)
        values = _Values(left).values
        values = [value for value in values if code or value.pointed]  # whole numbers in code are sizes
        if values:
            break
    values = [one._replace(label=signs[one.line]) if one.line in signs else one for one in values]
    values = named_by_print(values, text)
    longest = max((number.digits or 0 for value in values for number in value.numbers), default=0)
    if longest < 8 and CODE["in_full"].search(text) and "tensor" not in text:
        values = [one._replace(numbers=tuple(n._replace(digits=None) for n in one.numbers)) for one in values]
    return Reading(text, tuple(values), tuple(dict.fromkeys(dtypes)), tuple(passed), tuple(left.split("\n")))


def _without_dtypes(text: str) -> tuple[str, list[str]]:
    """Blank out dtypes, and list them. A tensor printed without one beside another with one is of PyTorch's default."""
    dtypes: list[str] = []

    def named(found: re.Match[str]) -> str:
        name = found[3].lower()
        dtype = (_NAMES | _ALIASES if found[1] or found[2] else _NAMES).get(_PARTS.get(name, name))
        if found[1] and re.match(r"complex|float8", name) and not TEXT["complex"].search(text):
            allowed = ", ".join(DTYPES)
            raise PasteError.quoting(f"The paste's dtype {{}} cannot be read: it must be one of {allowed}.", found[3])
        dtypes.extend([dtype] if dtype else [_NAMES[part] for part in name.split("_") if part in _NAMES])  # grad_bf16
        return spaces(found) if dtype or found[1] else found[0]

    if len({"dtype=" in tensor for tensor in TEXT["tensor"].split(text)[1:]}) == 2:
        dtypes.append("float32")
    return TEXT["dtype"].sub(named, text), dtypes


class _Brackets:
    """What stands in brackets that are not closed yet: the shapes of the parts, and all their numbers."""

    def __init__(self, start: int, line: int, sizes: bool) -> None:
        self.start, self.line, self.sizes = start, line, sizes
        self.shapes: list[tuple[int, ...]] = []
        self.numbers: list[Printed] = []
        self.part = self.in_rows = False

    def end_row(self) -> None:
        """Take the numbers since the last row as one: [1 0; 0 1] as in MATLAB."""
        self.in_rows = True
        row = self.shapes.count(())
        self.shapes = [*(shape for shape in self.shapes if shape), *([(row,)] if row else [])]


class _Values:
    """Values in the order of the text; brackets nest, and others count where they hold nothing but numbers."""

    def __init__(self, text: str) -> None:
        self.given = text
        self.text = TEXT["braces"].sub(r"[\1]", TEXT["tuple"].sub(r"[\1\2]", text))
        self.values: list[Value] = []
        self.stack: list[_Brackets] = []
        self.line = self.count = self.label_start = self.on_line = 0
        self.heading = self.line_head = ""
        for token in TEXT["token"].finditer(self.text):
            self._take(token)
        self._end_line(len(text), len(text))
        if self.stack and self.stack[-1].numbers and self.stack[-1].numbers[-1].span[1] == len(text):
            del self.stack[-1].numbers[-1], self.stack[-1].shapes[-1]  # it may be cut off itself
        while self.stack:
            self._close(len(text), cut=True)

    def _take(self, token: re.Match[str]) -> None:
        kind, start = token.lastgroup, token.start()
        if kind == "number":
            self._number(printed(token[0], start))
        elif kind == "complex":
            self._open(start)
            for part in TEXT["complex"].fullmatch(token[0]).groups():  # type: ignore[union-attr]
                self._number(printed(part, start + token[0].index(part)))
            self._close(token.end())
        elif kind == "newline":
            self._end_line(start, token.end())
        elif kind == "open":
            self._open(start)
        elif kind == "close" and self.stack:
            self._close(token.end())
        elif kind == "row" and self.stack:
            self.stack[-1].end_row()
        elif kind == "gap":
            for part in self.stack:
                part.part = True
        elif kind == "word":
            tensor = CODE["value"].search(token[0]) and all(self.text[part.start - 1] != "(" for part in self.stack)
            while self.stack and not tensor:  # brackets hold no words but these: they were not closed
                self._close(start, cut=True)

    def _open(self, start: int) -> None:
        while self.stack and () in self.stack[-1].shapes:  # numbers before a bracket: theirs was not closed
            self._close(start, cut=True)
        sizes = self.given[start] == "(" or self.text[max(start - 5, 0) : start].endswith(("Size(", "Size"))
        self.stack.append(_Brackets(start, self.line, sizes))
        if len(self.stack) > MOST_DIMENSIONS:
            raise PasteError(f"The brackets are nested deeper than {MOST_DIMENSIONS}: so many cannot be read.")

    def _number(self, number: Printed) -> None:
        self.count += 1
        if self.count > MOST_NUMBERS:
            raise PasteError(f"The paste has more than {MOST_NUMBERS:,} numbers.")
        if self.stack:
            self.stack[-1].shapes.append(())
            self.stack[-1].numbers.append(number)
        else:
            start, end = number.span
            percent = self.text[end : end + 2].lstrip().startswith("%")
            self._add(Value((number,), (), self._label(start), self.line, percent=percent, heading=self.heading), end)

    def _close(self, end: int, cut: bool = False) -> None:
        part = self.stack.pop()
        if not part.numbers:
            return
        if part.in_rows:
            part.end_row()
        shape = _shape(part, cut or part.part)
        if self.stack:
            self.stack[-1].shapes.append(shape)
            self.stack[-1].numbers.extend(part.numbers)
        else:
            label = self._label(part.start)
            self._add(Value(tuple(part.numbers), shape, label, part.line, part.sizes, cut or part.part), end)
            self.on_line -= cut

    def _add(self, value: Value, end: int) -> None:
        if self.on_line > 1 and LABEL["linked"].fullmatch(value.label):  # 0.5 (1.5 vs. 1.0): no second difference
            before, last = self.values[-2:]
            self.values[-1] = last._replace(label=value.label if before.label == last.label else last.label)
        self.values.append(value)
        self.line_head = self.line_head if self.on_line else value.label
        self.on_line += 1
        self.label_start = end

    def _label(self, start: int) -> str:
        own = _words(self.text[max(self.label_start, start - 200) : start])
        last = self.values[-1] if self.on_line else None
        if own and says("statistic", own):
            return f"{last.label if last else self.heading} {own}".strip()
        if own and (several := LABEL["several"].match(self.line_head if last else self.heading)):
            return f"{several[0]} {own}"
        return own or (self.heading if not last else "" if last.percent else last.label)

    def _end_line(self, end: int, next_line: int) -> None:
        """Let the words of a line without values name what is below."""
        words = "" if self.stack else _words(self.text[max(self.label_start, end - 200) : end])
        if self.on_line == 1 and says("between", self.values[-1].label):
            self.values[-1] = self.values[-1]._replace(label=f"difference of {self.values[-1].label}")
        elif words and not self.on_line:
            self.heading = words
        elif words and not self.values[-1].label:
            self.values[-1] = self.values[-1]._replace(label=words)
        self.line += self.text.count("\n", end, next_line)
        self.label_start, self.on_line = self.label_start if self.stack else max(self.label_start, next_line), 0


@lru_cache(4096)
def _words(text: str) -> str:
    """Return what may be a label, or "" if no word is in it."""
    if not TEXT["letter"].search(text):
        return ""
    text = " ".join(LABEL["empty"].sub("", text).split()).strip(" \t\n,;|{\"'").rstrip("(")
    return text if TEXT["letter"].search(text) else ""


def _shape(part: _Brackets, cut: bool) -> tuple[int, ...]:
    """Return the shape of what stands in brackets; if some of it is missing, of the rows before that are complete."""
    first = part.shapes[0]
    alike = next((place for place, shape in enumerate(part.shapes) if shape != first), len(part.shapes))
    if alike < len(part.shapes) and not cut:
        has, had = (" × ".join(map(str, shape)) or "no list of" for shape in (part.shapes[alike], first))
        numbers = "number" if has == "1" else "numbers"
        raise PasteError(f"Row {alike}, counted from 0, has {has} {numbers} where the rows before it have {had}.")
    del part.numbers[prod(first) * alike :]
    return (alike, *first)
