"""The chart of the lean against the number of outputs, a curve with intervals for each dtype."""

import altair as alt

from lib.display.charts import BLUE, GREY, ORANGE, TEAL, VIOLET, Chart, axis, chart, table
from lib.experiment.choices import DTYPES
from lib.variations.lean import OUTPUTS


def lean() -> Chart:
    """Lean with its 95 % interval, above zero to `backward()` and below to the Jacobian."""
    dtypes = list(DTYPES)
    ends = [0.6, len(OUTPUTS) + 0.4]
    numbers = alt.Axis(labelExpr="pow(2, datum.value)", values=list(range(1, len(OUTPUTS) + 1)), grid=False)
    x = alt.X("x:Q", title="outputs", axis=numbers, scale=alt.Scale(domain=ends, nice=False))
    label = "datum.value == 0 ? '0' : format(datum.value, '+.0%')"
    upright = {
        "title": "to the Jacobian   ← lean →   to backward()",
        "scale": alt.Scale(domain=[-1, 1]),
        "axis": axis(labelExpr=label, tickCount=5),
    }
    y = alt.Y("lean:Q", **upright)
    legend = alt.Legend(orient="top", title=None, columns=2, symbolSize=120, symbolStrokeWidth=0)
    hues = alt.Scale(domain=dtypes, range=[BLUE, TEAL, ORANGE, VIOLET])
    color = alt.Color("dtype:N", scale=hues, legend=legend)
    shapes = alt.Scale(domain=dtypes, range=["square", "circle", "triangle-up", "diamond"])
    dashes = alt.Scale(domain=dtypes, range=[[1, 0], [8, 3], [5, 3], [2, 2]])
    curves = (
        table("leans")
        .mark_line(strokeWidth=1.5)
        .encode(x=x, y=y, color=color, strokeDash=alt.StrokeDash("dtype:N", scale=dashes, legend=None))
    )
    low = alt.Y("low:Q", **upright)
    intervals = table("leans").mark_rule(strokeWidth=2).encode(x=x, y=low, y2="high:Q", color=color)
    points = (
        table("leans")
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            color=color,
            shape=alt.Shape("dtype:N", scale=shapes, legend=legend),
            tooltip=[
                "dtype:N",
                "outputs:Q",
                alt.Tooltip("interval:N", title="lean (95 % interval)"),
                alt.Tooltip("networks:Q"),
            ],
        )
    )
    zero = alt.Chart(alt.NamedData("leans")).mark_rule(color=GREY, strokeDash=[5, 3]).encode(y=alt.datum(0, **upright))
    return chart(alt.layer(zero, intervals, curves, points), "leans", height=340)


LEAN = lean()
