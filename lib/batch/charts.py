"""The chart of the batches: the share of components that change, a staircase over the batch sizes."""

import altair as alt

from lib.batch.conditions import SIZES
from lib.batch.tables import NAMES
from lib.display.charts import DIFFER, INK, SHARE, UP_TO_ALL, Chart, axis, chart, table, texts

_OUTPUTS, _GRADIENT = NAMES.values()


def staircase() -> Chart:
    """The share of changed components against the batch size: outputs solid with circles, gradient dashed with
    squares. A step stands where the size begins that brings it."""
    sizes = alt.Axis(values=list(SIZES), format="d", labelFlush=True, labelOverlap=False)
    x = alt.X("batch:Q", title="batch size", scale=alt.Scale(type="log", base=2, nice=False), axis=sizes)
    y = alt.Y("share:Q", title="components that change", scale=UP_TO_ALL, axis=axis(format="%"))
    names = [_OUTPUTS, _GRADIENT]
    dash = alt.StrokeDash("quantity:N", scale=alt.Scale(domain=names, range=[[1, 0], [6, 3]]), legend=None)
    shape = alt.Shape("quantity:N", scale=alt.Scale(domain=names, range=["circle", "square"]), legend=None)
    counts = [alt.Tooltip(f"{column}:Q", format=",") for column in ("components", "changed")]
    longest = alt.Tooltip("max_ulps:Q", title="floats apart, at most", format=",")
    tooltip = ["quantity:N", alt.Tooltip("batch:Q", title="batch size"), *counts, SHARE, longest]
    picked = alt.selection_point(name="size", fields=["batch", "quantity"], empty=False)
    edge = alt.when(picked).then(alt.value(INK)).otherwise(alt.value(DIFFER))
    lines = table("staircase").mark_line(interpolate="step-after", color=DIFFER, strokeWidth=2)
    points = table("staircase").mark_point(filled=True, size=70, color=DIFFER, cursor="pointer").add_params(picked)
    where = {"x": x, "y": y, "text": "quantity:N"}
    above, below = (
        texts("staircase_names", where, color=INK, align="right", dy=dy).transform_filter(alt.datum["above"] == side)
        for side, dy in ((1, -12), (0, 14))
    )
    layers = [
        lines.encode(x=x, y=y, strokeDash=dash),
        points.encode(x=x, y=y, shape=shape, stroke=edge, tooltip=tooltip),
    ]
    return chart(alt.layer(*layers, above, below), "staircase", "staircase_names")


STAIRCASE = staircase()
