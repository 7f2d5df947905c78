"""What studies of a network share: they measure consecutive samples, one at a time or a block in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.machine import matmul_flags


@dataclass(frozen=True)
class Source:
    """What gives the network and the samples of each block, as functions of the experiment and the block's number."""

    network: Callable[[Experiment, int], nn.Sequential]
    samples: Callable[[Experiment, int], Tensor]


RANDOM = Source(network.build, sampling.block)


@dataclass(frozen=True)
class Samples:
    """Consecutive samples of one block; a study adds what it measured of them, tensors on the CPU.

    `block` and `index` say where the first of them is, `number` which one it is of the whole experiment. `x` has shape
    (samples, inputs).
    """

    block: int
    index: int
    number: int
    x: Tensor

    def __len__(self) -> int:
        return len(self.x)


Measured = TypeVar("Measured", bound=Samples)


class SampledStudy(Generic[Measured]):
    """The study of one experiment: it measures samples on networks of its own. For one thread at a time.

    `net` is the network of the block that was measured last. `block_size` is the number of samples in a block.

    A subclass defines `differentiate`, and `measured`: the kind of `Samples` that holds the tensors it returns.
    """

    measured: Callable[..., Measured]

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        self.experiment = experiment
        self._source = source
        self.net = source.network(experiment, 0)
        self._net_of = 0
        self.block_size = sampling.block_size(experiment)
        self._drawn: tuple[int, Tensor] | None = None

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """What is measured of x: one sample, shape (inputs,), or a block of them, shape (samples, inputs).

        For a block each of the tensors has the samples as its first dimension.
        """
        raise NotImplementedError

    def measure(self, number: int, deadline: float) -> Measured:
        """Consecutive samples from `number` on, to the end of their block or of the experiment.

        Per-sample evaluation stops at the deadline too (a time of `perf_counter`), after at least one sample. A batched
        block is always computed whole and then cut: a kernel's last bits may depend on the size of the batch.
        """
        block, index = divmod(number, self.block_size)
        samples = self._samples(block)
        if block != self._net_of and self.experiment.networks == "each-block":
            self.net, self._net_of = self._source.network(self.experiment, block), block
        stop = min(self.block_size, self.experiment.samples - block * self.block_size)
        with matmul_flags(self.experiment):
            parts = self._differentiate(samples, index, stop, deadline)
        x = samples[index : index + len(parts[0])]
        return self.measured(block, index, number, x.cpu(), *(part.cpu() for part in parts))

    @property
    def nbytes(self) -> int:
        """Memory of the network and of the block of samples, in bytes."""
        held = [*self.net.parameters(), *([self._drawn[1]] if self._drawn else [])]
        return sum(tensor.nbytes for tensor in held)

    def _differentiate(self, samples: Tensor, index: int, stop: int, deadline: float) -> list[Tensor]:
        if self.experiment.evaluation == "batched":
            return [part[index:stop] for part in self.differentiate(samples)]
        of_each = []
        for sample in samples[index:stop]:
            # A row of the block is aligned in memory as it happens to be; a clone is aligned as any new tensor.
            of_each.append(self.differentiate(sample.clone()))
            if perf_counter() >= deadline:
                break
        return [torch.stack(part) for part in zip(*of_each, strict=True)]

    def _samples(self, block: int) -> Tensor:
        if self._drawn is None or self._drawn[0] != block:
            self._drawn = block, self._source.samples(self.experiment, block)
        return self._drawn[1]
