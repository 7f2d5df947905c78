"""Pasted numbers on the float line, as data for a picture: the floats that print so, then single floats, magnified.

Every place is a fraction of the picture's width, every figure a finished text. The picture measures the line in floats:
each float takes the same room, whatever its value, so that a distance in the picture is a number of floats.

NOTE [the order of two]: two numbers that print alike may lie either way round. A signed difference is read as first
minus second, so a positive one puts the first number on the right; an absolute one, or none, leaves the order open.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from lib.display.quantities import listed, minus, power_of_two
from lib.floats.exact_floats import Format
from lib.paste.counts import amount_of, floats
from lib.paste.decode import Decoded, Decoding
from lib.paste.distances import Multiple, NotFinitePair, Pair
from lib.paste.placed import Placed, placed
from lib.paste.possible_floats import Number, in_digits, power_within
from lib.paste.window import Window

Data = dict[str, Any]

MOST_TICKS = 40
"""The largest distance, in floats, that is drawn float by float."""

_LEAST_TICKS = 9
_MOST_ROWS = 5  # differences that are drawn
_VISIBLE = Fraction(1, 20)  # of a gap: what lies nearer to a float is drawn on it
_MOST_ALONE = 60  # floats on a line whose ticks are drawn


def picture(decoding: Decoding, place: int | None = None) -> Data | None:
    """Return the picture of a decoded paste, or None if nothing in it is on the float line.

    `place` picks a component of vectors, or one of several numbers; by default the first one that is farthest apart.
    """
    if decoding.are_differences:
        return _of_differences(decoding.format, decoding.numbers)
    if decoding.multiple:
        return _of_multiple(decoding.multiple)
    shown = picked(decoding, place)
    if isinstance(shown, Number) and shown.is_small_power and len(decoding.numbers) == 1:
        return _of_differences(decoding.format, [shown])
    if isinstance(shown, Number):
        return _of_one(shown)
    if isinstance(shown, Pair):
        return _of_two(shown)
    return None


def picked(decoding: Decoding, place: int | None) -> Decoded | Pair | NotFinitePair:
    """Return the pair or the number that is drawn: the one at `place`, or else the one that is farthest apart."""
    every: Sequence[Decoded | Pair | NotFinitePair] = decoding.pairs or decoding.numbers
    return every[place_of(decoding, place)]


def place_of(decoding: Decoding, place: int | None) -> int:
    """Return the index of what is drawn, from 0."""
    every = len(decoding.pairs or decoding.numbers)
    return place if place is not None and place < every else decoding.worst or 0


def _of_one(number: Number) -> Data:
    if number.floats > 1:
        window = Window.around([number], 1)
        return _data(number.format, [_row("first", number, window)], window, _axis([number], window))
    window = Window(number.nearest, _LEAST_TICKS)
    magnified = _line(window, number.format, [_mark("first", number.nearest, in_digits(number.value), window)])
    if abs(number.printed.value - number.value) > _VISIBLE * number.spacing:
        magnified["exact"] = _exact(number, window)
    below, above = number.format.value(number.nearest), number.format.value(number.nearest + 1)
    return _data(number.format, magnified=magnified | {"below": _gap(number.format, above - below)})


def _of_two(pair: Pair) -> Data:
    numbers, known = (pair.first, pair.second), placed(pair)
    near = known is not None and known.apart <= MOST_TICKS
    sure = all(number.floats == 1 for number in numbers)
    if near and sure:
        return _data(pair.format, magnified=_magnified(pair, known, Window(known.middle, _ticks(known.apart))))
    count = _ticks(known.apart) if near else 1
    window = Window.around(numbers, count)
    rows = [_row(who, number, window) for who, number in zip(("first", "second"), numbers, strict=True)]
    if rows[0]["says"] == rows[1]["says"]:  # said once, between the two
        rows[0]["says"] = ""
    if not near:
        return _data(pair.format, rows, window, _axis(numbers, window))
    zoomed = Window(known.middle, count)
    magnified = _magnified(pair, known, zoomed)
    times = window.count // count
    notes = [f"magnified {times:,} times" if times > 1 else "", "the digits do not say where in the bars the two lie"]
    magnified["notes"] = [note for note in (*notes, known.order_in_words) if note]
    magnified["from"] = window.stretch(zoomed.low, zoomed.low + count - 1)
    return _data(pair.format, rows, window, _axis(numbers, window), magnified)


def _of_multiple(multiple: Multiple) -> Data:
    """Draw a number, and the other one as the step of a few floats from it."""
    number, apart = multiple.of, multiple.ulps
    start = number.nearest
    window = Window(start + apart // 2, _ticks(apart))
    away = start + apart if start > 0 else start - apart
    marks = [_mark("first", start, number.text, window), _mark("second", away, f"{floats(apart)} on", window)]
    says = f"{multiple.printed.text if multiple.printed else in_digits(multiple.difference, 5)}: {floats(apart)}"
    magnified = _line(window, number.format, marks)
    magnified |= {"bracket": _bracket(window, start, away, says), "below": _gap(number.format, number.spacing)}
    return _data(number.format, magnified=magnified)


def _of_differences(form: Format, numbers: Sequence[Decoded]) -> Data | None:
    """Draw, for each difference that is a few steps between neighbouring floats, where floats lie so far apart."""
    known = {number.multiple_of_power: number for number in numbers if number.one_ulp_of and number.value}
    several = sorted(known.values(), key=lambda number: number.one_ulp_of)[:_MOST_ROWS]
    if not several:
        return None
    ends = [[form.nearest(end) for end in number.one_ulp_of] for number in several]
    binade = 1 << (form.precision - 1)
    lowest, highest = ends[0][0] - binade, ends[-1][1] + binade
    window = Window((lowest + highest) // 2, highest - lowest)
    rows = [
        {
            "who": "differ",
            "name": minus(number.text),
            "span": window.stretch(low, high - 1),
            "one": False,
            "says": f"{floats(number.multiple_of_power[0])} apart, if the numbers are this large",
        }
        for number, (low, high) in zip(several, ends, strict=True)
    ]
    powers = sorted(set(chain.from_iterable(ends)))
    axis = [_label(in_digits(form.value(power), 5), Fraction(power), window) for power in powers]
    return _data(form, rows, window, axis)


def _row(who: str, number: Number, window: Window) -> Data:
    name, one = minus(number.text), number.floats == 1
    span = window.stretch(number.lowest, number.highest)
    return {"who": who, "name": name, "span": span, "one": one, "says": _stands_for(number, name)}


def _stands_for(number: Number, name: str) -> str:
    """Say how many floats print as a number, or may stand behind one that does not show how far it was rounded."""
    amount = amount_of(number.floats)
    if number.is_assumed:
        return f"{name} is taken as one float" if number.floats == 1 else f"{name} may stand for {amount} floats"
    if number.floats == 1:
        return f"only one float prints as {name}"
    at_most = "" if number.all_print_so or amount.startswith("about") else "up to "
    return f"{at_most}{amount} floats print as {name}"


def _axis(numbers: Sequence[Number], window: Window) -> list[Data]:
    """Return the values at both ends of what is drawn, in as few digits as tell them apart, and zero within."""
    form = numbers[0].format
    ends = sorted({min(number.lowest for number in numbers), max(number.highest for number in numbers)})
    values = [form.value(end) for end in ends]
    texts = next(
        texts for digits in range(3, 400) if len(set(texts := [in_digits(v, digits) for v in values])) == len(ends)
    )
    labels = [_label(text, Fraction(end), window) for text, end in zip(texts, ends, strict=True)]
    if ends[0] < 0 < ends[-1]:
        labels.insert(1, _label("0", Fraction(0), window))
    return labels


def _magnified(pair: Pair, known: Placed, window: Window) -> Data:
    form, (first, second) = pair.format, (known.first, known.second)
    sure = all(number.floats == 1 for number in (pair.first, pair.second))
    names = [pair.first.text, pair.second.text] if sure else ["first", "second"]
    who = ["first", "second"]
    if known.order == "unknown" and first != second:
        who, names = ["either", "either"], ["one", "the other"]
    if first == second:
        names = ["both", ""]
    marks = [_mark(*mark, window) for mark in zip(who, (first, second), names, strict=True)]
    apart = abs(form.value(first) - form.value(second))
    says = f"your difference, {minus(pair.third.text)}" if pair.third else f"difference {minus(in_digits(apart, 5))}"
    inner = min(abs(first), abs(second))
    same_place = "equal, and yet two floats: +0 and −0" if pair.zeros_of_opposite_sign else "the same float"
    lines = [f"{says}: {floats(known.apart)}" if known.apart else same_place]
    spacing = form.spacing(inner)
    same = apart == known.apart * spacing
    data = _line(window, form, marks) | {"bracket": _bracket(window, first, second, lines[0])}
    return data | {"below": _gap(form, spacing if same else None)}


def _line(window: Window, form: Format, marks: list[Data]) -> Data:
    return {"ticks": window.ticks(form), "marks": marks, "from": None, "notes": [], "exact": None, "bracket": None}


def _mark(who: str, ordinal: int, name: str, window: Window) -> Data:
    return {"who": who, "at": window.at(Fraction(ordinal)), "name": minus(name)}


def _exact(number: Number, window: Window) -> Data:
    """Return where between two floats the printed value itself lies."""
    low, high = number.neighbours
    below = number.format.floor(number.printed.value)
    place = below + (number.printed.value - low) / (high - low)
    return {"at": window.at(place), "name": f"{minus(number.text)}, as printed"}


def _bracket(window: Window, first: int, second: int, says: str) -> Data:
    low, high = sorted((first, second))
    return {"span": [window.at(Fraction(low)), window.at(Fraction(high))], "says": says}


def _label(text: str, place: Fraction, window: Window) -> Data:
    return {"at": window.at(place), "text": minus(text)}


def _gap(form: Format, spacing: Fraction | None) -> str:
    """Say what the ticks are, and how far apart; None where their gaps are not all the same."""
    ticks = f"only these values exist in {form.name}"
    if spacing is None:
        return f"{ticks}; gaps double at powers of two"
    text = in_digits(spacing, 5)
    equals = "=" if Fraction(text) == spacing else "≈"
    return f"{ticks}, here {power_of_two(power_within((spacing, spacing)))} {equals} {minus(text)} apart"


def _ticks(apart: int) -> int:
    """Return how many floats to draw around two that are so far apart: an odd number."""
    return max(_LEAST_TICKS, apart + 7) | 1


def _data(
    form: Format,
    rows: Sequence[Data] = (),
    window: Window | None = None,
    axis: Sequence[Data] = (),
    magnified: Data | None = None,
) -> Data:
    named = [row for row in rows if row["says"]]
    said = [row["says"] if row["name"] in row["says"] else f"{row['name']}: {row['says']}" for row in named]
    if magnified:
        names = [mark["name"] for mark in magnified["marks"] if mark["name"]]
        said.append(f"{listed(names)} on the line of {form.name}")
        said += [one["says"] for one in [magnified["bracket"]] if one]
    return {
        "label": f"The float line. {'. '.join(said)}.",
        "rows": list(rows),
        "axis": list(axis),
        "ticks": window.ticks(form) if window and window.count <= _MOST_ALONE else [],
        "magnified": magnified,
    }
