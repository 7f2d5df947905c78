"""Pasted numbers, decoded: one number or several, or a pair of numbers or vectors, with or without their difference.

`prose` tells the values from the words around them, and `printed` tells what each number may be.

NOTE [differences alone]: numbers are read as differences, not as values, if the words before all of them say so. Three
or more numbers in a row are also read as differences if they look like differences and the third is not the difference
of the other two. They look like differences if every number but zeros is an odd number below 16 times a power of two,
to four digits or more, and below the square root of eps. Differences of neighbouring floats are such numbers; values
are such numbers only by chance.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

from lib.display.quantities import listed
from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.distances import Multiple, NotFinitePair, Pair
from lib.paste.messages import values_in
from lib.paste.plain import plain
from lib.paste.possible_floats import Number
from lib.paste.printed import LEAST_DIGITS, NotFinite, Printed, intervals
from lib.paste.prose import Prose, Role, Run
from lib.paste.tokenizer import PasteError, refused

MOST_NUMBERS = 300

_ALIASES = {alias: name for name, dtype in DTYPES.items() for alias in dtype.aliases}
_OTHER_FLOATS = re.compile(r"float[0-9]*(?:_\w+)?|complex\w*|c?longdouble|[fc][0-9]+")

Decoded = Number | NotFinite


class Row(NamedTuple):
    """Numbers side by side, and their role according to the words around them."""

    role: Role
    numbers: list[Printed | NotFinite]


@dataclass(frozen=True)
class Decoding:
    """A decoded paste: single `numbers`, or `pairs`, which two vectors form by position.

    If two numbers are alone, `multiple` is what the smaller one is as a difference. `are_differences` says that the
    numbers are read as differences. `named` holds the dtypes that the paste names, `instead_of` the dtype that was
    chosen if its digits are none of it, and `passed` the texts that were skipped although they contain a number.
    """

    format: Format
    numbers: tuple[Decoded, ...] = ()
    pairs: tuple[Pair | NotFinitePair, ...] = ()
    multiple: Multiple | None = None
    are_differences: bool = False
    named: tuple[str, ...] = ()
    instead_of: str = ""
    passed: tuple[str, ...] = ()

    @property
    def worst(self) -> int | None:
        """The index of the pair that may be farthest apart in ulps; None if every pair has a NaN or an infinity.

        Pairs that differ for sure come first: 0.0000 and 0.0000 may be a billion floats apart, or equal.
        """
        ulps = {place: pair.ulps for place, pair in enumerate(self.pairs) if pair.ulps}
        return max(ulps, key=lambda place: (ulps[place][0] > 0, *ulps[place][::-1]), default=None)

    @property
    def every_number(self) -> list[Number]:
        """All finite numbers."""
        every = [*self.numbers, *(one for pair in self.pairs for one in (*pair.numbers[:2], pair.third))]
        return [number for number in every if isinstance(number, Number)]


def decode(text: str, dtype: str) -> Decoding:
    """Decode the numbers in the text as floats of the dtypes that it names or, if it names none, of the given dtype.

    The difference in a failed check's message may be none of the dtype, but one of Python's own floats: then all are
    read as float64. Raise `PasteError`, one sentence, if the text holds no such numbers or the dtype is not allowed.
    """
    if dtype not in FORMATS:
        raise refused(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    text, left_out = values_in(plain(text))
    prose = Prose(text)
    named = tuple(dict.fromkeys(filter(None, map(_dtype, prose.dtypes))))
    form = min((FORMATS[name] for name in named or [dtype]), key=lambda form: form.precision)
    runs, passed = _values(prose)
    rows, line_numbers = _rows(runs)
    each = [number for row in rows for number in row.numbers]
    decoding = partial(Decoding, form, named=named, passed=(*left_out, *prose.passed, *passed, *line_numbers))
    labelled = {row.role for row in rows} == {"difference"}
    alike = _look_like_differences(each, form)
    in_one_list = len(runs) == 1 and runs[0].in_brackets and len(runs[0].shape) < 2
    differences = (
        decoding(tuple(one for number in each for one in _decoded([number], form)), are_differences=True)
        if labelled or alike
        else None
    )
    if labelled or alike and (len(rows) == 1 or in_one_list):
        return differences
    if len(rows) == 1:
        return decoding(_decoded(each, form))
    if len(rows) == 3:
        rows.sort(key=lambda row: row.role == "difference")
    try:
        absolute = any(run.role == "difference" and run.is_absolute for run in runs)
        pairs = _pairs(rows, form, absolute)
    except PasteError:
        if alike and len(each) == 3:
            return differences
        if in_one_list:
            return decoding(_decoded(each, form))  # a list of three numbers, not two and their difference
        if any(row.role == "difference" for row in rows) and not named and dtype != "float64":
            with suppress(PasteError):
                return replace(decode(text, "float64"), instead_of=dtype)
        raise
    finite = [number for number in each if isinstance(number, Printed)]
    return decoding((), pairs, Multiple.find(finite, form) if len(finite) == len(each) == 2 else None)


def _decoded(numbers: Sequence[Printed | NotFinite], form: Format) -> tuple[Decoded, ...]:
    """Decode numbers that were printed together."""
    finite = [number for number in numbers if isinstance(number, Printed)]
    known = iter([Number.of(*one, form) for one in zip(finite, intervals(finite), strict=True)])
    return tuple(next(known) if isinstance(number, Printed) else number for number in numbers)


def _pairs(rows: list[Row], form: Format, absolute: bool) -> tuple[Pair | NotFinitePair, ...]:
    first, second, *third = rows
    both = _decoded(first.numbers + second.numbers, form)
    width = len(first.numbers)
    thirds = _decoded(third[0].numbers, form) if third else (None,) * width
    pairs = []
    for a, b, difference in zip(both[:width], both[width:], thirds, strict=True):
        finite = isinstance(a, Number) and isinstance(b, Number)
        kind: Callable[..., Pair | NotFinitePair] = Pair if finite else NotFinitePair
        pairs.append(kind(a, b, difference, first.role == "expected", absolute))
    return tuple(pairs)


def _dtype(name: str) -> str | None:
    """Return the format that a dtype's name stands for, or None for integers and the like, which fit any format."""
    by_torch = name.startswith("torch.")
    name = name.strip("'<>=|").rpartition(".")[2]
    name = {"float": "float32" if by_torch else "float64"}.get(name) or _ALIASES.get(name, name)
    if name not in FORMATS and _OTHER_FLOATS.fullmatch(name):
        raise refused(f"The paste's dtype {{}} cannot be read: it must be one of {', '.join(FORMATS)}.", name)
    return name if name in FORMATS else None


