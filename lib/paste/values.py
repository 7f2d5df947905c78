"""The values in a paste: numbers, brackets and tensors, each with its shape and its place.

NOTE [grammar]: a value is what PyTorch, NumPy, JAX and Python print.

    value    = scalar | bracket | name "(" value options ")"
    scalar   = number | complex
    bracket  = "[" value … "]"        all of one shape; "..." marks numbers that are left out
    name     = "tensor" | "array" | "Array" | "float32" | "torch.Size" | …
    options  = ", dtype=torch.float64" | ", grad_fn=<AddBackward0>" | …

A bracket right after a word is an index, and no value. A number that belongs to words is none
either: a whole number beside a word, as in "step 3:" or "100 samples", a percentage, the nan of
"no nan". 0,41 and 1,234.5 are none outside of brackets: the comma may be a decimal point, or group
digits. The text is never run, and the time is linear in its length.
"""

import re
from typing import Any, NamedTuple, Self

import numpy as np

from lib.paste.printed import NUMBER, UNSIGNED, PasteError, Printed, printed

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 2_000
MOST_NESTED = 9
"""Brackets and names within each other: a tensor of eight dimensions."""


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CODE = re.compile(r"^>>>.*(?:\n\.\.\. .*)*", re.MULTILINE)
"""Lines that Python reads, as its prompt marks them."""

_BLANK = _compiled(r"[\s,;]*+")
_INDEX = r"\[[\w:, '\"-]{0,40}\]"
_WORD = rf"[^\W\d][\w’']*+(?:[./-]\w++|{_INDEX})*+|\w++(?:[.+-]\w++)*+"
_COMMA = re.compile(r"(?<![\w.,])[-+−]?(?:\d+,\d+(?![\d.,])|\d{1,3}(?:,\d{3})+\.\d+)")
_NO_VALUE = _compiled(
    rf"{_COMMA.pattern}|\s++|{_WORD}|(?<=[)\]]){_INDEX}|\((?:[0-9]++,?+[ ]?+)++\)|."
)
_NUMBER = _compiled(rf"(?<![\w.]){NUMBER}(?!\w|\.\w)")
_REAL = rf"({NUMBER})(?=[ ]{{0,8}}[-+])"
_COMPLEX = _compiled(rf"(?<![\w.])(\()?(?:{_REAL})?[ ]{{0,8}}([-+]?{UNSIGNED})j(?(1)\))(?!\w)")
_GAP = re.compile(r"\.\.\.|…")
_NAMES = r"tensor|array|matrix|DeviceArray|(?-i:Size)|b?float[0-9]*|complex[0-9]*"
_WRAPPER = _compiled(rf"(?<![\w.])(?:[a-z]\w*\.)*({_NAMES})\(\s*(?!\Z)")
_TEXT = r"(?:<[^<>\n]*+>|'[^'\n]*+'|\w[\w.]*+(?:\([^()\n]*+\))?+|\([^()\n]*+\))"
_OPTIONS = _compiled(rf"(?:[,\s]*+[a-z_]++\s*+=\s*+{_TEXT}\s*+)*+[\s,]*+\)")
_DTYPE = _compiled(r"\bdtype\s*=\W*(?:\w+\.)*(\w+)")
_OF_WORDS = {
    "count": _compiled(r"(?:[a-z][ \t]?|[:/@#-])\0|\0(?:[ \t]?[%a-z(]|[:/*-])"),
    "nan": _compiled(r"[a-z](?<!nan)(?<!inf)[ \t]\0"),
    "other": _compiled(r"\0[ ]?%"),
}
"""What stands right before and after a number that belongs to words, by what the number is."""


class Value(NamedTuple):
    """Numbers of one shape in a text.

    `span` is the place in the text, and `name` is what stands before the bracket, such as "tensor",
    or "". `shape` is () for a single number. `dtype` is the dtype named in the value, or "". A
    complex number is two numbers. `gap` tells that numbers are left out. `label` is what names the
    value, in its line or right above.
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...]
    span: tuple[int, int]
    name: str = ""
    dtype: str = ""
    is_complex: bool = False
    gap: bool = False
    label: str = ""

    @property
    def exact(self) -> Self:
        """The same value, taken as printed with all its digits."""
        return self._replace(numbers=tuple(each._replace(digits=None) for each in self.numbers))

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The numbers in their shape, in which a complex number is a dimension of two."""
        parts = [2] if self.is_complex else []
        return np.reshape([number.value for number in self.numbers], [*self.shape, *parts])

    @property
    def is_size(self) -> bool:
        """Whether it is the `torch.Size` of an array."""
        return self.name == "Size"

    @property
    def counts(self) -> bool:
        """Whether all numbers are written as counts are: 3, but not 3. or np.float32(3)."""
        is_other = self.is_complex or self.is_size or self.name[-1:].isdigit()
        return not is_other and all(number.counts for number in self.numbers)


