"""What one Jacobian costs by each method, in time, as the number of outputs grows.

This runs like a study, slice by slice, so that it can be watched and stopped. But it measures this machine at this
moment, and its figures differ from run to run. So the methods take turns: every round times each method once at every
number of outputs, so that a disturbance affects all of them alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import pandas as pd

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
class CostTally(Tally):
    """The measurements of one or more turns, each of a method, a number of outputs, and the seconds of one call; turns
    that were given up count, but have none."""

    samples: int = 0
    timings: tuple[tuple[str, int, float], ...] = ()

    def __len__(self) -> int:
        return self.samples


class Costs:
    """Measures the costs for an experiment's network, in its dtype and on its device. For one thread at a time."""

    empty = CostTally()

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._cells = _cells(experiment)
        self._calls: dict[tuple[str, int], Callable[[], float]] = {}
        self._seconds = 0.0

    @staticmethod
    def total(experiment: Experiment) -> int:
        """The number of turns."""
        return ROUNDS * len(_cells(experiment))

    @staticmethod
    def tally(measured: CostTally) -> CostTally:
        return measured

    def measure(self, number: int, deadline: float) -> CostTally:
        """Take one turn, whatever the deadline; or give up all remaining turns once `MOST_SECONDS` have passed."""
        if self._seconds > MOST_SECONDS:
            return CostTally(self.total(self.experiment) - number)
        start = perf_counter()
        cell = self._cells[number % len(self._cells)]
        with matmul_flags(self.experiment):
            call = self._calls[cell] = self._calls.get(cell) or self._prepare(*cell)
            seconds = call()
        self._seconds += perf_counter() - start
        return CostTally(1, ((*cell, seconds),))

    @property
    def nbytes(self) -> int:
        """The memory of all networks, in bytes."""
        return sum(4 * replace(self.experiment, outputs=outputs).parameters for outputs in sizes(self.experiment))

    def _prepare(self, method: str, outputs: int) -> Callable[[], float]:
        """Prepare the call to measure: one Jacobian of the network with this many outputs, at its first sample."""
        experiment = replace(self.experiment, outputs=outputs)
        net, jacobian = network.build(experiment), JACOBIANS[method]
        x = sampling.block(experiment, 0)[0].clone()
        jacobian(net, x)  # the first call of each kind loads and compiles things
        return timed(lambda: jacobian(net, x))


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


def summary(tally: CostTally) -> pd.DataFrame:
    """The quartiles of the seconds, `low`, `median` and `high`, by method and outputs, in the order of the turns."""
    timings = pd.DataFrame(tally.timings, columns=["method", "outputs", "seconds"])
    seconds = timings.astype({"outputs": int, "seconds": float}).groupby(["method", "outputs"], sort=False)["seconds"]
    quartiles = {"low": 0.25, "median": 0.5, "high": 0.75}
    return pd.DataFrame({name: seconds.quantile(part) for name, part in quartiles.items()}).reset_index()


def rivals(costs: pd.DataFrame, outputs: int) -> pd.DataFrame:
    """The methods that return the rows themselves, with this many outputs, the fastest by its median first; none
    until all of them were timed."""
    gives_rows = [name for name, method in METHODS.items() if method.gives == "rows"]
    timed = costs[(costs["outputs"] == outputs) & costs["method"].isin(gives_rows)]
    return timed.sort_values("median") if len(timed) == len(gives_rows) else timed[:0]
