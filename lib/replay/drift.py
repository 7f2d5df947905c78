"""How far the running sum of each evaluation is from the exact partial sum, operation by operation.

NOTE [drift]: an exact partial sum adds the same terms in the same order, but without rounding: the exact weights times
the exact δ of the first layer's units, for the rounded weights and input. So a term brings in what its δ had inherited
from the layers behind, an operation adds its own rounding errors, and the drift ends at result − exact. The rows of the
Jacobian are one running sum: a row starts where the one before it ended. Where the rows are added, all of them have
arrived already, so only rounding changes the drift.

All numbers here are whole multiples of a power of two, so whole numbers hold them exactly.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from lib.reference.exact_terms import ExactTerms
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
    the term through that of its δ, plus `of_product` and `of_sum`, which come from rounding the product and the sum.
    All four are in floats: ulps of the exact result, as `Example.ulp` says.
    """

    kind: str
    part: str
    place: int
    output: int | None
    unit: int | None
    step: Step
    drift: float
    inherited: float
    of_product: float
    of_sum: float


@dataclass(frozen=True)
class Drift:
    """Both evaluations of a component: NOTE [drift]. Without a replay there are no operations, and `reason` says why.

    `backward` and `jacobian` are thinned to `MOST_POINTS` operations, without those that add an exact 0; the extremes,
    the ends and the first divergence are among them. `backward_operations` and `jacobian_operations` count all
    operations, `backward_zeros` and `jacobian_zeros` those that add an exact 0.
    """

    backward: tuple[Operation, ...] = ()
    jacobian: tuple[Operation, ...] = ()
    backward_operations: int = 0
    jacobian_operations: int = 0
    backward_zeros: int = 0
    jacobian_zeros: int = 0
    reason: str = ""


def drift_of(replay: Replay, terms: ExactTerms, ulp: Fraction) -> Drift:
    """Return the drift of a verified replay, in units of `ulp`, a power of two."""
    bits = max(terms.bits, _bits([ulp]), _bits_of_steps([*replay.backward, *replay.jacobian]))
    rows = terms.in_units_of(bits)
    combined = [sum(of_unit) for of_unit in zip(*rows, strict=True)]

    ends = list(accumulate(replay.row_lengths, initial=0))
    of_rows = [replay.jacobian[start:end] for start, end in pairwise(ends)]
    sum_of_rows = replay.jacobian[ends[-1] :]
    backward = [_Change("backward", None, step, bits, combined) for step in replay.backward]
    jacobian = [
        *(_Change("row", output, step, bits, rows[output]) for output, steps in enumerate(of_rows) for step in steps),
        *(_Change("rows", step.term, step, bits) for step in sum_of_rows),
    ]
    return Drift(
        _drawn(backward, replay.backward_diverges_at, ulp, bits),
        _drawn(jacobian, replay.jacobian_diverges_at, ulp, bits),
        len(backward),
        len(jacobian),
        sum(change.nothing for change in backward),
        sum(change.nothing for change in jacobian),
    )


class _Change:
    """What one operation changes, in units of 2**-bits. `exact` are the exact terms of its dot product, if any."""

    def __init__(
        self, part: str, output: int | None, step: Step, bits: int, exact: Sequence[int] | None = None
    ) -> None:
        self.part, self.output, self.step = part, output, step
        self.unit = None if exact is None else step.term
        before, after, unrounded = (_whole(number, bits) for number in (step.before, step.after, step.exact))
        self.of_sum = after - unrounded
        self.of_product = self.inherited = 0
        if exact is not None and self.unit is not None:
            product = _whole(step.left, bits, step.right)
            self.of_product = unrounded - before - product
            self.inherited = product - exact[self.unit]
        self.drift = self.inherited + self.of_product + self.of_sum
        self.nothing = not (after - before or self.drift or self.inherited or self.kind == "rounding")

    @property
    def kind(self) -> str:
        if self.step.term is None:
            return "rounding" if self.step.label == ROUNDING else "accumulators"
        return "row" if self.part == "rows" else "term"

    def operation(self, place: int, drift: int, ulp: int) -> Operation:
        parts = (part / ulp for part in (drift, self.inherited, self.of_product, self.of_sum))
        return Operation(self.kind, self.part, place, self.output, self.unit, self.step, *parts)


def _drawn(changes: Sequence[_Change], diverges_at: int | None, ulp: Fraction, bits: int) -> tuple[Operation, ...]:
    """Return the operations that are drawn, at least one."""
    drifts = list(accumulate(change.drift for change in changes))
    places = [place for place, change in enumerate(changes) if not change.nothing] or [len(changes) - 1]
    kept = [] if diverges_at not in places else [places.index(diverges_at)]
    few = thinned([drifts[place] for place in places], MOST_POINTS, kept)
    return tuple(changes[places[i]].operation(places[i], drifts[places[i]], _whole(ulp, bits)) for i in few)


def _whole(number: float | Fraction, bits: int, factor: float = 1.0) -> int:
    """Return the number, times a factor, in units of 2**-bits."""
    (a, b), (c, d) = number.as_integer_ratio(), factor.as_integer_ratio()
    return a * c << bits + 2 - b.bit_length() - d.bit_length()


def _bits(numbers: Iterable[float | Fraction]) -> int:
    """Return the bits behind the point that the numbers need."""
    return max((number.as_integer_ratio()[1].bit_length() - 1 for number in numbers), default=0)


def _bits_of_steps(steps: Sequence[Step]) -> int:
    products = [step for step in steps if step.left is not None]
    of_products = _bits(step.left for step in products) + _bits(step.right for step in products)
    return max(of_products, _bits(step.after for step in steps))


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
