"""Alone against in a batch: each sample's outputs and gradient, and the same as a row of a batch of each size.

The samples of a block, in their order, are cut into consecutive batches; those left over at its end are not compared. A
batch is a new tensor, as is a sample alone, so that both are aligned in memory like any tensor.

NOTE [pieces]: a block is computed in pieces whose length is a multiple of every batch size, so cutting the pieces into
batches cuts the block into the same batches, and no piece takes long. Like any batched block, a piece is computed whole
and then cut: the last batches of an experiment may hold samples beyond its end, which are not counted.
"""

from dataclasses import dataclass, field, replace
from math import lcm

import torch
from torch import Tensor

from lib.batch.conditions import SIZES, of_size, under
from lib.batch.evaluated import EVALUATED, QUANTITIES
from lib.discrepancy.compared import Gradients
from lib.discrepancy.judge import GRADIENT, OUTPUTS, Judge, Judged
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import SAVED, Subject, alone, in_batches
from lib.network.sampled_study import SampledStudy, Samples, Source
from lib.reference import bounds
from lib.reference.activations import activations
from lib.run.tally import ByName, Tally
from lib.variations.equality import EqualityTally

PIECE = lcm(*SIZES)
"""The number of samples that are computed together: NOTE [pieces]."""

_UNDER_CONDITIONS = 96  # of them, as many are computed again under each condition, or two batches if that is more

SIDES = {"backward": "alone", "jacobian": "batch"}
"""What the two sides of a comparison are called here."""


def block_size(experiment: Experiment) -> int:
    """Return the number of samples in a block: as in the other studies, but at least one batch of the largest size."""
    return max(sampling.block_size(_in_blocks(experiment)), max(SIZES))


def block(experiment: Experiment, number: int) -> Tensor:
    """Return the samples of block `number`, shape (block_size, inputs)."""
    blocks = block_size(experiment) // sampling.block_size(_in_blocks(experiment))
    return torch.cat([sampling.block(_in_blocks(experiment), number * blocks + place) for place in range(blocks)])


def _in_blocks(experiment: Experiment) -> Experiment:
    """The same experiment, which evaluates blocks of samples: the study has both evaluations, whichever was chosen."""
    return replace(experiment, evaluation="batched")


def _gradient_bound(experiment: Experiment) -> float | None:
    """The bound on two backward gradients whose saved values differ: only if no slope depends on these."""
    constant = all(one.curvature == 0 and not one.kink for one in activations(experiment))
    proved = constant and experiment.gradient == "backward"
    return bounds.bound_units(replace(experiment, method=Experiment.method)) if proved else None


JUDGED = {
    "output": OUTPUTS,
    "gradient": replace(GRADIENT, bound_units=_gradient_bound, probable_units=lambda experiment: None),
}
"""How each quantity is judged."""


@dataclass(frozen=True)
class Batches(Samples):
    """Consecutive samples: outputs and gradient alone, shape (samples, outputs + inputs), and in batches of each size.

    In batches there may be fewer samples, without those left over. `varied` are the same under each condition, by its
    name and the batch size; there are only the first samples of each piece. `judged` says which side is closer, by
    quantity and batch size.
    """

    outputs: int
    alone: Tensor
    batches: dict[int, Tensor]
    varied: dict[tuple[str, int], Tensor]
    judged: dict[tuple[str, int], Judged] = field(default_factory=dict)

    def of(self, quantity: str, size: int) -> Gradients:
        """Return a quantity alone, and in batches of this size."""
        return self._pair(quantity, self.alone, self.batches[size], self.judged.get((quantity, size)))

    def under(self, condition: str, quantity: str, size: int) -> Gradients:
        """Return a quantity in batches of this size, as they are, and under a condition."""
        return self._pair(quantity, self.batches[size], self.varied[condition, size])

    @property
    def compared(self) -> list[tuple[str, int]]:
        """Every quantity with every batch size of which there are samples."""
        return [(quantity, size) for size, given in self.batches.items() if len(given) for quantity in QUANTITIES]

    def _pair(self, quantity: str, one: Tensor, other: Tensor, judged: Judged | None = None) -> Gradients:
        part = slice(self.outputs) if quantity == "output" else slice(self.outputs, None)
        one, other = (side[: len(other), part].contiguous() for side in (one, other))
        return Gradients(self.block, self.index, self.number, self.x[: len(other)], one, other, judged)


def name(quantity: str, size: int, condition: str = "") -> str:
    """Return the name under which the samples in batches of this size are tallied, under a condition or as they are."""
    return " ".join(filter(None, (quantity, str(size), condition)))


