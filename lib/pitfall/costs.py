"""What one Jacobian costs by each method, in time and in memory, as the number of outputs grows.

This runs like a study, slice by slice, so that it can be watched and stopped. But it measures this machine at this
moment, and its figures differ from run to run. So the methods take turns: every round times each method once at every
number of outputs, so that a disturbance affects all of them alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from time import perf_counter

import numpy as np
from torch import Tensor
from torch._C._profiler import _ExperimentalConfig
from torch.autograd import ProfilerConfig, ProfilerState, _disable_profiler_legacy, _enable_profiler_legacy

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import METHODS as JACOBIANS
from lib.network.machine import matmul_flags
from lib.network.timing import timed
from lib.run.tally import Tally

ROUNDS = 9
MOST_SECONDS = 12.0
"""After this much time at work no more turns are taken."""


@dataclass(frozen=True)
class Timing:
    """The time of one call, in seconds."""

    method: str
    outputs: int
    seconds: float


@dataclass(frozen=True)
class Memory:
    """The peak memory of one call: the most bytes allocated at one time, above those allocated before the call."""

    method: str
    outputs: int
    peak: int


@dataclass(frozen=True)
class CostTally(Tally):
    """The measurements of one or more turns; turns that were given up count, but have none."""

    turns: int = 0
    timings: tuple[Timing, ...] = ()
    memories: tuple[Memory, ...] = ()

    def __len__(self) -> int:
        return self.turns

    @property
    def samples(self) -> int:
        return self.turns


class Costs:
    """Measures the costs for an experiment's network, in its dtype and on its device. For one thread at a time."""

    empty = CostTally()

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._cells = _cells(experiment)
        self._timings: dict[tuple[str, int], Callable[[], float]] = {}
        self._seconds = 0.0

    @staticmethod
    def total(experiment: Experiment) -> int:
        """The number of turns: the first at each cell measures its memory, and every other turn times it."""
        return (ROUNDS + 1) * len(_cells(experiment))

    @staticmethod
    def tally(measured: CostTally) -> CostTally:
        return measured

    def measure(self, number: int, deadline: float) -> CostTally:
        """Take one turn, whatever the deadline; or give up all remaining turns once `MOST_SECONDS` have passed."""
        if self._seconds > MOST_SECONDS:
            return CostTally(self.total(self.experiment) - number)
        start = perf_counter()
        with matmul_flags(self.experiment):
            measured = self._take_turn(number)
        self._seconds += perf_counter() - start
        return measured

    def _take_turn(self, number: int) -> CostTally:
        round_, place = divmod(number, len(self._cells))
        method, outputs = cell = self._cells[place]
        if round_ == 0:
            call = self._prepare(method, outputs)
            peak = _peak_memory(call)
            self._timings[cell] = timed(call)
            return CostTally(1, memories=(Memory(method, outputs, peak),))
        return CostTally(1, timings=(Timing(method, outputs, self._timings[cell]()),))

    @property
    def nbytes(self) -> int:
        """The memory of all networks, in bytes."""
        return sum(4 * replace(self.experiment, outputs=outputs).parameters for outputs in sizes(self.experiment))

    def _prepare(self, method: str, outputs: int) -> Callable[[], Tensor]:
        """Prepare the call to measure: one Jacobian of the network with this many outputs, at its first sample."""
        experiment = replace(self.experiment, outputs=outputs)
        net, jacobian = network.build(experiment), JACOBIANS[method]
        x = sampling.block(experiment, 0)[0].clone()
        jacobian(net, x)  # the first call of each kind loads and compiles things
        return lambda: jacobian(net, x)


def subject(experiment: Experiment) -> Experiment:
    """The experiment with defaults for everything that does not affect costs, so that equivalent ones share a run."""
    free = "method evaluation distribution samples seed networks function x_from f df step".split()
    return replace(experiment, **{name: getattr(Experiment, name) for name in free})


def sizes(experiment: Experiment) -> list[int]:
    """The numbers of outputs to measure: powers of two and the experiment's own, up to the largest network allowed."""
    numbers = sorted({2**n for n in range(7)} | {experiment.outputs})
    return [allowed.outputs for allowed in experiment.while_allowed({"outputs": n} for n in numbers)]


def _cells(experiment: Experiment) -> list[tuple[str, int]]:
    return [(method, outputs) for outputs in sizes(experiment) for method in METHODS]


def _peak_memory(call: Callable[[], object]) -> int:
    """The most bytes that the call has allocated at one time, as PyTorch's own allocator reports them.

    This uses the profiler's older interface, which reports allocations in order and for one thread; the newer one is
    for the whole process and takes a second to start.
    """
    with_memory = ProfilerConfig(ProfilerState.CPU, False, True, False, False, False, _ExperimentalConfig())
    _enable_profiler_legacy(with_memory)
    try:
        call()
    finally:
        records = _disable_profiler_legacy()
    events = (event for thread in records for event in thread if event.kind() == "memory_alloc")
    return max(accumulate(event.cpu_memory_usage() + event.cuda_memory_usage() for event in events), default=0)


@dataclass(frozen=True)
class Cost:
    """The cost of one method at one number of outputs: the quartiles of its timings in seconds, and its peak memory in
    bytes."""

    method: str
    outputs: int
    low: float
    seconds: float
    high: float
    peak: int


def summary(tally: CostTally) -> list[Cost]:
    """The cost of every cell that was timed, in the order in which the cells were timed."""
    peaks = {(memory.method, memory.outputs): memory.peak for memory in tally.memories}
    timings: dict[tuple[str, int], list[float]] = {}
    for timing in tally.timings:
        timings.setdefault((timing.method, timing.outputs), []).append(timing.seconds)
    return [
        Cost(method, outputs, low, median, high, peaks[method, outputs])
        for (method, outputs), seconds in timings.items()
        for low, median, high in [np.quantile(seconds, [0.25, 0.5, 0.75]).tolist()]
    ]


def fastest(costs: list[Cost]) -> dict[int, Cost]:
    """The fastest method, by median, at each number of outputs. Only methods that return the rows themselves compete,
    and only where all of them were timed."""
    rivals: dict[int, list[Cost]] = {}
    for cost in costs:
        if METHODS[cost.method].gives == "rows":
            rivals.setdefault(cost.outputs, []).append(cost)
    all_of_them = sum(method.gives == "rows" for method in METHODS.values())
    return {
        outputs: min(timed, key=lambda cost: cost.seconds)
        for outputs, timed in rivals.items()
        if len(timed) == all_of_them
    }


def overtakes_from(costs: list[Cost], method: str, rival: str) -> int | None:
    """The number of outputs from which on a method is always faster than its rival; None if it is not even at the
    largest."""
    seconds = {(cost.method, cost.outputs): cost.seconds for cost in costs}
    sizes_down = sorted({cost.outputs for cost in costs if (method, cost.outputs) in seconds}, reverse=True)
    faster = takewhile(lambda n: seconds[method, n] < seconds.get((rival, n), 0.0), sizes_down)
    return min(faster, default=None)
