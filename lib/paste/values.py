"""The values in a paste: numbers, brackets of numbers and tensors, each with its shape and its place in the text.

NOTE [grammar]: a value is what PyTorch, NumPy, JAX and Python print.

    value    = scalar | bracket | name "(" value options ")"
    scalar   = number | complex | "True" | "False"
    bracket  = "[" value … "]"        all of one shape; "..." marks numbers that are left out
    name     = "tensor" | "array" | "Array" | "float32" | …
    options  = ", dtype=torch.float64" | ", grad_fn=<AddBackward0>" | …

A bracket right after a word is an index, and lines that begin with ">>>" are code: neither is a value. A whole number
that belongs to words, as in "step 3:" or "100 samples", is none either. The text is never run, and the time is linear
in its length.
"""

import re
from typing import NamedTuple

from lib.paste.printed import NUMBER, UNSIGNED, PasteError, Printed, printed

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 2_000
MOST_DIMENSIONS = 8

_END = r"(?!\w|\.\w)"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_BLANK = _compiled(r"[\s,;]*+")
_INDEX = r"\[[\w:, '\"-]{0,40}\]"
_NEXT = _compiled(rf"\s++|[^\W\d][\w’']*+(?:[./-]\w++|{_INDEX})*+|\w++(?:\.\w++)*+|\((?:[0-9]++,?+[ ]?+)++\)|.")
_NUMBER = _compiled(rf"(?<![\w.]){NUMBER}{_END}")
_COMPLEX = _compiled(rf"(?<![\w.])(\(?)({NUMBER})([ ]{{0,8}}[-+]{UNSIGNED})j(?(1)\)?)(?!\w)")
_IMAGINARY = _compiled(rf"(?<![\w.])({NUMBER})j(?!\w)")
_BOOLEAN = re.compile(r"\b(?:True|False)\b")
_GAP = _compiled(r"\.\.\.|…")
_NAMES = r"tensor|array|matrix|DeviceArray|Parameter|float(?:16|32|64)?|bfloat16|complex(?:64|128)?"
_WRAPPER = _compiled(rf"(?:Parameter containing:\s*)?(?<![\w.])(?:[a-z]\w*\.)*({_NAMES})\(\s*")
_OPTION = _compiled(
    r"(?:,\s*)?(?:dtype|device|requires_grad|grad_fn|weak_type|layout|size|shape)\s*=\s*"
    r"(?:<[^<>\n]*>|'[^'\n]*'|\([^()\n]*\)|\w[\w.]*(?:\([^()\n]*\))?)\s*"
)
_DTYPE = _compiled(r"dtype\s*=\s*'?<?(?:[a-z]+\.)?([a-z]\w*)")
_SIZE = re.compile(r"torch\.Size\(\[([\d, ]*)\]\)")
_CODE = re.compile(r"^(?:>>>|\.\.\.)(?: .*)?$", re.MULTILINE)
_WORDS_FOLLOW = _compiled(r"[ \t]*[a-z_(]|[:/-]")
_WORDS_PRECEDE = re.compile(r"[\w/:@#-][:/@#-]$|[#@/]$")


