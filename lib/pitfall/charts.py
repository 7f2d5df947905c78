"""The charts of the pitfall: its two populations of errors, the matrices of one sample, and the costs of a Jacobian."""

import altair as alt

from lib.display.charts import (
    BLUE,
    GREY,
    ORANGE,
    SHARE,
    TEAL,
    UP_TO_ALL,
    VIOLET,
    Chart,
    axis,
    chart,
    frame,
    power,
    table,
    texts,
    titled,
)
from lib.pitfall.cost_tables import FAMILIES
from lib.pitfall.tables import ROWS, SUM


def populations() -> Chart:
    """The single call's entries by their distance from the right rows, and by their distance from the rows' sum."""
    kind = alt.Color("kind:N", scale=alt.Scale(domain=[ROWS, SUM], range=[ORANGE, TEAL]), legend=None)
    decades = axis(labelExpr=f"datum.value < domain('x')[0] + 0.5 ? '' : {power(10)}", tickMinStep=1, tickCount=10)
    x = alt.X("x:Q", title="distance of an entry of the single call", axis=decades, scale=alt.Scale(nice=False))
    y = alt.Y("share:Q", title="entries", scale=UP_TO_ALL, axis=axis(format="%"))
    tooltip = [*titled(kind="distance", error="size"), alt.Tooltip("entries:Q", format=","), SHARE]
    bars = table("populations").mark_rect(opacity=0.75, stroke=None)
    bars = bars.encode(x=x, x2="x2:Q", y=y, y2=alt.Y2(datum=0), color=kind, tooltip=tooltip)
    names = texts("population_names", {"x": x, "y": y, "text": "kind:N", "color": kind}, baseline="top")
    at_zero = {"x": x, "y": y, "text": "zero_name:N"}
    zero = texts("decades", at_zero, color=GREY, align="left", baseline="top", dx=2)
    layers = alt.layer(frame("decades", x, y), bars, names, zero)
    return chart(layers, "populations", "decades", "population_names", height=390)


def matrix(name: str) -> Chart:
    """A matrix as cells: the colour shows the sign, and its strength the size relative to the largest entry."""
    sign = alt.Color("sign:N", scale=alt.Scale(domain=["positive", "negative"], range=[TEAL, ORANGE]), legend=None)
    labels = {"labelAngle": 0, "labelOverlap": True}
    x = alt.X("input:O", axis=alt.Axis(title="input", **labels))
    y = alt.Y("output:O", axis=axis(title="output", **labels))
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None)
    tooltip = ["output:O", "input:O", "value:N"]
    cells = table(name).mark_rect().encode(x=x, y=y, color=sign, opacity=shade, tooltip=tooltip)
    return chart(cells, name, height=240)


def _costs(quantity: str, title: str) -> Chart:
    """One curve per method in the colour of its family, with its name at the end; both axes are logarithmic."""
    palette = alt.Scale(domain=list(FAMILIES), range=[TEAL, BLUE, VIOLET, ORANGE, GREY])
    colour = alt.Color("family:N", scale=palette, legend=None)
    # The room for the names, right of the last number of outputs, has no labels on the axis.
    outputs = axis(labelExpr="datum.value > domain('x')[1] - 2 ? '' : pow(2, datum.value)", tickMinStep=1, grid=False)
    x = alt.X("x:Q", title="outputs", axis=outputs, scale=alt.Scale(nice=False))
    powers = axis(labelExpr=power(10), tickMinStep=1)
    y = alt.Y(f"{quantity}:Q", title=title, axis=powers, scale=alt.Scale(nice=False, zero=False))
    curves = table("costs").mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, detail="method:N")
    tooltip = ["method:N", "outputs:Q", "time:N", "spread:N", "memory:N"]
    points = table("costs").mark_point(filled=True, size=22).encode(x=x, y=y, color=colour, tooltip=tooltip)
    at_the_end = {"x": x, "y": f"{quantity}:Q", "text": "method:N", "color": colour}
    names = texts("cost_names", at_the_end, align="left", dx=6, fontSize=11)
    layers = [frame("cost_frame", x, y), curves, points, names]
    tables = ["costs", "cost_frame", "cost_names"]
    if quantity == "seconds":
        spread = table("costs").mark_rule(strokeWidth=3, opacity=0.35).encode(x=x, y="low:Q", y2="high:Q", color=colour)
        slope = table("slope").mark_line(color=GREY, strokeDash=[5, 3]).encode(x=x, y=y)
        slope_name = texts("slope", {"x": x, "y": y, "text": "name:N"}, color=GREY, align="right", dx=-8)
        layers += [spread, slope, slope_name]
        tables.append("slope")
    return chart(alt.layer(*layers), *tables, height=380)


def time() -> Chart:
    """The median time of one Jacobian with its quartiles, and the line that a loop over the outputs follows."""
    return _costs("seconds", "time of one Jacobian, seconds")


def memory() -> Chart:
    """The peak memory of one Jacobian."""
    return _costs("bytes", "peak memory, bytes")


POPULATIONS = populations()
RIGHT, SINGLE = matrix("right"), matrix("single")
TIME, MEMORY = time(), memory()
