"""The charts of the derivatives by hand: their errors in ulps, and at which x these occur."""

from functools import cache

import altair as alt

from lib.floats.charts import FIRST, SECOND, SHARE, Chart, axis, chart, table, titled

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
