"""The values in a paste: numbers, brackets and tensors, each with its shape and its place.

NOTE [grammar]: a value is what PyTorch, NumPy, JAX and Python print.

    value    = scalar | bracket | row | name "(" value options ")"
    scalar   = number | complex
    row      = number number number …  the rest of a line after ":" or "="
    bracket  = "[" part … "]"         all of one shape; "..." marks numbers that are left out
    part     = bracket | scalar | name "(" scalar options ")", but no tensor
    name     = dtype | "tensor" | "array" | "Array" | "torch.Size" | …   dtype = "np.float32" | …
    options  = ", dtype=torch.float64" | ", grad_fn=<AddBackward0>" | …

A bracket with a single number is that number. The text is never run, and the time is linear in its
length. These are no values:

- a bracket right after a word, or [0] at the beginning of a line with words: it is an index;
- a number that belongs to words: a whole number in "step 3" or "100 samples", an argument such as
  "dim=0)", a percentage, the nan of "no nan";
- outside of brackets, 0,41 and 1,234.5: the comma may be a decimal point, or group digits.
"""

import re
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from lib.paste.printed import NUMBER, UNSIGNED, PasteError, Printed, printed

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 2_000
MOST_NESTED = 9
"""The most brackets within each other, and so the most dimensions of a tensor."""

_compiled = partial(re.compile, flags=re.IGNORECASE | re.MULTILINE)
_INDEX = r"\[[\w:, '\"-]{0,40}\]"
_WORD = rf"\w(?:[\w’'./+-]*\w)?(?:{_INDEX})*+"
_NO_VALUE = _compiled(
    rf"[-+−]?\d++(?:,\d++)++(?:\.\d++)?|(?<=[)\]]){_INDEX}|^\[\d++\](?=[ ][a-z])"
    r"|\((?:[0-9]++,?+[ ]?+)++\)"
)
"""Numbers in which a comma may be a decimal point, indices, and shapes."""
_PASSED = _compiled(rf"\s++|{_WORD}|.")
"""What is passed over where no value begins: blanks, a word, or a single character."""
_COMPLEX = rf"(\()?(?:({NUMBER})(?=[ ]{{0,8}}[-+]))?[ ]{{0,8}}([-+]?{UNSIGNED})j(?(1)\))(?!\w)"
_SCALAR = _compiled(rf"(?<![\w.])(?:{_COMPLEX}|({NUMBER})(?!\w|\.\w))")
"""A number: groups 2 and 3 are a real and an imaginary part, and 4 is a real number."""
_ROW = _compiled(rf"[:=][ \t]*+(?=[-+−]?\d*+[.e])({NUMBER}(?:[ \t]++{NUMBER}){{2,}}+)[ \t]*+$")
"""Numbers in a row without brackets: the rest of a line after a label, group 1."""
_MARK = re.compile(r"(?:[\s,;'\"]|(?<=\n)>)*+(\[|\]|\.\.\.|…|)")
"""What may come next in a bracket: a bracket, dots, or a number, in quotes or in lines after >."""
_NAMES = r"tensor|array|DeviceArray|(?-i:Size)|b?float[0-9]*|complex[0-9]*"
_WRAPPER = _compiled(rf"(?<![\w.])(?:[a-z]\w*\.(?!tensor|array))*({_NAMES})\(\s*(?!\Z)")
"""A name, group 1, and the parenthesis after it. Only code has torch.tensor(…) or np.array(…)."""
_TEXT = r"(?:<[^<>\n]*+>|'[^'\n]*+'|\w[\w.]*+(?:\([^()\n]*+\))?+|\([^()\n]*+\))"
_OPTIONS = _compiled(rf"(?:[,\s]*+[a-z_]++\s*+=\s*+{_TEXT}\s*+)*+[\s,]*+\)")
"""All options after a value, and the closing parenthesis."""
_DTYPE = _compiled(r"\bdtype\s*=\W*(?:\w+\.)*(\w+)")
_OF_WORDS = {
    "count": _compiled(
        r"(?:\b(?:step|epoch|iter|layer|rank|run)[ \t]+|[a-z:/@#^-])\0|\0(?:[ \t]?[%a-z(]|[:/*)-])"
    ),
    "nan": _compiled(r"\b(?:no|is|not|get|a|to)[ \t]\0|\0(?::|[ ](?!nan|inf|vs)[a-z])"),
    "other": _compiled(r"\0(?:[ ]?%|:)"),
}
r"""What stands around a number that belongs to words, by the kind of number; \0 is the number."""
_ZERO = printed("0")


class Value(NamedTuple):
    """Numbers of one shape in a text.

    `span` is the start and the end in the text. `name` is what stands before the parenthesis, such
    as "tensor", or "". `shape` is () for a single number. `dtype` is the dtype named in the value,
    or "". A complex number is two numbers, its parts. `gap` says whether numbers are left out.
    `label` is the text that names the value. `parts` are the places of numbers of several lines.
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...]
    span: tuple[int, int]
    name: str = ""
    dtype: str = ""
    is_complex: bool = False
    gap: bool = False
    label: str = ""
    parts: tuple[tuple[int, int], ...] = ()

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The numbers as an array; complex ones have a last dimension of two, their parts."""
        parts = [2] if self.is_complex else []
        return np.reshape([number.value for number in self.numbers], [*self.shape, *parts])

    @property
    def stated_shape(self) -> tuple[int, ...]:
        """The shape of the value; for a `torch.Size`, the shape that it states."""
        return tuple(int(number.value) for number in self.numbers) if self.is_size else self.shape

    @property
    def exact(self) -> Self:
        """The same value, as if it was printed with all digits."""
        return self._replace(numbers=tuple(number.exact for number in self.numbers))

    @property
    def is_bare(self) -> bool:
        """Whether it is a number without brackets or a name."""
        start, end = self.span
        return end - start == len(self.numbers[0].text)

    @property
    def is_size(self) -> bool:
        """Whether it is the `torch.Size` of an array."""
        return self.name == "Size"

    @property
    def is_count(self) -> bool:
        """Whether there are few numbers, all written as counts are: 3, but not 3. or tensor(3)."""
        is_plain = not self.is_complex and not self.name and len(self.numbers) < 6
        return is_plain and all(number.is_count for number in self.numbers)


