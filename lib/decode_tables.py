"""Decoded numbers as figures for JSON, and as tables to read."""

from collections.abc import Sequence
from fractions import Fraction

from lib.decode import Decoding
from lib.decode_sentences import amount, spread, verdict
from lib.distances import Number, Pair, power_within
from lib.quantities import hexadecimal
from lib.tolerances import tolerances

Table = list[dict[str, str]]
"""Rows of Markdown by the names of their columns."""

_ABOVE = {True: "yes", False: "no", None: "the printed digits leave it open"}


def figures(decoding: Decoding) -> dict[str, object]:
    """What was decoded, for JSON: of one number what it is, of two their distance, of vectors a list of components.

    A number beyond the largest float64 is null, and so is `above` where the digits leave it open.
    """
    said = {"dtype": decoding.format.name, "verdict": verdict(decoding).replace("`", "")}
    if len(decoding.numbers) == 1:
        return _of_number(decoding.numbers[0]) | _as_difference(decoding.numbers[0]) | said
    if decoding.numbers:
        return {"numbers": [_of_number(number) for number in decoding.numbers]} | said
    if len(decoding.pairs) > 1:
        return {"components": [_of_pair(pair) for pair in decoding.pairs], "worst": decoding.worst} | said
    figures = _of_pair(decoding.pairs[0])
    if multiple := decoding.multiple:
        figures["as_difference"] = {
            "of": multiple.of.text,
            "ulps": [multiple.ulps, multiple.ulps],
            "difference": float(multiple.difference),
            "power_of_two": power_within((multiple.difference, multiple.difference)),
        }
    return figures | said


def _of_number(number: Number) -> dict[str, object]:
    return {
        "text": number.printed.text,
        "value": float(number.value),
        "exact": number.exact,
        "hexadecimal": hexadecimal(float(number.value)),
        "spacing": float(number.spacing),
        "power_of_two": number.power_of_two,
        "floats": number.floats,
    }


def _as_difference(number: Number) -> dict[str, object]:
    return {"relative_to_eps": _float(abs(number.value) / number.format.eps), "above": _above(number)}


def _of_pair(pair: Pair) -> dict[str, object]:
    return {
        "ulps": list(pair.ulps),
        "difference": _float(pair.difference),
        "differences": [_float(end) for end in pair.differences],
        "power_of_two": pair.power_of_two,
        "spacing": float(pair.nearer_zero.spacing),
        "relative": [float(end) for end in pair.relative],
        "relative_to_eps": [float(end / pair.format.eps) for end in pair.relative],
        "above": _above(pair),
        "numbers": [_of_number(number) for number in pair.numbers],
    }


def _above(one: Number | Pair) -> dict[str, bool | None]:
    return {name: one.above(tolerance) for name, tolerance in tolerances(one.format.name).items()}


def _float(x: Fraction) -> float | None:
    try:
        return float(x)
    except OverflowError:
        return None


def side_by_side(numbers: Sequence[Number]) -> Table:
    """A column for each number: two that are compared, or one alone."""
    names = ["first", "second"] if len(numbers) > 1 else ["number"]
    columns = {name: _facts(number) for name, number in zip(names, numbers, strict=True)}
    return [{"": fact} | {name: facts[fact] for name, facts in columns.items()} for fact in _facts(numbers[0])]


def one_below_another(numbers: Sequence[Number]) -> Table:
    """A row for each number: some that are not compared."""
    return [_facts(number) for number in numbers]


def _facts(number: Number) -> dict[str, str]:
    return {
        "pasted": f"`{number.text}`",
        "nearest float": f"`{float(number.value):.{number.format.digits}g}`",
        "that, exactly": f"`{number.exact}`",
        "in hexadecimal": f"`{hexadecimal(float(number.value))}`",
        "one ulp there": amount(number.spacing),
        "floats printed so": f"{number.floats:,}",
    }


def of_difference(one: Number | Pair) -> Table:
    """A row for each thing to know of the difference of two numbers, or of a number as a difference."""
    format, limits = one.format, tolerances(one.format.name)
    in_eps = f"in eps of {format.name}, {amount(format.eps)}"
    if isinstance(one, Pair):
        rows = {"distance": spread(one.ulps), "difference": _range(one.differences)}
        rows["relative to the larger"] = _range(one.relative)
        rows[f"the same, {in_eps}"] = _range([end / format.eps for end in one.relative])
    else:
        rows = {in_eps: amount(abs(one.value) / format.eps)}
    for name, above in _above(one).items():
        allowed = f"rtol {limits[name].rtol:g}, atol {limits[name].atol:g}"
        rows[f"above the tolerance of `{name}`, {allowed}"] = _ABOVE[above]
    return [{"fact": fact, "figure": figure} for fact, figure in rows.items()]


def _range(ends: Sequence[Fraction]) -> str:
    low, high = map(amount, ends)
    return low if low == high else f"{low} to {high}"


def by_component(decoding: Decoding) -> Table:
    """A row for each component of two vectors."""
    return [
        {
            "component": str(place),
            "first": f"`{pair.first.text}`",
            "second": f"`{pair.second.text}`",
            "distance": spread(pair.ulps),
            "difference": amount(pair.difference),
        }
        | {f"above `{name}`": _ABOVE[above] for name, above in _above(pair).items()}
        for place, pair in enumerate(decoding.pairs)
    ]
