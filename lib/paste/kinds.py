"""What kind of thing a paste is: pairs, differences, numbers, a Jacobian, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines. A third
vector or column is the difference of the other two where their digits allow it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, prod

import numpy as np

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.floats_of import Array, Floats, Pairs, rounded
from lib.paste.patterns import CODE, MESSAGE, TEXT
from lib.paste.printed import PasteError, Printed, Value
from lib.paste.read import Reading
from lib.paste.sides import fits, grouped, narrowed, near


@dataclass(frozen=True, eq=False)
class Kind:
    """What was pasted: pairs, differences, numbers, jacobian, unequal, shape, message or words.

    What does not belong to the kind is empty. `numbers` are all that count, `pairs` those of two values side by side,
    `shapes` those of the values or, of a shape, itself. `beside` is the size of a number that differences were given
    with, `absolute` and `relative` the largest differences that a message tells, `asked` the format that was asked for.
    `words` is the text beside the first two, `kin` whether brackets or their names hold these together, `parts` whether
    numbers are left out, `nan` whether NaN is.
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
    text: str = ""
    words: str = ""
    parts: bool = False
    nan: bool = False
    kin: bool = False
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
    kind = _sort_out(reading, form)
    if kind.name == "jacobian" and MESSAGE["symmetric"].search(reading.text):
        kind = _beside_its_transpose(kind)
    told = {
        f"No dtype is named; so many digits are those of {inferred.name}.": not reading.dtypes
        and inferred.name != dtype,
        f"Two dtypes are named: the narrower one, {form.name}, counts.": len(set(named)) > 1,
        "Numbers are left out at “...”, or a bracket is not closed: what is complete is read.": reading.parts,
        f"No two {form.name} can differ by that: read as {kind.format.name}.": kind.format is not form,
    }
    notes = (*(note for note, holds in told.items() if holds), *kind.notes)
    first = [side.printed[0].span for side in (kind.pairs.first, kind.pairs.second)] if kind.pairs else []
    own = [value for value in reading.values if value.numbers[0].span in first]
    training, brackets = MESSAGE["training"].search(reading.text), any(len(value.numbers) > 1 for value in own)
    first = [] if brackets and training or any(value.role == "expected" for value in own) else first
    names = [{*TEXT["word"].findall(value.label.lower())} for value in own]
    kin = any(CODE["applied"].search(value.label) for value in own) or bool(names and set.intersection(*names))
    kin = brackets or kin and any(value.pointed for value in own) and len(kind.numbers) == 2
    words = "\n".join(reading.text[max(start - 100, 0) : end + 40] for start, end in first)
    nan = any(n.value != n.value for value in reading.values if value.shape or training for n in value.numbers)
    return replace(kind, text=reading.text, words=words, parts=reading.parts, nan=nan, kin=kin, notes=notes, asked=form)


def _beside_its_transpose(found: Kind) -> Kind:
    """Compare what is above the diagonal with what is below, unless they are the same."""
    size, numbers = found.shapes[0][-1], found.numbers
    above, below = np.triu_indices(size, 1)
    places = above * size + below, below * size + above
    if found.shapes[0] != (size, size) or (numbers.value[places[0]] == numbers.value[places[1]]).all():
        return found
    one, other = (Value(tuple(numbers.printed[at] for at in each), each.shape) for each in places)
    return replace(_of_two(one, other, (), found.format), notes=("The matrix is compared with its transpose.",))


def _finite(reading: Reading) -> Array:
    return np.array([n.value for value in reading.values for n in value.numbers if isfinite(n.value)])


