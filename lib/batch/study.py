"""The study: outputs and gradient of each sample, computed alone and as a row of a batch.

The samples of a block, in their order, are cut into consecutive batches. Samples left over at the
end of the block are not compared. A sample alone is a new tensor, and so is a batch: both are
aligned in memory as every new tensor is.

NOTE [pieces]: a block is computed in pieces, so that no call takes long. The length of a piece is a
multiple of every batch size, so the batches are the same as those of the whole block. Like any
batched block, a piece is computed whole and then cut: the last batches of an experiment may hold
samples beyond its end, which are not counted.
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
    conditions_of,
    in_blocks,
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
"""The number of samples in a piece: NOTE [pieces]."""

_UNDER_CONDITIONS = 96
"""The number of samples of a piece that are also computed under a condition, or two batches if that
is more."""

BATCHES = [(size, "") for size in SIZES] + [
    (size, condition) for size in SIZES for condition in conditions_of(size)
]
"""What is computed of each piece: batches of every size, as they are ("") and under conditions."""

CLOSER = ("alone", "batch", "tie", "undecided")
"""The answers to which side is closer to the exact value."""

JUDGED = {"output": OUTPUTS, "gradient": replace(GRADIENT, bound_units=lambda experiment: None)}
"""How each quantity is judged.

The gradient has no bound here: none is proved for two gradients whose saved activations differ.
"""


@dataclass(frozen=True)
class BatchedSamples(Samples):
    """Consecutive samples: outputs and gradient alone, and the same in batches.

    Attributes:
        outputs: the number of outputs of the network.
        alone: the outputs and the gradient of each sample, shape (samples, outputs + inputs).
        batched: the same as rows of batches, for each of `BATCHES`. It has fewer samples if some
            are left over at the end of the block. Under a condition it has only the first samples
            of a piece.
        judged: both sides and which is closer, by quantity and batch size.
    """

    outputs: int
    alone: Tensor
    batched: dict[tuple[int, str], Tensor]
    judged: dict[tuple[str, int], Pair] = field(default_factory=dict)

    def of(self, quantity: str, size: int, condition: str = "") -> Pair:
        """Return both sides of a comparison: a quantity alone, and in batches of this size.

        If there is a condition, both sides are in batches, the second one under this condition.
        """
        if not condition and (quantity, size) in self.judged:
            return self.judged[quantity, size]
        first = self.batched[size, ""] if condition else self.alone
        second = self.batched[size, condition]
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
        for size, condition in measured.batched:
            for quantity in QUANTITIES:
                pair = measured.of(quantity, size, condition)
                pairs[_name(quantity, size, condition)] = ComparisonTally.of(pair)
        return cls(len(measured), ByName(pairs))

    def pair(self, quantity: str, size: int, condition: str = "") -> ComparisonTally:
        """Return the tally of a comparison: see `BatchedSamples.of`.

        It is empty if nothing was measured yet.
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
                "closer": dict(zip(CLOSER, pair.closer.values(), strict=True)),
            }
        figures["conditions"] = {
            condition: {name: self.pair(name, size, condition).counts() for name in QUANTITIES}
            for condition in conditions_of(size)
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
        """Return the saved activations, the vectors of each sample alone, and those in `BATCHES`.

        A vector has the outputs and the gradient of a sample. A tensor is empty if there are too
        few samples for a batch.
        """
        subject = Subject(self.experiment, self.net)
        single = alone(self._way)(subject, x)
        parts = [SAVED(subject, x), single]
        for size, condition in BATCHES:
            samples = x[: max(_UNDER_CONDITIONS, 2 * size)] if condition else x
            samples = samples[: len(samples) // size * size]
            # A single batch has no other batch to exchange rows with.
            if len(samples) < (2 * size if condition == "neighbours" else size):
                parts.append(single[:0])
            elif condition:
                parts.append(under(condition, self._way, size, subject, samples))
            else:
                parts.append(in_batches(self._way, size)(subject, samples))
        return tuple(parts)

    def measured(
        self,
        block: int,
        index: int,
        number: int,
        x: Tensor,
        saved: Tensor,
        alone: Tensor,
        *parts: Tensor,
    ) -> BatchedSamples:
        batched = {key: part for key, part in zip(BATCHES, parts, strict=True) if len(part)}
        measured = BatchedSamples(block, index, number, x, self.experiment.outputs, alone, batched)
        return replace(measured, judged=self._judged(measured, saved))

    def _judged(self, measured: BatchedSamples, saved: Tensor) -> dict[tuple[str, int], Pair]:
        piece = self.together(measured.index)
        samples = self.samples[piece]
        judged = {}
        # Rounding units of outputs depend on the samples, those of gradients on saved activations.
        for quantity, values in (("output", measured.x), ("gradient", saved)):
            judge = self._judges[quantity].turned_to(self.net, samples)
            for size in SIZES:
                if (size, "") in measured.batched:
                    pair = measured.of(quantity, size)
                    first = measured.index - piece.start
                    judged[quantity, size] = judge.judge(first, pair, values[: len(pair)])
        return judged
