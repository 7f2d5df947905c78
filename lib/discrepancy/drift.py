"""How far the running sum of each evaluation is from the exact partial sum, operation by operation.

NOTE [drift]: an exact partial sum adds the same terms in the same order, but without rounding: the exact weights times
the exact δ of the first layer's units, for the rounded weights and input. So a term brings in what its δ had inherited
from the layers behind, an operation adds its own rounding errors, and the drift ends at result − exact. The rows of the
Jacobian are one running sum: a row starts where the one before it ended. Where the rows are added, all of them have
arrived already, so only rounding changes the drift.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from lib.reference.arb_gradient import ExactTerms
from lib.replay.replay import Replay
from lib.replay.steps import ROUNDING, Step

MOST_POINTS = 200
"""The most operations of one side that are kept for drawing."""


@dataclass(frozen=True)
class Operation:
    """One operation of an evaluation, and where the running sum then is.

    `kind` is "term" (of a dot product), "accumulators" (one is added to another), "rounding" (to 16 bits) or "row".
    `part` is the sum that it belongs to: "backward" (the only dot product), "row" (that of one output) or "rows" (their
    sum). `place` is the number of the step in its evaluation. `output` is the number of the output whose row is summed
    or added, None in the backward gradient and where accumulators of rows are added or rounded; `unit` is the number of
    the first layer's unit whose term is added, or None.

    `drift` is the running sum − the exact partial sum after the operation. It has changed by `inherited`, the error of
    the term through that of its δ, and `rounded`, the rounding errors of the product and the sum. All three are in
    floats: ulps of the exact result, as `Component.ulp` says.
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


@dataclass(frozen=True)
class Drift:
    """Both evaluations of a component: NOTE [drift]. Without a replay there are no operations, and `reason` says why.

    `backward` and `jacobian` are thinned to `MOST_POINTS` operations, without those that add an exact 0; the extremes,
    the ends and the first divergence are among them. `backward_operations` and `jacobian_operations` count all.
    """

    backward: tuple[Operation, ...] = ()
    jacobian: tuple[Operation, ...] = ()
    backward_operations: int = 0
    jacobian_operations: int = 0
    reason: str = ""


_Part = tuple[str, int | None, Sequence[Step], Sequence[Fraction]]
"""A sum of an evaluation: what it is, its output, its steps, and the exact terms of a dot product."""


def drift_of(replay: Replay, terms: ExactTerms, ulp: Fraction) -> Drift:
    """Return the drift of a verified replay, in units of `ulp`."""
    combined = [sum(of_unit, Fraction()) for of_unit in zip(*terms.rows, strict=True)]
    ends = list(accumulate(replay.row_lengths, initial=0))
    of_rows: list[_Part] = [
        ("row", output, replay.jacobian[start:end], terms.rows[output])
        for output, (start, end) in enumerate(pairwise(ends))
    ]
    if len(terms.rows) > 1:  # the sum of one row is the row
        of_rows.append(("rows", None, replay.jacobian[ends[-1] :], ()))
    return Drift(
        _drawn([("backward", None, replay.backward, combined)], replay.backward_diverges_at, ulp),
        _drawn(of_rows, replay.jacobian_diverges_at, ulp),
        len(replay.backward),
        sum(len(steps) for _, _, steps, _ in of_rows),
    )


def _drawn(parts: Sequence[_Part], diverges_at: int | None, ulp: Fraction) -> tuple[Operation, ...]:
    """Return the operations that are drawn, at least one."""
    drift, found, kept = Fraction(), list[Operation](), list[int]()
    steps = [(part, output, step, exact) for part, output, steps, exact in parts for step in steps]
    for place, (part, output, step, exact) in enumerate(steps):
        added, inherited, unit = (
            step.exact - Fraction(step.before),
            Fraction(),
            step.term if exact else None,
        )
        if unit is not None:
            added = Fraction(step.left or 0) * Fraction(step.right or 0)
            inherited = added - exact[unit]
        rounded = Fraction(step.after) - Fraction(step.before) - added
        drift += inherited + rounded
        kind = (
            "rounding"
            if step.label == ROUNDING
            else "accumulators"
            if step.term is None
            else "term"
        )
        adds_nothing = (
            kind != "rounding" and step.after == step.before and not (inherited or rounded)
        )
        if adds_nothing and (found or place < len(steps) - 1):
            continue
        if place == diverges_at:
            kept.append(len(found))
        if part == "rows" and kind == "term":
            kind, output = "row", step.term
        floats = (float(change / ulp) for change in (drift, inherited, rounded))
        found.append(Operation(kind, part, place, output, unit, step, *floats))
    return tuple(
        found[i] for i in thinned([operation.drift for operation in found], MOST_POINTS, kept)
    )


def thinned(values: Sequence[float], most: int, kept: Collection[int] = ()) -> list[int]:
    """Return the places, in order, of at most `most` of the values: the ends, all places `kept`, and extremes.

    Between the ends, the lowest and the highest value of each of many runs of equal length are taken, so a curve
    through the thinned values reaches as far up and down as one through all of them, at nearly the same places.
    """
    if len(values) <= most:
        return list(range(len(values)))
    places = {0, len(values) - 1, *kept}
    runs = max((most - len(places)) // 2, 1)
    for run in range(runs):
        of_run = range(run * len(values) // runs, (run + 1) * len(values) // runs)
        places |= {min(of_run, key=values.__getitem__), max(of_run, key=values.__getitem__)}
    return sorted(places)
