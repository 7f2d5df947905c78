"""How many results change their bits, by batch size: a table, and its chart."""

from functools import cache

import altair as alt
import pandas as pd

from lib.batch.arrangements import QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.floats.charts import DIFFER, INK, QUIET, Chart, axis, chart, table


def changed_by_size(tally: BatchTally, picked: int) -> pd.DataFrame:
    """Return a row for each batch size and quantity, none as long as nothing is measured.

    Returns:
        `size`; `quantity`, its name; `changed` and `components`, counts; `share`; `picked`, whether the size is.
    """
    rows = [
        (size, name, found.apart, found.components, found.apart / max(found.components, 1), size == picked)
        for quantity, name in QUANTITIES.items()
        for size in SIZES
        if tally.samples
        for found in [tally.at(quantity, size)]
    ]
    return pd.DataFrame(rows, columns=["size", "quantity", "changed", "components", "share", "picked"])


@cache
def sizes_chart() -> Chart:
    """The share of components that change, a point for each batch size and quantity; a size can be picked."""
    names = list(QUANTITIES.values())
    x = alt.X("size:O", title="samples in a batch", axis=alt.Axis(labelAngle=0, grid=False))
    y = alt.Y("share:Q", title="components that change", axis=axis(format="%", tickCount=4))
    legend = alt.Legend(orient="top", title=None)
    shapes = alt.Scale(domain=names, range=["circle", "square"])
    fills = alt.Scale(domain=names, range=[DIFFER, QUIET])
    shape = alt.Shape("quantity:N", scale=shapes, legend=legend)
    color = alt.Color("quantity:N", scale=fills, legend=legend)
    edge = alt.condition("datum.picked", alt.value(INK), alt.value(None))
    tooltip = ["size:O", "quantity:N", alt.Tooltip("share:Q", format=".2%"), alt.Tooltip("changed:Q", format=",")]
    points = table("sizes").mark_point(size=110, filled=True, strokeWidth=2.5)
    points = points.encode(x=x, y=y, shape=shape, color=color, stroke=edge, tooltip=tooltip)
    picked = alt.selection_point(name="pick", fields=["size"], toggle=False)
    columns = table("sizes").mark_rect(opacity=0, cursor="pointer").encode(x=x, key="size:O")
    return chart(alt.layer(points, columns.add_params(picked)), "sizes", height=250)
