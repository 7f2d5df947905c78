"""The base of the studies of a network: they measure consecutive samples, one at a time or a block in one call."""

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
    """Where a study gets the network and samples of each block: functions of the experiment and the block number."""

    network: Callable[[Experiment, int], nn.Sequential]
    samples: Callable[[Experiment, int], Tensor]


RANDOM = Source(network.build, sampling.block)


@dataclass(frozen=True)
class Samples:
    """Consecutive samples of one block; a study's subclass adds the tensors that it measured, on the CPU.

    `block` is the number of the block, `index` the place of the first sample in the block, and `number` its place in
    the whole experiment. `x` has shape (samples, inputs).
    """

    block: int
    index: int
    number: int
    x: Tensor

    def __len__(self) -> int:
        return len(self.x)


Measured = TypeVar("Measured", bound=Samples)


class SampledStudy(Generic[Measured]):
    """The study of one experiment, which measures samples on its own networks. Only one thread may use it at a time.

    `net` is the network of the block that was measured last. `block_size` is the number of samples in a block.

    A subclass defines `differentiate`, and `measured`, the subclass of `Samples` that holds the tensors it returns.
    """

    measured: Callable[..., Measured]

    def __init__(self, experiment: Experiment, source: Source = RANDOM) -> None:
        keep_freed_memory()
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
        """Measure x: one sample, shape (inputs,), or a block of samples, shape (samples, inputs).

        For a block, the first dimension of each returned tensor is the sample.
        """
        raise NotImplementedError

    def together(self, index: int) -> slice:
        """Return the samples of a block that batched evaluation computes together with sample `index`: all of them."""
        return slice(0, None)

    def measure(self, number: int, deadline: float) -> Measured:
        """Measure consecutive samples from `number` on, to the end of the block or of the experiment.

        Per-sample evaluation also stops at the deadline (a time of `perf_counter`), but after one sample at the
        earliest. A batched block is always computed whole and then cut, because a kernel's last bits may depend on the
        batch size.
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

    def _differentiate(
        self, samples: Tensor, index: int, stop: int, deadline: float
    ) -> list[Tensor]:
        if self.experiment.evaluation == "batched":
            whole = self.together(index)
            parts = self.differentiate(samples[whole])
            return [part[index - whole.start : stop - whole.start] for part in parts]
        of_each = []
        for place in range(
            index, stop
        ):  # iterating over a tensor makes all of its rows first, for the few of a slice
            # A row of a block may have any alignment in memory; a clone is aligned like any new tensor.
            of_each.append(self.differentiate(samples[place].clone()))
            if perf_counter() >= deadline:
                break
        return [torch.stack(part) for part in zip(*of_each, strict=True)]

    def _samples(self, block: int) -> Tensor:
        if self._drawn is None or self._drawn[0] != block:
            self._drawn = block, self._source.samples(self.experiment, block)
        return self._drawn[1]
