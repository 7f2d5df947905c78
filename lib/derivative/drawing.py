"""The derivatives at one x on the float line and as bits: what `static/derivative.js` draws."""

from fractions import Fraction
from math import isfinite, isinf, isnan
from typing import TypedDict

import torch

from lib.derivative.explanation import Explanation
from lib.derivative.formulas import AUTOGRAD
from lib.discrepancy.bits import Bits, bits_of_both
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.floats.picture import FloatLine, float_line, value_text
from lib.floats.quantities import minus

NEAR = 12.0
"""A value that is more floats off than this is written at an end of the line."""

_SHORT = 240
"""The note defines the letters of the formulas if that takes at most so many characters."""


class Label(TypedDict):
    """A value with a place on the line.

    `kind` is "first" for autograd's value and "second" for the formula's. `lines` say what computed
    the value and how far off it is. `text` is the value. `at` is its place in floats from the base
    of the line, or None if it is not on the line. `side` is "high" if the value is above the exact
    derivative, "none" if it is NaN, and otherwise "low".
    """

    kind: str
    lines: list[str]
    text: str
    at: int | None
    side: str


class DerivativeDrawing(TypedDict):
    """What `static/derivative.js` draws.

    `label` says in words what is drawn. `line` is that of `float_line`, or None if no finite exact
    derivative is known: then nothing is to scale. `labels` go from the lowest value to the highest,
    with NaN at the end. Equal values share a label.
    """

    title: str
    note: str
    label: str
    line: FloatLine | None
    labels: list[Label]
    bits: Bits


def derivative_drawing(
    explanation: Explanation, experiment: Experiment, formula: str
) -> DerivativeDrawing:
    """Return the drawing of autograd's derivative and a formula's at one x."""
    function = FUNCTIONS[experiment.differentiated]
    note = f"Not to scale: {explanation.why_unknown}."
    if explanation.fraction is not None:
        note = f"Each tick is a {explanation.dtype}; there is none in between."
    if 0 < len(function.where) <= _SHORT:
        note += f" In the formulas, {on_paper(function.where)}."
    line, places = _line(explanation, formula)
    labels = _labels(explanation, formula, places)
    x = minus(shortest(explanation.x, getattr(torch, explanation.dtype)))
    title = f"The derivative of {function.label} at x = {x}"
    values = ", ".join(" ".join([*label["lines"], label["text"]]) for label in labels)
    return {
        "title": title,
        "note": note,
        "label": f"{title}: {values}. {note}",
        "line": line,
        "labels": labels,
        "bits": _bits(explanation, formula),
    }


def _line(explanation: Explanation, formula: str) -> tuple[FloatLine | None, dict[str, int]]:
    """Return the line, or None without an exact derivative, and the places of the values on it."""
    exact = explanation.fraction
    if exact is None:
        return None, {}
    near = {
        name: explanation.computed[name]
        for name in (AUTOGRAD, formula)
        if explanation.steps(name) <= NEAR
    }
    line, places = float_line(exact, explanation.dtype, near)
    if not (explanation.exact.is_float or "…" in line["exact_text"]):
        line["exact_text"] = f"≈ {line['exact_text']}"
    return line, places


def _labels(explanation: Explanation, formula: str, places: dict[str, int]) -> list[Label]:
    first = explanation.computed[AUTOGRAD]
    second = explanation.computed[formula]
    groups: dict[tuple[str, ...], float] = {(AUTOGRAD,): first, (formula,): second}
    if first == second or isnan(first) and isnan(second):
        groups = {(AUTOGRAD, formula): first}
    labels: list[Label] = []
    for names, value in sorted(groups.items(), key=lambda group: (isnan(group[1]), group[1])):
        lines = [*map(on_paper, names)]
        if isfinite(explanation.steps(names[0])):
            lines.append(explanation.off(names[0]))
        labels.append(
            {
                "kind": "first" if AUTOGRAD in names else "second",
                "lines": lines,
                "text": _text(value, explanation.dtype),
                "at": places.get(names[0]),
                "side": _side(value, explanation.fraction),
            }
        )
    return labels


def _side(value: float, exact: Fraction | None) -> str:
    if isnan(value):
        return "none"
    return "high" if exact is not None and value > exact else "low"


def _text(value: float, dtype: str) -> str:
    """Write a value, in as many digits as the floats of the line have."""
    if isnan(value):
        return "not a number"
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    return value_text(value, dtype)


def _bits(explanation: Explanation, formula: str) -> Bits:
    """Return both values as bits."""
    values = [explanation.computed[name] for name in (AUTOGRAD, formula)]
    names = AUTOGRAD, on_paper(formula)
    return bits_of_both(names, values, explanation.dtype, "Both as bits")
