"""The charts of the pitfall: the two populations of error, and the matrices of one sample."""

import altair as alt

from lib.display.charts import GREY, ORANGE, TEAL, Chart, axis, chart, power, table
from lib.pitfall.tables import ROWS, SUM


def populations() -> Chart:
    """Share of the entries of the single call by their distance from the right rows and from the rows' sum."""
    kind = alt.Color("kind:N", scale=alt.Scale(domain=[ROWS, SUM], range=[ORANGE, TEAL]), legend=None)
    decades = axis(labelExpr=f"datum.value < domain('x')[0] + 0.5 ? '' : {power(10)}", tickMinStep=1, tickCount=10)
    x = alt.X("x:Q", title="distance of an entry of the single call", axis=decades, scale=alt.Scale(nice=False))
    y = alt.Y("share:Q", title="entries", scale=alt.Scale(domain=[0, 1]), axis=axis(format="%"))
    frame = table("decades").mark_point(opacity=0).encode(x=x, y=y)
    bars = (
        table("populations")
        .mark_rect(opacity=0.75, stroke=None)
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2=alt.Y2(datum=0),
            color=kind,
            tooltip=[
                alt.Tooltip("kind:N", title="distance"),
                alt.Tooltip("error:N", title="size"),
                alt.Tooltip("entries:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
    )
    names = table("population_names").mark_text(baseline="top").encode(x=x, y=y, text="kind:N", color=kind)
    zero = (
        table("decades").mark_text(color=GREY, align="left", baseline="top", dx=2).encode(x=x, y=y, text="zero_name:N")
    )
    return chart(alt.layer(frame, bars, names, zero), "populations", "decades", "population_names", height=390)


def matrix(name: str) -> Chart:
    """A matrix as cells: the colour tells the sign, the strength of it the size next to the largest entry."""
    sign = alt.Color("sign:N", scale=alt.Scale(domain=["positive", "negative"], range=[TEAL, ORANGE]), legend=None)
    labels = {"labelAngle": 0, "labelOverlap": True}
    cells = (
        table(name)
        .mark_rect()
        .encode(
            x=alt.X("input:O", axis=alt.Axis(title="input", **labels)),
            y=alt.Y("output:O", axis=axis(title="output", **labels)),
            color=sign,
            opacity=alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None),
            tooltip=["output:O", "input:O", "value:N"],
        )
    )
    return chart(cells, name, height=240)


POPULATIONS = populations()
RIGHT, SINGLE = matrix("right"), matrix("single")
