"""Alone against in a batch: each sample's outputs and gradient, and the same as a row of a batch of each size.

The samples of a block, in their order, are cut into consecutive batches; those left over at its end are not compared. A
batch is a new tensor, as is a sample alone, so that both are aligned in memory like any tensor.

NOTE [pieces]: a block is computed in pieces whose length is a multiple of every batch size, so cutting the pieces into
batches cuts the block into the same batches, and no piece takes long. Like any batched block, a piece is computed whole
and then cut: the last batches of an experiment may hold samples beyond its end, which are not counted.
"""

from dataclasses import dataclass, field, replace
from math import lcm

from torch import Tensor

from lib.batch.arrangements import (
    PASSES,
    QUANTITIES,
    SIZES,
    block,
    block_size,
    in_blocks,
    of_size,
    under,
)
from lib.discrepancy.variants import ComparisonTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import SAVED, Subject, alone, in_batches
from lib.network.sampled_study import SampledStudy, Samples, Source
from lib.reference import bounds
from lib.reference.activations import activations_of
from lib.reference.judge import GRADIENT, OUTPUTS, Gradients, Judge
from lib.run.tally import ByName, Tally

PIECE = lcm(*SIZES)
"""The number of samples that are computed together: NOTE [pieces]."""

_UNDER_CONDITIONS, _BY_VMAP = 96, 24
"""Of them, as many are computed again under a condition, or two batches if that is more; `vmap` takes longer."""

PLACES = [(size, "") for size in SIZES] + [
    (size, condition) for size in SIZES for condition in of_size(size)
]
"""Every batch size, by itself and under each condition."""


def _gradient_bound(experiment: Experiment) -> float | None:
    """The bound on two backward gradients whose saved values differ: only if no slope depends on these."""
    constant = all(one.curvature == 0 and not one.kink for one in activations_of(experiment))
    proved = constant and experiment.gradient == "backward"
    return bounds.bound_units(replace(experiment, method=Experiment.method)) if proved else None


JUDGED = {"output": OUTPUTS, "gradient": replace(GRADIENT, bound_units=_gradient_bound)}
"""How each quantity is judged."""


@dataclass(frozen=True)
class BatchedSamples(Samples):
    """Consecutive samples: outputs and gradient alone, shape (samples, outputs + inputs), and `given` in batches.

    These are by batch size and condition, "" for batches as they are. There may be fewer samples, without those left
    over, and under a condition there are only the first of each piece. `judged` says which side is closer, by quantity
    and batch size.
    """

    outputs: int
    alone: Tensor
    given: dict[tuple[int, str], Tensor]
    judged: dict[tuple[str, int], Gradients] = field(default_factory=dict)

    def of(self, quantity: str, size: int, condition: str = "") -> Gradients:
        """Return a quantity alone and in batches of this size or, under a condition, in such batches without and with
        it."""
        if not condition and (quantity, size) in self.judged:
            return self.judged[quantity, size]
        one, other = self.given[size, ""] if condition else self.alone, self.given[size, condition]
        part = slice(self.outputs) if quantity == "output" else slice(self.outputs, None)
        one, other = (side[: len(other), part].contiguous() for side in (one, other))
        return Gradients(self.block, self.index, self.number, self.x[: len(other)], one, other)


