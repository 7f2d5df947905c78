"""What kind of thing a paste is: pairs, differences, numbers, a Jacobian, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines. A third
vector or column is the difference of the other two where their digits allow it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.floats_of import Floats, Pairs
from lib.paste.formats import holding, shown_by_the_digits, wider
from lib.paste.narrowing import fits, is_ratio, narrowed, near
from lib.paste.patterns import MESSAGE, says
from lib.paste.picked import Sides, picked
from lib.paste.printed import PasteError, Printed, Value
from lib.paste.read import Reading
from lib.paste.sides import grouped


@dataclass(frozen=True, eq=False)
class Kind:
    """What was pasted: pairs, differences, numbers, jacobian, unequal, shape, message or words.

    What does not belong to the kind is empty. `numbers` are all that count, `pairs` those of two values side by side,
    `shapes` those of the values or, of a shape, itself. `beside` is the size of a number that differences were given
    with, `absolute` and `relative` the largest differences that a message tells, `asked` the format that was asked for.
    `reading` is what it was read from, `unset` whether no word sets the first two against each other.
    """

    name: str
    format: Format
    numbers: Floats
    pairs: Pairs | None = None
    shapes: tuple[tuple[int, ...], ...] = ()
    beside: float | None = None
    absolute: float | None = None
    relative: float | None = None
    asked: Format | None = None
    reading: Reading | None = None
    unset: bool = False
    notes: tuple[str, ...] = ()


def kind_of(reading: Reading, dtype: str, sides: Sides | None = None) -> Kind:
    """Return what was pasted, as floats of the dtype that it names, or else of the given one.

    `sides` are the places of two values among those that can be picked, if these are compared and nothing else.
    Raise `PasteError` if there is nothing that can be judged.
    """
    if dtype not in FORMATS:
        raise PasteError.quoting(f"dtype = {{}} is not allowed: it must be one of {', '.join(FORMATS)}.", dtype)
    inferred = shown_by_the_digits(reading, dtype)
    named = [FORMATS[name] for name in reading.dtypes] or [inferred]
    form = holding(reading, min(named, key=lambda one: one.precision))
    kind = _of_two(*picked(reading, sides), (), form) if sides else _sort_out(reading, form)
    if kind.name == "jacobian" and MESSAGE["symmetric"].search(reading.text):
        kind = _beside_its_transpose(kind)
    told = {
        f"No dtype is named; so many digits are those of {inferred.name}.": not reading.dtypes
        and inferred.name != dtype,
        f"Two dtypes are named: the narrower one, {form.name}, counts.": len(set(named)) > 1,
        "Numbers are left out, or rows are not of one length: what is complete is read.": reading.parts,
        f"No two {form.name} can differ by that: read as {kind.format.name}.": kind.format is not form,
    }
    notes = (*(note for note, holds in told.items() if holds), *kind.notes)
    unset = bool(kind.pairs) and not sides and _unset(kind.pairs, reading)
    return replace(kind, reading=reading, unset=unset, notes=notes, asked=form)


def _unset(pairs: Pairs, reading: Reading) -> bool:
    """Return whether no word sets two sides against each other."""
    starts = [side.printed[0].span for side in (pairs.first, pairs.second)]
    words = "\n".join(reading.text[max(start - 100, 0) : end + 40] for start, end in starts)
    pointed = any(number.pointed for side in (pairs.first, pairs.second) for number in side.printed)
    opposed = pairs.third is not None or MESSAGE["compares" if pointed else "opposes"].search(words) is not None
    return not opposed and re.search(r"[^\W\d_]{3}", words) is not None


def _beside_its_transpose(found: Kind) -> Kind:
    """Compare what is above the diagonal with what is below, unless they are the same."""
    size, numbers = found.shapes[0][-1], found.numbers
    above, below = np.triu_indices(size, 1)
    places = above * size + below, below * size + above
    if found.shapes[0] != (size, size) or (numbers.value[places[0]] == numbers.value[places[1]]).all():
        return found
    one, other = (Value(tuple(numbers.printed[at] for at in each), each.shape) for each in places)
    return replace(_of_two(one, other, (), found.format), notes=("The matrix is compared with its transpose.",))


def _sort_out(reading: Reading, form: Format) -> Kind:
    """Return the kind of what was read: shapes, words, the message of a check, or values and differences."""
    if _are_shapes(reading):
        shapes = tuple(tuple(int(n.value) for n in value.numbers) for value in reading.values if value.shape)
        return Kind("shape", form, Floats.of((), form), shapes=shapes)
    if not reading.values:
        failed = MESSAGE["failed"].search(reading.text)
        return Kind("message" if failed else "words", form, Floats.of((), form))
    values = grouped(reading)
    sizes, told = ([value for value in values if value.role == role] for role in ("size", "difference"))
    values = [value for value in values if value not in sizes]
    off = told or values
    small = all(abs(number.value) < 0.01 * _all(sizes)[0].value for number in _all(off)) if sizes else False
    if sizes and off and (small or not any(value.is_side for value in values)):
        return _of_differences(_all(off), form, _all(sizes))
    # a size is that of a difference where nothing else is one
    values += [] if told else [value._replace(label=f"difference: {value.label}") for value in sizes]
    values = [value for value in values if not says("inputs", value.label)] or values
    scalars = [value for value in values if not value.shape]
    brackets = [value for value in values if value.shape and not value.sizes]
    absolute, relative = (_greatest(scalars, role) for role in ("difference", "relative"))
    lone = [value for value in scalars if value.pointed and value.is_side]
    only_told = not lone or len(lone) == 1 and abs(lone[0].numbers[0].value) < 1e-3 < (relative or 0)
    if relative is not None and (reading.parts or only_told and not brackets):
        absolute = relative if absolute is None else absolute
        largest = Floats.of(_all(brackets), form).size[0].max(initial=0)  # a relative difference counts small numbers
        relative = min(relative, absolute / largest) if largest else relative
        return Kind("message", form, Floats.of((), form), absolute=absolute, relative=relative)
    every = any(value.shape for value in reading.values)
    compared = narrowed(brackets, reading) if any(len(value.numbers) > 1 for value in brackets) else values
    sides, told = ([value for value in compared if value.is_side is which] for which in (True, False))
    found = _kind_of_values(sides, told, form, every)
    if found.name == "numbers" and compared is values:
        return replace(found, numbers=Floats.of(_all(reading.values), form))
    if not found.pairs or found.pairs.third:
        return found
    others = [value for value in values if len(value.numbers) != len(found.pairs)]  # the largest difference of vectors
    return replace(found, absolute=_greatest(others, "difference"))


def _greatest(values: Sequence[Value], role: str) -> float | None:
    """Return the largest difference of a kind that is told, if any is."""
    told = (abs(n.value) / (100 if v.percent else 1) for v in values if v.role == role for n in v.numbers)
    return max(told, default=None)


def _are_shapes(reading: Reading) -> bool:
    """Whether lists of sizes are all there is: torch.Size([3, 4]), (3, 4) and (4, 3), [640, 196608]."""
    lists = [value for value in reading.values if value.shape]
    alone = len(lists) == 1 and re.fullmatch(r"[\s\w.]{0,60}[:=]?\s*\[[\d, ]+\]\s*", reading.text)
    whole = all(n.text.isdigit() and n.value for value in lists for n in value.numbers)
    decimals = any(value.pointed for value in reading.values)
    return bool(lists) and whole and not decimals and (bool(alone) or any(value.sizes for value in lists))


def _kind_of_values(sides: Sequence[Value], thirds: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of values and differences."""
    if len(sides) == len(thirds) == 1 and _of_one_size(sides[0], thirds[0]):
        sides, thirds = [*thirds, *sides], []
    alone = sides or thirds
    if len(alone) == 1 and alone[0].sizes and alone[0].pointed and alone[0].shape in ((2,), (3,)):
        alone = [alone[0]._replace(numbers=(number,), shape=()) for number in alone[0].numbers]  # as print(a, b) writes
        sides, thirds = alone, thirds if sides else []
    if len(three := sides or thirds) == 3 and fits(three):
        sides, thirds = three[:2], [] if is_ratio(three) else three[2:]
    numbers, told = _all(sides), _all(thirds)
    apart = len(sides) == 2 and not near(*sides) and not any(fits([*sides, one]) for one in thirds)
    loose = any(number.value for number in told) and (len(sides) > 2 or apart) and not sides[0].shape
    if not sides or loose or len(sides) != 2 and _are_differences(numbers, form, every):
        return _of_differences(told if loose or not sides else numbers, form)
    if len(sides) == 1 and thirds:
        return _of_differences(told, form, numbers)
    if len(sides) == 2:
        return _of_two(sides[0], sides[1], thirds, form)
    shape = sides[0].shape if len(sides) == 1 else (len(sides), *sides[0].shape)
    if len(shape) > 1 and prod(shape) == len(numbers) and (len(sides) == 1 or shape[1:] != (1,)):
        return Kind("jacobian", form, Floats.of(numbers, form), shapes=(shape,))
    one, short = numbers[0], float(f"{numbers[0].value:.4g}")
    turned = one.value < 0 and MESSAGE["cosine"].search(sides[0].label)  # -1 is not what a cosine is to be
    full = len(numbers) == 1 and one.pointed and one.needed > 6 and not turned
    if full and 0 < abs(one.value - short) <= 4 * form.eps * abs(short):
        return _of_two(Value((one,)), Value((Printed(f"{short:g}", short),)), (), form)  # 0.30000000000000004 and 0.3
    name = "differences" if len(numbers) == 1 and 0 < abs(numbers[0].value) <= 1e-3 else "numbers"
    return Kind(name, form, Floats.of(numbers, form))


