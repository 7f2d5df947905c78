"""What one Jacobian costs by each method, in time and in memory, as the number of outputs grows.

It runs as a study does, slice by slice, so that it can be watched and stopped; but what it measures is this machine at
this moment, and comes out different each time. So the methods take turns: every round times each of them once at every
number of outputs, and a disturbance falls on all of them alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile
from time import perf_counter

import numpy as np
from torch import Tensor
from torch._C._profiler import _ExperimentalConfig
from torch.autograd import ProfilerConfig, ProfilerState, _disable_profiler_legacy, _enable_profiler_legacy

from lib.experiment.choices import METHODS
from lib.experiment.query import OUTPUTS, Experiment
from lib.network import network, sampling
from lib.network.jacobians import METHODS as JACOBIANS
from lib.network.machine import matmul_flags
from lib.network.timing import timed
from lib.run.tally import Tally

ROUNDS = 9
MOST_SECONDS = 12.0
"""No more turns are taken after so much time at work."""


@dataclass(frozen=True)
class Timing:
    """Seconds of one call."""

    method: str
    outputs: int
    seconds: float


@dataclass(frozen=True)
class Memory:
    """Bytes that were allocated at most at one time during one call, above those before it."""

    method: str
    outputs: int
    peak: int


@dataclass(frozen=True)
class CostTally(Tally):
    """What was measured in so many turns, or was given up in them; likewise what a single turn gave."""

    turns: int = 0
    timings: tuple[Timing, ...] = ()
    memories: tuple[Memory, ...] = ()

    def __len__(self) -> int:
        return self.turns

    @property
    def samples(self) -> int:
        return self.turns


class Costs:
    """The costs of an experiment's network, in its dtype and on its device. For one thread at a time."""

    empty = CostTally()
    in_one_go = True  # the calls that are timed are made in the first round

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._cells = _cells(experiment)
        self._timings: dict[tuple[str, int], Callable[[], float]] = {}
        self._seconds = 0.0

    @staticmethod
    def total(experiment: Experiment) -> int:
        """Turns: the first at each cell measures its memory, every other one times it."""
        return (ROUNDS + 1) * len(_cells(experiment))

    @staticmethod
    def tally(measured: CostTally) -> CostTally:
        return measured

    def measure(self, number: int, deadline: float) -> CostTally:
        """One turn, whatever the deadline; or, when the time is over, the giving up of all that are left."""
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
        """Memory of all the networks, in bytes."""
        return sum(4 * replace(self.experiment, outputs=outputs).parameters for outputs in sizes(self.experiment))

    def _prepare(self, method: str, outputs: int) -> Callable[[], Tensor]:
        """The call that is measured: one Jacobian of the network with so many outputs, at its first sample."""
        experiment = replace(self.experiment, outputs=outputs)
        net, jacobian = network.build(experiment), JACOBIANS[method]
        x = sampling.block(experiment, 0)[0].clone()
        jacobian(net, x)  # the first call of a kind loads and compiles things
        return lambda: jacobian(net, x)


def subject(experiment: Experiment) -> Experiment:
    """The experiment with the defaults for all that costs don't depend on, so that like ones share a run."""
    free = ("method", "evaluation", "distribution", "samples", "seed", "networks", "function", "x_from", "step")
    return replace(experiment, **{name: getattr(Experiment, name) for name in free})


def sizes(experiment: Experiment) -> list[int]:
    """The numbers of outputs: powers of two and the experiment's own, as far as its network may grow."""
    powers = {2**n for n in range(OUTPUTS.high.bit_length())}
    numbers = sorted(powers | {experiment.outputs})
    return [allowed.outputs for allowed in experiment.while_allowed({"outputs": n} for n in numbers)]


def _cells(experiment: Experiment) -> list[tuple[str, int]]:
    return [(method, outputs) for outputs in sizes(experiment) for method in METHODS]


def _peak_memory(call: Callable[[], object]) -> int:
    """Bytes that the call has allocated at most at one time, as PyTorch's own allocator reports them.

    The reports come in the order in which they happen from the profiler's older interface, which is about one thread;
    the newer one is for the whole process, and takes a second to start.
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
    """One method at one number of outputs: the timings' quartiles in seconds, and the peak memory in bytes."""

    method: str
    outputs: int
    low: float
    seconds: float
    high: float
    peak: int


def summary(tally: CostTally) -> list[Cost]:
    """The costs of every cell that was timed, in the order of the outputs."""
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
    """Of the methods that give the rows themselves, the one with the lowest median at each number of outputs at which
    all of them were timed."""
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


def reigns_from(best: dict[int, Cost]) -> int:
    """The number of outputs from which on the fastest at the largest number is the fastest at all measured."""
    last = best[max(best)].method
    return min(takewhile(lambda n: best[n].method == last, sorted(best, reverse=True)))


def overtakes_from(costs: list[Cost], method: str, rival: str) -> int | None:
    """The number of outputs from which on a method is faster than its rival at all measured; None if it is not at the
    largest."""
    seconds = {(cost.method, cost.outputs): cost.seconds for cost in costs}
    sizes_down = sorted({cost.outputs for cost in costs if (method, cost.outputs) in seconds}, reverse=True)
    faster = takewhile(lambda n: seconds[method, n] < seconds.get((rival, n), 0.0), sizes_down)
    return min(faster, default=None)