@dataclass(frozen=True)
class BatchTally(Tally):
    """What the study remembers: a tally of each quantity in batches of each size, and under each condition."""

    samples: int = 0
    pairs: ByName[ComparisonTally] = ByName()

    @classmethod
    def of(cls, measured: BatchedSamples) -> "BatchTally":
        places = [(quantity, *place) for place in measured.given for quantity in QUANTITIES]
        return cls(
            len(measured),
            ByName({name(*place): ComparisonTally.of(measured.of(*place)) for place in places}),
        )

    def at(self, quantity: str, size: int, condition: str = "") -> ComparisonTally:
        """Return the tally of a quantity in batches of this size, alone against in the batch or, under a condition,
        without against with it; an empty one if nothing was measured yet."""
        return self.pairs.tallies.get(name(quantity, size, condition), ComparisonTally())

    def changes(self, size: int, condition: str = "") -> bool:
        """Return whether a batch of this size changes any component, or a condition one in such a batch."""
        return any(self.at(quantity, size, condition).apart for quantity in QUANTITIES)

    def closer(self, quantity: str, size: int) -> dict[str, int]:
        """Components by which side is closer to the exact value: "alone", "batch", "tie" or "undecided"."""
        alone, batch, *others = self.at(quantity, size).closer.items()
        return {"alone": alone[1], "batch": batch[1], **dict(others)}

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {"samples": self.samples, "sizes": [self._of_size(size) for size in SIZES]}

    def _of_size(self, size: int) -> dict[str, object]:
        conditions = {
            condition: {
                quantity: self.at(quantity, size, condition).counts() for quantity in QUANTITIES
            }
            for condition in of_size(size)
        }
        both = {
            quantity: {
                **pair.figures(),
                "max_units": pair.max_units.value,
                "bound_units": pair.bound_units.value,
                **{name: getattr(pair, name) for name in ("over_bound", "referenced", "certified")},
                "closer": self.closer(quantity, size),
            }
            for quantity in QUANTITIES
            for pair in [self.at(quantity, size)]
        }
        return {"batch": size, **both, "conditions": conditions}


def name(quantity: str, size: int, condition: str = "") -> str:
    """Return the name under which the samples in batches of this size are tallied, under a condition or as they are."""
    return " ".join(filter(None, (quantity, str(size), condition)))


class Batch(SampledStudy[BatchedSamples]):
    """Computes every sample alone and in batches of every size. For one thread at a time."""

    empty = BatchTally()
    tally = staticmethod(BatchTally.of)

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(in_blocks(experiment), Source(network.build, block))
        self.block_size = block_size(experiment)
        self._way = PASSES[experiment.gradient]
        self._judges = {quantity: Judge(self.experiment, how) for quantity, how in JUDGED.items()}

    def together(self, index: int) -> slice:
        start = index // PIECE * PIECE
        return slice(start, start + PIECE)

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the saved activations, the samples alone, in batches of each size, and these under each condition."""
        subject = Subject(self.experiment, self.net)
        found = [SAVED(subject, x), alone(self._way)(subject, x)]
        for size, condition in PLACES:
            way = under(condition, self._way, size) if condition else in_batches(self._way, size)
            most = (
                max(_BY_VMAP if condition == "vmap" else _UNDER_CONDITIONS, 2 * size)
                if condition
                else len(x)
            )
            if condition == "vmap" and self.experiment.gradient != "backward":
                most = 0
            found.append(way(subject, x[: min(most, len(x)) // size * size]))
        return tuple(found)

    def measured(
        self,
        block: int,
        index: int,
        number: int,
        x: Tensor,
        saved: Tensor,
        alone: Tensor,
        *given: Tensor,
    ) -> BatchedSamples:
        some = {place: part for place, part in zip(PLACES, given, strict=True) if len(part)}
        measured = BatchedSamples(block, index, number, x, self.experiment.outputs, alone, some)
        return replace(measured, judged=self._judged(measured, saved))

    def _judged(self, measured: BatchedSamples, saved: Tensor) -> dict[tuple[str, int], Gradients]:
        whole = self.together(measured.index)
        for judge in self._judges.values():
            judge.turned_to(self.net, self._samples(measured.block)[whole])
        taken = {"output": measured.x, "gradient": saved}
        judged = {}
        for quantity, size in [
            (name, n) for n, condition in measured.given if not condition for name in QUANTITIES
        ]:
            pair = measured.of(quantity, size)
            index, of_pair = measured.index - whole.start, taken[quantity][: len(pair)]
            judged[quantity, size] = self._judges[quantity].judge(index, pair, of_pair)
        return judged
