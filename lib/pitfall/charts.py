"""The charts of the pitfall: its two populations of errors, the matrices of one sample, and the costs of a Jacobian."""

from functools import cache

import altair as alt

from lib.floats.charts import DIFFER, INK, SECOND, Chart, axis, chart, table


@cache
def matrix(name: str) -> Chart:
    """A matrix as cells, negative ones hollow: the darker, the larger in size relative to the largest entry."""
    colour = {"right": SECOND, "single": DIFFER}[name]
    signs = alt.Scale(domain=["positive", "negative"], range=[colour, alt.ExprRef("background")])
    sign = alt.Fill("sign:N", scale=signs, legend=None)
    labels, cell = {"labelAngle": 0, "labelOverlap": True}, alt.Scale(paddingInner=0.08)
    x = alt.X("input:O", axis=alt.Axis(title="input", **labels), scale=cell)
    y = alt.Y("output:O", axis=axis(title="output", **labels), scale=cell)
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None)
    tooltip = ["output:O", "input:O", "value:N"]
    cells = table(name).mark_rect(stroke=colour).encode(x=x, y=y, fill=sign, opacity=shade, tooltip=tooltip)
    return chart(cells, name, height=240)


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