def without(pattern: re.Pattern[str], text: str) -> str:
    """Return a text with blanks in place of what matches."""
    return pattern.sub(lambda match: re.sub(".", " ", match[0]), text)


def values_of(text: str) -> list[Value]:
    """Return the values of a text in order; beside a complex one, all are complex.

    Raises `PasteError` if the text is too long, has too many numbers, one beyond float64, or
    brackets nested too deep.
    """
    if len(text) > MOST_CHARACTERS:
        limit = f"at most {MOST_CHARACTERS:,} are allowed"
        raise PasteError(f"The paste has {len(text):,} characters; {limit}.")
    values: list[Value] = []
    place = 0
    while place < len(text):
        value = None if _COMMA.match(text, place) else _value(text, place)
        if value and not _belongs_to_words(text, value):
            values.append(value)
        place = value.span[1] if value else _end(_NO_VALUE, text, place)
    count = sum(len(value.numbers) for value in values)
    if count > MOST_NUMBERS:
        raise PasteError(f"The paste has {count:,} numbers; at most {MOST_NUMBERS:,} are allowed.")
    is_complex = any(value.is_complex for value in values)
    return [_finished(value, is_complex) for value in values]


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _finished(value: Value, is_complex: bool) -> Value:
    """Return a value with imaginary parts of 0 if it lacks them, and a single one without shape."""
    shape = value.shape if len(value.numbers) > 1 + value.is_complex else ()
    numbers = value.numbers
    if is_complex and not value.is_complex:
        numbers = tuple(part for each in numbers for part in (each, _zero(each.span)))
    return value._replace(numbers=numbers, shape=shape, is_complex=is_complex)


def _zero(span: tuple[int, int]) -> Printed:
    return Printed("0", 0.0, span)


def _belongs_to_words(text: str, value: Value) -> bool:
    if value.shape or value.name or value.is_complex:
        return False
    start, end = value.span
    kind = "count" if value.counts else "nan" if text[start:end].isalpha() else "other"
    around = f"{text[max(start - 4, 0) : start]}\0{text[end : end + 2]}"
    return bool(_OF_WORDS[kind].search(around))


def _value(text: str, start: int, depth: int = 0) -> Value | None:
    """Read the value that begins at `start`, if there is one: NOTE [grammar]."""
    if depth > MOST_NESTED:
        raise PasteError(f"At most {MOST_NESTED} brackets can be read within each other.")
    if wrapper := _WRAPPER.match(text, start):
        return _wrapped(text, wrapper, depth)
    is_index = not depth and re.match(r"[\w)\]]", text[max(start - 1, 0)])
    if text[start] == "[" and not is_index:
        return _bracket(text, start, depth)
    if both := _COMPLEX.match(text, start):
        imaginary = _number(both, 3)
        real = _number(both, 2) if both[2] else _zero(imaginary.span)
        return Value((real, imaginary), (), both.span(), is_complex=True)
    if match := _NUMBER.match(text, start):
        return Value((_number(match, 0),), (), match.span())
    return None


def _number(match: re.Match[str], group: int) -> Printed:
    return printed(match[group], match.start(group))


def _wrapped(text: str, wrapper: re.Match[str], depth: int) -> Value | None:
    value = _value(text, wrapper.end(), depth + 1)
    if not value:
        return None
    name = wrapper[1]
    dtype = value.dtype
    if name[-1].isdigit():  # np.float32(0.1)
        value = value.exact
        dtype = name.lower()
    options = _OPTIONS.match(text, value.span[1])
    if not options:
        return None
    if named := _DTYPE.search(options[0]):
        dtype = named[1].lower()
    span = (wrapper.start(), options.end())
    return value._replace(span=span, name=name, dtype=dtype)


def _bracket(text: str, start: int, depth: int) -> Value | None:
    """Read a bracket, whose parts must be of one shape."""
    parts: list[Value] = []
    place = start + 1
    gap = False
    while True:
        place = _end(_BLANK, text, place)
        if text[place : place + 1] == "]":
            break
        if left_out := _GAP.match(text, place):
            gap = True
            place = left_out.end()
            continue
        part = _value(text, place, depth + 1) if place < len(text) else None
        if not part or parts and _kind(part) != _kind(parts[0]):
            return None
        parts.append(part)
        place = part.span[1]
    if not parts or not depth and parts[0].name:
        return None  # the tensors of a list are values of their own
    first = parts[0]
    numbers = tuple(number for part in parts for number in part.numbers)
    gap = gap or any(part.gap for part in parts)
    return first._replace(
        numbers=numbers, shape=(len(parts), *first.shape), span=(start, place + 1), name="", gap=gap
    )


def _kind(value: Value) -> tuple[bool, tuple[int, ...]]:
    return value.is_complex, value.shape
