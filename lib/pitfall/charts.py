"""The chart of what a Jacobian costs."""

from functools import cache

import altair as alt

from lib.floats.charts import DIFFER, INK, SECOND, Chart, chart, table


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
