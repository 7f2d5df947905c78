"""What kind of thing a paste is: pairs, differences, numbers, a Jacobian, two of unequal shapes, a shape, words.

The kind follows from what was read: brackets and labels first, then how many numbers stand on how many lines.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lib.floats.exact_floats import FORMATS, Format
from lib.paste.compared import Kind, kind_of_values, numbers_of, of_differences, of_two
from lib.paste.floats_of import Floats, Pairs
from lib.paste.formats import holding, shown_by_the_digits
from lib.paste.narrowing import narrowed
from lib.paste.patterns import CODE, MESSAGE, TEXT, says
from lib.paste.picked import Sides, picked
from lib.paste.printed import PasteError, Value
from lib.paste.read import Reading
from lib.paste.sides import grouped


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
    kind = of_two(*picked(reading, sides), (), form) if sides else _sort_out(reading, form)
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
    nan = not sides and any(
        n.value != n.value for value in reading.values if value.shape or training for n in value.numbers
    )
    unset, kin = _set_apart(kind.pairs, reading) if kind.pairs and not sides else (False, False)
    text = "" if sides else reading.text  # of two that were picked the numbers count, and no words
    return replace(kind, text=text, unset=unset, kin=kin, parts=reading.parts, nan=nan, notes=notes, asked=form)


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
    return replace(of_two(one, other, (), found.format), notes=("The matrix is compared with its transpose.",))


def _sort_out(reading: Reading, form: Format) -> Kind:
    """Return the kind of what was read: shapes, words, the message of a check, or values and differences."""
    if _are_shapes(reading):
        shapes = tuple(tuple(int(n.value) for n in value.numbers) for value in reading.values if value.shape)
        return Kind("shape", form, Floats.of((), form), shapes=shapes)
    if len(reading.values) == 1 and MESSAGE["bounded"].search(reading.text):
        return of_differences(reading.values[0].numbers, form)
    if all(_counts(value, reading) for value in reading.values):
        return _of_words(reading, form)
    values = grouped(reading)
    sizes, told = ([value for value in values if value.role == role] for role in ("size", "difference"))
    if sizes and told and not any(value.is_side for value in values):
        return of_differences(numbers_of(told), form, numbers_of(sizes))
    # a size is that of a difference where nothing else is one
    values = [value for value in values if value not in sizes]
    if (
        sizes
        and values
        and not told
        and all(abs(n.value) < 0.01 * numbers_of(sizes)[0].value for n in numbers_of(values))
    ):
        return of_differences(numbers_of(values), form, numbers_of(sizes))
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
        largest = (
            Floats.of(numbers_of(brackets), form).size[0].max(initial=0)
        )  # a relative difference counts small numbers
        relative = min(relative, absolute / largest) if largest else relative
        return Kind("message", form, Floats.of((), form), absolute=absolute, relative=relative)
    every = any(value.shape for value in reading.values)
    if any(len(value.numbers) > 1 for value in brackets):
        return _of_brackets(narrowed(brackets, reading), values, form, every)
    sides, told = ([v for v in values if v.is_side], [v for v in values if v.role == "difference"])
    found = kind_of_values(sides, told, form, every)
    if found.name == "numbers":
        return replace(found, numbers=Floats.of(numbers_of(reading.values), form))
    return found


def _of_brackets(brackets: Sequence[Value], values: Sequence[Value], form: Format, every: bool) -> Kind:
    """Return the kind of what stands in brackets, with the size or the largest difference told of it among the rest."""
    sides, told = ([value for value in brackets if value.is_side is which] for which in (True, False))
    beside = [value for value in values if not value.shape and value.role == "value"] if told and not sides else []
    found = kind_of_values(beside if len(beside) == 1 else sides, told, form, every)
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
