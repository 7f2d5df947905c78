"""The answer to a paste as JSON: facts about one number, the distance of two, the components of
vectors, or a shape."""

from typing import Any

import numpy as np

from lib.floats.exact_floats import tolerances
from lib.paste.answer import Answer
from lib.paste.floats_of import Floats, Pairs, spacing

MOST_LISTED = 16
"""How many components have figures of their own."""

_NARROW = 0.01
"""The relative width to which a difference must be known to be called a power of two."""

Figures = dict[str, Any]


def figures(answer: Answer) -> Figures:
    """Return the answer as plain data for JSON.

    NaN, infinities and facts that these do not have are null, and so is `above` where the digits
    leave it open.
    """
    comparison = answer.worst
    about = comparison or answer.one
    told: Figures = {
        "dtype": about.format.name if about else None,
        "verdict": answer.verdict.value if answer.verdict else None,
        "sentence": answer.sentence,
        "cause": {"name": answer.cause.name, "do": answer.cause.do},
        "notes": answer.notes,
        "values": len(answer.choices),
        "compared": answer.compared,
        "pairs": len(answer.comparisons),
    }
    if comparison and comparison.shapes_differ:
        return told | {"shapes": [list(side.shape) for side in comparison.sides[:2]]}
    if comparison and comparison.count == 1:
        return told | _of_pair(comparison.pairs, 0)
    if comparison:
        listed = range(min(comparison.count, MOST_LISTED))
        components = [_of_pair(comparison.pairs, place) for place in listed]
        return told | {"components": components, "worst": comparison.place}
    if answer.one and answer.one.value.shape:
        return told | {"shapes": [list(answer.one.value.shape)]}
    return told | (_of_number(answer.one.floats, 0) if answer.one else {})


def _of_number(numbers: Floats, place: int) -> Figures:
    value = float(numbers.value[place])
    lowest, highest = (int(end[place]) for end in numbers.ends)
    known: Figures = {
        "value": value,
        "spacing": float(spacing(numbers.value[place], numbers.format)),
        "floats": highest - lowest + 1,
    }
    if not np.isfinite(value):
        known = dict.fromkeys(known)
    return {"text": numbers.printed[place].text} | known


@np.errstate(invalid="ignore", over="ignore")  # infinities have no figures
def _of_pair(pairs: Pairs, place: int) -> Figures:
    first, second = pairs.first, pairs.second
    low, high = (float(end[place]) for end in pairs.differences)
    least, most = (float(max(first.size[end][place], second.size[end][place])) for end in (0, 1))
    nearer_zero = min(first.value[place], second.value[place], key=abs)
    printed = pairs.third.value[place] if pairs.third else first.value[place] - second.value[place]
    known: Figures = {
        "ulps": [int(end[place]) for end in pairs.ulps],
        "difference": min(max(abs(float(printed)), low), high),
        "differences": [low, high],
        "power_of_two": _power_within(low, high),
        "spacing": float(spacing(nearer_zero, pairs.format)),
        "relative": [low / most if most else 0.0, min(high / least, 2.0) if least else 2.0 * (high > 0)],
    }
    if pairs.finite[place]:
        defaults = tolerances(pairs.format.name).items()
        above = {name: pairs.above(tolerance, place) for name, tolerance in defaults}
    else:
        known = dict.fromkeys(known)
        above = dict.fromkeys(tolerances(pairs.format.name), not pairs.equal[place])
    numbers = [_of_number(first, place), _of_number(second, place)]
    return known | {"above": above, "numbers": numbers}


def _power_within(low: float, high: float) -> int | None:
    """Return the e with 2**e in a narrow interval of positive numbers, or None."""
    e = int(np.frexp(high)[1]) - 1
    return e if low > 0 and high - low <= _NARROW * low and 2.0**e >= low else None
