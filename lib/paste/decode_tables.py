"""Decoded numbers as figures for JSON and as tables."""

from collections.abc import Sequence
from fractions import Fraction

from lib.display.quantities import hexadecimal
from lib.floats.exact_floats import Format
from lib.floats.tolerances import tolerances
from lib.paste.causes import likely_cause
from lib.paste.counts import amount_of
from lib.paste.decode import Decoded, Decoding
from lib.paste.decode_sentences import notes, verdict
from lib.paste.distances import NotFinitePair, Pair
from lib.paste.possible_floats import Number, amount, power_text, power_within, spread
from lib.paste.printed import NotFinite

Table = list[dict[str, str]]
"""The rows of a table: each maps the columns' names to Markdown."""

_NONE = "–"
_ABOVE = {True: "yes", False: "no", None: "the printed digits leave it open"}


def figures(decoding: Decoding) -> dict[str, object]:
    """Return a decoded paste for JSON: facts about one number, the distance of two, or the components of vectors.

    Numbers beyond the largest float64, NaN, infinities and facts that these do not have are null. So is `above` if the
    digits leave it open.
    """
    plain = [note.replace("`", "") for note in notes(decoding, repr)]
    cause = likely_cause(decoding)
    said: dict[str, object] = {
        "dtype": decoding.format.name,
        "verdict": verdict(decoding).replace("`", ""),
        "cause": cause.figures if cause else None,
        "notes": plain,
        "read_as": "differences" if decoding.are_differences else "numbers" if decoding.numbers else "pairs",
        "passed_over": list(decoding.passed),
    }
    numbers = [_of_number(number) for number in decoding.numbers]
    pairs = [_of_pair(pair, decoding.format) for pair in decoding.pairs]
    if len(numbers) == 1:
        return numbers[0] | _as_difference(decoding.numbers[0]) | said
    if numbers:
        return {"numbers": numbers} | said
    if len(pairs) > 1:
        return {"components": pairs, "worst": decoding.worst} | said
    (figures,) = pairs
    if multiple := decoding.multiple:
        figures["as_difference"] = {
            "of": multiple.of.text,
            "ulps": [multiple.ulps, multiple.ulps],
            "difference": float(multiple.difference),
            "power_of_two": power_within((multiple.difference, multiple.difference)),
        }
    return figures | said


_UNKNOWN = ("value", "hexadecimal", "spacing", "power_of_two", "floats", "multiple_of_power_of_two", "one_ulp_of")


def _of_number(number: Decoded) -> dict[str, object]:
    if isinstance(number, NotFinite):
        return {"text": number.text, "exact": str(number.value), "held": True} | dict.fromkeys(_UNKNOWN)
    return {
        "text": number.printed.text,
        "value": number.as_float,
        "exact": number.exact,
        "hexadecimal": hexadecimal(number.as_float),
        "spacing": float(number.spacing),
        "power_of_two": number.power_of_two,
        "floats": number.floats,
        "held": number.is_held,
        "multiple_of_power_of_two": number.multiple_of_power,
        "one_ulp_of": number.one_ulp_of and [float(end) for end in number.one_ulp_of],
    }


def _as_difference(number: Decoded) -> dict[str, object]:
    if isinstance(number, NotFinite):
        return {"relative_to_eps": None, "above": None}
    return {"relative_to_eps": _float(abs(number.value) / number.format.eps), "above": _above(number, number.format)}


def _of_pair(pair: Pair | NotFinitePair, format: Format) -> dict[str, object]:
    numbers = [_of_number(number) for number in pair.numbers]
    about = {"above": _above(pair, format), "numbers": numbers, "expected": 0 if pair.first_is_expected else 1}
    names = ("ulps", "difference", "differences", "power_of_two", "spacing", "relative", "relative_to_eps")
    if isinstance(pair, NotFinitePair):
        return dict.fromkeys(names) | about
    return {
        "ulps": list(pair.ulps),
        "difference": _float(pair.difference),
        "differences": [_float(end) for end in pair.differences],
        "power_of_two": pair.power_of_two,
        "spacing": float(pair.nearer_zero.spacing),
        "relative": [float(end) for end in pair.relative],
        "relative_to_eps": [float(end / pair.format.eps) for end in pair.relative],
    } | about


def _above(one: Number | Pair | NotFinitePair, format: Format) -> dict[str, bool | None]:
    return {name: one.above(tolerance) for name, tolerance in tolerances(format.name).items()}


def _float(x: Fraction) -> float | None:
    try:
        return float(x)
    except OverflowError:
        return None


