"""The charts of the costs: time and peak memory of one Jacobian against the number of outputs, by method."""

import altair as alt

from lib.display.charts import BLUE, GREY, ORANGE, TEAL, VIOLET, Chart, axis, chart, power, table
from lib.pitfall.cost_tables import FAMILIES

_HEIGHT = 380


def _costs(quantity: str, title: str) -> Chart:
    """One curve per method in the colour of its family, with its name at the end; both axes are powers."""
    palette = alt.Scale(domain=list(FAMILIES), range=[TEAL, BLUE, VIOLET, ORANGE, GREY])
    colour = alt.Color("family:N", scale=palette, legend=None)
    # Right of the last number of outputs there is room for the names, where the axis has no labels.
    outputs = axis(labelExpr="datum.value > domain('x')[1] - 2 ? '' : pow(2, datum.value)", tickMinStep=1, grid=False)
    x = alt.X("x:Q", title="outputs", axis=outputs, scale=alt.Scale(nice=False))
    powers = axis(labelExpr=power(10), tickMinStep=1)
    y = alt.Y(f"{quantity}:Q", title=title, axis=powers, scale=alt.Scale(nice=False, zero=False))
    frame = table("cost_frame").mark_point(opacity=0).encode(x=x, y=y)
    curves = table("costs").mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, detail="method:N")
    points = (
        table("costs")
        .mark_point(filled=True, size=22)
        .encode(
            x=x,
            y=y,
            color=colour,
            tooltip=["method:N", "outputs:Q", "time:N", "spread:N", "memory:N"],
        )
    )
    names = (
        table("cost_names")
        .mark_text(align="left", dx=6, fontSize=11)
        .encode(x=x, y=alt.Y(f"{quantity}:Q"), text="method:N", color=colour)
    )
    layers = [frame, curves, points, names]
    tables = ["costs", "cost_frame", "cost_names"]
    if quantity == "seconds":
        spread = table("costs").mark_rule(strokeWidth=3, opacity=0.35).encode(x=x, y="low:Q", y2="high:Q", color=colour)
        slope = table("slope").mark_line(color=GREY, strokeDash=[5, 3]).encode(x=x, y=y)
        slope_name = table("slope").mark_text(color=GREY, align="right", dx=-8).encode(x=x, y=y, text="name:N")
        layers += [spread, slope, slope_name]
        tables.append("slope")
    return chart(alt.layer(*layers), *tables, height=_HEIGHT)


def time() -> Chart:
    """Median time of one Jacobian with its quartiles, and the line that a loop over the outputs follows."""
    return _costs("seconds", "time of one Jacobian, seconds")


def memory() -> Chart:
    """Peak memory of one Jacobian."""
    return _costs("bytes", "peak memory, bytes")


TIME, MEMORY = time(), memory()
