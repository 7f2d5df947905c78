"""What values are, held against each other: pairs, differences, numbers, a Jacobian, or two of unequal shapes.

How many values there are, and how large, decides. A third vector or column is the difference of the other two where
their digits allow it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from lib.floats.exact_floats import Format
from lib.paste.floats_of import Floats, Pairs
from lib.paste.formats import wider
from lib.paste.narrowing import fits, is_ratio, near
from lib.paste.patterns import MESSAGE
from lib.paste.printed import Printed, Value


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


@np.errstate(invalid="ignore")  # infinities have no relative size
def kind_of_values(sides: Sequence[Value], thirds: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of values and differences."""
    if len(sides) == len(thirds) == 1 and _of_one_size(sides[0], thirds[0]):
        sides, thirds = [*thirds, *sides], []
    alone = sides or thirds
    if len(alone) == 1 and alone[0].sizes and alone[0].pointed and alone[0].shape in ((2,), (3,)):
        alone = [alone[0]._replace(numbers=(number,), shape=()) for number in alone[0].numbers]  # as print(a, b) writes
        sides, thirds = (alone, thirds if sides else []) if sides or fits(alone) else (sides, thirds)
    if len(three := sides or thirds) == 3 and fits(three):
        sides, thirds = three[:2], [] if is_ratio(three) else three[2:]
    numbers, told = numbers_of(sides), numbers_of(thirds)
    apart = len(sides) == 2 and not near(*sides) and not any(fits([*sides, one]) for one in thirds)
    loose = any(number.value for number in told) and (len(sides) > 2 or apart) and not sides[0].shape
    if not sides or loose or len(sides) != 2 and _are_differences(numbers, form, every):
        return of_differences(told if loose or not sides else numbers, form)
    if len(sides) == 1 and thirds:
        return of_differences(told, form, numbers)
    if len(sides) == 2:
        return of_two(sides[0], sides[1], thirds, form)
    shape = sides[0].shape if len(sides) == 1 else (len(sides), *sides[0].shape)
    if len(shape) > 1 and prod(shape) == len(numbers) and (len(sides) == 1 or shape[1:] != (1,)):
        return Kind("jacobian", form, Floats.of(numbers, form), shapes=(shape,))
    one, short = numbers[0], float(f"{numbers[0].value:.4g}")
    turned = one.value < 0 and MESSAGE["cosine"].search(sides[0].label)  # -1 is not what a cosine is to be
    full = len(numbers) == 1 and one.pointed and one.needed > 6 and not turned
    if full and 0 < abs(one.value - short) <= 4 * form.eps * abs(short):
        return of_two(Value((one,)), Value((Printed(f"{short:g}", short),)), (), form)  # 0.30000000000000004 and 0.3
    name = "differences" if len(numbers) == 1 and 0 < abs(one.value) <= 1e-3 else "numbers"
    return Kind(name, form, Floats.of(numbers, form))


def numbers_of(values: Sequence[Value]) -> list[Printed]:
    return [number for value in values for number in value.numbers]


def of_differences(numbers: Sequence[Printed], form: Format, sizes: Sequence[Printed] = ()) -> Kind:
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


def of_two(first: Value, second: Value, thirds: Sequence[Value], form: Format) -> Kind:
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
        return of_differences(third[0].numbers, form, both)  # the two are norms or means of what differs
    return Kind("pairs", pairs.format, Floats.of(both, pairs.format), pairs, shapes, notes=note)


def _paired(first: Value, second: Value, third: Value | None, form: Format) -> Pairs:
    """Pair two values as floats of a format, which share what their digits tell, with a difference if there is one."""
    both, count = Floats.of([*first.numbers, *second.numbers], form), len(first.numbers)
    return Pairs(both[:count], both[count:], Floats.of(third.numbers, form, together=False) if third else None)


def _are_differences(numbers: Sequence[Printed], form: Format, every: bool) -> bool:
    """Whether half of several numbers, or every one, zeros apart, are as small as differences are."""
    sizes = sorted(abs(number.value) for number in numbers if number.value) or [1.0]
    return len(numbers) > 1 and sizes[-1 if every else (len(sizes) - 1) // 2] <= 128 * form.eps
