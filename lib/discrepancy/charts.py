"""The charts: which gradient is closer to the exact one, and how far off both are."""

from functools import cache

import altair as alt

from lib.discrepancy.tables import LABELS, SERIES
from lib.floats.charts import (
    COMPONENTS,
    DIFFER,
    EQUAL,
    FIRST,
    QUIET,
    SECOND,
    SHARE,
    UP_TO_ALL,
    Chart,
    axis,
    chart,
    power,
    table,
    texts,
    titled,
)


@cache
def closer() -> Chart:
    """The share of components in which each gradient is closer."""
    names = list(LABELS.values())
    x = alt.X("share:Q", title="components", scale=UP_TO_ALL, axis=alt.Axis(format="%"))
    y = alt.Y("verdict:N", sort=names, title=None, axis=alt.Axis(labelLimit=200))
    hues = alt.Scale(domain=names, range=[FIRST, SECOND, EQUAL, QUIET])
    color = alt.Color("verdict:N", scale=hues, legend=None)
    bars = table("closer").mark_bar().encode(x=x, y=y, color=color, tooltip=["verdict:N", COMPONENTS, SHARE])
    return chart(bars, "closer", height=200)


@cache
def units() -> Chart:
    """Both errors and the discrepancy in rounding units, and the bound on the discrepancy."""
    scale = alt.Scale(domain=[-10, 10], nice=False)
    label = f"datum.value < -8 ? (datum.value == -10 ? '0' : '') : {power(2)}"
    x = alt.X("x:Q", title="rounding units", scale=scale, axis=alt.Axis(labelExpr=label, tickMinStep=2, tickCount=10))
    y = alt.Y("share:Q", title="components", scale=alt.Scale(type="sqrt", domain=[0, 1]), axis=axis(format="%"))
    legend = alt.Legend(orient="top", title=None, columns=1, labelLimit=220, symbolSize=300, symbolStrokeWidth=2)
    hues = alt.Scale(domain=list(SERIES), range=[FIRST, SECOND, DIFFER])
    dashes = alt.Scale(domain=list(SERIES), range=[[1, 0], [6, 2], [2, 2]])
    steps = table("units").mark_line(interpolate="step-after", strokeWidth=2)
    color = alt.Color("series:N", scale=hues, legend=legend)
    dash = alt.StrokeDash("series:N", scale=dashes, legend=legend)
    tooltip = ["series:N", *titled(size="units"), SHARE]
    curves = steps.encode(x=x, y=y, color=color, strokeDash=dash, tooltip=tooltip)
    bound = table("bound").mark_rule(color=QUIET, strokeWidth=2, strokeDash=[8, 4]).encode(x=x)
    name = texts(
        "bound", {"x": x, "y": alt.value(2), "text": "name:N"}, color=QUIET, align="right", baseline="top", dx=-5
    )
    return chart(alt.layer(curves, bound, name), "units", "bound", height=300)
