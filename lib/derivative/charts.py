"""The charts of the derivatives by hand: their errors in ulps, and at which x these occur."""

from functools import cache

import altair as alt

from lib.display.charts import FIRST, QUIET, SECOND, SHARE, Chart, axis, chart, table, texts, titled

# Autograd comes first in every table. All formulas are the other side, so their dashes tell them apart.
_DASHES = [[1, 0], [7, 3], [2, 2], [10, 2, 2, 2], [4, 4]]
_HUES = [FIRST] + [SECOND] * (len(_DASHES) - 1)
_HEIGHT = 340
_LEGEND = alt.Legend(orient="top", title=None, columns=2, labelLimit=260, symbolSize=300, symbolStrokeWidth=2)
_SERIES = {
    "color": alt.Color("series:N", sort=None, scale=alt.Scale(range=_HUES), legend=_LEGEND),
    "strokeDash": alt.StrokeDash("series:N", sort=None, scale=alt.Scale(range=_DASHES), legend=_LEGEND),
}


@cache
def errors() -> Chart:
    """The share of x by the error in ulps; an error of less than half an ulp is a correct rounding."""
    # The axis shows the square root of the share, so that columns of a few per cent and of all x can both be read.
    share = alt.Scale(type="sqrt", domain=[0, 1])
    x = alt.X("x:Q", title="error in ulps of the exact derivative", scale=alt.Scale(domain=[0, 4.125], nice=False))
    percents = axis(format="%", values=[0, 0.05, 0.2, 0.4, 0.6, 0.8, 1])
    y = alt.Y("share:Q", title="share of x", scale=share, axis=percents)
    steps = table("errors").mark_line(interpolate="step-after", strokeWidth=2)
    tooltip = ["series:N", *titled(ulps="error in ulps"), SHARE]
    return chart(steps.encode(x=x, y=y, **_SERIES, tooltip=tooltip), "errors", height=_HEIGHT)


@cache
def by_x() -> Chart:
    """The mean error over x. Both axes take their labels from tables; that of the error ends at its last one."""
    own_labels = {"labelOpacity": 0, "grid": False, "ticks": False, "domain": False}
    x = alt.X("x:Q", title="x", axis=alt.Axis(**own_labels), scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("mean:Q", title="mean error in ulps", axis=axis(**own_labels), scale=alt.Scale(nice=False))
    tooltip = ["series:N", *titled(range="x", error="mean error in ulps", correct="correctly rounded")]
    lines = table("by_x").mark_line(strokeWidth=1.5, clip=True).encode(x=x, y=y, **_SERIES, tooltip=tooltip)
    upright = table("x_ticks").mark_rule(color=QUIET, opacity=0.25).encode(x=x)
    level = table("mean_ticks").mark_rule(color=QUIET, opacity=0.25).encode(y=y)
    at_the_bottom, at_the_left = {"x": x, "y": alt.value("height")}, {"x": alt.value(0), "y": y}
    below = texts("x_ticks", at_the_bottom | {"text": "label:N"}, color=QUIET, baseline="top", dy=6)
    beside = texts("mean_ticks", at_the_left | {"text": "label:N"}, color=QUIET, align="right", dx=-8)
    layers = alt.layer(upright, level, lines, below, beside)
    return chart(layers, "by_x", "x_ticks", "mean_ticks", height=_HEIGHT)
