"""Pasted numbers, decoded: one number or several, two numbers, two vectors, or either with their difference as a third.

The values are told apart by `pieces`, and what each number may be by `printed`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.distances import Multiple, Number, Pair
from lib.exact_floats import FORMATS, Format
from lib.pieces import PasteError, Value, read, refused
from lib.printed import Printed, intervals, printed

MOST_NUMBERS = 300


@dataclass(frozen=True)
class Decoding:
    """What was pasted: single `numbers`, or `pairs`, those of two vectors by position; and of two numbers alone, what
    the smaller one is as a difference."""

    format: Format
    numbers: tuple[Number, ...] = ()
    pairs: tuple[Pair, ...] = ()
    multiple: Multiple | None = None

    @property
    def worst(self) -> int:
        """The place of the pair that may be the farthest apart in ulps."""
        return max(range(len(self.pairs)), key=lambda place: self.pairs[place].ulps[::-1])


def decode(text: str, dtype: str) -> Decoding:
    """Raises `PasteError`, one sentence, where the text is no such numbers or the dtype is none."""
    if dtype not in FORMATS:
        raise refused(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    form = FORMATS[dtype]
    values = [value for value in read(text, printed) if any(value.numbers)]  # not where there are only True and False
    rows = _rows(values)
    by_torch = "tensor(" in text and "array(" not in text

    def row_of(numbers: Sequence[Printed]) -> tuple[Number, ...]:
        known = intervals(numbers, by_torch)
        return tuple(Number.of(*one, form) for one in zip(numbers, known, strict=True))

    width, each = len(rows[0]), [number for row in rows for number in row]
    if len(rows) == 1:
        return Decoding(form, numbers=row_of(each))
    both, thirds = row_of(each[: 2 * width]), row_of(each[2 * width :]) or [None] * width
    try:
        pairs = tuple(map(Pair, both[:width], both[width:], thirds))
    except PasteError:
        if len(values) > 1 or len(values[0].shape) > 1:
            raise
        return Decoding(form, numbers=row_of(each))  # a list of three numbers, whatever they are
    return Decoding(form, pairs=pairs, multiple=Multiple.find(each, form, by_torch) if len(each) == 2 else None)


def _rows(values: Sequence[Value[Printed | None]]) -> list[list[Printed]]:
    """One, two or three rows of one length: up to three numbers are a row each."""
    if any(None in value.numbers for value in values):
        raise PasteError("Numbers are mixed with True or False in one list: compare numbers only.")
    each = [number for value in values for number in value.numbers]
    if not each:
        raise PasteError("There are no numbers in it: paste two numbers, or two vectors as they were printed.")
    if len(each) > MOST_NUMBERS:
        raise PasteError(f"The paste has {len(each):,} numbers; allowed are at most {MOST_NUMBERS}.")
    if len(each) <= 3:
        return [[number] for number in each]
    if len(values) == 1:
        (value,) = values
        count = value.shape[0] if len(value.shape) > 1 else 1
        rows = [each[start : start + len(each) // count] for start in range(0, len(each), len(each) // count)]
    else:
        rows = [value.numbers for value in values if value.numbers]
    if len(rows) > 3:
        raise PasteError(f"The paste has {len(rows)} rows: allowed are two vectors, or two and their difference.")
    if len({len(row) for row in rows}) > 1:
        lengths = ", ".join(str(len(row)) for row in rows[:-1]) + f" and {len(rows[-1])}"
        raise PasteError(f"The vectors have {lengths} numbers: allowed are vectors of one length.")
    return rows
