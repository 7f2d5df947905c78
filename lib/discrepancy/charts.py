"""The charts of the discrepancy: how far apart the two gradients are."""

import altair as alt

from lib.discrepancy.tables import ULP_LABELS
from lib.display.charts import GREY, ORANGE, TEAL, Chart, axis, chart, power, table

_KIND = alt.Color("kind:N", scale=alt.Scale(domain=["equal", "different"], range=[GREY, TEAL]), legend=None)
_POWER_OF_TWO = power(2)


def ulps() -> Chart:
    """Signed ulp histogram: the share of components at each distance, exact zeros in the middle."""
    bars = (
        table("ulps")
        .mark_bar()
        .encode(
            x=alt.X("ulps:N", sort=ULP_LABELS, title="backward − jacobian, in ulps", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="components", scale=alt.Scale(domain=[0, 1]), axis=axis(format="%")),
            color=_KIND,
            tooltip=[
                alt.Tooltip("ulps:N", title="ulps apart"),
                alt.Tooltip("components:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
    )
    return chart(bars, "ulps")


def cells() -> Chart:
    """Ulp distance against condition number: binades as cells, the line on which they are equal, and the exact zeros in
    the lowest row."""
    ticks = {"tickMinStep": 2, "tickCount": 7}
    scale = alt.Scale(zero=False, nice=False)
    exponents = alt.Axis(labelExpr=_POWER_OF_TWO, labelFlush=True, **ticks)
    exponents_above_zeros = axis(labelExpr=f"datum.value < 0 ? '' : {_POWER_OF_TWO}", **ticks)
    x = alt.X("x:Q", title="condition number S/|g|", axis=exponents, scale=scale)
    y = alt.Y("y:Q", title="ulps apart", axis=exponents_above_zeros, scale=scale)
    shade = alt.Scale(type="pow", exponent=0.4, domain=[0, 0.1], range=[0.2, 1], clamp=True)
    frame = table("frame").mark_point(opacity=0).encode(x=x, y=y)
    rectangles = (
        table("cells")
        .mark_rect()
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2="y2:Q",
            color=_KIND,
            opacity=alt.Opacity("share:Q", scale=shade, legend=None),
            tooltip=[
                alt.Tooltip("condition:N", title="S/|g|"),
                alt.Tooltip("ulps:N", title="ulps apart"),
                alt.Tooltip("components:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
    )
    line = table("frame").mark_line(color=ORANGE, strokeDash=[5, 3], clip=True).encode(x=x, y=alt.Y("line:Q"))
    name = (
        table("frame")
        .mark_text(color=ORANGE, align="right", baseline="bottom", dx=-30, dy=8)
        .encode(x=x, y=alt.Y("line:Q"), text="line_name:N")
    )
    zero = (
        table("frame")
        .mark_text(color=GREY, align="right", baseline="bottom", dx=-8)
        .encode(x=x, y=y, text="zero_name:N")
    )
    return chart(alt.layer(frame, rectangles, line, name, zero), "cells", "frame")


def arrivals() -> Chart:
    """Share of equal components among the first n samples, as n grows."""
    thousands = alt.Axis(format="~s", tickCount=6, labelFlush=True)
    x = alt.X("samples:Q", title="samples", scale=alt.Scale(type="log", nice=False), axis=thousands)
    y = alt.Y("share:Q", title="equal components", scale=alt.Scale(domain=[0, 1]), axis=axis(format="%"))
    span = table("span").mark_point(opacity=0).encode(x=x, y=y)
    curve = (
        table("arrivals")
        .mark_line(color=GREY, point=alt.OverlayMarkDef(color=GREY, size=12))
        .encode(
            x=x,
            y=y,
            tooltip=[alt.Tooltip("samples:Q", format=","), alt.Tooltip("share:Q", title="equal", format=".2%")],
        )
    )
    return chart(alt.layer(span, curve), "arrivals", "span")


ULPS, CELLS, ARRIVALS = ulps(), cells(), arrivals()
