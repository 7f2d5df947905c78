"""The first operation at which two evaluations of one gradient diverge.

NOTE [first divergence]: on paper, every number in the backward pass is the sum over the outputs of its counterparts in
the rows. The evaluations diverge at the first operation whose result is not exactly that sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Self

from torch import nn

from lib.replay.passes import Pass
from lib.replay.steps import ROUNDING, Step


@dataclass(frozen=True)
class FirstDivergence:
    """The first operation whose backward result is not exactly the sum of the rows' results: NOTE [first divergence].

    `operation` says what the operation does in the gradient of `unit`: "product" or "sum" (in a dot product), "order"
    (of a dot product that is added in different orders), "rounding" (of a dot product to 16 bits), "slope" (of an
    activation) or "sum of rows". `step` is the operation itself, in the backward gradient unless it is a sum of rows;
    it is None for a slope and where the orders differ, since operations then have no counterparts.
    """

    operation: str
    unit: str
    backward: float
    rows: tuple[float, ...]
    exact: Fraction
    step: Step | None

    @classmethod
    def of(cls, operation: str, unit: str, numbers: Sequence[float], step: Step | None = None) -> Self:
        """Make a divergence from `numbers`: the backward result, then the result in each row."""
        backward, *rows = numbers
        return cls(operation, unit, backward, tuple(rows), sum(map(Fraction, rows), Fraction()), step)


def find_first_divergence(
    net: nn.Sequential, names: Sequence[Sequence[str]], one: Pass, other: Pass, component: int
) -> FirstDivergence | None:
    """Find the first divergence in the gradient of a unit or of the component, before the sum of rows.

    `one` is the backward pass, and `other` has the rows. `names[d]` are the names of the units d layers from x.

    The search goes from the last layer to the first. It skips units with a slope of 0, since their gradients affect
    nothing.
    """
    gradients, rows = one.gradients, other.gradients
    for place, module in reversed(list(enumerate(net))):
        for unit in range(gradients[place].shape[1]) if place else (component,):
            numbers = [gradients[place][0, unit].item(), *rows[place][:, unit].tolist()]
            blocked = place > 1 and isinstance(module, nn.Linear) and not rows[place - 1][:, unit].any()
            if blocked or _agree(*numbers):
                continue
            name = names[(place + 1) // 2][unit]
            if not isinstance(module, nn.Linear):
                return FirstDivergence.of("slope", name, numbers)
            units = [names[place // 2 + 1]]
            sums = [
                steps for of in (one, other) for steps in of.steps(place, module.weight, unit, units * len(of.rows))
            ]
            if not in_one_order(sums):
                return FirstDivergence.of("order", name, numbers)
            at = first_step_apart(sums)
            if at is not None:
                steps = [of[at] for of in sums]
                operation = divergence_in(steps)
                numbers = [step.product if operation == "product" else step.after for step in steps]
                return FirstDivergence.of(operation, name, numbers, steps[0])
    return None


def in_one_order(sums: Sequence[Sequence[Step]]) -> bool:
    """Whether the steps of all sums do the same."""
    return len({tuple((step.accumulator, step.term, step.label == ROUNDING) for step in steps) for steps in sums}) == 1


def divergence_in(steps: Sequence[Step]) -> str:
    """Return what differs between the backward step, which comes first, and the exact sum of the rows' steps, or ""."""
    for name, of_all in (
        ("gradient", [step.right for step in steps]),
        ("product", [step.product for step in steps]),
        ("rounding" if steps[0].label == ROUNDING else "sum", [step.after for step in steps]),
    ):
        numbers = [number for number in of_all if number is not None]
        if numbers and not _agree(*numbers):
            return name
    return ""


def first_step_apart(sums: Sequence[Sequence[Step]]) -> int | None:
    """Return the first step at which the backward sum, which comes first, is not the sum of the rows' steps, or None.

    Where the orders differ it is the first that does something else, if the results differ.
    """
    together = list(enumerate(zip(*sums, strict=False)))
    if in_one_order(sums):
        return next((place for place, steps in together if divergence_in(steps)), None)
    if _agree(*(steps[-1].after for steps in sums)):
        return None
    return next((place for place, steps in together if not in_one_order([[step] for step in steps])), len(together) - 1)


def _agree(value: float, *of_rows: float) -> bool:
    """Whether the rows' numbers add up exactly to the value. `fsum` rounds once, so it is 0 only for an exact 0."""
    return fsum([*of_rows, -value]) == 0
