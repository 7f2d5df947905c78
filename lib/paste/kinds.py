"""What kind of thing a paste is: pairs, differences, numbers, a matrix, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines.
A third vector or column is the difference of the other two where two floats can have that difference.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.floats_of import NotFinite, NotFinitePair, Number, Pair, numbers_of
from lib.paste.read import PasteError, Printed, Reading, Value, refused

MOST_PAIRS, MOST_ALONE = 4096, 500


@dataclass(frozen=True)
class Kind:
    """What was pasted: `name` is one of NAMES. What does not belong to the kind is empty.

    `shape` is that of each side of the pairs, `beside` a number that differences were given with, `sides` the numbers
    of matrices as arrays, `absolute` and `relative` the greatest differences that a message tells, and `chosen` the
    dtype that was asked for, where a difference shows a wider one.
    """

    name: str
    format: Format
    text: str = ""
    pairs: tuple[Pair | NotFinitePair, ...] = ()
    shape: tuple[int, ...] = ()
    numbers: tuple[Number | NotFinite, ...] = ()
    beside: Number | None = None
    sides: tuple[np.ndarray[Any, Any], ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    absolute: float | None = None
    relative: float | None = None
    chosen: Format | None = None
    notes: tuple[str, ...] = ()
    used: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)


NAMES = ("pairs", "differences", "numbers", "jacobian", "unequal", "shape", "message", "words")


def kind_of(reading: Reading, dtype: str) -> Kind:
    """Return what was pasted, as floats of the dtype that it names, or else of the given one.

    Raise `PasteError` if there is nothing in it that can be judged.
    """
    if dtype not in FORMATS:
        raise refused(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    values = reading.values
    calls, notes = set(reading.named_calls), []
    named = [FORMATS[name] for name in reading.dtypes]
    form = min(named, key=lambda one: one.precision, default=FORMATS[dtype])
    if not named and "array" in calls and "tensor" not in calls:
        form = FORMATS["float64"]
        notes.append("NumPy names no dtype, so these are float64.")
    if len(set(named)) > 1:
        notes.append(f"Two dtypes are named: the narrower one, {form.name}, counts.")
    if reading.elided:
        notes.append("Numbers are left out at “...”: what stands there is judged.")
    if any(value.cut for value in values):
        notes.append("A bracket is not closed: what is complete is read.")
    kind = _sorted_out(reading, form)
    spans = [number.printed.span for number in kind.numbers]
    spans += [one.printed.span for pair in kind.pairs for one in (pair.first, pair.second)]
    spans += [pair.third.printed.span for pair in kind.pairs if isinstance(pair, Pair) and pair.third]
    if kind.name in ("jacobian", "shape", "message", "unequal"):
        spans += [number.span for value in values for number in value.numbers]
    return replace(kind, text=reading.text, notes=(*notes, *kind.notes), used=frozenset(spans))


def _sorted_out(reading: Reading, form: Format) -> Kind:
    text, values = reading.text, [value for value in reading.values if value.numbers]
    sizes = [value for value in values if value.call == "Size"]
    others = [value for value in values if value.call != "Size"]
    if sizes and not any(value.bracketed for value in others) or _is_shape(text, values):
        found = sizes or values
        return Kind("shape", form, shapes=tuple(tuple(int(n.value) for n in value.numbers) for value in found))
    if not others:
        if re.search(r"[^\W\d_]{3}", text):
            return Kind("message" if re.search(r"error|assert|allclose|gradcheck|grad", text, re.I) else "words", form)
        raise PasteError("There are no numbers in it: paste two numbers, two vectors, or a matrix as it was printed.")
    if mismatched := _mismatched(text, others):
        return _rows(mismatched, form)
    brackets = [value for value in others if value.bracketed]
    if any(len(value.numbers) > 1 for value in brackets):
        return _of_brackets([value for value in brackets if value.role != "relative"] or brackets, form)
    return _of_message(text, others, form) or _of_lines(others, form)


def _mismatched(text: str, values: Sequence[Value]) -> list[list[Printed]]:
    """The numbers that NumPy lists in full: [2]: … (ACTUAL), … (DESIRED)."""
    by_start = {number.span[0]: number for value in values for number in value.numbers}
    found = [
        [by_start.get(one.start(place)) for place in (1, 2)]
        for one in re.finditer(r"(?<!\S)(\S{1,60}) \(ACTUAL\), (\S{1,60}) \(DESIRED\)", text)
    ]
    pairs = [[_in_full(one) for one in pair if one] for pair in found if all(pair)]
    return [[a for a, _ in pairs], [b for _, b in pairs]] if pairs else []


def _in_full(number: Printed) -> Printed:
    """Return a number that was printed in the fewest digits that read back to it."""
    if number.place is None or number.digits is None:
        return number
    return replace(number, place=number.place - 20, digits=number.digits + 20, decimals=(number.decimals or 0) + 20)


def _is_shape(text: str, values: Sequence[Value]) -> bool:
    """Whether one list of two to four sizes is all there is: (3, 4), [640, 196608]."""
    if len(values) != 1 or not values[0].bracketed or not 1 < len(values[0].numbers) < 5 or len(values[0].shape) > 1:
        return False
    whole = all(number.finite and number.whole and Fraction(number.value) > 0 for number in values[0].numbers)
    alone = re.fullmatch(r"[\s\w.]{0,60}[:=]?\s*[\[(][\d, ]+[\])]\s*", text)
    tuples = text.strip().startswith("(") or re.search(r"shape|size|dim", text, re.I)
    return whole and bool(alone) and bool(tuples or max(Fraction(n.value) for n in values[0].numbers) > 16)


def _of_message(text: str, values: Sequence[Value], form: Format) -> Kind | None:
    """The message of a failed check that tells its greatest differences and no values."""
    if not any(value.role == "relative" for value in values) or any(value.role == "expected" for value in values):
        return None
    finite = {value.role: abs(float(value.numbers[-1].value)) for value in values}
    if "difference" not in finite:
        return None
    if sum(value.role == "value" for value in values) > 1:
        return None
    return Kind("message", form, absolute=finite["difference"], relative=finite["relative"])


def _of_brackets(values: Sequence[Value], form: Format) -> Kind:
    thirds = [value for value in values if value.role == "difference"]
    sides = [value for value in values if value.role != "difference"]
    if not sides:
        return _differences([number for value in thirds for number in value.numbers], form)
    if len(sides) > 2 and all(value.shape == sides[0].shape for value in sides):
        third = _pairs(sides[0].numbers, sides[1].numbers, sides[2].numbers, form) if len(sides) == 3 else None
        if third:
            return _paired(sides[:2], third, form)
        numbers = [number for value in sides for number in value.numbers]
        return _matrix(numbers, (len(sides), *sides[0].shape), form)
    if len(sides) == 1:
        return _of_one(sides[0], form)
    first, second = sides[:2]
    dropped = (f"Of {len(sides)} values, the first two are compared.",) if len(sides) > 2 else ()
    if first.shape != second.shape and prod(first.shape) != prod(second.shape):
        arrays = _array(first.numbers, first.shape), _array(second.numbers, second.shape)
        return Kind("unequal", form, sides=arrays, shapes=(first.shape, second.shape), notes=dropped)
    given = thirds[0].numbers if thirds and len(thirds[0].numbers) == len(first.numbers) else None
    pairs = _pairs(first.numbers, second.numbers, given, form) if given else None
    notes = dropped if pairs or not given else (*dropped, "The difference given is not that of the two as printed.")
    kind = _paired(sides[:2], pairs or _pairs(first.numbers, second.numbers, None, form) or (), form)
    return replace(kind, notes=(*notes, *kind.notes))


def _paired(sides: Sequence[Value], pairs: Sequence[Pair | NotFinitePair], form: Format) -> Kind:
    if len(pairs) > MOST_PAIRS:
        raise PasteError(f"Two values of {len(pairs):,} numbers: at most {MOST_PAIRS:,} are compared.")
    found = pairs[0].first.format if pairs and isinstance(pairs[0], Pair) else form
    notes = () if found is form else (f"No two {form.name} can differ by that: read as {found.name}.",)
    arrays = tuple(_array(value.numbers, value.shape) for value in sides)
    return Kind("pairs", found, pairs=tuple(pairs), shape=sides[0].shape, sides=arrays, chosen=form, notes=notes)


def _of_one(value: Value, form: Format) -> Kind:
    if value.role == "difference" or _are_differences(value.numbers, form):
        return _differences(value.numbers, form)
    if len(value.shape) > 1:
        return _matrix(value.numbers, value.shape, form)
    return _alone(value.numbers, form)


def _of_lines(values: Sequence[Value], form: Format) -> Kind:
    """Numbers without brackets: side by side, in rows, in columns, or in a table."""
    values = [value for value in values if value.role != "relative"] or list(values)
    lines: dict[int, list[Printed]] = {}
    labels = {value.line for value in values if value.label.strip()}
    for value in values:
        lines.setdefault(value.line, []).extend(value.numbers)
    rows = list(lines.values())
    widths = {len(row) for row in rows}
    if len(widths) > 1 or len(rows) == 1 or widths == {1}:
        return _of_list(values, form)
    if widths == {2} and len(rows) == 2 and not labels:
        by_columns = [list(column) for column in zip(*rows, strict=True)]
        order = min((rows, by_columns), key=lambda two: sum(_gap(a, b) for a, b in zip(*two, strict=True)))
        return _rows(order, form)
    columns = [list(column) for column in zip(*rows, strict=True)]
    if len(rows) > 2 and all(len({number.text for number in column}) == 1 for column in columns):
        return _matrix([number for row in rows for number in row], (len(rows), len(columns)), form)
    if len(columns) > 2 and [number.text for number in columns[0]] == [str(place) for place in range(len(rows))]:
        columns = columns[1:]
    if len(rows) == 2 and len(labels) != 1 or len(rows) == 2 and len(columns) > 3:
        return _rows(rows, form)
    if len(rows) == 3 and _pairs(rows[0], rows[1], rows[2], form):
        return _rows(rows, form)
    if len(columns) == 2 or len(columns) == 3 and _pairs(columns[0], columns[1], columns[2], form):
        return _rows(columns, form)
    if len(rows) == 2:
        return _rows(rows, form)
    numbers = [number for row in rows for number in row]
    return _matrix(numbers, (len(rows), len(rows[0])), form)


def _gap(one: Printed, other: Printed) -> float:
    return abs(float(one.value) - float(other.value))


def _rows(rows: Sequence[Sequence[Printed]], form: Format) -> Kind:
    sides = [Value(tuple(row), (len(row),)) for row in rows[:2]]
    third = _pairs(rows[0], rows[1], rows[2], form) if len(rows) == 3 else None
    return _paired(sides, third or _pairs(rows[0], rows[1], None, form) or (), form)


def _of_list(values: Sequence[Value], form: Format) -> Kind:
    """Numbers one after the other, some of which may be named differences."""
    thirds = [number for value in values if value.role == "difference" for number in value.numbers]
    numbers = [number for value in values if value.role != "difference" for number in value.numbers]
    if not numbers:
        return _differences(thirds, form)
    if len(numbers) == 4 and [one.text for one in numbers[:2]] == [one.text for one in numbers[2:]]:
        numbers = numbers[:2]  # pytest says both twice
    if len(numbers) == 3 and not thirds and _pairs(numbers[:1], numbers[1:2], numbers[2:], form):
        *numbers, third = numbers
        thirds = [third]
    if len(numbers) == 2:
        expected = next((value for value in values if value.role == "expected" and len(value.numbers) == 1), None)
        first, second = numbers if expected is None or expected.numbers[0] is numbers[1] else numbers[::-1]
        if not thirds and _step(first, second, form):
            return _differences([second], form, beside=first)
        return _rows([[first], [second], thirds[:1]] if thirds else [[first], [second]], form)
    if len(numbers) == 1 and thirds:
        return _differences(thirds, form, beside=numbers[0])
    if _are_differences(numbers, form) or len(numbers) == 1 and 0 < abs(float(numbers[0].value)) <= 1e-3:
        return _differences(numbers, form)
    return _alone(numbers, form)


def _step(number: Printed, other: Printed, form: Format) -> bool:
    """Whether the second number is a few steps between floats at the first: a difference, and no value to compare."""
    if not (number.finite and other.finite and number.value and other.value):
        return False
    one = numbers_of([other], form)[0]
    beside = numbers_of([number], form)[0]
    small = abs(float(other.value)) < abs(float(number.value)) * 64 * float(form.eps)
    return small and isinstance(one, Number) and isinstance(beside, Number) and one.multiple_of_power is not None


def _differences(numbers: Sequence[Printed], form: Format, beside: Printed | None = None) -> Kind:
    each = tuple(one for number in numbers for one in numbers_of([number], form))
    known = numbers_of([beside], form)[0] if beside else None
    return Kind("differences", form, numbers=each, beside=known if isinstance(known, Number) else None)


def _alone(numbers: Sequence[Printed], form: Format) -> Kind:
    if len(numbers) > MOST_ALONE:
        raise PasteError(f"A list of {len(numbers):,} numbers: at most {MOST_ALONE} are read; of two lists more.")
    return Kind("numbers", form, numbers=tuple(numbers_of(numbers, form)))


def _matrix(numbers: Sequence[Printed], shape: tuple[int, ...], form: Format) -> Kind:
    if _are_differences(numbers, form):
        return _differences(numbers, form)
    array = _array(numbers, shape)
    return Kind("jacobian", form, sides=(array,), shapes=(shape,))


def _array(numbers: Sequence[Printed], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.array([float(number.value) for number in numbers]).reshape(shape)


def _are_differences(numbers: Sequence[Printed], form: Format) -> bool:
    """Whether several numbers are, zeros apart, small multiples of powers of two, and small beside the floats' eps.

    Differences of neighbouring floats are such numbers; values are such numbers only by chance.
    """
    others = [number for number in numbers if number.value]
    if len(numbers) < 2 or not others or not all(number.finite for number in numbers):
        return False
    if any(Fraction(number.value) ** 2 >= form.eps or (number.digits or 9) < 4 for number in others):
        return False
    return all(isinstance(one, Number) and one.multiple_of_power for n in others for one in numbers_of([n], form))


def _pairs(
    first: Sequence[Printed], second: Sequence[Printed], third: Sequence[Printed] | None, form: Format
) -> tuple[Pair | NotFinitePair, ...] | None:
    """Pair two vectors; with a third, only if it can be their difference, in this format or the next wider one."""
    if third is not None and len(third) != len(first):
        return None
    wider = sorted((one for one in FORMATS.values() if one.precision >= form.precision), key=lambda one: one.precision)
    for one in wider if third is not None else [form]:
        both = numbers_of([*first, *second], one)
        thirds = [numbers_of([n], one)[0] for n in third] if third is not None else [None] * len(first)
        pairs: list[Pair | NotFinitePair] = []
        for a, b, c in zip(both[: len(first)], both[len(first) :], thirds, strict=True):
            known = c if isinstance(c, Number) else None
            finite = isinstance(a, Number) and isinstance(b, Number)
            pairs.append(Pair(a, b, known) if finite else NotFinitePair(a, b))  # type: ignore[arg-type]
        if third is None or all(not isinstance(pair, Pair) or pair.possible for pair in pairs):
            return tuple(pairs)
    return None