class Value(NamedTuple):
    """Numbers of one shape.

    `span` is the place in the text, and `name` is what stands before the bracket, such as "tensor", or "". `dtype` is
    the dtype named in the value, or "". A complex number is two numbers, and its shape ends in 2. `gap` tells that
    numbers are left out, and `size` that the value is a `torch.Size`.
    `joined` tells that it is a row or a column of single numbers.
    `label` names the value, and `named` tells that the label stands in its line and not above.
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...]
    span: tuple[int, int]
    name: str = ""
    dtype: str = ""
    is_complex: bool = False
    gap: bool = False
    size: bool = False
    joined: bool = False
    label: str = ""
    named: bool = False
    line: int = 0

    @property
    def counts(self) -> bool:
        """Whether all numbers are written as counts are: 3, but not 3. or 3.0 or np.float32(3)."""
        is_float = self.is_complex or self.name[-1:].isdigit()
        return not is_float and all(number.counts for number in self.numbers)


_ZERO = Printed("0", 0.0, (0, 0), 0, 0, 0)


def as_complex(value: Value) -> Value:
    """Return a value with imaginary parts of 0, if it has none."""
    if value.is_complex:
        return value
    numbers = tuple(part for number in value.numbers for part in (number, _ZERO))
    return value._replace(numbers=numbers, shape=(*value.shape, 2), is_complex=True)


def values_of(text: str, in_words: bool = False) -> tuple[list[Value], list[Value]]:
    """Return the values of a text in order: those of numbers, and those of booleans.

    With `in_words`, numbers that belong to words count as well.

    Raises `PasteError` if the text is too long, has too many numbers, or has one beyond float64.
    """
    if len(text) > MOST_CHARACTERS:
        limit = f"at most {MOST_CHARACTERS:,} are allowed"
        raise PasteError(f"The paste has {len(text):,} characters; {limit}.")
    code = {match.start(): match.end() for match in _CODE.finditer(text)}
    values: list[Value] = []
    booleans: list[Value] = []
    place = 0
    while place < len(text):
        if place in code:
            place = code[place] + 1
            continue
        value = _value(text, place, 0)
        if value and value.numbers and (in_words or not _belongs_to_words(text, value)):
            values.append(value)
        if value and value.shape and not value.numbers:
            booleans.append(value)
        place = value.span[1] if value else _NEXT.match(text, place).end()  # type: ignore[union-attr]
    count = sum(len(value.numbers) for value in values)
    if count > MOST_NUMBERS:
        raise PasteError(f"The paste has {count:,} numbers; at most {MOST_NUMBERS:,} are allowed.")
    return values, booleans


def _belongs_to_words(text: str, value: Value) -> bool:
    """Whether a number is part of words: a percentage, the nan of "no nan", or the number of a step."""
    if value.shape or value.name or not value.numbers:
        return False
    start, end = value.span
    if text[end : end + 2].lstrip().startswith("%"):
        return True
    if value.numbers[0].digits is None and "x" not in value.numbers[0].text:
        return bool(re.search(r"[a-z](?<!nan)(?<!inf)[ \t]*\Z", text[max(start - 8, 0) : start], re.IGNORECASE))
    around = _WORDS_FOLLOW.match(text, end) or _WORDS_PRECEDE.search(text, max(start - 2, 0), start)
    return value.counts and bool(around)


def _value(text: str, start: int, depth: int) -> Value | None:
    """Read the value that begins at `start`, if there is one: NOTE [grammar]."""
    if depth > MOST_DIMENSIONS:
        return None
    if size := _SIZE.match(text, start):
        numbers = tuple(printed(each[0], each.start()) for each in _digits_in(size))
        return Value(numbers, (len(numbers),), size.span(), size=True) if numbers else None
    if wrapper := _WRAPPER.match(text, start):
        return _wrapped(text, wrapper, depth)
    if text[start] == "[" and (depth or not re.match(r"[\w)\]]", text[max(start - 1, 0)])):
        return _bracket(text, start, depth)
    if text[start] == "(" and _WRAPPER.match(text, start + 1):
        return _bracket(text, start, depth)
    return _scalar(text, start)


def _digits_in(size: re.Match[str]) -> list[re.Match[str]]:
    return list(re.compile("[0-9]+").finditer(size.string, *size.span(1)))


def _scalar(text: str, start: int) -> Value | None:
    if boolean := _BOOLEAN.match(text, start):
        return Value((), (), boolean.span())
    if both := _COMPLEX.match(text, start):
        numbers = (_number(both, 2), _number(both, 3))
        return Value(numbers, (2,), both.span(), is_complex=True)
    if imaginary := _IMAGINARY.match(text, start):
        number = _number(imaginary, 1)
        return Value((_ZERO, number), (2,), imaginary.span(), is_complex=True)
    if match := _NUMBER.match(text, start):
        return Value((printed(match[0], start),), (), match.span())
    return None


def _number(match: re.Match[str], group: int) -> Printed:
    """Read a part of a complex number, whose sign may stand apart: 1. +2.j in NumPy."""
    return printed(match[group].strip(), match.end(group) - len(match[group].strip()))


def _wrapped(text: str, wrapper: re.Match[str], depth: int) -> Value | None:
    if wrapper.end() == len(text):
        return None
    value = _value(text, wrapper.end(), depth + 1)
    if not value:
        return None
    place = value.span[1]
    dtype = value.dtype or (wrapper[1].lower() if wrapper[1][-1].isdigit() else "")
    while option := _OPTION.match(text, place):
        place = option.end()
        if named := _DTYPE.match(option[0].lstrip(", \n")):
            dtype = named[1].lower()
    closing = re.compile(r"[\s,]*\)").match(text, place)
    if not closing and not value.gap:
        return None
    span = (wrapper.start(), closing.end() if closing else place)
    numbers = value.numbers
    if wrapper[1][-1].isdigit():  # np.float32(0.1) has all its digits
        numbers = tuple(number._replace(digits=None) for number in numbers)
    return value._replace(numbers=numbers, span=span, name=wrapper[1], dtype=dtype)


def _bracket(text: str, start: int, depth: int) -> Value | None:
    """Read a bracket. Its end may be missing where the text ends, or after numbers left out."""
    parts: list[Value] = []
    closing = ")" if text[start] == "(" else "]"
    place = start + 1
    gap = False
    cut = False
    end = place
    while True:
        place = _BLANK.match(text, place).end()  # type: ignore[union-attr]
        if place == len(text):
            gap = cut = True
            break
        if text[place] == closing:
            end = place + 1
            break
        if left_out := _GAP.match(text, place):
            place = end = left_out.end()
            gap = cut = True
            continue
        part = _value(text, place, depth + 1)
        if not part and not cut:
            return None
        if not part:
            break
        parts.append(part)
        place = end = part.span[1]
        gap |= part.gap
        cut = part.gap
    return _stacked(text, parts, (start, end), gap, depth)


def _stacked(text: str, parts: list[Value], span: tuple[int, int], gap: bool, depth: int) -> Value | None:
    """Stack the parts of a bracket, which must be of one shape; the last may be cut off."""
    ends_in_a_number = span[1] == len(text) and parts and parts[-1].span[1] == len(text)
    if ends_in_a_number and not parts[-1].shape and gap:
        parts = parts[:-1]  # its last digits may be missing
    alike = [part for part in parts if part.shape == parts[0].shape]
    if not parts or parts[0].is_complex != all(part.is_complex for part in parts):
        return None
    if len(alike) < len(parts) and not (gap and parts[: len(alike)] == alike):
        return None
    named = [part for part in alike if part.name]
    if not depth and len(alike) == 2 and len(named) == 2:
        return None  # two tensors in a list are two values
    numbers = tuple(number for part in alike for number in part.numbers)
    dtype = next((part.dtype for part in parts if part.dtype), "")
    shape = (len(alike), *parts[0].shape)
    is_complex = parts[0].is_complex
    return Value(numbers, shape, span, "", dtype, is_complex, gap or len(alike) < len(parts))
