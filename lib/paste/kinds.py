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
from lib.paste.patterns import CODE, MESSAGE, TEXT, says
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
    `unset` is whether no word sets the first two against each other, `kin` whether brackets or their names hold these
    together, `parts` whether numbers are left out, `nan` whether NaN is.
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
    unset: bool = False
    kin: bool = False
    parts: bool = False
    nan: bool = False
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
        "Numbers are left out at “...”, or a bracket is not closed: what is complete is read.": reading.parts,
        f"No two {form.name} can differ by that: read as {kind.format.name}.": kind.format is not form,
    }
    notes = (*(note for note, holds in told.items() if holds), *kind.notes)
    training = MESSAGE["training"].search(reading.text)
    nan = any(n.value != n.value for value in reading.values if value.shape or training for n in value.numbers)
    unset, kin = _set_apart(kind.pairs, reading) if kind.pairs and not sides else (False, False)
    return replace(kind, text=reading.text, unset=unset, kin=kin, parts=reading.parts, nan=nan, notes=notes, asked=form)


def _set_apart(pairs: Pairs, reading: Reading) -> tuple[bool, bool]:
    """Return whether no word sets two sides against each other, and whether brackets or names hold them together."""
    starts = [side.printed[0].span for side in (pairs.first, pairs.second)]
    own = [value for value in reading.values if value.numbers[0].span in starts]
    words = "\n".join(reading.text[max(start - 100, 0) : end + 40] for start, end in starts)
    pointed = any(number.pointed for side in (pairs.first, pairs.second) for number in side.printed)
    brackets = any(len(value.numbers) > 1 for value in own)
    opposed = any(value.role == "expected" for value in own) or pairs.third is not None
    opposed = opposed or MESSAGE["compares" if pointed else "opposes"].search(words) is not None
    unset = not opposed and re.search(r"[^\W\d_]{3}", words) is not None
    names = [{*TEXT["word"].findall(value.label.lower())} for value in own]
    named = any(CODE["applied"].search(value.label) for value in own) or bool(names and set.intersection(*names))
    return unset, brackets or named and len(pairs) == 1 and any(value.pointed for value in own)


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
    if all(_counts(value, reading) for value in reading.values):
        return _of_words(reading, form)
    values = grouped(reading)
    sizes, told = ([value for value in values if value.role == role] for role in ("size", "difference"))
    if sizes and told and not any(value.is_side for value in values):
        return _of_differences(_all(told), form, _all(sizes))
    # a size is that of a difference where nothing else is one
    values = [value for value in values if value not in sizes]
    if sizes and values and not told and all(abs(n.value) < 0.01 * _all(sizes)[0].value for n in _all(values)):
        return _of_differences(_all(values), form, _all(sizes))
    values += [] if told else [value._replace(label=f"difference: {value.label}") for value in sizes]
    scalars = [value for value in values if not value.shape]
    pointed = [value for value in scalars if value.pointed]
    if len(pointed) > 1:
        values = [value for value in values if not says("inputs", value.label)]
    brackets = [value for value in values if value.shape and not value.sizes]
    absolute, relative = (_greatest(scalars, role) for role in ("difference", "relative"))
    lone = [value for value in pointed if value.is_side]
    only_told = not lone or len(lone) == 1 and abs(lone[0].numbers[0].value) < 1e-3 < (relative or 0)
    if relative is not None and (reading.parts or only_told and not brackets):
        absolute = relative if absolute is None else absolute
        largest = Floats.of(_all(brackets), form).size[0].max(initial=0)  # a relative difference counts small numbers
        relative = min(relative, absolute / largest) if largest else relative
        return Kind("message", form, Floats.of((), form), absolute=absolute, relative=relative)
    every = any(value.shape for value in reading.values)
    if any(len(value.numbers) > 1 for value in brackets):
        return _of_brackets(narrowed(brackets, reading), values, form, every)
    sides, told = ([v for v in values if v.is_side], [v for v in values if v.role == "difference"])
    found = _kind_of_values(sides, told, form, every)
    if found.name == "numbers":
        return replace(found, numbers=Floats.of(_all(reading.values), form))
    return found


def _of_brackets(brackets: Sequence[Value], values: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of what stands in brackets, with the size or the largest difference told of it among the rest."""
    sides, told = ([value for value in brackets if value.is_side is which] for which in (True, False))
    beside = [value for value in values if not value.shape and value.role == "value"] if told and not sides else []
    found = _kind_of_values(beside if len(beside) == 1 else sides, told, form, every)
    if not found.pairs or found.pairs.third:
        return found
    others = [value for value in values if len(value.numbers) != len(found.pairs)]
    return replace(found, absolute=_greatest(others, "difference"))


def _counts(value: Value, reading: Reading) -> bool:
    """Whether a value is a count in a sentence that compares nothing."""
    in_words = not (value.shape or value.pointed) and value.line in reading.sentences
    return in_words and not MESSAGE["compares"].search(reading.text)


def _of_words(reading: Reading, form: Format) -> Kind:
    """Return a message that failed, or words, with the numbers at which a sum stands still."""
    if not re.search(r"[^\W\d_]{2}", reading.text):
        raise PasteError("There are no numbers in it: paste two numbers, two vectors, or a matrix as printed.")
    failed, passed, false, stands = (
        MESSAGE[what].search(reading.text) for what in ("failed", "passed", "false", "stands")
    )
    known = form.precision > 12 or reading.dtypes and stands
    there = [n for value in reading.values for n in value.numbers if known and n.value == 2**form.precision]
    return Kind("message" if failed and not (passed and not false) else "words", form, Floats.of(there, form))


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


@np.errstate(invalid="ignore")  # infinities have no relative size
def _kind_of_values(sides: Sequence[Value], thirds: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of values and differences."""
    if len(sides) == len(thirds) == 1 and _of_one_size(sides[0], thirds[0]):
        sides, thirds = [*thirds, *sides], []
    alone = sides or thirds
    if len(alone) == 1 and alone[0].sizes and alone[0].pointed and alone[0].shape in ((2,), (3,)):
        alone = [alone[0]._replace(numbers=(number,), shape=()) for number in alone[0].numbers]  # as print(a, b) writes
        sides, thirds = (alone, thirds if sides else []) if sides or fits(alone) else (sides, thirds)
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
    name = "differences" if len(numbers) == 1 and 0 < abs(one.value) <= 1e-3 else "numbers"
    return Kind(name, form, Floats.of(numbers, form))


def _all(values: Sequence[Value]) -> list[Printed]:
    return [number for value in values for number in value.numbers]


def _of_differences(numbers: Sequence[Printed], form: Format, sizes: Sequence[Printed] = ()) -> Kind:
    """Return differences beside the sizes of what differs; in the next wider format if they are too small for one."""
    off = np.array([abs(number.value) for number in numbers])
    least = off.min(initial=1, where=off > 0)
    form = next((one for one in wider(form) if not least < float(one.spacing(0))), form)
    beside = None
    if sizes:
        size = Floats.of(sizes, form).size[0]
        size, off = (size, off[: len(size)]) if 1 < len(size) <= len(off) else (size.max(), off.max())
        relative = float(np.max(off / np.where(size > 0, size, np.inf)))  # in the worst component
        beside = (float(off.max()) / relative if relative else float(size.max())) or None
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
