"""The charts of the discrepancy: how far apart the two gradients are, and how far each is from the exact one."""

from functools import cache

import altair as alt

from lib.discrepancy.verdict_tables import LABELS, LIMITS, SERIES
from lib.display.charts import (
    COMPONENTS,
    DIFFER,
    EQUAL,
    FIRST,
    INK,
    QUIET,
    SECOND,
    SHARE,
    UP_TO_ALL,
    Chart,
    axis,
    chart,
    frame,
    power,
    table,
    texts,
    titled,
)

_KIND = alt.Color("kind:N", scale=alt.Scale(domain=["equal", "different"], range=[EQUAL, DIFFER]), legend=None)
_POWER_OF_TWO = power(2)


@cache
def cells() -> Chart:
    """Floats apart against condition number: a cell for each pair of binades, the line on which the two are equal, and
    exact zeros in the lowest row."""
    ticks = {"tickMinStep": 2, "tickCount": 7}
    scale = alt.Scale(zero=False, nice=False)
    exponents = alt.Axis(labelExpr=_POWER_OF_TWO, labelFlush=True, **ticks)
    exponents_above_zeros = axis(labelExpr=f"datum.value < 0 ? '' : {_POWER_OF_TWO}", **ticks)
    x = alt.X("x:Q", title="condition number S/|g|", axis=exponents, scale=scale)
    y = alt.Y("y:Q", title="floats apart", axis=exponents_above_zeros, scale=scale)
    shade = alt.Scale(type="pow", exponent=0.4, domain=[0, 0.1], range=[0.2, 1], clamp=True)
    opacity = alt.Opacity("share:Q", scale=shade, legend=None)
    tooltip = [*titled(condition="S/|g|", ulps="floats apart"), COMPONENTS, SHARE]
    place = {"x": x, "x2": "x2:Q", "y": y, "y2": "y2:Q"}
    picked = alt.selection_point(name="cell", fields=["x", "y"], empty=False)
    edge = alt.when(picked).then(alt.value(2)).otherwise(alt.value(0))
    cell = table("cells").mark_rect(stroke=INK, cursor="pointer").add_params(picked)
    rectangles = cell.encode(**place, color=_KIND, opacity=opacity, strokeWidth=edge, tooltip=tooltip)
    line = table("frame").mark_line(color=QUIET, strokeDash=[5, 3], clip=True).encode(x=x, y="line:Q")
    low_right = {"align": "right", "baseline": "bottom"}
    name = texts("frame", {"x": x, "y": "line:Q", "text": "line_name:N"}, color=QUIET, **low_right, dx=-30, dy=8)
    zero = texts("frame", {"x": x, "y": y, "text": "zero_name:N"}, color=QUIET, **low_right, dx=-8)
    return chart(alt.layer(frame("frame", x, y), rectangles, line, name, zero), "cells", "frame")


@cache
def arrivals() -> Chart:
    """The share of equal components among the first n samples, as n grows."""
    thousands = alt.Axis(format="~s", tickCount=6, labelFlush=True)
    x = alt.X("samples:Q", title="samples", scale=alt.Scale(type="log", nice=False), axis=thousands)
    y = alt.Y("share:Q", title="equal components", scale=UP_TO_ALL, axis=axis(format="%"))
    tooltip = [alt.Tooltip("samples:Q", format=","), alt.Tooltip("share:Q", title="equal", format=".2%")]
    line = table("arrivals").mark_line(color=EQUAL, point=alt.OverlayMarkDef(color=EQUAL, size=12))
    return chart(alt.layer(frame("span", x, y), line.encode(x=x, y=y, tooltip=tooltip)), "arrivals", "span")


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
    """Both errors and the discrepancy in rounding units, with the certain and the probable bound on the discrepancy."""
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
    layers = [steps.encode(x=x, y=y, color=color, strokeDash=dash, tooltip=tooltip)]
    for limit, dash, height in zip(LIMITS, ([8, 4], [2, 4]), (2, 18), strict=True):
        rows = table("bound").transform_filter(alt.datum["limit"] == limit)
        rule = rows.mark_rule(color=QUIET, strokeWidth=2, strokeDash=dash)
        # Each rule begins below the label of the previous one, so that it does not cross it.
        layers.append(rule.encode(x=x, y=alt.value(height - 2), y2=alt.value("height")))
        text = rows.mark_text(color=QUIET, align="right", baseline="top", dx=-5)
        layers.append(text.encode(x=x, y=alt.value(height), text="name:N"))
    return chart(alt.layer(*layers), "units", "bound", height=300)
