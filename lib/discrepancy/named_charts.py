"""The charts of the named comparisons: sizes against what they may grow with, and methods against methods."""

from functools import cache

import altair as alt

from lib.discrepancy import ladder
from lib.discrepancy.agreement import NAMES
from lib.discrepancy.named_tables import Growth
from lib.discrepancy.scaling import GROWTHS
from lib.floats.charts import DIFFER, EQUAL, QUIET, SHARE, Chart, axis, chart, power, table, titled

_GROWTHS = {"ladder": ladder.GROWTH, **GROWTHS}


@cache
def growth(name: str) -> Chart:
    """Sizes against a number, both axes as powers, with guide lines: triangles are the largest, crosses the means."""
    drawn: Growth = _GROWTHS[name]
    x_axis = alt.Axis(labelExpr=power(drawn.base), tickMinStep=1, tickCount=8)
    x = alt.X("x:Q", title=drawn.x, axis=x_axis, scale=alt.Scale(zero=False, nice=False, padding=20))
    y_axis = axis(labelExpr=power(drawn.base), tickMinStep=1, tickCount=8)
    y = alt.Y("y:Q", title=drawn.y, axis=y_axis, scale=alt.Scale(zero=False, padding=20))
    shapes = alt.Scale(domain=["largest", "mean"], range=["triangle-up", "cross"])
    guides = table(drawn.guides).mark_line(color=QUIET, strokeDash=[5, 3]).encode(x=x, y=y, detail="name:N")
    points = (
        table(drawn.name)
        .mark_point(size=90, fill=DIFFER, color=DIFFER)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape("kind:N", scale=shapes, legend=None),
            tooltip=titled(name="name", kind="kind", size=drawn.y),
        )
    )
    return chart(alt.layer(guides, points), drawn.name, drawn.guides, height=300)


@cache
def agreement() -> Chart:
    """The share of components with equal values, method against method: the darker, the more. A violet edge marks two
    methods that differ in some component."""
    kind = alt.Scale(domain=["the same so far", "different"], range=[EQUAL, DIFFER])
    labels = {"title": None, "labelLimit": 180, "labelOverlap": False}
    place = {"sort": list(NAMES), "scale": alt.Scale(paddingInner=0.12)}
    cells = (
        table("agreement")
        .mark_rect(fill=EQUAL, strokeWidth=1.5)
        .encode(
            x=alt.X("other:N", axis=alt.Axis(labelAngle=-50, **labels), **place),
            y=alt.Y("one:N", axis=alt.Axis(**labels), **place),
            stroke=alt.Stroke("bits:N", scale=kind, legend=None),
            fillOpacity=alt.FillOpacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None),
            tooltip=[*titled(one="one", other="other", bits="values"), SHARE],
        )
    )
    return chart(cells, "agreement", height=440)
