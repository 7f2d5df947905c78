"""How far the running sum of each evaluation is from the exact partial sum, operation by operation.

NOTE [drift]: an exact partial sum adds the same terms in the same order, but without rounding: the exact weights times
the exact δ of the first layer's units, for the rounded weights and input. So a term brings in what its δ had inherited
from earlier layers, an operation adds its own rounding errors, and the drift ends at result − exact. The rows of the
Jacobian are one running sum: a row starts where the one before it ended. Where the rows are added, each has arrived
already, so only rounding changes the drift.

All numbers here are whole multiples of a power of two, so whole numbers hold them exactly.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

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
    the first layer's unit whose term is added, or None. `drift` is the running sum − the exact partial sum after the
    operation, and `inherited` how much of its change stems from the error of δ, both in ulps of the drift.
    """

    kind: str
    part: str
    place: int
    output: int | None
    unit: int | None
    step: Step
    drift: float
    inherited: float


@dataclass(frozen=True)
class Drift:
    """Both evaluations of a component: NOTE [drift]. Without a replay there are no operations, and `reason` says why.

    `backward` and `jacobian` are thinned to about `MOST_POINTS` operations, without those that add an exact 0; the
    extremes, the ends and the first divergence are among them. `backward_operations` and `jacobian_operations` count
    all operations, `backward_zeros` and `jacobian_zeros` those that add an exact 0.
    """

    backward: tuple[Operation, ...] = ()
    jacobian: tuple[Operation, ...] = ()
    backward_operations: int = 0
    jacobian_operations: int = 0
    backward_zeros: int = 0
    jacobian_zeros: int = 0
    reason: str = ""


def drift_of(replay: Replay, weights: Sequence[float], deltas: Sequence[Sequence[Fraction]], ulp: Fraction) -> Drift:
    """Return the drift of a verified replay, in units of `ulp`, a power of two.

    `weights` are those from the component to the first layer's units, `deltas` the exact δ, of shape (outputs, units).
    """
    number_of = _WholeNumbers(ulp, weights, *deltas, (step.after for step in (*replay.backward, *replay.jacobian)))
    rows = [[number_of.product(w, delta) for w, delta in zip(weights, row, strict=True)] for row in deltas]
    combined = [sum(of_unit) for of_unit in zip(*rows, strict=True)]

    length = len(replay.backward)  # of the dot product of every row, too
    of_rows, sum_of_rows = replay.jacobian[: len(rows) * length], replay.jacobian[len(rows) * length :]
    backward = [("backward", None, step) for step in replay.backward]
    jacobian = [("row", place // length, step) for place, step in enumerate(of_rows)]
    jacobian += [("rows", step.term, step) for step in sum_of_rows]

    sides = [
        _Side(list(_operations(backward, [combined], number_of)), replay.backward_diverges_at),
        _Side(list(_operations(jacobian, rows, number_of)), replay.jacobian_diverges_at),
    ]
    (one, other), (first, second) = (side.drawn() for side in sides), (side.zeros for side in sides)
    return Drift(one, other, len(backward), len(jacobian), first, second)


class _WholeNumbers:
    """Floats and fractions as whole multiples of one power of two, small enough for all of them and their products."""

    def __init__(self, ulp: Fraction, weights: Sequence[float], *numbers: Iterable[float | Fraction]) -> None:
        most = max(_bits(number) for part in numbers for number in part)
        self._bits = max(_bits(ulp), most + max(map(_bits, weights)))
        self.ulp = self(ulp)

    def __call__(self, number: float | Fraction) -> int:
        numerator, denominator = number.as_integer_ratio()
        return numerator << (self._bits + 1 - denominator.bit_length())

    def product(self, one: float, other: float | Fraction) -> int:
        (a, b), (c, d) = one.as_integer_ratio(), other.as_integer_ratio()
        return a * c << (self._bits + 2 - b.bit_length() - d.bit_length())


def _bits(number: float | Fraction) -> int:
    return number.as_integer_ratio()[1].bit_length() - 1


def _operations(
    steps: Sequence[tuple[str, int | None, Step]], exact: Sequence[Sequence[int]], number_of: _WholeNumbers
) -> Iterator[tuple[Operation, bool]]:
    """Yield all operations of one side, and whether each adds an exact 0."""
    drift = 0
    for place, (part, output, step) in enumerate(steps):
        change, inherited = number_of(step.after) - number_of(step.before), 0
        kind = "rounding" if step.label == ROUNDING else "accumulators" if step.term is None else "row"
        if part != "rows" and step.term is not None:
            kind, added = "term", exact[output or 0][step.term]
            inherited = number_of.product(step.left, step.right) - added
        else:
            added = number_of(step.exact) - number_of(step.before)
        drift += change - added
        zero = kind != "rounding" and change == added == inherited == 0
        unit = step.term if kind == "term" else None
        yield Operation(kind, part, place, output, unit, step, drift / number_of.ulp, inherited / number_of.ulp), zero


@dataclass(frozen=True)
class _Side:
    """All operations of one side, each with whether it adds an exact 0, and the place of the first divergence."""

    operations: Sequence[tuple[Operation, bool]]
    diverges_at: int | None

    @property
    def zeros(self) -> int:
        return sum(zero for _, zero in self.operations)

    def drawn(self) -> tuple[Operation, ...]:
        some = [operation for operation, zero in self.operations if not zero] or [self.operations[-1][0]]
        kept = [place for place, operation in enumerate(some) if operation.place == self.diverges_at]
        return tuple(some[place] for place in thinned([operation.drift for operation in some], MOST_POINTS, kept))


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
