"""How many results change their values, by batch size: a table, and its chart."""

from functools import cache

import altair as alt
import pandas as pd

from lib.batch.arrangements import QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.floats.charts import DIFFER, INK, Chart, axis, chart, pick, table


def changed_by_size(tally: BatchTally, picked: int) -> pd.DataFrame:
    """Return a row for each batch size and quantity.

    Returns:
        `size`; `quantity`, its name; `share` of the components that change; `text`, the shares of
        both quantities in words, empty before anything is measured; `picked`, whether `size` is
        the picked one.
    """
    rows = []
    for size in SIZES:
        pairs = {name: tally.pair(quantity, size) for quantity, name in QUANTITIES.items()}
        texts = [f"{pair.share_text} of {name}" for name, pair in pairs.items()]
        text = ", ".join(texts) if tally.samples else ""
        for name, pair in pairs.items():
            share = pair.apart / max(pair.components, 1)
            rows.append((size, name, share, text, size == picked))
    return pd.DataFrame(rows, columns=["size", "quantity", "share", "text", "picked"])


@cache
def sizes_chart() -> Chart:
    """Return the chart: a point for each batch size and quantity; a size can be picked."""
    names = list(QUANTITIES.values())
    x = alt.X(
        "size:O",
        title="samples in a batch",
        scale=alt.Scale(domain=list(SIZES)),
        axis=alt.Axis(labelAngle=0, grid=False),
    )
    # The axis has room for 4% at least: else a share near 0 would look large.
    y = alt.Y(
        "share:Q",
        title="components that change",
        scale=alt.Scale(domain=alt.DomainUnionWith(unionWith=[0, 0.04])),
        axis=axis(format="%", tickCount=4),
    )
    legend = alt.Legend(orient="top", title=None)
    shapes = alt.Scale(domain=names, range=["circle", "square"])
    fills = alt.Scale(domain=names, range=[DIFFER, "transparent"])
    points = table("sizes").mark_point(size=110, stroke=DIFFER, strokeWidth=2)
    points = points.encode(
        x=x,
        y=y,
        opacity=alt.condition("datum.text", alt.value(1), alt.value(0)),
        shape=alt.Shape("quantity:N", scale=shapes, legend=legend),
        fill=alt.Fill("quantity:N", scale=fills, legend=legend),
    )
    tooltip = [
        alt.Tooltip("size:O", title="samples in a batch"),
        alt.Tooltip("text:N", title="change"),
    ]
    shade = alt.condition("datum.picked", alt.value(0.12), alt.value(0))
    # Columns of full height are clicked more easily than points.
    columns = table("sizes").mark_rect(fill=INK, cursor="pointer")
    columns = columns.transform_filter(f"datum.quantity == '{names[0]}'")
    columns = columns.encode(x=x, fillOpacity=shade, tooltip=tooltip, key="size:O")
    return chart(alt.layer(points, columns.add_params(pick("size"))), "sizes", height=250)
