"""The derivative at one x as a picture: the float line around the exact one, and where each formula ends."""

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from math import floor, isinf, isnan, log10
from typing import Any

from lib.derivative.explanation import Explained, Explanation
from lib.derivative.expressions import on_paper
from lib.derivative.formulas import AUTOGRAD
from lib.display.float_line import float_line, value_text
from lib.display.quantities import power_of_ten
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment

NEAR = 12.0
"""Values farther away than so many floats are told at the end of the line."""


@dataclass(frozen=True)
class Label:
    """The ways to compute the derivative that gave the same value.

    `kind` is "first" with autograd among them, "second" with the formula that it is compared with, else "other". `at`
    is the value's place in floats from the base of the line, or None if it is not on it; `side` then says where it
    lies: "low", "high", or "none" for NaN.
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
    groups = _groups(explanation)
    never_a_float = FUNCTIONS[experiment.function].flattens and explanation.x != 0
    labels = [_label(names, one, experiment.dtype, formula, never_a_float) for names, one in groups]
    exact = explanation.fraction
    if exact is None:
        return {"line": None, "labels": [asdict(label) for label in labels]}
    near = {names[0]: one.value for names, one in groups if one.ulps is not None and one.ulps <= NEAR}
    line = float_line(exact, experiment.dtype, near)
    if never_a_float and "…" not in line.exact_text:
        line = replace(line, exact_text=f"≈ {line.exact_text}")
    at = {name: mark.at for mark in line.marks for name in mark.names}
    placed = [
        replace(label, at=at.get(names[0]), side="" if names[0] in at else _side(one.value, exact))
        for label, (names, one) in zip(labels, groups, strict=True)
    ]
    return {"line": line.data(), "labels": [asdict(label) for label in placed]}


def _groups(explanation: Explanation) -> list[tuple[list[str], Explained]]:
    """The names that share a value, from the lowest value to the highest; all NaN are one."""
    found: dict[str, tuple[list[str], Explained]] = {}
    for name, one in explanation.computed.items():
        found.setdefault(repr(one.value + 0.0), ([], one))[0].append(name)  # + 0.0, since −0 is at the place of 0
    return sorted(found.values(), key=lambda group: (isnan(group[1].value), group[1].value))


def _label(names: list[str], one: Explained, dtype: str, formula: str, never_a_float: bool) -> Label:
    kind = "first" if AUTOGRAD in names else "second" if formula in names else "other"
    lines = [name if name == AUTOGRAD else on_paper(name) for name in names]
    if one.ulps is not None:
        lines.append("exact" if one.ulps == 0 and not never_a_float else f"off by {floats(one.ulps)}")
    return Label(kind, tuple(lines), _value(one.value, dtype))


def floats(ulps: float) -> str:
    """Write an error in floats."""
    if ulps < 0.01:
        return "less than 0.01 floats"
    if ulps < 100:
        return f"{ulps:.2f} floats"
    if ulps < 1e6:
        return f"{ulps:,.0f} floats"
    size = floor(log10(ulps))
    return f"{ulps / 10**size:.1f}·{power_of_ten(size)} floats"


def _value(value: float, dtype: str) -> str:
    if isnan(value):
        return "not a number"
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    return value_text(value, dtype)


def _side(value: float, exact: Fraction) -> str:
    if isnan(value):
        return "none"
    return "high" if value > exact else "low"
