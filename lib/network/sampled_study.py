"""The base class of the studies of a network, which measure consecutive samples."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.machine import keep_freed_memory, matmul_flags


@dataclass(frozen=True)
class Source:
    """Where a study gets the network and the samples of a block, shape (samples, inputs).

    Both are functions of the experiment and the number of the block.
    """

    network: Callable[[Experiment, int], nn.Sequential]
    samples: Callable[[Experiment, int], Tensor]


RANDOM = Source(network.build, sampling.block)
"""Random weights and random samples."""


@dataclass(frozen=True)
class Samples:
    """Consecutive samples of one block; a study's subclass adds the tensors that it measured.

    `block` is the number of the block, `index` the place of the first sample in the block, and
    `number` its place in the whole experiment. `x` has shape (samples, inputs). All tensors are on
    the CPU.
    """

    block: int
    index: int
    number: int
    x: Tensor

    def __len__(self) -> int:
        return len(self.x)


Measured = TypeVar("Measured", bound=Samples)


class SampledStudy(Generic[Measured]):
    """The study of one experiment on its own networks. Only one thread may use it at a time.

    `net` and `samples` are the network and all samples of the block that was measured last.
    `block_size` is the number of samples in a block.

    A subclass defines `differentiate`, which returns tensors, and `measured`, which returns them as
    the study's own kind of `Samples`. The arguments of `measured` are the four fields of `Samples`
    and then the tensors.
    """

    measured: Callable[..., Measured]

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        keep_freed_memory()
        self.experiment = experiment
        self._source = source
        self.net = source.network(experiment, 0)
        self.block_size = sampling.block_size(experiment)
        self.samples: Tensor
        # The number of the block in `samples`.
        self._block = -1

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        """Compute the tensors that are measured at x.

        x is one sample, shape (inputs,), or several, shape (samples, inputs). For several, the
        first dimension of each tensor is the sample.
        """
        raise NotImplementedError

    def together(self, index: int) -> slice:
        """Return the samples of a block that are computed in one call with sample `index`."""
        return slice(0, None)

    def measure(self, number: int, deadline: float) -> Measured:
        """Measure consecutive samples, at most to the end of the block or of the experiment.

        In batched evaluation, the samples that are `together` are always computed whole and then
        cut, because a kernel's last bits may depend on the batch size.

        Args:
            number: the place of the first sample in the experiment.
            deadline: the time of `perf_counter` at which per-sample evaluation stops. It measures
                at least one sample.
        """
        block, index = divmod(number, self.block_size)
        if block != self._block:
            self._block = block
            self.samples = self._source.samples(self.experiment, block)
            if self.experiment.networks == "each-block":
                self.net = self._source.network(self.experiment, block)
        stop = min(self.block_size, self.experiment.samples - block * self.block_size)
        with matmul_flags(self.experiment):
            parts = self._differentiate(index, stop, deadline)
        x = self.samples[index : index + len(parts[0])]
        return self.measured(block, index, number, x.cpu(), *(part.cpu() for part in parts))

    def _differentiate(self, index: int, stop: int, deadline: float) -> list[Tensor]:
        if self.experiment.evaluation == "batched":
            whole = self.together(index)
            parts = self.differentiate(self.samples[whole])
            return [part[index - whole.start : stop - whole.start] for part in parts]
        samples = []
        for place in range(index, stop):
            # A row of a block may have any alignment in memory; a clone has that of a new tensor.
            samples.append(self.differentiate(self.samples[place].clone()))
            if perf_counter() >= deadline:
                break
        return [torch.stack(part) for part in zip(*samples, strict=True)]
