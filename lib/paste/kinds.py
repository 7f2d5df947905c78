"""What kind of thing a paste is: pairs, differences, numbers, a Jacobian, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines. A third
vector or column is the difference of the other two where two floats can have that difference.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isfinite, prod

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.floats_of import FEW, Array, Floats, Pairs, rounded
from lib.paste.patterns import MESSAGE
from lib.paste.printed import PasteError, Printed, Value
from lib.paste.read import Reading
from lib.paste.sides import grouped, narrowed

WANTED = "paste two numbers, two vectors, or a matrix as it was printed"
MOST_TRIED = 24
"""How many rows are tried to find out whether a column is the difference of two."""


@dataclass(frozen=True, eq=False)
class Kind:
    """What was pasted: pairs, differences, numbers, jacobian, unequal, shape, message or words.

    What does not belong to the kind is empty. `numbers` are all that count, `pairs` those of two values side by side,
    `shapes` those of the values or, of a shape, itself. `beside` is the size of a number that differences were given
    with, `absolute` and `relative` the largest differences that a message tells, `chosen` the format that was asked
    for, where a difference shows a wider one.
    """

    name: str
    format: Format
    numbers: Floats
    pairs: Pairs | None = None
    shapes: tuple[tuple[int, ...], ...] = ()
    beside: float | None = None
    absolute: float | None = None
    relative: float | None = None
    chosen: Format | None = None
    text: str = ""
    notes: tuple[str, ...] = ()


def kind_of(reading: Reading, dtype: str) -> Kind:
    """Return what was pasted, as floats of the dtype that it names, or else of the given one.

    Raise `PasteError` if there is nothing in it that can be judged.
    """
    if dtype not in FORMATS:
        raise PasteError.quoting(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    inferred = _shown_by_the_digits(reading, dtype)
    named = [FORMATS[name] for name in reading.dtypes] or [inferred]
    form = min(named, key=lambda one: one.precision)
    largest = Fraction(np.abs(_finite(reading)).max(initial=0))
    form = next((one for one in _wider(form) if one.nearest(largest) < one.infinity), form)
    found = _sort_out(reading, form)
    told = {
        f"No dtype is named; so many digits are those of {inferred.name}.": inferred.name != dtype
        and not reading.dtypes,
        f"Two dtypes are named: the narrower one, {form.name}, counts.": len(set(named)) > 1,
        "Numbers are left out at “...”, or a bracket is not closed: what is complete is read.": reading.parts,
        f"No two {form.name} can differ by that: read as {found.format.name}.": found.format is not form,
    }
    notes = [note for note, holds in told.items() if holds]
    return replace(found, text=reading.text, notes=(*notes, *found.notes), chosen=form)


def _finite(reading: Reading) -> Array:
    return np.array([n.value for value in reading.values for n in value.numbers if isfinite(n.value)])


def _shown_by_the_digits(reading: Reading, dtype: str) -> Format:
    """Return the format that 15 digits or more show, or NumPy by naming none; else that of the dtype.

    A number of twelve digits or more that is a float32 was one: of other numbers one in 2**29 is. Numbers far below the
    largest are no evidence: a difference has all digits, whatever its dtype.
    """
    if DTYPES[dtype].narrow:
        return FORMATS[dtype]
    least = np.abs(_finite(reading)).max(initial=0) / 1000
    sides = [value.numbers for value in reading.values if value.is_side]
    numbers = [n for side in sides for n in side if n.digits and abs(n.value) >= least and n.text[-1] not in "…."]
    exact = rounded(np.array([n.value for n in numbers]), FORMATS["float32"]) == [n.value for n in numbers]
    long = np.array([n.value for n, held in zip(numbers, exact, strict=True) if (n.digits or 0) >= 15 - 3 * held])
    narrow = [one for one in (FORMATS[dtype], FORMATS["float32"]) if (rounded(long, one) == long).any()]
    if any(5 < max(number.digits or 0 for number in side) < 10 for side in sides):
        long = long[:0]  # the other side is printed as a float32 is
    whole = not reading.parts and not re.search(r"tensor|\.\.\.", reading.text)
    array = whole and re.search(r"(?<![\w.])array\(", reading.text)
    return narrow[0] if narrow else FORMATS["float64" if len(long) or array else dtype]


def _wider(form: Format) -> list[Format]:
    """Return the formats from this one on, to more and more digits."""
    formats = sorted(FORMATS.values(), key=lambda one: one.precision)
    return [one for one in formats if one.precision >= form.precision]


def _sort_out(reading: Reading, form: Format) -> Kind:
    text, nothing, fits = reading.text, Floats.of((), form), partial(_fit, form=form)
    if _are_shapes(reading):
        shapes = tuple(tuple(int(n.value) for n in value.numbers) for value in reading.values if value.shape)
        return Kind("shape", form, nothing, shapes=shapes)
    if not reading.values:
        if not re.search(r"[^\W\d_]{2}", text):
            raise PasteError(f"There are no numbers in it: {WANTED}.")
        failed = MESSAGE["failed"].search(text)
        passed = "True" in text and not re.search(r"error|false", text, re.IGNORECASE)
        return Kind("message" if failed and not passed else "words", form, nothing)
    values = grouped(reading, fits)
    scalars = [value for value in values if not value.shape]
    brackets = [value for value in values if value.shape and not value.sizes]
    absolute, relative = (_told(scalars, role) for role in ("difference", "relative"))
    only_told = not brackets and not any(value.is_side and value.pointed for value in scalars)
    if relative is not None and (reading.parts or only_told):
        absolute = relative if absolute is None else absolute
        return Kind("message", form, nothing, absolute=absolute, relative=relative)
    single = narrowed(scalars, reading, fits)
    sizes = len(brackets) == 1 and all(number.text.isdigit() for number in brackets[0].numbers)
    if sizes and len(single) == 2 and any(value.pointed for value in single):
        brackets, values = [], single  # sizes, or the argument of a function
    if not any(len(value.numbers) > 1 for value in brackets):
        values = [value for value in values if value.role != "relative"] or values
        sides = [value for value in values if value.role != "difference"]
        return _kind_of_values(sides, [value for value in values if value.role == "difference"], form)
    brackets = narrowed(brackets, reading, fits)
    sides = [value for value in brackets if value.is_side]
    thirds = [value for value in brackets if not value.is_side]
    beside = [value for value in scalars if value.role == "value"]
    found = _kind_of_values(sides or beside if thirds and len(beside) == 1 else sides, thirds, form)
    return replace(found, absolute=absolute) if found.pairs and not found.pairs.third else found


def _told(values: Sequence[Value], role: str) -> float | None:
    """Return the largest difference of a kind that is told, if any is."""
    sizes = [abs(value.numbers[0].value) / (100 if value.percent else 1) for value in values if value.role == role]
    return max(sizes, default=None)


def _are_shapes(reading: Reading) -> bool:
    """Whether lists of sizes are all there is: torch.Size([3, 4]), (3, 4) and (4, 3), [640, 196608]."""
    values = [value for value in reading.values if value.shape]
    sizes = [value for value in values if value.sizes]
    if not sizes and len(values) == 1 and re.fullmatch(r"[\s\w.]{0,60}[:=]?\s*\[[\d, ]+\]\s*", reading.text):
        sizes = values if max(n.value for n in values[0].numbers) > 16 and 1 < len(values[0].numbers) < 5 else []
    numbers = [number for value in sizes for number in value.numbers]
    whole = all(number.decimals == 0 and number.text.isdigit() and number.value for number in numbers)
    return bool(sizes) and whole and len(sizes) == len(values)


def _kind_of_values(sides: Sequence[Value], thirds: Sequence[Value], form: Format) -> Kind:
    """Return the kind of values and differences."""
    some = any(number.value for value in sides for number in value.numbers)
    if len(sides) == len(thirds) == 1 and sides[0].role == "expected" and some:
        sides, thirds = [*thirds, *sides], []
    if len(sides) == 1 and sides[0].sizes and sides[0].pointed and sides[0].shape in ((2,), (3,)):
        sides = [sides[0]._replace(numbers=(number,), shape=()) for number in sides[0].numbers]  # as print(a, b) writes
    if len(sides) == 3 and not thirds and some and _fit(sides, form):
        sides, thirds = sides[:2], sides[2:]
    numbers = [number for value in sides or thirds for number in value.numbers]
    if not sides or len(sides) != 2 and _are_differences(numbers, form):
        return Kind("differences", form, Floats.of(numbers, form, together=False))
    if len(sides) == 1 and thirds and not sides[0].shape:
        told = Floats.of([number for value in thirds for number in value.numbers], form, together=False)
        return Kind("differences", form, told, beside=float(Floats.of(numbers, form).size[0][0]) or None)
    if len(sides) == 2:
        return _of_two(sides[0], sides[1], thirds, form)
    shape = sides[0].shape if len(sides) == 1 else (len(sides), *sides[0].shape)
    if len(shape) > 1 and prod(shape) == len(numbers) and (len(sides) == 1 or shape[1:] != (1,)):
        return Kind("jacobian", form, Floats.of(numbers, form), shapes=(shape,))
    short = float(f"{numbers[0].value:.6g}")
    if len(numbers) == 1 and (numbers[0].digits or 0) > 6 and 0 < abs(numbers[0].value - short) <= 4 * form.eps * short:
        one, other = Value((numbers[0],)), Value((Printed(f"{short:g}", short),))  # 0.30000000000000004 beside 0.3
        return _of_two(one, other, (), form)
    if len(numbers) == 1 and 0 < abs(numbers[0].value) <= 1e-3:
        return Kind("differences", form, Floats.of(numbers, form))
    return Kind("numbers", form, Floats.of(numbers, form))


def _of_two(first: Value, second: Value, thirds: Sequence[Value], form: Format) -> Kind:
    """Return the pairs of two values with their differences if these are given, or that they have unequal shapes."""
    if first.role == "expected" != second.role:
        first, second = second, first
    if first.shape != second.shape and (first.part or second.part):  # what both have: their first numbers
        count = min(one.shape[-1] if one.shape else 1 for one in (first, second))
        first, second = (one._replace(numbers=one.numbers[:count], shape=(count,)) for one in (first, second))
    shapes, third = (first.shape, second.shape), [one for one in thirds if len(one.numbers) == len(first.numbers)]
    pairs = _paired(first, second, third[0], form) if third else None
    pairs = pairs or _paired(first, second, None, form)
    both = [*first.numbers, *second.numbers]
    if not pairs:
        return Kind("unequal", form, Floats.of(both, form), shapes=shapes)
    note = ("The difference given is not that of the two as printed.",) if third and not pairs.third else ()
    return Kind("pairs", pairs.format, Floats.of(both, pairs.format), pairs, shapes, notes=note)


def _are_differences(numbers: Sequence[Printed], form: Format) -> bool:
    """Whether several numbers are, zeros apart, small multiples of powers of two, and small beside the floats' eps.

    Differences of neighbouring floats are such numbers; values are such numbers only by chance.
    """
    others = [number for number in numbers if number.value]
    if len(numbers) < 2 or not others or not all(isfinite(number.value) for number in numbers):
        return False
    largest = max(abs(number.value) for number in others)
    least = 3 if len(others) > 2 and largest <= FEW * form.eps else 4
    if largest >= form.eps**0.5 or any((number.digits or 9) < least for number in others):
        return False
    return bool(Floats.of(others, form, together=False).powers[0].all())


def _fit(three: Sequence[Value], form: Format) -> bool:
    """Whether the third of three can be the difference of the other two, as far as their first numbers tell."""
    first, second, third = (value._replace(numbers=value.numbers[:MOST_TRIED]) for value in three)
    return bool(_paired(first, second, third, form))


def _paired(first: Value, second: Value, third: Value | None, form: Format) -> Pairs | None:
    """Pair two values; with a third, only if it can be their difference, in this format or the next wider one."""
    count = len(first.numbers)
    if any(one and len(one.numbers) != count for one in (second, third)):
        return None
    for one in _wider(form) if third else [form]:
        both = Floats.of([*first.numbers, *second.numbers], one)
        pairs = Pairs(both[:count], both[count:], Floats.of(third.numbers, one, together=False) if third else None)
        if not third or pairs.possible:
            return pairs
    return None