def _all(values: Sequence[Value]) -> list[Printed]:
    return [number for value in values for number in value.numbers]


def _of_differences(numbers: Sequence[Printed], form: Format, sizes: Sequence[Printed] = ()) -> Kind:
    """Return differences beside the sizes of what differs; in the next wider format if they are too small for one."""
    off = np.array([abs(number.value) for number in numbers])
    least = off.min(initial=1, where=off > 0)
    form = next((one for one in wider(form) if not least < float(one.spacing(0))), form)
    beside = float(Floats.of(sizes, form).size[0].max(initial=0)) or None
    return Kind("differences", form, Floats.of(numbers, form, together=False), beside=beside)


def _of_one_size(side: Value, third: Value) -> bool:
    """Whether what is called a difference is as large as the side beside it, and so is one as well."""
    size, other = (float(np.median([abs(number.value) for number in value.numbers])) for value in (side, third))
    told = side.role == "expected"
    return (told or side.shape == third.shape != ()) and not 0 < other <= size / (1000 if told else 2)


def _of_two(first: Value, second: Value, thirds: Sequence[Value], form: Format) -> Kind:
    """Return the pairs of two values with their differences if these are given, or that they have unequal shapes."""
    if first.role == "expected" != second.role:
        first, second = second, first
    if first.shape != second.shape and (first.part or second.part):  # what both have: their first numbers
        count = min(one.shape[-1] if one.shape else 1 for one in (first, second))
        first, second = (one._replace(numbers=one.numbers[:count], shape=(count,)) for one in (first, second))
    both, shapes = [*first.numbers, *second.numbers], (first.shape, second.shape)
    if len(first.numbers) != len(second.numbers):
        return Kind("unequal", form, Floats.of(both, form), shapes=shapes)
    third = [one for one in thirds if len(one.numbers) == len(first.numbers)][:1]
    # a difference counts if two can have it, in this format or a wider one
    ways = (_paired(first, second, told, one) for told in third for one in wider(form))
    pairs = next((way for way in ways if way.possible), _paired(first, second, None, form))
    note = ("The difference given is not that of the two as printed.",) if third and not pairs.third else ()
    if note and max(abs(one.value) for one in third[0].numbers) > pairs.differences[1].max() > 0 and len(pairs) > 1:
        return _of_differences(third[0].numbers, form, both)  # the two are norms or means of what differs
    return Kind("pairs", pairs.format, Floats.of(both, pairs.format), pairs, shapes, notes=note)


def _paired(first: Value, second: Value, third: Value | None, form: Format) -> Pairs:
    """Pair two values as floats of a format, which share what their digits tell, with a difference if there is one."""
    both, count = Floats.of([*first.numbers, *second.numbers], form), len(first.numbers)
    return Pairs(both[:count], both[count:], Floats.of(third.numbers, form, together=False) if third else None)


def _are_differences(numbers: Sequence[Printed], form: Format, every: bool) -> bool:
    """Whether half of several numbers, or every one, zeros apart, are as small as differences are."""
    sizes = sorted(abs(number.value) for number in numbers if number.value) or [1.0]
    return len(numbers) > 1 and sizes[-1 if every else (len(sizes) - 1) // 2] <= 128 * form.eps
