"""The charts of the verdict: who is closer to the exact gradient, and all errors on one axis of rounding units."""

import altair as alt

from lib.discrepancy.verdict_tables import LABELS, LIMITS, SERIES
from lib.display.charts import BLUE, GREY, ORANGE, TEAL, Chart, axis, chart, power, table


def closer() -> Chart:
    """Share of components by who is closer."""
    names = list(LABELS.values())
    bars = (
        table("closer")
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="components", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            y=alt.Y("verdict:N", sort=names, title=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color("verdict:N", scale=alt.Scale(domain=names, range=[ORANGE, TEAL, GREY, BLUE]), legend=None),
            tooltip=["verdict:N", alt.Tooltip("components:Q", format=","), alt.Tooltip("share:Q", format=".2%")],
        )
    )
    return chart(bars, "closer", height=200)


def units() -> Chart:
    """Both errors and the discrepancy in rounding units, and what bounds the discrepancy, for certain and probably."""
    scale = alt.Scale(domain=[-10, 10], nice=False)
    label = f"datum.value < -8 ? (datum.value == -10 ? '0' : '') : {power(2)}"
    x = alt.X("x:Q", title="rounding units", scale=scale, axis=alt.Axis(labelExpr=label, tickMinStep=2, tickCount=10))
    y = alt.Y("share:Q", title="components", scale=alt.Scale(type="sqrt", domain=[0, 1]), axis=axis(format="%"))
    legend = alt.Legend(orient="top", title=None, columns=1, labelLimit=220, symbolSize=300, symbolStrokeWidth=2)
    hues = alt.Scale(domain=list(SERIES), range=[ORANGE, TEAL, BLUE])
    dashes = alt.Scale(domain=list(SERIES), range=[[1, 0], [6, 2], [2, 2]])
    steps = (
        table("units")
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("series:N", scale=hues, legend=legend),
            strokeDash=alt.StrokeDash("series:N", scale=dashes, legend=legend),
            tooltip=["series:N", alt.Tooltip("size:N", title="units"), alt.Tooltip("share:Q", format=".2%")],
        )
    )
    layers = [steps]
    for limit, dash, height in zip(LIMITS, ([8, 4], [2, 4]), (2, 18), strict=True):
        rows = table("bound").transform_filter(alt.datum["limit"] == limit)
        rule = rows.mark_rule(color=GREY, strokeWidth=2, strokeDash=dash)
        # Each rule begins below the label of the one before, which it would cross.
        layers.append(rule.encode(x=x, y=alt.value(height - 2), y2=alt.value("height")))
        text = rows.mark_text(color=GREY, align="right", baseline="top", dx=-5)
        layers.append(text.encode(x=x, y=alt.value(height), text="name:N"))
    return chart(alt.layer(*layers), "units", "bound", height=300)


CLOSER, UNITS = closer(), units()
