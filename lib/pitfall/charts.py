"""The charts of the pitfall: its two populations of errors, the matrices of one sample, and the costs of a Jacobian."""

from functools import cache

import altair as alt

from lib.display.charts import DIFFER, QUIET, SECOND, Chart, axis, chart, frame, table, texts
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


def _costs(quantity: str, title: str, shift: int) -> Chart:
    """One curve per method with its name at the end, dashed like its family; both axes are logarithmic.

    What does not return the rows of the Jacobian is violet. The axis is labelled in units of 10**-shift.
    """
    families = list(FAMILIES)
    hues = alt.Scale(domain=families, range=[SECOND] * (len(families) - 1) + [DIFFER])
    colour = alt.Color("family:N", scale=hues, legend=None)
    dashes = alt.Scale(domain=families, range=[[7, 3], [2, 2], [10, 2, 2, 2], [4, 4], [1, 0]])
    dash = alt.StrokeDash("family:N", scale=dashes, legend=None)
    # A tick for every number of outputs that is measured, which need not be a power of two.
    at = alt.ExprRef("pluck(data('cost_ticks'), 'x')")
    outputs = axis(values=at, labelExpr="format(pow(2, datum.value), '.0f')", labelOverlap=True, ticks=True, grid=False)
    x = alt.X("x:Q", title="outputs", axis=outputs, scale=alt.Scale(nice=False))
    powers = axis(labelExpr=f"format(pow(10, datum.value + {shift}), ',')", tickMinStep=1)
    y = alt.Y(f"{quantity}:Q", title=title, axis=powers, scale=alt.Scale(nice=False, zero=False))
    lines = table("costs").mark_line(strokeWidth=1.5)
    curves = lines.encode(x=x, y=y, color=colour, strokeDash=dash, detail="method:N")
    tooltip = ["method:N", "outputs:Q", "time:N", "spread:N", "memory:N"]
    points = table("costs").mark_point(filled=True, size=22).encode(x=x, y=y, color=colour, tooltip=tooltip)
    at_the_end = {"x": x, "y": f"{quantity}:Q", "text": "method:N", "color": colour}
    names = texts("cost_names", at_the_end, align="left", dx=6)
    layers = [frame("cost_frame", x, y), frame("cost_ticks", x, alt.YValue(0)), curves, points, names]
    tables = ["costs", "cost_frame", "cost_ticks", "cost_names"]
    if quantity == "seconds":
        spread = table("costs").mark_rule(strokeWidth=3, opacity=0.35).encode(x=x, y="low:Q", y2="high:Q", color=colour)
        # Its name says what it is; as long as it has no points it would be a picture without a text.
        slope = table("slope").mark_line(color=QUIET, strokeDash=[5, 3], aria=False).encode(x=x, y=y)
        slope_name = texts("slope", {"x": x, "y": y, "text": "name:N"}, color=QUIET, align="right", dx=-8)
        layers += [spread, slope, slope_name]
        tables.append("slope")
    return chart(alt.layer(*layers), *tables, height=380)


@cache
def time() -> Chart:
    """The median time of one Jacobian with its quartiles, and the line that a loop over the outputs follows."""
    return _costs("seconds", "time of one Jacobian, µs", 6)


@cache
def memory() -> Chart:
    """The peak memory of one Jacobian."""
    return _costs("bytes", "peak memory, kB", -3)