def _look_like_differences(numbers: Sequence[Printed | NotFinite], form: Format) -> bool:
    """Whether the numbers look like differences: see NOTE [differences alone]."""
    finite = [number for number in numbers if isinstance(number, Printed)]
    if len(numbers) < 3 or len(finite) < len(numbers):
        return False
    others = [number for number in finite if number.value]
    long = all(number.digits is None or number.digits >= LEAST_DIGITS for number in others)
    if len(others) < 2 or not long or any(number.value**2 >= form.eps for number in others):
        return False
    return all(one.multiple_of_power for number in others for one in _decoded([number], form))


def _values(prose: Prose) -> tuple[list[Run], list[str]]:
    """Return the runs that are values or their differences, and the texts of the other runs.

    The other runs are relative differences, single numbers in the words around vectors, and numbers side by side that
    also appear one by one.
    """
    runs = [run for run in prose.runs if any(run.numbers)]  # skips runs of only True and False
    if any(None in run.numbers for run in runs):
        raise PasteError("Numbers are mixed with True or False in one list: compare numbers only.")
    count = sum(len(run.numbers) for run in runs)
    if count > MOST_NUMBERS:
        raise PasteError(f"The paste has {count:,} numbers; at most {MOST_NUMBERS} are allowed.")
    kept = [run for run in runs if run.role != "relative"] or runs
    if count > 3 and any(run.in_brackets and len(run.numbers) > 1 for run in kept):
        kept = [run for run in kept if run.in_brackets or len(run.numbers) > 1]
    alone = [run.numbers[0].text for run in kept if len(run.numbers) == 1]
    kept = [run for run in kept if run.in_brackets or [number.text for number in run.numbers] != alone] or kept
    if not kept and prose.passed:
        raise refused("There are no values in it: {} is passed over as an index, a count or the like.", prose.passed[0])
    if not kept:
        raise PasteError("There are no numbers in it: paste two numbers, or two vectors as they were printed.")
    return kept, [number.text for run in runs if run not in kept for number in run.numbers]


def _rows(runs: Sequence[Run]) -> tuple[list[Row], list[str]]:
    """Return one, two or three rows of equal length, and the line numbers of a table, which are not values.

    Up to three numbers become a row each.
    """
    rows, line_numbers = _columns(runs), []
    if rows:
        line_numbers = [f"0 to {len(runs) - 1}"]
    else:
        rows = _lines(runs)
    if sum(len(row.numbers) for row in rows) <= 3:
        rows = [Row(row.role, [number]) for row in rows for number in row.numbers]
    if len(rows) > 3:
        raise PasteError(f"The paste has {len(rows)} rows: allowed are two vectors, or two and their difference.")
    if len({len(row.numbers) for row in rows}) > 1:
        lengths = listed(str(len(row.numbers)) for row in rows)
        raise PasteError(f"The vectors have {lengths} numbers: allowed are vectors of one length.")
    return rows, line_numbers


def _columns(runs: Sequence[Run]) -> list[Row]:
    """Return the columns of a table printed by pandas, whose lines begin with their numbers; [] if it is no table."""
    lines = [run.numbers for run in runs]
    is_table = (
        len(lines) > 1
        and len({run.line for run in runs}) == len(runs)
        and len({len(line) for line in lines}) == 1 < len(lines[0])
        and not any(run.in_brackets for run in runs)
        and [line[0].text for line in lines] == [str(place) for place in range(len(lines))]
        and not any(number.text.isdigit() for line in lines for number in line[1:])
    )
    return [Row("value", list(column)) for column in list(zip(*lines, strict=True))[1:]] if is_table else []


def _lines(runs: Sequence[Run]) -> list[Row]:
    """Return a row for each run or, if all runs are single numbers, for each line."""
    if len(runs) == 1:
        (run,) = runs
        width = len(run.numbers) // (run.shape[0] if len(run.shape) > 1 else 1)
        return [Row(run.role, run.numbers[start : start + width]) for start in range(0, len(run.numbers), width)]
    if len(runs) <= 3 or any(len(run.numbers) > 1 for run in runs):
        return [Row(run.role, run.numbers) for run in runs]
    lines = [list(line) for _, line in groupby(runs, key=lambda run: run.line)]
    return [Row(line[0].role, [number for run in line for number in run.numbers]) for line in lines]
