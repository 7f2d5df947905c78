"""What kind of thing a paste is: pairs, differences, numbers, a Jacobian, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines. A third
vector or column is the difference of the other two where two floats can have that difference.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.floats_of import FEW, Number, Pair, numbers_of
from lib.paste.groups import alike, grouped
from lib.paste.read import PasteError, Printed, Reading, Value, refused

MOST_TRIED = 24
"""How many rows are tried to find out whether a column is the difference of two."""


@dataclass(frozen=True)
class Kind:
    """What was pasted: pairs, differences, numbers, jacobian, unequal, shape, message or words.

    What does not belong to the kind is empty. `numbers` are all that count, `pairs` those of two values side by side,
    `shapes` those of the values or, of a shape, itself. `beside` is a number that differences were given with,
    `absolute` and `relative` the largest differences that a message tells, `chosen` the dtype that was asked for, where
    a difference shows a wider one.
    """

    name: str
    format: Format
    numbers: tuple[Number, ...] = ()
    pairs: tuple[Pair, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    beside: Number | None = None
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
        raise refused(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    inferred = _shown_by_the_digits(reading, dtype)
    named = [FORMATS[name] for name in reading.dtypes] or [inferred]
    form = min(named, key=lambda one: one.precision)
    largest = _largest(reading)
    form = form if largest < form.overflow else next((one for one in _wider(form) if largest < one.overflow), form)
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


def _largest(reading: Reading) -> Fraction:
    finite = [Fraction(number.value) for value in reading.values for number in value.numbers if number.finite]
    return max(map(abs, finite), default=Fraction(0))


def _shown_by_the_digits(reading: Reading, dtype: str) -> Format:
    """Return the format that 15 digits or more show, or NumPy by naming none; else that of the dtype.

    A number of so many digits that is a float32 was one: of other numbers one in 2**29 is.
    """
    if DTYPES[dtype].narrow:
        return FORMATS[dtype]
    values = [value for value in reading.values if value.role in ("value", "expected")]
    long = [
        Fraction(number.value)
        for value in values
        for number in value.numbers
        if (number.digits or 0) >= 15 and not number.text.endswith(("…", "..."))
    ]
    least = _largest(reading) / 1000
    long = [x for x in long if abs(x) >= least]  # a difference has all digits, whatever its dtype
    exact = [FORMATS["float64"].rounded(x) for x in long]
    narrow = [one for one in (FORMATS[dtype], FORMATS["float32"]) if any(one.rounded(x) == x for x in exact)]
    cut = reading.parts
    array = re.search(r"(?<![\w.])array\(", reading.text) and not cut and not re.search(r"tensor|\.\.\.", reading.text)
    return narrow[0] if narrow else FORMATS["float64" if long or array else dtype]


def _wider(form: Format) -> list[Format]:
    """Return the formats from this one on, to more and more digits."""
    formats = sorted(FORMATS.values(), key=lambda one: one.precision)
    return [one for one in formats if one.precision >= form.precision]


def _sort_out(reading: Reading, form: Format) -> Kind:
    text = reading.text
    if _are_shapes(reading):
        shapes = tuple(tuple(int(n.value) for n in value.numbers) for value in reading.values if value.shape)
        return Kind("shape", form, shapes=shapes)
    if not reading.values:
        if re.search(r"[^\W\d_]{2}", text):
            failed = re.search(r"error|assert|close\(|equal\(|gradcheck|false\b", text, re.IGNORECASE)
            passed = "True" in text and not re.search(r"error|false", text, re.IGNORECASE)
            return Kind("message" if failed and not passed else "words", form)
        raise PasteError("There are no numbers in it: paste two numbers, two vectors, or a matrix as it was printed.")
    values = grouped(reading, partial(_fit, form=form))
    scalars = [value for value in values if not value.shape]
    brackets = [value for value in values if value.shape and not value.sizes]
    told = {value.role: abs(float(value.numbers[0].value)) for value in scalars}
    absolute, relative = told.get("difference"), told.get("relative")
    only_told = relative is not None and not {"value", "expected"} & {*told}
    if relative is not None and (reading.parts or only_told and not brackets):
        return Kind("message", form, absolute=relative if absolute is None else absolute, relative=relative)
    typed = len(brackets) == 1 and all(number.text.isdigit() for number in brackets[0].numbers)
    pointed = [value for value in scalars if "." in value.numbers[0].text]
    if len(brackets) == 1 and (alike(pointed) or typed and len(pointed) == 2):
        brackets, values = [], alike(pointed) or pointed  # sizes, or the argument of a function
    if any(len(value.numbers) > 1 for value in brackets):
        sides = [value for value in brackets if value.role in ("value", "expected")]
        once = list({tuple(number.text for number in value.numbers): value for value in reversed(sides)}.values())
        sides = once[::-1] if len(sides) > 3 and len(once) == 2 else sides
        thirds = [value for value in brackets if value.role == "difference"]
        beside = [value for value in scalars if value.role == "value"]
        found = _kind_of_values(sides or beside[:1] if thirds and len(beside) == 1 else sides, thirds, form)
        return replace(found, absolute=absolute) if found.name == "pairs" and not _has_thirds(found) else found
    values = [value for value in values if value.role != "relative"] or values
    sides = [value for value in values if value.role != "difference"]
    return _kind_of_values(sides, [value for value in values if value.role == "difference"], form)


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
    notes: tuple[str, ...] = ()
    some = any(number.value for value in sides for number in value.numbers)
    if len(sides) == 3 and not thirds and some and _fit(sides, form):
        sides, thirds = sides[:2], sides[2:]
    if len(sides) == 1 and sides[0].shape == (3,) and all((one.digits or 0) > 5 for one in sides[0].numbers):
        three = [replace(sides[0], numbers=(number,), shape=()) for number in sides[0].numbers]
        sides, thirds = (three[:2], three[2:]) if _fit(three, form) else (sides, thirds)
    numbers = [number for value in sides or thirds for number in value.numbers]
    vectors = [value.shape for value in sides if value.shape]
    if not sides or len(sides) != 2 and _are_differences(numbers, form):
        return _differences(sides or thirds, form)
    if len(sides) == 2 and not thirds and not vectors and _is_step(numbers[0], numbers[1], form):
        return _differences(sides[1:], form, sides[0])
    if len(sides) == 1 and thirds and not vectors:
        return _differences(thirds, form, sides[0])
    if len(set(vectors)) > 1 and len(sides) > 2:
        notes, sides = (f"Of {len(sides)} values, the first two are compared.",), sides[:2]
    shapes = tuple(value.shape for value in sides)
    if len(sides) == 2:
        first, second = sides = _common(*sides)
        shapes = tuple(value.shape for value in sides)
        if len(first.numbers) != len(second.numbers):
            return Kind("unequal", form, _separate(sides, form), shapes=shapes, notes=notes)
        third = next((value for value in thirds if len(value.numbers) == len(first.numbers)), None)
        pairs = _paired(sides, third, form) or _paired(sides, None, form)
        if third and not _has_thirds(pairs):
            notes = (*notes, "The difference given is not that of the two as printed.")
        form, each = pairs[0].format, tuple(one for pair in pairs for one in (pair.first, pair.second))
        return Kind("pairs", form, each, pairs, shapes, notes=notes)
    shape = sides[0].shape if len(sides) == 1 else (len(sides), *sides[0].shape)
    if len(shape) > 1 and prod(shape) == len(numbers) and (len(sides) == 1 or shape[1:] != (1,)):
        return Kind("jacobian", form, _separate(sides, form), shapes=(shape,), notes=notes)
    if len(numbers) == 1 and 0 < abs(float(numbers[0].value)) <= 1e-3:
        return _differences(sides, form)
    return Kind("numbers", form, _separate(sides, form))


def _common(first: Value, second: Value) -> tuple[Value, Value]:
    """Of two values of which some is missing, return what both have: their first numbers."""
    if first.shape == second.shape or not (first.part or second.part):
        return first, second
    count = min(one.shape[-1] if one.shape else 1 for one in (first, second))
    a, b = (replace(one, numbers=one.numbers[:count], shape=(count,)) for one in (first, second))
    return a, b


def _separate(values: Sequence[Value], form: Format) -> tuple[Number, ...]:
    return tuple(numbers_of([number for value in values for number in value.numbers], form))


def _differences(values: Sequence[Value], form: Format, beside: Value | None = None) -> Kind:
    each = tuple(one for value in values for number in value.numbers for one in numbers_of([number], form))
    known = numbers_of(beside.numbers, form)[0] if beside and beside.numbers[0].value else None
    return Kind("differences", form, each, beside=known)


def _is_step(number: Printed, other: Printed, form: Format) -> bool:
    """Whether the second number is a few steps between floats at the first: a difference, and no value to compare."""
    if not (number.finite and other.finite and number.value and other.value):
        return False
    small = abs(float(other.value)) < abs(float(number.value)) * 64 * float(form.eps)
    return small and numbers_of([other], form)[0].multiple_of_power is not None


def _are_differences(numbers: Sequence[Printed], form: Format) -> bool:
    """Whether several numbers are, zeros apart, small multiples of powers of two, and small beside the floats' eps.

    Differences of neighbouring floats are such numbers; values are such numbers only by chance.
    """
    others = [number for number in numbers if number.value]
    if len(numbers) < 2 or not others or not all(number.finite for number in numbers):
        return False
    least = 3 if len(others) > 2 and all(abs(float(number.value)) <= FEW * form.eps for number in others) else 4
    if any(Fraction(number.value) ** 2 >= form.eps or (number.digits or 9) < least for number in others):
        return False
    return all(one.multiple_of_power for number in others for one in numbers_of([number], form))


def _fit(three: Sequence[Value], form: Format) -> bool:
    """Whether the third of three can be the difference of the other two, as far as their first numbers tell."""
    first, second, third = (replace(value, numbers=value.numbers[:MOST_TRIED]) for value in three)
    return len({len(value.numbers) for value in three}) == 1 and bool(_paired((first, second), third, form))


def _paired(sides: Sequence[Value], third: Value | None, form: Format) -> tuple[Pair, ...]:
    """Pair two values; with a third, only if it can be their difference, in this format or the next wider one."""
    first, second = sides[0].numbers, sides[1].numbers
    if len(first) != len(second) or third and len(third.numbers) != len(first):
        return ()
    for one in _wider(form) if third else [form]:
        both = numbers_of([*first, *second], one)
        thirds = [numbers_of([n], one)[0] for n in third.numbers] if third else [None] * len(first)
        pairs = [
            Pair(a, b, c if a.finite and b.finite and c and c.finite else None)
            for a, b, c in zip(both[: len(first)], both[len(first) :], thirds, strict=True)
        ]
        if not third or all(pair.possible for pair in pairs):
            return tuple(pairs)
    return ()


def _has_thirds(found: Kind | Sequence[Pair]) -> bool:
    return any(pair.third for pair in (found.pairs if isinstance(found, Kind) else found))