def values_of(text: str) -> list[Value]:
    """Return the values of a text in order. If one is complex, all are.

    Raises:
        PasteError: if the text is too long, has too many numbers, too many brackets within each
            other, or a number beyond the range of float64.
    """
    if len(text) > MOST_CHARACTERS:
        limit = f"at most {MOST_CHARACTERS:,} are allowed"
        raise PasteError(f"The paste has {len(text):,} characters; {limit}.")
    values: list[Value] = []
    place = 0
    while place < len(text) and len(values) <= MOST_NUMBERS:
        passed = _NO_VALUE.match(text, place)
        value = None if passed else _value(text, place)
        if value and not _belongs_to_words(text, value):
            values.append(value)
        passed = passed or _PASSED.match(text, place)
        place = value.span[1] if value else passed.end()
    if sum(len(value.numbers) for value in values) > MOST_NUMBERS:
        raise PasteError(f"The paste has more than {MOST_NUMBERS:,} numbers.")
    is_complex = any(value.is_complex for value in values)
    return [_finished(value, is_complex) for value in values]


def _finished(value: Value, is_complex: bool) -> Value:
    """Return a value without a shape if it is a single number.

    If `is_complex`, a real value gets imaginary parts of 0.
    """
    shape = value.shape if len(value.numbers) > 1 + value.is_complex else ()
    numbers = value.numbers
    if is_complex and not value.is_complex:
        numbers = tuple(part for each in numbers for part in (each, _ZERO))
    return value._replace(numbers=numbers, shape=shape, is_complex=is_complex)


def _belongs_to_words(text: str, value: Value) -> bool:
    if value.shape or value.name or value.is_complex:
        return False
    start, end = value.span
    kind = "count" if value.is_count else "nan" if text[start:end].isalpha() else "other"
    around = f"{text[max(start - 9, 0) : start]}\0{text[end : end + 4]}"
    return bool(_OF_WORDS[kind].search(around))


def _value(text: str, start: int, is_part: bool = False) -> Value | None:
    """Read the value that begins at `start`, if there is one: NOTE [grammar].

    A part of a bracket must be a single number, perhaps with a name.
    """
    if row := _ROW.match(text, start):
        numbers = tuple(map(printed, row[1].split()))
        return Value(numbers, (len(numbers),), row.span(1))
    wrapper = _WRAPPER.match(text, start)
    place = wrapper.end() if wrapper else start
    is_bracket = text.startswith("[", place) and not is_part
    value = _bracket(text, place) if is_bracket else _scalar(text, place)
    if not wrapper or not value:
        return value
    options = _OPTIONS.match(text, value.span[1])
    if not options:
        return None
    name = wrapper[1]
    is_tensor = name.lower() == "tensor"
    is_size = name == "Size" and all(number.is_count for number in value.numbers)
    # In a list, each tensor is printed with digits of its own.
    if is_part and is_tensor or name == "Size" and not is_size:
        return None
    value = value._replace(span=(start, options.end()), name=name)
    if name[-1].isdigit():
        # np.float32(0.1) has all its digits.
        return value.exact._replace(dtype=name.lower())
    # PyTorch writes 1. only if all numbers are whole, and else 1.0000.
    if is_tensor and all(number.decimals == 0 for number in value.numbers):
        value = value.exact
    dtype = _DTYPE.search(options[0])
    return value._replace(dtype=dtype[1].lower() if dtype else "")


def _scalar(text: str, start: int) -> Value | None:
    match = _SCALAR.match(text, start)
    if not match:
        return None
    parts = [printed(match[group]) for group in (2, 3, 4) if match[group]]
    if match[3] and not match[2]:
        parts = [_ZERO, *parts]
    return Value(tuple(parts), (), match.span(), is_complex=bool(match[3]))


def _bracket(text: str, start: int) -> Value | None:
    """Read a bracket, in which all brackets of one depth have the same number of parts."""
    scalars: list[Value] = []
    depths: set[int] = set()
    shape: dict[int, int] = {}
    counts: list[int] = []
    place = start
    gap = False
    while counts or place == start:
        mark = _MARK.match(text, place)
        place = mark.end()
        if mark[1] == "[":
            counts.append(0)
            if len(counts) > MOST_NESTED:
                raise PasteError(f"At most {MOST_NESTED} brackets can be read within each other.")
        elif mark[1] == "]":
            count = counts.pop()
            if shape.setdefault(len(counts), count) != count:
                return None
            if counts:
                counts[-1] += 1
        elif mark[1]:
            gap = True
        elif scalar := _value(text, place, is_part=True):
            scalars.append(scalar)
            depths.add(len(counts))
            counts[-1] += 1
            place = scalar.span[1]
        else:
            return None
    if depths != {len(shape)}:
        return None
    is_complex = any(scalar.is_complex for scalar in scalars)
    numbers = [number for scalar in scalars for number in _finished(scalar, is_complex).numbers]
    sizes = tuple(shape[depth] for depth in range(len(shape)))
    dtype = scalars[0].dtype
    return Value(tuple(numbers), sizes, (start, place), "", dtype, is_complex, gap)
