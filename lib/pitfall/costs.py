"""What one Jacobian costs by each method, in time: measured, and drawn.

Unlike the other figures of the tab, these are different at each run.
"""

from functools import cache, partial

import altair as alt
import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, SECOND, Chart, chart, table
from lib.floats.quantities import size
from lib.network import network, sampling
from lib.network.jacobians import JACOBIANS
from lib.network.machine import matmul_flags
from lib.network.timing import in_turns

ROUNDS = 9
"""The number of timings of each method."""

_ROWS = "the rows"
_NO_ROWS = "a sum or an approximation"


def measure(experiment: Experiment) -> pd.DataFrame:
    """Time one Jacobian of the experiment's network, at its first sample, by each method.

    This takes about a second for small networks, and some ten for the largest.

    Returns:
        A row for each method, the fastest first: `method`; `shortest`, its shortest timing, in
        microseconds; `time`, the same as a text; `gives`, whether it returns the rows of the
        Jacobian. Other programs disturb the shortest timing least.
    """
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[0].clone()
    calls = {method: partial(jacobian, net, x) for method, jacobian in JACOBIANS.items()}
    with matmul_flags(experiment):
        shortest = pd.DataFrame(in_turns(calls, ROUNDS)).min()
    # With one output, a row is the sum of the rows.
    kinds_of_rows = ("rows", "sum", "sums") if experiment.outputs == 1 else ("rows",)
    gives_rows = [METHODS[method].gives in kinds_of_rows for method in shortest.index]
    summary = pd.DataFrame(
        {
            "shortest": 1e6 * shortest,
            "time": [f"{size(1e6 * seconds)} µs" for seconds in shortest],
            "gives": np.where(gives_rows, _ROWS, _NO_ROWS),
        }
    )
    return summary.sort_values("shortest").rename_axis("method").reset_index()


@cache
def time_chart() -> Chart:
    """Return the chart of the times: a point for each method, on a logarithmic axis."""
    methods = alt.Y(
        "method:N",
        sort=alt.EncodingSortField("shortest", op="min"),
        title=None,
        axis=alt.Axis(labelLimit=220, labelOverlap=False, labelFlush=False),
    )
    x = alt.X(
        "shortest:Q",
        title="µs for one Jacobian, logarithmic",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format=",d", grid=True),
    )
    colour = alt.Color(
        "gives:N",
        scale=alt.Scale(domain=[_ROWS, _NO_ROWS], range=[SECOND, DIFFER]),
        legend=alt.Legend(orient="top", columns=1, title=None),
    )
    points = table("time").mark_point(filled=True, opacity=1, size=110)
    points = points.encode(
        x=x, y=methods, color=colour, shape="gives:N", tooltip=["method:N", "time:N"]
    )
    return chart(points, "time", height=380)
