"""The derivative at one x as a picture: the float line around the exact one, and where each formula ends."""

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from math import isinf, isnan
from typing import Any

import torch

from lib.derivative.explanation import Explained, Explanation
from lib.derivative.formulas import AUTOGRAD
from lib.experiment.expressions import on_paper
from lib.experiment.query import Experiment
from lib.floats.float_line import float_line, value_text
from lib.floats.line import shortest
from lib.floats.quantities import floats, minus

NEAR = 12.0
"""Values farther away than so many floats are told at the end of the line."""


@dataclass(frozen=True)
class Label:
    """The ways to compute the derivative that gave the same value, one a line, then how far off it is.

    `kind` is "first" with autograd among them, "second" with the formula that it is compared with, else "other". `at`
    is the value's place in floats from the base of the line, or None if it is not on it. `side` says where it lies from
    the exact derivative: "low", "high", "none" for NaN, or nothing without an exact derivative.
    """

    kind: str
    lines: tuple[str, ...]
    text: str
    at: int | None = None
    side: str = ""


def at_one_x(explanation: Explanation, experiment: Experiment, formula: str) -> dict[str, Any]:
    """The data of the picture.

    `line` is that of `float_line`, or None where no exact derivative is finite: then nothing is to scale. `labels` go
    from the lowest value to the highest, NaN at the end.
    """
    exact = explanation.fraction
    labels = [_label(names, one, explanation, experiment.dtype, formula) for names, one in _groups(explanation)]
    if exact is None:
        return {"line": None, "labels": [asdict(label) for label in labels]}
    near = {name: one.value for name, one in explanation.computed.items() if one.ulps is not None and one.ulps <= NEAR}
    line = float_line(exact, experiment.dtype, near)
    if not explanation.is_float and "…" not in line.exact_text:
        line = replace(line, exact_text=f"≈ {line.exact_text}")
    at = {mark.text: mark.at for mark in line.marks}
    placed = [replace(label, at=at[label.text]) if label.text in at else label for label in labels]
    return {"line": line.data(), "labels": [asdict(label) for label in placed]}


def _groups(explanation: Explanation) -> list[tuple[list[str], Explained]]:
    """The names that share a value, from the lowest value to the highest; all NaN are one."""
    found: dict[str, tuple[list[str], Explained]] = {}
    for name, one in explanation.computed.items():
        found.setdefault(repr(one.value + 0.0), ([], one))[0].append(name)  # + 0.0, since −0 is at the place of 0
    return sorted(found.values(), key=lambda group: (isnan(group[1].value), group[1].value))


def _label(names: list[str], one: Explained, explanation: Explanation, dtype: str, formula: str) -> Label:
    kind = "first" if AUTOGRAD in names else "second" if formula in names else "other"
    own, *others = sorted(names, key=lambda name: (name != AUTOGRAD, name != formula))  # it keeps the order otherwise
    lines = [own if own == AUTOGRAD else on_paper(own), *(f"also {on_paper(name)}" for name in others)]
    if one.ulps is not None:
        exact = one.ulps == 0 and explanation.is_float
        lines.append("exact" if exact else f"off by {floats(one.ulps)}")
    return Label(kind, tuple(lines), *_place(one.value, explanation.fraction, dtype))


def _place(value: float, exact: Fraction | None, dtype: str) -> tuple[str, None, str]:
    """The value as text, with as many digits as the floats of the line have; not on the line so far; and its side."""
    if isnan(value):
        return "not a number", None, "none"
    sign = "−" if value < 0 else ""
    if exact is None:
        return f"{sign}∞" if isinf(value) else minus(shortest(value, getattr(torch, dtype))), None, ""
    text = f"{sign}∞" if isinf(value) else value_text(value, dtype)
    return text, None, "high" if value > exact else "low"
