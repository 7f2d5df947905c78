"""What one Jacobian costs by each method, in time, as the number of outputs grows: measured, as
bars, as a table, and in words.

This runs like a study, slice by slice, so that it can be watched and stopped. But it measures this machine at this
moment, and its figures differ from run to run. So the methods take turns: every round times each method once at every
number of outputs, so that a disturbance affects all of them alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from types import SimpleNamespace

import altair as alt
import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, INK, SECOND, Chart, chart, table
from lib.floats.quantities import counted, microseconds
from lib.floats.sentences import Sentence
from lib.floats.tables import UNKNOWN
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
        self._call = cache(self._prepare)
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
            seconds = self._call(*cell)()
        self._seconds += perf_counter() - start
        return CostTally(1, ((*cell, seconds),))

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
    return [
        allowed.outputs for allowed in experiment.while_allowed({"outputs": n} for n in numbers)
    ]


def _cells(experiment: Experiment) -> list[tuple[str, int]]:
    return [(method, outputs) for outputs in sizes(experiment) for method in METHODS]


def summary(tally: CostTally) -> pd.DataFrame:
    """The quartiles of the seconds, `low`, `median` and `high`, by method and outputs, in the order of the turns."""
    timings = pd.DataFrame(tally.timings, columns=["method", "outputs", "seconds"])
    seconds = timings.astype({"outputs": int, "seconds": float}).groupby(
        ["method", "outputs"], sort=False
    )["seconds"]
    quartiles = {"low": 0.25, "median": 0.5, "high": 0.75}
    return pd.DataFrame(
        {name: seconds.quantile(part) for name, part in quartiles.items()}
    ).reset_index()


def rivals(costs: pd.DataFrame, outputs: int) -> pd.DataFrame:
    """The methods that return the rows themselves, with this many outputs, the fastest by its median first; none
    until all of them were timed."""
    gives_rows = [name for name, method in METHODS.items() if method.gives == "rows"]
    timed = costs[(costs["outputs"] == outputs) & costs["method"].isin(gives_rows)]
    return timed.sort_values("median") if len(timed) == len(gives_rows) else timed[:0]


@cache
def time_chart() -> Chart:
    """The time of one Jacobian by each method, the fastest at the top: its median as a bar, its quartiles as a rule.
    What does not return the rows of the Jacobian is violet."""
    fastest_first = alt.EncodingSortField("median", op="min")
    methods = alt.Y(
        "method:N",
        sort=fastest_first,
        title=None,
        axis=alt.Axis(labelLimit=220, labelOverlap=False, labelFlush=False),
    )
    x = alt.X("median:Q", title="time of one Jacobian, µs", axis=alt.Axis(format=",d", tickCount=8))
    hues = alt.Scale(domain=["the rows", "not exact rows"], range=[SECOND, DIFFER])
    colour = alt.Color(
        "gives:N", scale=hues, legend=alt.Legend(orient="top", columns=1, title=None)
    )
    bars = (
        table("time")
        .mark_bar(opacity=0.75)
        .encode(x=x, y=methods, color=colour, tooltip=["method:N", "time:N"])
    )
    middle_half = table("time").mark_rule(color=INK).encode(x="low:Q", x2="high:Q", y=methods)
    return chart(alt.layer(bars, middle_half), "time", height=380)


def times(costs: pd.DataFrame, outputs: int) -> pd.DataFrame:
    """The times of one Jacobian with this many outputs, in microseconds, the fastest first: what the chart draws."""
    found = costs[costs["outputs"] == outputs].sort_values("median")
    rows = [METHODS[method].gives == "rows" for method in found["method"]]
    gives = np.where(rows, "the rows", "not exact rows")
    return found.assign(
        time=found["median"].map(microseconds),
        gives=gives,
        **1e6 * found[["low", "median", "high"]],
    ).drop(columns="outputs")


def readable(costs: pd.DataFrame) -> pd.DataFrame:
    """The median times as a table to read: one row per method and one column per number of outputs."""
    medians = costs.pivot(index="method", columns="outputs", values="median")
    written = medians.map(microseconds, na_action="ignore").fillna(UNKNOWN).rename(columns=str)
    return written.reindex([name for name in METHODS if name in written.index])


def findings(costs: pd.DataFrame, experiment: Experiment) -> SimpleNamespace:
    """Return what was timed with this many `outputs`: the `best` method, its `time`, and the `rivals` whose timings
    overlap. From `vmap` outputs on a batch of cotangents beats the loop; from `forward` on forward mode does, with one
    pass for each of the `inputs`; None if it does not."""
    known = rivals(costs, experiment.outputs)
    best = known.iloc[:1]
    others = known[1:][known[1:]["low"] <= best["high"].max()]["method"]
    low, high = (
        costs.pivot(index="outputs", columns="method", values=end) for end in ("low", "high")
    )

    def beats_loop(method: str) -> str | None:
        faster = high.reindex(columns=[method])[method] < low.reindex(columns=["rows"])["rows"]
        faster = faster[::-1].cummin()  # from the largest number of outputs down
        return counted(int(faster.index[faster].min()), "output") if faster.any() else None

    return SimpleNamespace(
        outputs=counted(experiment.outputs, "output"),
        best="".join(best["method"]),
        time="".join(best["median"].map(microseconds)),
        rivals=", ".join(f"`{method}`" for method in others),
        inputs=counted(experiment.inputs, "input"),
        vmap=beats_loop("batched-grad"),
        forward=beats_loop("jacfwd"),
    )


FASTEST = (
    Sentence("What does one Jacobian cost, with {f.outputs}?", lambda f: not f.best),
    Sentence("With {f.outputs}, `{f.best}` is fastest: {f.time} a Jacobian.", lambda f: f.best),
)

COSTS = (
    Sentence("As fast, as far as these timings tell: {f.rivals}.", lambda f: f.rivals),
    Sentence(
        "All rows at once, by vmap (`batched-grad`), are faster than one by one (`rows`) from {f.vmap} on.",
        lambda f: f.vmap,
    ),
    Sentence(
        "With {f.inputs}, forward mode (`jacfwd`) beats one pass per output (`rows`) from {f.forward} on: it takes one "
        "per input.",
        lambda f: f.forward,
    ),
)
