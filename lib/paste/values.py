"""The values in a paste: numbers, brackets and tensors, each with its shape and its place.

NOTE [grammar]: a value is what PyTorch, NumPy, JAX and Python print.

    value    = scalar | bracket | name "(" value options ")"
    scalar   = number | complex | "True" | "False"
    bracket  = "[" value … "]"        all of one shape; "..." marks numbers that are left out
    name     = "tensor" | "array" | "Array" | "float32" | "torch.Size" | …
    options  = ", dtype=torch.float64" | ", grad_fn=<AddBackward0>" | …

A bracket right after a word is an index, and no value. A whole number that belongs to words, as in
"step 3:" or "100 samples", is none either, and 0,41 is none outside of brackets: its comma may be a
decimal point. The text is never run, and the time is linear in its length.
"""

import re
from typing import NamedTuple

from lib.paste.printed import NUMBER, UNSIGNED, PasteError, Printed, printed

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 2_000
MOST_DIMENSIONS = 8


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_CODE = re.compile(r"^>>>.*(?:\n\.\.\. .*)*", re.MULTILINE)
_BLANK = _compiled(r"[\s,;]*+")
_INDEX = r"\[[\w:, '\"-]{0,40}\]"
_WORD = rf"[^\W\d][\w’']*+(?:[./-]\w++|{_INDEX})*+|\w++(?:[.+-]\w++)*+"
_NEXT = _compiled(rf"\s++|{_WORD}|\((?:[0-9]++,?+[ ]?+)++\)|.")
_COMMA = re.compile(r"(?<![\w.,])[-+−]?\d+,\d+(?![\d.,])")
_NUMBER = _compiled(rf"(?<![\w.]){NUMBER}(?!\w|\.\w)")
_REAL = rf"({NUMBER})(?=[ ]{{0,8}}[-+])"
_COMPLEX = _compiled(rf"(?<![\w.])(\()?(?:{_REAL})?[ ]{{0,8}}([-+]?{UNSIGNED})j(?(1)\))(?!\w)")
_BOOLEAN = re.compile(r"\b(?:True|False)\b")
_GAP = re.compile(r"\.\.\.|…")
_NAMES = (
    r"tensor|array|matrix|DeviceArray|Parameter|(?-i:Size)"
    r"|float(?:16|32|64)?|bfloat16|complex(?:64|128)?"
)
_PARAMETER = r"(?:Parameter containing:\s*)?"
_WRAPPER = _compiled(rf"{_PARAMETER}(?<![\w.])(?:[a-z]\w*\.)*({_NAMES})\(\s*(?!\Z)")
_OPTION = _compiled(
    r"[,\s]*(?:(dtype)|device|requires_grad|grad_fn|weak_type|layout|size|shape)\s*=\s*"
    r"(<[^<>\n]*>|'[^'\n]*'|\([^()\n]*\)|\w[\w.]*(?:\([^()\n]*\))?)\s*"
)
_CLOSING = re.compile(r"[\s,]*\)")
_WORDS_FOLLOW = _compiled(r"[ \t]*[a-z_(]|[:/-]")
_WORDS_PRECEDE = re.compile(r"[\w/:@#-][:/@#-]\Z|[#@/]\Z")
_WORD_PRECEDES = _compiled(r"[a-z](?<!nan)(?<!inf)[ \t]*\Z")


