"""The answer to a paste as JSON: facts about one number, the distance of two, the components of
vectors, or a shape."""

from typing import Any

import numpy as np

from lib.paste.answer import Answer
from lib.paste.floats_of import Floats, Pairs, spacing

MOST_LISTED = 16
"""How many components have figures of their own."""

Figures = dict[str, Any]


def figures(answer: Answer) -> Figures:
    """Return the answer as plain data for JSON.

    NaN, infinities and figures that these do not have are null.
    """
    comparison = answer.worst
    one = answer.one
    known: Figures = {
        "dtype": None,
        "verdict": answer.verdict.value if answer.verdict else None,
        "sentence": answer.sentence,
        "cause": {"name": answer.cause.name, "do": answer.cause.do},
        "notes": answer.notes,
        "values": len(answer.choices),
        "compared": answer.compared,
        "pairs": len(answer.comparisons),
    }
    if comparison and comparison.shapes_differ:
        return known | {"shapes": [value.shape for value in comparison.values]}
    if comparison:
        known["dtype"] = comparison.pairs.format.name
        count = len(comparison.pairs)
        components = [_of_pair(comparison.pairs, place) for place in range(min(count, MOST_LISTED))]
        several = {"components": components, "worst": comparison.component}
        return known | (several if count > 1 else components[0])
    if one:
        known["dtype"] = one.format.name
        return known | ({"shapes": [one.shape]} if one.shape else _of_number(one.floats, 0))
    return known


def _of_number(numbers: Floats, component: int) -> Figures:
    value = float(numbers.value[component])
    lowest, highest = (int(end[component]) for end in numbers.ordinals)
    known: Figures = {
        "value": value,
        "spacing": float(spacing(numbers.value[component], numbers.format)),
        "floats": highest - lowest + 1,
    }
    if not np.isfinite(value):
        known = dict.fromkeys(known)
    return {"text": numbers.printed[component].text} | known


@np.errstate(invalid="ignore", over="ignore")  # infinities have no figures
def _of_pair(pairs: Pairs, component: int) -> Figures:
    first, second = pairs.first, pairs.second
    low, high = (float(end[component]) for end in pairs.differences)
    nearer_zero = min(first.value[component], second.value[component], key=abs)
    known: Figures = {
        "ulps": [int(end[component]) for end in pairs.ulps],
        "difference": min(max(float(pairs.sizes[component]), low), high),
        "differences": [low, high],
        "spacing": float(spacing(nearer_zero, pairs.format)),
    }
    if not pairs.finite[component]:
        known = dict.fromkeys(known)
    return known | {"numbers": [_of_number(side, component) for side in (first, second)]}