@dataclass(frozen=True)
class BatchTally(Tally):
    """What the study remembers: the tally of each quantity and batch size, and what changes, under conditions too."""

    samples: int = 0
    sizes: ByName[DiscrepancyTally] = ByName()
    equality: ByName[EqualityTally] = ByName()

    @classmethod
    def of(cls, measured: Batches) -> "BatchTally":
        pairs = {name(*place): measured.of(*place) for place in measured.compared}
        varied = {
            name(quantity, size, condition): measured.under(condition, quantity, size)
            for condition, size in measured.varied
            for quantity in QUANTITIES
        }
        sizes = {key: DiscrepancyTally.of(pair) for key, pair in pairs.items()}
        equality = {key: EqualityTally.of(pair) for key, pair in (pairs | varied).items()}
        return cls(len(measured), ByName(sizes), ByName(equality))

    def at(self, quantity: str, size: int) -> DiscrepancyTally:
        """Return the tally of a quantity in batches of this size; an empty one if nothing was measured yet."""
        return self.sizes.tallies.get(name(quantity, size), DiscrepancyTally())

    def under(self, condition: str, quantity: str, size: int) -> EqualityTally:
        """Return the tally of a quantity in batches of this size under a condition, likewise."""
        return self.equality.tallies.get(name(quantity, size, condition), EqualityTally())

    def changed(self, quantity: str, size: int, condition: str = "") -> int:
        """Return how many components a batch of this size changes, or a condition those in such a batch.

        A component that is NaN on both sides is not changed.
        """
        return self.under(condition, quantity, size).apart

    def changes(self, size: int, condition: str = "") -> bool:
        """Return whether a batch of this size changes any component, or a condition one in such a batch."""
        return any(self.changed(quantity, size, condition) for quantity in QUANTITIES)

    def closer(self, size: int) -> dict[str, int]:
        """Return in how many components each of the `SIDES`, by name, is closer to the exact value."""
        verdicts = [self.at(quantity, size).verdict for quantity in QUANTITIES]
        return {side: sum(verdict.closer[place] for verdict in verdicts) for place, side in SIDES.items()}

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON."""
        return {"samples": self.samples, "sizes": [self._of_size(size) for size in SIZES]}

    def _of_size(self, size: int) -> dict[str, object]:
        conditions = {
            condition: {quantity: self.under(condition, quantity, size).figures() for quantity in QUANTITIES}
            for condition in of_size(size)
        }
        both = {quantity: _figures(self.at(quantity, size)) for quantity in QUANTITIES}
        return {"batch": size, **both, "conditions": conditions}


_FIGURES = ("components", "nonfinite", "equal", "max_abs", "max_abs_at", "max_ulps", "max_ulps_at", "max_units")
_VERDICTS = ("bound_units", "over_bound", "referenced", "certified")


def _figures(tally: DiscrepancyTally) -> dict[str, object]:
    found = tally.figures()
    closer = {SIDES.get(verdict, verdict): count for verdict, count in tally.verdict.closer.items()}
    return {figure: found[figure] for figure in (*_FIGURES, *_VERDICTS)} | {"closer": closer}


class Batch(SampledStudy[Batches]):
    """Computes every sample alone and in batches of every size. For one thread at a time."""

    empty = BatchTally()
    tally = staticmethod(BatchTally.of)

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(_in_blocks(experiment), Source(network.build, block))
        self.block_size = block_size(experiment)
        self._way = EVALUATED[experiment.gradient]
        self._judges: dict[str, Judge] = {}

    def together(self, index: int) -> slice:
        start = index // PIECE * PIECE
        return slice(start, start + PIECE)

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the saved activations, the samples alone, in batches of each size, and these under each condition."""
        subject = Subject(self.experiment, self.net)
        found = [SAVED(subject, x), alone(self._way)(subject, x)]
        found += [in_batches(self._way, size)(subject, x[: len(x) // size * size]) for size in SIZES]
        for size in SIZES:
            first = x[: min(max(_UNDER_CONDITIONS, 2 * size), len(x)) // size * size]
            found += [under(condition, self._way, size)(subject, first) for condition in of_size(size)]
        return tuple(found)

    def measured(
        self, block: int, index: int, number: int, x: Tensor, saved: Tensor, alone: Tensor, *given: Tensor
    ) -> Batches:
        batches = dict(zip(SIZES, given, strict=False))
        places = [(condition, size) for size in SIZES for condition in of_size(size)]
        varied = {place: part for place, part in zip(places, given[len(SIZES) :], strict=True) if len(part)}
        measured = Batches(block, index, number, x, self.experiment.outputs, alone, batches, varied)
        return replace(measured, judged=self._judged(measured, saved))

    def _judged(self, measured: Batches, saved: Tensor) -> dict[tuple[str, int], Judged]:
        whole = self.together(measured.index)
        if not self._judges or self.experiment.networks == "each-block":
            self._judges = {quantity: Judge(self.net, self.experiment, one) for quantity, one in JUDGED.items()}
        for judge in self._judges.values():
            judge.turned_to(self._samples(measured.block)[whole])
        taken = {"output": measured.x, "gradient": saved}
        judged = {}
        for quantity, size in measured.compared:
            pair = measured.of(quantity, size)
            place = measured.index - whole.start, measured.number, taken[quantity][: len(pair)]
            judged[quantity, size] = self._judges[quantity].judge(*place, *pair.values)
        return judged
