"""What a Jacobian costs, as bars and as a table."""

from functools import cache

import altair as alt
import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.floats.charts import DIFFER, INK, SECOND, Chart, chart, table
from lib.floats.quantities import microseconds
from lib.floats.tables import UNKNOWN


@cache
def time() -> Chart:
    """The time of one Jacobian by each method, the fastest at the top: its median as a bar, its quartiles as a rule.
    What does not return the rows of the Jacobian is violet."""
    methods = alt.Y("method:N", sort=None, title=None, axis=alt.Axis(labelLimit=220))
    x = alt.X("median:Q", title="time of one Jacobian, µs", axis=alt.Axis(format=","))
    hues = alt.Scale(domain=["the rows", "not the rows, or not exact"], range=[SECOND, DIFFER])
    colour = alt.Color("gives:N", scale=hues, legend=alt.Legend(orient="top", title=None))
    bars = table("time").mark_bar(opacity=0.75).encode(x=x, y=methods, color=colour, tooltip=["method:N", "time:N"])
    middle_half = table("time").mark_rule(color=INK).encode(x="low:Q", x2="high:Q", y=methods)
    return chart(alt.layer(bars, middle_half), "time", height=300)


def times(costs: pd.DataFrame, outputs: int) -> pd.DataFrame:
    """The times of one Jacobian with this many outputs, in microseconds, the fastest first: what the chart draws."""
    found = costs[costs["outputs"] == outputs].sort_values("median")
    rows = [METHODS[method].gives == "rows" for method in found["method"]]
    gives = np.where(rows, "the rows", "not the rows, or not exact")
    return found.assign(
        time=found["median"].map(microseconds), gives=gives, **1e6 * found[["low", "median", "high"]]
    ).drop(columns="outputs")


def readable(costs: pd.DataFrame) -> pd.DataFrame:
    """The median times as a table to read: one row per method and one column per number of outputs."""
    medians = costs.pivot(index="method", columns="outputs", values="median")
    written = medians.map(microseconds, na_action="ignore").fillna(UNKNOWN).rename(columns=str)
    return written.reindex([name for name in METHODS if name in written.index])
