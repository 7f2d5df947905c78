"""The answer to a paste as JSON: facts about one number, the distance of two, the components of
vectors, or a shape."""

from typing import Any

from lib.paste.answer import Answer
from lib.paste.readings import Reading, ReadingPair, readings

MOST_LISTED = 16
"""How many components have figures of their own."""

Figures = dict[str, Any]


def figures(answer: Answer) -> Figures:
    """Return the answer as plain data for JSON.

    NaN, infinities and figures that these do not have are null.
    """
    shown = answer.comparison or answer.matrix
    known: Figures = {
        "dtype": shown.format.name if shown else None,
        "verdict": answer.cause.title if answer.verdict else None,
        "sentence": answer.sentence,
        "cause": {"name": answer.cause.name, "do": answer.cause.do},
        "notes": answer.notes,
        "values": len(answer.values),
        "compared": answer.compared,
        "pairs": len(answer.comparisons),
    }
    if comparison := answer.comparison:
        if comparison.shapes_differ:
            return known | {"shapes": comparison.shapes}
        components = [_of_pair(pair) for pair in comparison.pairs[:MOST_LISTED]]
        if len(comparison.pairs) == 1:
            return known | components[0]
        return known | {"components": components, "worst": comparison.component}
    if matrix := answer.matrix:
        reading = readings(matrix.value.numbers, matrix.format)[0]
        return known | ({"shapes": [matrix.shape]} if matrix.shape else _of_number(reading))
    return known


def _of_number(reading: Reading) -> Figures:
    known: Figures = {
        "value": reading.value,
        "spacing": float(reading.form.spacing(reading.nearest)),
        "floats": reading.floats,
    }
    if not reading.finite:
        known = dict.fromkeys(known)
    return {"text": reading.printed.text} | known


def _of_pair(pair: ReadingPair) -> Figures:
    low, high = map(float, pair.differences)
    sides = [pair.first, pair.second]
    nearer_zero = min(abs(side.nearest) for side in sides)
    known: Figures = {
        "ulps": list(pair.ulps),
        "difference": min(max(pair.size, low), high),
        "differences": [low, high],
        "spacing": float(pair.first.form.spacing(nearer_zero)),
    }
    if not pair.finite:
        known = dict.fromkeys(known)
    return known | {"numbers": [_of_number(side) for side in sides]}