def to_pick_from(decoding: Decoding) -> dict[str, object] | None:
    """Return the table from which a component or a number is picked, in plain text; None if there is only one."""
    if len(decoding.pairs) > 1:
        head = ["component", "first", "second", "floats apart"]
        texts = [[pair.first.text, pair.second.text, _floats_apart(pair)] for pair in decoding.pairs]
    elif len(decoding.numbers) > 1 and not decoding.are_differences:
        head = ["number", "pasted", "floats it may stand for"]
        texts = [
            [number.text, amount_of(number.floats) if isinstance(number, Number) else _NONE]
            for number in decoding.numbers
        ]
    else:
        return None
    return {"head": head, "rows": [[str(place), *row] for place, row in enumerate(texts)]}


def _floats_apart(pair: Pair | NotFinitePair) -> str:
    if isinstance(pair, NotFinitePair):
        return _NONE
    low, high = map(amount_of, pair.ulps)
    return low if low == high else f"{low} to {high}"


def side_by_side(numbers: Sequence[Decoded]) -> Table:
    """Return a table with a column for each number: two that are compared, or one alone."""
    names = ["first", "second"] if len(numbers) > 1 else ["number"]
    columns = {name: _facts(number) for name, number in zip(names, numbers, strict=True)}
    return [{"fact": fact} | {name: facts[fact] for name, facts in columns.items()} for fact in _facts(numbers[0])]


def one_below_another(numbers: Sequence[Decoded]) -> Table:
    """Return a table with a row for each number, for numbers that are not compared."""
    return [_facts(number) for number in numbers]


def as_differences(numbers: Sequence[Decoded]) -> Table:
    """Return a table with a row for each number as a difference: the power of two, and the floats whose ulp it is."""
    return [
        {
            "pasted": f"`{number.text}`",
            "as a power of two": _power_of_two(number),
            "number of ulps": str(number.multiple_of_power[0]) if number.multiple_of_power else _NONE,
            "of every float": "from {} up to {}".format(*map(amount, ends)) if (ends := number.one_ulp_of) else _NONE,
        }
        for number in numbers
    ]


def _power_of_two(number: Decoded) -> str:
    if isinstance(number, NotFinite):
        return _NONE
    if number.value == 0:
        return "0" if number.floats == 1 else "not known from its digits"
    multiple = number.multiple_of_power
    return power_text(*multiple, number.sign) if multiple else "no small multiple of one"


def _facts(number: Decoded) -> dict[str, str]:
    if isinstance(number, NotFinite):
        names = ("nearest float", "that, exactly", "in hexadecimal", "one ulp there", "floats it may stand for")
        return {"pasted": f"`{number.text}`"} | dict.fromkeys(names, _NONE)
    return {
        "pasted": f"`{number.text}`",
        "nearest float": f"`{number.as_float:.{number.format.digits}g}`",
        "that, exactly": f"`{number.exact}`",
        "in hexadecimal": f"`{hexadecimal(number.as_float)}`",
        "one ulp there": amount(number.spacing),
        "floats it may stand for": f"{number.floats if number.is_held else 0:,}",
    }


def of_difference(one: Decoded | Pair | NotFinitePair, format: Format) -> Table:
    """Return a table with a row for each fact about the difference of two numbers or about a number as a difference."""
    if isinstance(one, NotFinite):
        return []
    limits = tolerances(format.name)
    in_eps = f"in eps of {format.name}, {amount(format.eps)}"
    if isinstance(one, NotFinitePair):
        rows = {"equal by ==": _ABOVE[one.equal], "difference": f"`{abs(one.subtracted)}`"}
    elif isinstance(one, Pair):
        rows = {"distance": spread(one.ulps), "difference": _range(one.differences)}
        rows["relative to the larger"] = _range(one.relative)
        rows[f"the same, {in_eps}"] = _range([end / format.eps for end in one.relative])
    else:
        rows = {in_eps: amount(abs(one.value) / format.eps)}
    for name, above in _above(one, format).items():
        allowed = f"rtol {limits[name].rtol:g}, atol {limits[name].atol:g}"
        rows[f"above the tolerance of `{name}`, {allowed}"] = _ABOVE[above]
    return [{"fact": fact, "figure": figure} for fact, figure in rows.items()]


def _range(ends: Sequence[Fraction]) -> str:
    low, high = map(amount, ends)
    return low if low == high else f"{low} to {high}"


def by_component(decoding: Decoding) -> Table:
    """Return a table with a row for each component of two vectors."""
    return [
        {
            "component": str(place),
            "first": f"`{pair.first.text}`",
            "second": f"`{pair.second.text}`",
            "distance": spread(pair.ulps) if isinstance(pair, Pair) else _NONE,
            "difference": _range(pair.differences) if isinstance(pair, Pair) else f"`{abs(pair.subtracted)}`",
        }
        | {f"above `{name}`": _ABOVE[above] for name, above in _above(pair, decoding.format).items()}
        for place, pair in enumerate(decoding.pairs)
    ]
