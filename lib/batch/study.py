"""Alone against in a batch: each sample's outputs and gradient, and the same as a row of a batch.

The samples of a block, in their order, are cut into consecutive batches; those left over at its end
are not compared. A batch is a new tensor, as is a sample alone, so that both are aligned in memory
like any tensor.

NOTE [pieces]: a block is computed in pieces whose length is a multiple of every batch size, so
cutting the pieces into batches cuts the block into the same batches, and no piece takes long. Like
any batched block, a piece is computed whole and then cut: the last batches of an experiment may
hold samples beyond its end, which are not counted.
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
from lib.reference.judge import GRADIENT, OUTPUTS, Judge
from lib.reference.pair import Pair
from lib.run.tally import ByName, Tally

PIECE = lcm(*SIZES)
"""The number of samples that are computed together: NOTE [pieces]."""

_UNDER_CONDITIONS = 96
"""Of a piece, this many are computed again under a condition, or two batches if that is more."""

PLACES = [(size, "") for size in SIZES] + [
    (size, condition) for size in SIZES for condition in of_size(size)
]
"""Every batch size, by itself and under each condition."""

SIDES = ("alone", "batch", "tie", "undecided")
"""Which side is closer to the exact value."""

JUDGED = {"output": OUTPUTS, "gradient": replace(GRADIENT, bound_units=lambda experiment: None)}
"""How each quantity is judged.

No bound is proved for two gradients whose saved values differ.
"""


@dataclass(frozen=True)
class BatchedSamples(Samples):
    """Consecutive samples: outputs and gradient alone, and the same in batches.

    `alone` has shape (samples, outputs + inputs), and `given` the same by batch size and condition,
    "" for batches as they are. There may be fewer samples, without those left over, and under a
    condition there are only the first of each piece. `judged` says which side is closer, by
    quantity and batch size.
    """

    outputs: int
    alone: Tensor
    given: dict[tuple[int, str], Tensor]
    judged: dict[tuple[str, int], Pair] = field(default_factory=dict)

    def of(self, quantity: str, size: int, condition: str = "") -> Pair:
        """Return a quantity alone and in batches of this size.

        Under a condition: in such batches without and with it.
        """
        if not condition and (quantity, size) in self.judged:
            return self.judged[quantity, size]
        first = self.given[size, ""] if condition else self.alone
        second = self.given[size, condition]
        part = slice(self.outputs) if quantity == "output" else slice(self.outputs, None)
        first = first[: len(second), part].contiguous()
        second = second[:, part].contiguous()
        x = self.x[: len(second)]
        return Pair(self.block, self.index, self.number, x, first, second)


@dataclass(frozen=True)
class BatchTally(Tally):
    """What the study remembers: a tally of each quantity, by batch size and condition."""

    samples: int = 0
    pairs: ByName[ComparisonTally] = ByName()

    @classmethod
    def of(cls, measured: BatchedSamples) -> "BatchTally":
        pairs = {}
        for size, condition in measured.given:
            for quantity in QUANTITIES:
                pair = measured.of(quantity, size, condition)
                pairs[_name(quantity, size, condition)] = ComparisonTally.of(pair)
        return cls(len(measured), ByName(pairs))

    def pair(self, quantity: str, size: int, condition: str = "") -> ComparisonTally:
        """Return the tally of a quantity, alone against in a batch of this size.

        Under a condition: in such batches without against with it. It is empty if nothing was
        measured yet.
        """
        return self.pairs.tallies.get(_name(quantity, size, condition), ComparisonTally())

    def figures(self) -> dict[str, object]:
        """Return the figures of the study, for JSON."""
        return {"samples": self.samples, "sizes": [self._of_size(size) for size in SIZES]}

    def _of_size(self, size: int) -> dict[str, object]:
        figures: dict[str, object] = {"batch": size}
        for quantity in QUANTITIES:
            pair = self.pair(quantity, size)
            figures[quantity] = {
                **pair.figures(),
                "max_units": pair.max_units.value,
                "bound_units": pair.bound_units.value,
                "over_bound": pair.over_bound,
                "referenced": pair.referenced,
                "certified": pair.certified,
                "closer": dict(zip(SIDES, pair.closer.values(), strict=True)),
            }
        figures["conditions"] = {
            condition: {name: self.pair(name, size, condition).counts() for name in QUANTITIES}
            for condition in of_size(size)
        }
        return figures


def _name(quantity: str, size: int, condition: str) -> str:
    return f"{quantity} {size} {condition}"


class Batch(SampledStudy[BatchedSamples]):
    """Computes every sample alone and in batches of every size. For one thread at a time."""

    empty = BatchTally()
    tally = staticmethod(BatchTally.of)

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(in_blocks(experiment), Source(network.build, block))
        self.block_size = block_size(experiment)
        self._way = PASSES[experiment.gradient]
        self._judges = {name: Judge(self.experiment, judged) for name, judged in JUDGED.items()}

    def together(self, index: int) -> slice:
        start = index // PIECE * PIECE
        return slice(start, start + PIECE)

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the saved activations, the samples alone, and those in each of `PLACES`."""
        subject = Subject(self.experiment, self.net)
        parts = [SAVED(subject, x), alone(self._way)(subject, x)]
        for size, condition in PLACES:
            some = x[: max(_UNDER_CONDITIONS, 2 * size)] if condition else x
            whole = some[: len(some) // size * size]
            # One batch alone has none to exchange rows with.
            if len(whole) < (2 * size if condition == "neighbours" else size):
                parts.append(parts[1][:0])
            elif condition:
                parts.append(under(condition, self._way, size, subject, whole))
            else:
                parts.append(in_batches(self._way, size)(subject, whole))
        return tuple(parts)

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

    def _judged(self, measured: BatchedSamples, saved: Tensor) -> dict[tuple[str, int], Pair]:
        piece = self.together(measured.index)
        samples = self.samples[piece]
        judged = {}
        for quantity, taken_from in (("output", measured.x), ("gradient", saved)):
            judge = self._judges[quantity].turned_to(self.net, samples)
            for size in SIZES:
                if (size, "") in measured.given:
                    pair = measured.of(quantity, size)
                    first = measured.index - piece.start
                    judged[quantity, size] = judge.judge(first, pair, taken_from[: len(pair)])
        return judged