def _shown_by_the_digits(reading: Reading, dtype: str) -> Format:
    """Return the format that 15 digits or more show, or NumPy by naming none; else that of the dtype.

    A number of twelve digits or more that is a float32 was one: of other numbers one in 2**29 is. Numbers far below the
    largest are no evidence: a difference has all digits, whatever its dtype.
    """
    least = np.abs(_finite(reading)).max(initial=0) / 1000
    sides = [value.numbers for value in reading.values if value.is_side]
    numbers = [n for side in sides for n in side if n.digits and abs(n.value) >= least and n.text[-1] not in "…."]
    values = np.array([n.value for n in numbers])
    held = rounded(values, FORMATS["float32"]) == values
    long = values[np.array([n.needed for n in numbers], dtype=int) >= 15 - 3 * held]
    if DTYPES[dtype].narrow or (rounded(long, FORMATS["float32"]) == long).any():
        return FORMATS[dtype]
    if any(5 < max(number.digits or 0 for number in side) < 10 for side in sides):
        long = long[:0]  # the other side is printed as a float32 is
    array = "array(" in reading.text and not (reading.parts or "tensor" in reading.text or "..." in reading.text)
    return FORMATS["float64" if len(long) or array else dtype]


def _wider(form: Format) -> list[Format]:
    """Return the formats from this one on, to more and more digits."""
    return sorted((one for one in FORMATS.values() if one.precision >= form.precision), key=lambda one: one.precision)


def _sort_out(reading: Reading, form: Format) -> Kind:
    text, nothing = reading.text, Floats.of((), form)
    if _are_shapes(reading):
        shapes = tuple(tuple(int(n.value) for n in value.numbers) for value in reading.values if value.shape)
        return Kind("shape", form, nothing, shapes=shapes)
    counts = all(not (value.shape or value.pointed) and value.line in reading.sentences for value in reading.values)
    if counts and not (reading.values and MESSAGE["compares"].search(text)):
        if not re.search(r"[^\W\d_]{2}", text):
            raise PasteError("There are no numbers in it: paste two numbers, two vectors, or a matrix as printed.")
        failed, passed = (MESSAGE[what].search(text) for what in ("failed", "passed"))
        name = "message" if failed and not (passed and not MESSAGE["false"].search(text)) else "words"
        stands = [n for value in reading.values for n in value.numbers if n.value == 2**form.precision > 2**12]
        return Kind(name, form, Floats.of(stands, form))
    values, every = grouped(reading), any(value.shape for value in reading.values)
    scalars = [value for value in values if not value.shape]
    brackets = [value for value in values if value.shape and not value.sizes]
    absolute, relative = (_told(scalars, role) for role in ("difference", "relative"))
    only_told = not brackets and not any(value.is_side and value.pointed for value in scalars)
    lone = [value for value in scalars if value.is_side and value.pointed]
    only_told |= not brackets and len(lone) == 1 and abs(lone[0].numbers[0].value) < 1e-3 < (relative or 0)
    if relative is not None and (reading.parts or only_told):
        return Kind("message", form, nothing, absolute=relative if absolute is None else absolute, relative=relative)
    single = narrowed(scalars, reading)
    sizes = len(brackets) == 1 and all(number.text.isdigit() for number in brackets[0].numbers)
    if sizes and len(single) == 2 and any(value.pointed for value in single):
        brackets, values = [], single  # sizes, or the argument of a function
    if not any(len(value.numbers) > 1 for value in brackets):
        values = [value for value in values if value.role != "relative"] or values
        sides = [value for value in values if value.role != "difference"]
        found = _kind_of_values(sides, [value for value in values if value.role == "difference"], form, every)
        if found.name == "numbers":
            found = replace(found, numbers=Floats.of([n for value in reading.values for n in value.numbers], form))
        return found
    brackets = narrowed(brackets, reading)
    sides = [value for value in brackets if value.is_side]
    thirds = [value for value in brackets if not value.is_side]
    beside = [value for value in scalars if value.role == "value"]
    found = _kind_of_values(sides or beside if thirds and len(beside) == 1 else sides, thirds, form, every)
    return replace(found, absolute=absolute) if found.pairs and not found.pairs.third else found


def _told(values: Sequence[Value], role: str) -> float | None:
    """Return the largest difference of a kind that is told, if any is."""
    return max((abs(v.numbers[0].value) / (100 if v.percent else 1) for v in values if v.role == role), default=None)


