"""The charts of the pitfall: its two populations of errors, the matrices of one sample, and the costs of a Jacobian."""

from functools import cache

import altair as alt

from lib.floats.charts import DIFFER, SECOND, Chart, axis, chart, table, texts
from lib.pitfall.cost_tables import FAMILIES


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
    """The median time of one Jacobian with its quartiles: one curve per method, its name at the end, dashed like its
    family. Both axes are logarithmic. What does not return the rows of the Jacobian is violet."""
    families = list(FAMILIES)
    hues = alt.Scale(domain=families, range=[SECOND] * (len(families) - 1) + [DIFFER])
    colour = alt.Color("family:N", scale=hues, legend=None)
    dashes = alt.Scale(domain=families, range=[[7, 3], [2, 2], [10, 2, 2, 2], [4, 4], [1, 0]])
    dash = alt.StrokeDash("family:N", scale=dashes, legend=None)
    outputs = axis(labelExpr="format(pow(2, datum.value), '.0f')", labelOverlap=True, tickMinStep=1, grid=False)
    x = alt.X("x:Q", title="outputs", axis=outputs, scale=alt.Scale(nice=False))
    powers = axis(labelExpr="format(pow(10, datum.value + 6), ',')", tickMinStep=1)
    y = alt.Y("seconds:Q", title="time of one Jacobian, µs", axis=powers, scale=alt.Scale(zero=False))
    lines = table("costs").mark_line(strokeWidth=1.5)
    curves = lines.encode(x=x, y=y, color=colour, strokeDash=dash, detail="method:N")
    tooltip = ["method:N", "outputs:Q", "time:N", "spread:N", "memory:N"]
    points = table("costs").mark_point(filled=True, size=22).encode(x=x, y=y, color=colour, tooltip=tooltip)
    spread = table("costs").mark_rule(strokeWidth=3, opacity=0.35).encode(x=x, y="low:Q", y2="high:Q", color=colour)
    at_the_end = {"x": x, "y": "seconds:Q", "text": "method:N", "color": colour}
    names = texts("cost_names", at_the_end, align="left", dx=6)
    return chart(alt.layer(curves, points, spread, names), "costs", "cost_names", height=380)
