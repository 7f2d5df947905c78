"""The charts of the variations: which methods agree, the dtype ladder, the small multiples of scaling."""

from functools import cache

import altair as alt

from lib.display.charts import DIFFER, EQUAL, QUIET, Chart, axis, chart, power, table
from lib.variations.agreement import NAMES
from lib.variations.scaling import table_name as sweep_name


@cache
def agreement() -> Chart:
    """The share of components with equal values, method against method: the darker, the more. A violet edge marks two
    methods that differ in some component."""
    kind = alt.Scale(domain=["the same so far", "different"], range=[EQUAL, DIFFER])
    labels = {"title": None, "labelLimit": 180, "labelOverlap": False}
    cell = alt.Scale(paddingInner=0.12)
    cells = (
        table("agreement")
        .mark_rect(fill=EQUAL, strokeWidth=1.5)
        .encode(
            x=alt.X("other:N", sort=list(NAMES), axis=alt.Axis(labelAngle=-50, **labels), scale=cell),
            y=alt.Y("one:N", sort=list(NAMES), axis=alt.Axis(**labels), scale=cell),
            stroke=alt.Stroke("bits:N", scale=kind, legend=None),
            fillOpacity=alt.FillOpacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None),
            tooltip=[
                alt.Tooltip("one:N", title="one"),
                alt.Tooltip("other:N", title="other"),
                alt.Tooltip("share:Q", title="equal components", format=".1%"),
                alt.Tooltip("bits:N", title="values"),
            ],
        )
    )
    return chart(cells, "agreement", height=440)


@cache
def ladder() -> Chart:
    """The largest and the mean discrepancy against eps, both axes as powers of ten, with the line of slope 1.

    A dtype's name stands right of its mean, where the line, which rises from the left, does not pass. Emulations have
    hollow marks, without names: they stand above or below a dtype with the same eps.
    """
    shapes = alt.Scale(domain=["largest", "mean"], range=["triangle-up", "cross"])
    x_axis = alt.Axis(labelExpr=power(10), tickMinStep=1, tickCount=8)
    room = [20, alt.ExprRef("width - 70")]  # pixels for the marks, and for the name of the last dtype
    eps = alt.Scale(domain=[-16, -2], zero=False, nice=False, range=room)  # of float64 to bfloat16
    x = alt.X("eps:Q", title="eps of the dtype", axis=x_axis, scale=eps)
    y_axis = axis(labelExpr=power(10), tickMinStep=1, tickCount=8)
    y = alt.Y("discrepancy:Q", title="|backward − jacobian|", axis=y_axis, scale=alt.Scale(zero=False, padding=20))
    line = table("ladder_line").mark_line(color=QUIET, strokeDash=[5, 3]).encode(x=x, y=y)
    tooltip = [
        "dtype:N",
        "kind:N",
        alt.Tooltip("name:N", title="discrepancy"),
        alt.Tooltip("equal:Q", title="equal components", format=".1%"),
    ]
    points, hollow = (
        table(name)
        .mark_point(filled=filled, size=size, color=DIFFER)
        .encode(x=x, y=y, shape=alt.Shape("kind:N", scale=shapes, legend=None), tooltip=tooltip)
        for name, filled, size in (("ladder", True, 70), ("ladder_emulated", False, 160))
    )
    names = (
        table("ladder")
        .transform_filter(alt.datum.kind == "mean")
        .mark_text(align="left", dx=12, color=DIFFER)
        .encode(x=x, y=y, text="dtype:N")
    )
    return chart(alt.layer(line, points, hollow, names), "ladder", "ladder_emulated", "ladder_line", height=360)


@cache
def growth(sweep: str, quantity: str) -> Chart:
    """A quantity against the swept number n, with the lines that grow as √n and as n."""
    points, guides = (sweep_name(sweep, quantity, kind) for kind in ("points", "guides"))
    numbers = alt.Axis(labelExpr="pow(2, datum.value)", tickMinStep=1)
    x = alt.X("x:Q", title=sweep, axis=numbers, scale=alt.Scale(nice=False))
    powers = axis(labelExpr=power(2), tickMinStep=1)
    y = alt.Y("y:Q", title=quantity, axis=powers, scale=alt.Scale(zero=False))
    lines = table(guides).mark_line(color=QUIET, strokeDash=[5, 3], strokeWidth=1).encode(x=x, y=y, detail="name:N")
    curve = (
        table(points)
        .mark_line(color=DIFFER, point=alt.OverlayMarkDef(color=DIFFER, size=25))
        .encode(x=x, y=y, tooltip=[alt.Tooltip("value:Q", title=sweep), alt.Tooltip("size:N", title=quantity)])
    )
    return chart(alt.layer(lines, curve), points, guides, height=200)