def _are_shapes(reading: Reading) -> bool:
    """Whether lists of sizes are all there is: torch.Size([3, 4]), (3, 4) and (4, 3), [640, 196608]."""
    lists = [value for value in reading.values if value.shape]
    alone = len(lists) == 1 and re.fullmatch(r"[\s\w.]{0,60}[:=]?\s*\[[\d, ]+\]\s*", reading.text)
    whole = all(n.text.isdigit() and n.value for value in lists for n in value.numbers)
    decimals = any(value.pointed for value in reading.values)
    return bool(lists) and whole and not decimals and (bool(alone) or all(value.sizes for value in lists))


@np.errstate(invalid="ignore")  # infinities have no relative size
def _kind_of_values(sides: Sequence[Value], thirds: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of values and differences."""
    if len(sides) == len(thirds) == 1 and _of_one_size(sides[0], thirds[0]):
        sides, thirds = [*thirds, *sides], []
    if len(sides) == 1 and sides[0].sizes and sides[0].pointed and sides[0].shape in ((2,), (3,)):
        sides = [sides[0]._replace(numbers=(number,), shape=()) for number in sides[0].numbers]  # as print(a, b) writes
    if len(three := sides or thirds) == 3 and not (sides and thirds) and fits(three):
        sides, thirds = three[:2], three[2:]
    numbers, told = ([number for value in each for number in value.numbers] for each in (sides, thirds))
    apart = len(sides) == 2 and not near(*sides) and not any(fits([*sides, one]) for one in thirds)
    loose = any(number.value for number in told) and (len(sides) > 2 or apart) and not sides[0].shape
    if not sides or loose or len(sides) != 2 and _are_differences(numbers, form, every):
        return Kind("differences", form, Floats.of(told if loose or not sides else numbers, form, together=False))
    if len(sides) == 1 and thirds and len(numbers) in (1, len(thirds[0].numbers)):
        size, off = Floats.of(numbers, form).size[0], np.array([abs(number.value) for number in told])
        relative = float(np.max(off[: len(size)] / np.where(size > 0, size, np.inf)))  # in the worst component
        beside = (float(off[: len(size)].max()) / relative if relative else float(size.max())) or None
        return Kind("differences", form, Floats.of(told, form, together=False), beside=beside)
    if len(sides) == 2:
        return _of_two(sides[0], sides[1], thirds, form)
    shape = sides[0].shape if len(sides) == 1 else (len(sides), *sides[0].shape)
    if len(shape) > 1 and prod(shape) == len(numbers) and (len(sides) == 1 or shape[1:] != (1,)):
        return Kind("jacobian", form, Floats.of(numbers, form), shapes=(shape,))
    one, short = numbers[0], float(f"{numbers[0].value:.4g}")
    if len(numbers) == 1 and one.pointed and one.needed > 6 and 0 < abs(one.value - short) <= 4 * form.eps * abs(short):
        return _of_two(Value((one,)), Value((Printed(f"{short:g}", short),)), (), form)  # 0.30000000000000004 and 0.3
    name = "differences" if len(numbers) == 1 and 0 < abs(one.value) <= 1e-3 else "numbers"
    return Kind(name, form, Floats.of(numbers, form))


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
    shapes, third = (first.shape, second.shape), [one for one in thirds if len(one.numbers) == len(first.numbers)]
    pairs = (_paired(first, second, third[0], form) if third else None) or _paired(first, second, None, form)
    both = [*first.numbers, *second.numbers]
    if not pairs:
        return Kind("unequal", form, Floats.of(both, form), shapes=shapes)
    note = ("The difference given is not that of the two as printed.",) if third and not pairs.third else ()
    return Kind("pairs", pairs.format, Floats.of(both, pairs.format), pairs, shapes, notes=note)


def _are_differences(numbers: Sequence[Printed], form: Format, every: bool) -> bool:
    """Whether half of several numbers, or every one, zeros apart, are as small as differences are."""
    sizes = sorted(abs(number.value) for number in numbers if number.value) or [1.0]
    return len(numbers) > 1 and sizes[-1 if every else (len(sizes) - 1) // 2] <= 128 * form.eps


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
