"""What one Jacobian costs by each method, in time: measured, drawn as bars, and said.

Unlike all other figures, these depend on the machine and on the moment.
"""

from functools import cache, partial
from types import SimpleNamespace

import altair as alt
import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, INK, SECOND, Chart, chart, table
from lib.floats.quantities import counted, listed, microseconds
from lib.floats.sentences import Sentence
from lib.network import network, sampling
from lib.network.jacobians import METHODS as JACOBIANS
from lib.network.machine import matmul_flags
from lib.network.timing import in_turns

ROUNDS = 9
"""The number of timings of each method."""

_ROWS = "the rows"
_NO_ROWS = "not exact rows"


def measure(experiment: Experiment) -> pd.DataFrame:
    """Time one Jacobian of the experiment's network, at its first sample, by each method.

    Returns:
        The table that `times` makes. It takes up to about two seconds.
    """
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[0].clone()
    calls = {method: partial(jacobian, net, x) for method, jacobian in JACOBIANS.items()}
    with matmul_flags(experiment):
        return times(in_turns(calls, ROUNDS), experiment)


def times(rounds: list[dict[str, float]], experiment: Experiment) -> pd.DataFrame:
    """Summarize timings.

    Args:
        rounds: the seconds of one Jacobian by each method, in each round.
        experiment: the experiment whose Jacobian it is.

    Returns:
        A row for each method, the fastest first: `method`; `low`, `median` and `high`, the
        quartiles of its timings in microseconds; `time`, the median as a text; `gives`, whether it
        returns the rows of the Jacobian.
    """
    seconds = pd.DataFrame(rounds)
    medians = seconds.median()
    exact = ("rows", "sum", "sums") if experiment.outputs == 1 else ("rows",)  # a row is its sum
    rows = [METHODS[method].gives in exact for method in seconds]
    summary = pd.DataFrame(
        {
            "low": 1e6 * seconds.quantile(0.25),
            "median": 1e6 * medians,
            "high": 1e6 * seconds.quantile(0.75),
            "time": medians.map(microseconds),
            "gives": np.where(rows, _ROWS, _NO_ROWS),
        }
    )
    return summary.sort_values("median").rename_axis("method").reset_index()


@cache
def time_chart() -> Chart:
    """Return the chart of `times`: the median as a bar, the quartiles as a line across its end."""
    methods = alt.Y(
        "method:N",
        sort=alt.EncodingSortField("median", op="min"),
        title=None,
        axis=alt.Axis(labelLimit=220, labelOverlap=False, labelFlush=False),
    )
    x = alt.X("median:Q", title="time of one Jacobian, µs", axis=alt.Axis(format=",d", tickCount=8))
    colour = alt.Color(
        "gives:N",
        scale=alt.Scale(domain=[_ROWS, _NO_ROWS], range=[SECOND, DIFFER]),
        legend=alt.Legend(orient="top", columns=1, title=None),
    )
    bars = table("time").mark_bar(opacity=0.75)
    bars = bars.encode(x=x, y=methods, color=colour, tooltip=["method:N", "time:N"])
    quartiles = table("time").mark_rule(color=INK).encode(x="low:Q", x2="high:Q", y=methods)
    return chart(alt.layer(bars, quartiles), "time", height=380)


def facts(times: pd.DataFrame, experiment: Experiment) -> SimpleNamespace:
    """Return the fastest method that returns the rows, its time, and the methods as fast as it.

    These are the methods whose quartiles overlap with those of the fastest.
    """
    best, *others = times[times["gives"] == _ROWS].itertuples()
    rivals = [method.method for method in others if method.low <= best.high]
    return SimpleNamespace(
        outputs=counted(experiment.outputs, "output"),
        best=best.method,
        time=best.time,
        rivals=listed(f"`{method}`" for method in rivals),
    )


COSTS = (
    Sentence("**With {f.outputs}, `{f.best}` returns the rows fastest: in {f.time}.**"),
    Sentence("As fast, as far as these timings tell: {f.rivals}.", lambda f: f.rivals),
)
"""What the timings say."""
