"""The charts of the first tab: distances in floats, and errors in rounding units.

They are a module of their own, so that the command line does not load Altair.
"""

from functools import cache

import altair as alt

from lib.discrepancy.rounding_units import HIGHEST, LOWEST, SERIES
from lib.discrepancy.study import BARS, LAST_BAR
from lib.floats.charts import (
    DIFFER,
    EQUAL,
    FIRST,
    INK,
    QUIET,
    SECOND,
    Chart,
    axis,
    chart,
    pick,
    power,
    table,
)
from lib.floats.quantities import power_of_two

SHARE, COMPONENTS = alt.Tooltip("share:Q", format=".2%"), alt.Tooltip("components:Q", format=",")


@cache
def histogram() -> Chart:
    """The share of components by signed distance; bars can be picked."""
    far = "abs(datum.value) < 2 ? abs(datum.value) : pow(2, abs(datum.value) - 1)"
    sign = "datum.value < 0 ? '−' : ''"
    labels = f"abs(datum.value) == {LAST_BAR} ? 'more' : ({sign}) + format({far}, ',')"
    shown = [bar for bar in BARS if bar in (0, 1, -1) or bar % 3 == 0]
    axis_x = alt.Axis(labelAngle=0, labelExpr=labels, values=shown, ticks=False)
    x = alt.X("bar:O", title="floats apart, backward() − Jacobian; 0 is equal", axis=axis_x)
    # The axis goes to 4 % or more, also while the chart is empty.
    shares = alt.Scale(domain=alt.DomainUnionWith(unionWith=[0, 0.04]))
    axis_y = alt.Axis(format="%", tickCount=4)
    y = alt.Y("share:Q", title="share of components", scale=shares, axis=axis_y)
    hues = alt.condition("datum.bar == 0", alt.value(EQUAL), alt.value(DIFFER))
    edges = alt.condition("datum.picked", alt.value(INK), alt.value(None))
    tooltip = [alt.Tooltip("floats:N"), COMPONENTS, SHARE]
    # For screen readers: the number of a bar is no distance.
    said = alt.Description("floats:N")
    bars = table("bars").mark_bar()
    bars = bars.encode(x=x, y=y, color=hues, stroke=edges, tooltip=tooltip, description=said)
    # Columns of full height are clicked more easily than low bars.
    columns = (
        table("bars")
        .mark_rect(opacity=0, cursor="pointer")
        .encode(x=x, tooltip=tooltip, key="bar:O", description=said)
    )
    return chart(alt.layer(bars, columns.add_params(pick("bar"))), "bars", height=290)


@cache
def units() -> Chart:
    """Both errors and the discrepancy in rounding units, and the bound on the discrepancy."""
    scale = alt.Scale(domain=[LOWEST - 2, HIGHEST], nice=False)
    label = f"datum.value < {LOWEST} ? (datum.value == {LOWEST - 2} ? '0' : '') : {power(2)}"
    low, high = map(power_of_two, (LOWEST + 1, HIGHEST - 1))
    ends = f"rounding units: 0, below {low}, …, {high} and more"
    x = alt.X(
        "x:Q", title=ends, scale=scale, axis=alt.Axis(labelExpr=label, tickMinStep=2, tickCount=10)
    )
    y = alt.Y(
        "share:Q",
        title="components",
        scale=alt.Scale(domain=alt.DomainUnionWith(unionWith=[0, 0.04])),
        axis=axis(format="%", tickCount=4),
    )
    legend = alt.Legend(
        orient="top", title=None, columns=1, labelLimit=220, symbolSize=300, symbolStrokeWidth=2
    )
    hues = alt.Scale(domain=list(SERIES), range=[FIRST, SECOND, DIFFER])
    dashes = alt.Scale(domain=list(SERIES), range=[[1, 0], [6, 2], [2, 2]])
    steps = table("units").mark_line(interpolate="step-after", strokeWidth=2)
    color = alt.Color("series:N", scale=hues, legend=legend)
    dash = alt.StrokeDash("series:N", scale=dashes, legend=legend)
    tooltip = ["series:N", alt.Tooltip("size:N", title="units"), SHARE]
    curves = steps.encode(x=x, y=y, color=color, strokeDash=dash, tooltip=tooltip)
    bound = table("bound").mark_rule(color=QUIET, strokeWidth=2, strokeDash=[8, 4]).encode(x=x)
    name = table("bound").mark_text(color=QUIET, align="right", baseline="top", dx=-5)
    name = name.encode(x=x, y=alt.value(2), text="name:N")
    return chart(alt.layer(curves, bound, name), "units", "bound", height=300)
