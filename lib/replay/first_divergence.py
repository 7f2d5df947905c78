"""The first operation at which two evaluations of one component diverge.

NOTE [first divergence]: in exact arithmetic, every number in the backward pass is the sum of its
counterparts in the rows of the Jacobian. The evaluations diverge at the first operation whose
result is not exactly that sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum

from torch import nn

from lib.replay.passes import Pass
from lib.replay.steps import ROUNDING, Step


@dataclass(frozen=True)
class FirstDivergence:
    """The first operation whose backward result is not exactly the sum of the rows' results.

    Attributes:
        operation: what it does in the gradient of `unit`: "product" or "sum" (in a dot product),
            "rounding" (of a dot product to 16 bits), "order" (the orders of a dot product differ),
            "slope" (the gradient passes through the activation) or "sum of rows".
        unit: the name of the unit.
        backward: the result in the backward gradient.
        rows: the result in each row of the Jacobian.
        step: the operation itself, in the backward gradient unless it is a sum of rows. It is None
            for "slope", and for "order", where operations have no counterparts.
    """

    operation: str
    unit: str
    backward: float
    rows: tuple[float, ...]
    step: Step | None = None

    @property
    def exact(self) -> Fraction:
        """The exact sum of `rows`."""
        return sum(map(Fraction, self.rows), Fraction())


def find_first_divergence(
    net: nn.Sequential, names: Sequence[Sequence[str]], first: Pass, second: Pass, component: int
) -> FirstDivergence | None:
    """Find the first divergence in the gradient of a unit or of the component.

    The search goes from the last layer to the first, and ends before the sum of rows. It skips
    a unit whose pre-activation has the gradient 0 in every row, since the unit's own gradient then
    affects nothing further.

    Args:
        net: the network.
        names: `names[d]` are the names of the units d layers from x.
        first: the backward pass.
        second: the pass that has the rows.
        component: the number of the component.
    """
    for place, module in reversed(list(enumerate(net))):
        is_linear = isinstance(module, nn.Linear)
        units = range(first.gradients[place].shape[1]) if place else [component]
        for unit in units:
            backward = first.gradients[place][0, unit].item()
            rows = tuple(second.gradients[place][:, unit].tolist())
            is_off = is_linear and place > 1 and not second.gradients[place - 1][:, unit].any()
            if is_off or _is_sum(backward, rows):
                continue
            name = names[(place + 1) // 2][unit]
            if not is_linear:
                return FirstDivergence("slope", name, backward, rows)
            labels = names[place // 2 + 1]
            weight = net.get_parameter(f"{place}.weight")
            sums = []
            for way in (first, second):
                sums += way.steps(place, weight, unit, [labels] * len(way.rows))
            if not in_one_order(sums):
                return FirstDivergence("order", name, backward, rows)
            k = first_step_apart(sums)
            if k is None:
                continue
            steps = [of_sum[k] for of_sum in sums]
            operation = divergence_in(steps)
            field = "product" if operation == "product" else "after"
            backward, *of_rows = (getattr(step, field) for step in steps)
            return FirstDivergence(operation, name, backward, tuple(of_rows), steps[0])
    return None


def in_one_order(sums: Sequence[Sequence[Step]]) -> bool:
    """Whether all sums do the same operations in the same order."""
    orders = {
        tuple((step.accumulator, step.term, step.label == ROUNDING) for step in steps)
        for steps in sums
    }
    return len(orders) == 1


def divergence_in(steps: Sequence[Step]) -> str:
    """Return what differs between a backward step and the exact sum of the rows' steps, or "".

    Args:
        steps: the backward step, then that of each row.
    """
    for name, field in (
        ("gradient", "right"),
        ("product", "product"),
        ("rounding" if steps[0].label == ROUNDING else "sum", "after"),
    ):
        backward, *rows = (getattr(step, field) for step in steps)
        if backward is not None and not _is_sum(backward, rows):
            return name
    return ""


def first_step_apart(sums: Sequence[Sequence[Step]]) -> int | None:
    """Return the index of the first step at which the sums diverge, or None.

    If they are added in different orders and their results differ, this is the first step whose
    operations are not the same.

    Args:
        sums: the backward sum, then that of each row.
    """
    together = list(zip(*sums, strict=False))
    if in_one_order(sums):
        return next((place for place, steps in enumerate(together) if divergence_in(steps)), None)
    backward, *rows = (steps[-1].after for steps in sums)
    if _is_sum(backward, rows):
        return None
    for place, steps in enumerate(together):
        if not in_one_order([[step] for step in steps]):
            return place
    return len(together) - 1


def _is_sum(value: float, rows: Sequence[float]) -> bool:
    """Whether the rows' numbers add up exactly to the value."""
    # `fsum` rounds only the exact sum, so its result is 0 only if the exact sum is 0.
    return fsum([*rows, -value]) == 0