class Value(NamedTuple):
    """Numbers of one shape; a value of booleans has none.

    `span` is the place in the text, and `name` is what stands before the bracket, such as "tensor",
    or "". `dtype` is the dtype named in the value, or "". A complex number is two numbers, so that
    a complex vector is a vector of twice the length. `gap` tells that numbers are left out.
    `label` names the value, and `named` tells that the label stands in its line and not above.
    `in_words` tells that it belongs to words, as in "step 3".
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...]
    span: tuple[int, int]
    name: str = ""
    dtype: str = ""
    is_complex: bool = False
    gap: bool = False
    label: str = ""
    named: bool = False
    in_words: bool = False

    @property
    def is_size(self) -> bool:
        """Whether it is a `torch.Size`."""
        return self.name == "Size"

    @property
    def true_shape(self) -> tuple[int, ...]:
        """The shape of the value, or the one that it is; a single number has none."""
        if self.is_size:
            return tuple(int(number.value) for number in self.numbers)
        if len(self.numbers) == 1 + self.is_complex:
            return ()
        *dimensions, last = self.shape
        return (*dimensions, last // (1 + self.is_complex))

    @property
    def counts(self) -> bool:
        """Whether all numbers are written as counts are: 3, but not 3. or np.float32(3)."""
        is_float = self.is_complex or self.name[-1:].isdigit()
        return not is_float and all(number.counts for number in self.numbers)


def without_code(text: str) -> str:
    """Return a text with blanks in place of lines that begin with >>>, which are code."""
    return _CODE.sub(lambda code: re.sub(".", " ", code[0]), text)


def values_of(text: str) -> list[Value]:
    """Return the values of a text in order; beside a complex one, all are complex.

    Raises `PasteError` if the text is too long, has too many numbers, or has one beyond float64.
    """
    if len(text) > MOST_CHARACTERS:
        limit = f"at most {MOST_CHARACTERS:,} are allowed"
        raise PasteError(f"The paste has {len(text):,} characters; {limit}.")
    values: list[Value] = []
    place = 0
    while place < len(text):
        comma = _COMMA.match(text, place)
        if comma:
            place = comma.end()
            continue
        value = _value(text, place)
        if value:
            values.append(value._replace(in_words=_belongs_to_words(text, value)))
        place = value.span[1] if value else _end(_NEXT, text, place)
    count = sum(len(value.numbers) for value in values)
    if count > MOST_NUMBERS:
        raise PasteError(f"The paste has {count:,} numbers; at most {MOST_NUMBERS:,} are allowed.")
    if any(value.is_complex for value in values):
        values = [_as_complex(value) for value in values]
    return values


def _end(pattern: re.Pattern[str], text: str, place: int) -> int:
    match = pattern.match(text, place)
    return match.end() if match else place


def _as_complex(value: Value) -> Value:
    """Return a value with imaginary parts of 0, if it has none."""
    if value.is_complex or value.is_size or not value.numbers:
        return value
    numbers = tuple(part for each in value.numbers for part in (each, _zero(each.span)))
    shape = (*value.shape[:-1], 2 * value.shape[-1]) if value.shape else ()
    return value._replace(numbers=numbers, shape=shape, is_complex=True)


def _zero(span: tuple[int, int]) -> Printed:
    return Printed("0", 0.0, span)


def _belongs_to_words(text: str, value: Value) -> bool:
    """Whether a number is part of words: a percentage, the nan of "no nan", or a step's number."""
    if value.shape or value.name:
        return False
    start, end = value.span
    if text[end : end + 2].lstrip().startswith("%"):
        return True
    if text[start:end].isalpha():
        return bool(_WORD_PRECEDES.search(text, max(start - 8, 0), start))
    around = _WORDS_FOLLOW.match(text, end) or _WORDS_PRECEDE.search(text, max(start - 2, 0), start)
    return value.counts and bool(around)


def _value(text: str, start: int, depth: int = 0) -> Value | None:
    """Read the value that begins at `start`, if there is one: NOTE [grammar]."""
    if depth > MOST_DIMENSIONS:
        return None
    if wrapper := _WRAPPER.match(text, start):
        return _wrapped(text, wrapper, depth)
    is_index = not depth and re.match(r"[\w)\]]", text[max(start - 1, 0)])
    if text[start] == "[" and not is_index:
        return _bracket(text, start, depth)
    if boolean := _BOOLEAN.match(text, start):
        return Value((), (), boolean.span())
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
    numbers = value.numbers
    dtype = value.dtype
    if name[-1].isdigit():  # np.float32(0.1) has all its digits
        numbers = tuple(number._replace(digits=None) for number in numbers)
        dtype = name.lower()
    end = value.span[1]
    while option := _OPTION.match(text, end):
        end = option.end()
        if option[1]:
            dtype = re.findall(r"\w+", option[2].lower())[-1]
    closing = _CLOSING.match(text, end)
    if not closing:
        return None
    span = (wrapper.start(), closing.end())
    return value._replace(numbers=numbers, span=span, name=name, dtype=dtype)


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
    is_vector = first.is_complex and not first.shape
    shape = (len(numbers),) if is_vector else (len(parts), *first.shape)
    gap = gap or any(part.gap for part in parts)
    return Value(numbers, shape, (start, place + 1), "", first.dtype, first.is_complex, gap)


def _kind(value: Value) -> tuple[bool, tuple[int, ...]]:
    return value.is_complex, value.shape
