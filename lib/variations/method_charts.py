"""The charts that compare methods and dtypes: who agrees with whom, and the dtype ladder."""

import altair as alt

from lib.display.charts import GREY, ORANGE, TEAL, Chart, axis, chart, power, table
from lib.variations.agreement import NAMES


def agreement() -> Chart:
    """Share of components with equal values, method against method; grey where nothing has told two apart."""
    kind = alt.Scale(domain=["the same so far", "different"], range=[GREY, TEAL])
    labels = {"title": None, "labelLimit": 180, "labelOverlap": False}
    cells = (
        table("agreement")
        .mark_rect(stroke="white", strokeOpacity=0.25)
        .encode(
            x=alt.X("other:N", sort=list(NAMES), axis=alt.Axis(labelAngle=-50, **labels)),
            y=alt.Y("one:N", sort=list(NAMES), axis=alt.Axis(**labels)),
            color=alt.Color("bits:N", scale=kind, legend=None),
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.06, 1]), legend=None),
            tooltip=[
                alt.Tooltip("one:N", title="one"),
                alt.Tooltip("other:N", title="other"),
                alt.Tooltip("share:Q", title="equal components", format=".1%"),
                alt.Tooltip("bits:N", title="values"),
            ],
        )
    )
    return chart(cells, "agreement", height=440)


def ladder() -> Chart:
    """Largest and mean discrepancy against eps, both as powers of ten, with the line of slope 1."""
    kinds = ["largest", "mean"]
    kind = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[ORANGE, TEAL]), legend=None)
    x_axis = alt.Axis(labelExpr=power(10), tickMinStep=1, tickCount=8)
    eps = alt.Scale(domain=[-16, -2], zero=False, nice=False, padding=100)  # of float64 to bfloat16
    x = alt.X("eps:Q", title="eps of the dtype", axis=x_axis, scale=eps)
    y_axis = axis(labelExpr=power(10), tickMinStep=1, tickCount=8)
    y = alt.Y("discrepancy:Q", title="|backward − jacobian|", axis=y_axis, scale=alt.Scale(zero=False, padding=20))
    line = table("ladder_line").mark_line(color=GREY, strokeDash=[5, 3]).encode(x=x, y=y)
    points = (
        table("ladder")
        .mark_point(filled=True, size=70)
        .encode(
            x=x,
            y=y,
            color=kind,
            shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond"]), legend=None),
            tooltip=[
                "dtype:N",
                "kind:N",
                alt.Tooltip("name:N", title="discrepancy"),
                alt.Tooltip("equal:Q", title="equal components", format=".1%"),
            ],
        )
    )
    # The largest to the left of their points and the means to the right, so that neighbours are clear of each other.
    names = [
        table("ladder")
        .transform_filter(alt.datum.kind == name)
        .mark_text(align=align, dx=dx)
        .encode(x=x, y=y, color=kind, text="label:N")
        for name, align, dx in (("largest", "right", -9), ("mean", "left", 9))
    ]
    return chart(alt.layer(line, points, *names), "ladder", "ladder_line", height=360)


AGREEMENT, LADDER = agreement(), ladder()
