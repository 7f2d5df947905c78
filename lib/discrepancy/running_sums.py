"""How far the running sum of each evaluation is from the exact partial sum, operation by operation.

NOTE [drift]: a component is a sum of products w·δ over the units of the first layer, where δ is the
gradient of a unit. An exact partial sum adds the same terms in the same order without rounding. Its
weights are those of the experiment, and its δ are exact for the experiment's weights and input,
which are already rounded to the dtype. The drift is the running sum minus the exact partial sum. A
term adds to it the error that its δ has inherited from the layers nearer the output, an operation
adds its own rounding errors, and the drift ends at result − exact. The rows of the Jacobian are one
running sum: a row starts where the one before it ended. Where the rows are added, only rounding
changes the drift.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np

from lib.reference.arb_gradient import ExactTerms
from lib.replay.replay import Replay
from lib.replay.steps import ROUNDING, Step

MOST_POINTS = 40
"""The most operations of both sides together that are drawn, which keeps the page's data small."""

_MOST_MARKS = 8
"""At most this many operations of a side are marked where the two ways first differ."""


@dataclass(frozen=True)
class Operation:
    """One operation of an evaluation, and where the running sum is after it.

    Attributes:
        kind: "term" (a term of a dot product is added), "accumulators" (one is added to another),
            "rounding" (to 16 bits) or "row" (a row is added to the others).
        part: the sum that it belongs to: "backward" (the only dot product of `backward()`), "row"
            (the dot product of one row) or "rows" (the sum of the rows).
        place: the index of the step in its evaluation.
        output: the number of the output whose row is summed or added. None in the backward
            gradient, and in the sum of the rows if no single row is added.
        unit: the number of the first layer's unit whose term is added, or None.
        step: the operation itself.
        drift: the running sum minus the exact partial sum, after the operation.
        inherited: the part of the change of the drift that comes from the error of the term's δ.
        rounded: the other part: the rounding errors of the product and of the sum.
        marked: whether the two ways first differ here.

    `drift`, `inherited` and `rounded` are in units of `Component.ulp`.
    """

    kind: str
    part: str
    place: int
    output: int | None
    unit: int | None
    step: Step
    drift: float
    inherited: float
    rounded: float
    marked: bool


@dataclass(frozen=True)
class Drift:
    """Both evaluations of a component: NOTE [drift].

    Attributes:
        backward, jacobian: the operations that are drawn, at most `MOST_POINTS` of both sides
            together: the first and the last one of a side, its first marked ones, and others at
            equal distances. Operations that add an exact 0 are left out.
        operations: the number of all operations of each side.
        reason: why there are no operations, or "".
    """

    backward: tuple[Operation, ...] = ()
    jacobian: tuple[Operation, ...] = ()
    operations: tuple[int, int] = (0, 0)
    reason: str = ""


@dataclass(frozen=True)
class _Sum:
    """A sum of an evaluation. `exact` are the exact terms of a dot product, else empty."""

    part: str
    output: int | None
    steps: Sequence[Step]
    exact: Sequence[Fraction] = ()


def drift_of(
    replay: Replay, terms: ExactTerms, ulp: Fraction, first_divergence: tuple[int, int] | None
) -> Drift:
    """Return the drift of a verified replay.

    Args:
        replay: both evaluations.
        terms: the exact terms of the component.
        ulp: the unit of the drift.
        first_divergence: the layer and the number of the unit in whose gradient the two first
            diverge, if they do.
    """
    combined = [sum(unit, Fraction()) for unit in zip(*terms.rows, strict=True)]
    backward = [_Sum("backward", None, replay.backward, combined)]
    ends = list(accumulate(replay.row_lengths, initial=0))
    jacobian = [
        _Sum("row", output, replay.jacobian[start:end], terms.rows[output])
        for output, (start, end) in enumerate(pairwise(ends))
    ]
    # The sum of one row is the row.
    if len(terms.rows) > 1:
        jacobian.append(_Sum("rows", None, replay.jacobian[ends[-1] :]))

    layer, number = first_divergence or (None, None)
    unit = number if layer == 1 else None
    first_place = replay.backward_diverges_at if layer == 0 else None
    second_place = replay.jacobian_diverges_at if layer == 0 else None
    first = _thinned(_follow(backward, ulp, unit, first_place), MOST_POINTS // 2)
    second = _thinned(_follow(jacobian, ulp, unit, second_place), MOST_POINTS - len(first))
    counts = sum(len(part.steps) for part in backward), sum(len(part.steps) for part in jacobian)
    return Drift(first, second, counts)


def _follow(
    sums: Sequence[_Sum], ulp: Fraction, marked_unit: int | None, marked_place: int | None
) -> Iterator[Operation]:
    """Yield the operations that change the running sum, and the last one."""
    steps = [(part, step) for part in sums for step in part.steps]
    drift = Fraction()
    for place, (part, step) in enumerate(steps):
        kind = _kind(part, step)
        unit = step.term if part.exact else None
        output = step.term if kind == "row" else part.output
        if unit is None:
            added = step.exact - Fraction(step.before)
            inherited = Fraction()
        else:
            # The product without its rounding.
            added = Fraction(step.left or 0) * Fraction(step.right or 0)
            inherited = added - part.exact[unit]
        rounded = Fraction(step.after) - Fraction(step.before) - added
        drift += inherited + rounded
        changes = step.after != step.before or inherited or rounded
        if not changes and kind != "rounding" and place < len(steps) - 1:
            continue
        marked = place == marked_place or unit is not None and unit == marked_unit
        yield Operation(
            kind,
            part.part,
            place,
            output,
            unit,
            step,
            drift=float(drift / ulp),
            inherited=float(inherited / ulp),
            rounded=float(rounded / ulp),
            marked=marked,
        )


def _kind(part: _Sum, step: Step) -> str:
    """Return the `Operation.kind` of a step of a sum."""
    if step.label == ROUNDING:
        return "rounding"
    if step.term is None:
        return "accumulators"
    return "term" if part.exact else "row"


def _thinned(operations: Iterator[Operation], most: int) -> tuple[Operation, ...]:
    """Keep both ends, the first marked operations, and others at equal distances."""
    known = list(operations)
    marked = [place for place, operation in enumerate(known) if operation.marked][:_MOST_MARKS]
    count = min(len(known), most - len(marked))
    places = {round(place) for place in np.linspace(0, len(known) - 1, count)}
    return tuple(known[place] for place in sorted(places.union(marked)))
