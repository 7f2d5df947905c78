"""The answer to a paste as JSON: facts about one number, the distance of two, or a shape."""

from typing import Any

from lib.paste.answer import Answer
from lib.paste.comparison import Comparison
from lib.paste.printed import Reading, reaches, reading

Figures = dict[str, Any]


def figures(answer: Answer) -> Figures:
    """Return the answer as plain data for JSON.

    The figures are those of the component that is farthest apart. NaN and infinities have none.
    """
    comparison = answer.comparison
    described = answer.described
    shown = comparison or described
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
    if comparison and comparison.shapes_differ:
        return known | {"shapes": comparison.shapes}
    if comparison and comparison.worst:
        return known | _of_pair(comparison)
    if described and described.shape:
        return known | {"shapes": [described.shape]}
    if described and not described.is_not_finite:
        number = described.value.numbers[0]
        (reach,) = reaches([number])
        return known | _of_number(reading(number, reach, described.format))
    return known


def _of_number(reading: Reading) -> Figures:
    return {
        "text": reading.printed.text,
        "value": reading.value,
        "spacing": float(reading.form.spacing(reading.nearest)),
        "floats": reading.floats,
    }


def _of_pair(comparison: Comparison) -> Figures:
    low, high = map(float, comparison.differences[:, comparison.component])
    sides = comparison.worst[:2]
    nearer_zero = min(abs(side.nearest) for side in sides)
    return {
        "worst": comparison.component,
        "ulps": list(comparison.ulps),
        "difference": min(max(comparison.size, low), high),
        "differences": [low, high],
        "spacing": float(comparison.format.spacing(nearer_zero)),
        "numbers": [_of_number(side) for side in sides],
    }
