"""How many results change their bits, by batch size: a table, and its chart."""

from functools import cache

import altair as alt
import pandas as pd

from lib.batch.arrangements import QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.floats.charts import DIFFER, INK, Chart, axis, chart, table


def changed_by_size(tally: BatchTally, picked: int) -> pd.DataFrame:
    """Return a row for each batch size and quantity, none as long as nothing is measured.

    Returns:
        `size`; `quantity`, its name; `changed` and `components`, counts; `share`; `text`, the share of each quantity in
        words; `picked`, whether the size is.
    """
    rows = []
    for size in SIZES if tally.samples else ():
        both = {name: tally.at(quantity, size) for quantity, name in QUANTITIES.items()}
        text = ", ".join(f"{found.share} of {name}" for name, found in both.items())
        for name, found in both.items():
            share = found.apart / max(found.components, 1)
            rows.append((size, name, found.apart, found.components, share, text, size == picked))
    return pd.DataFrame(
        rows, columns=["size", "quantity", "changed", "components", "share", "text", "picked"]
    )


@cache
def sizes_chart() -> Chart:
    """The share of components that change, a point for each batch size and quantity; a size can be picked."""
    names = list(QUANTITIES.values())
    sizes = alt.Scale(domain=list(SIZES))
    x = alt.X(
        "size:O", title="samples in a batch", scale=sizes, axis=alt.Axis(labelAngle=0, grid=False)
    )
    shares = alt.Scale(domain=alt.DomainUnionWith(unionWith=[0, 0.04]))
    y = alt.Y(
        "share:Q", title="components that change", scale=shares, axis=axis(format="%", tickCount=4)
    )
    legend = alt.Legend(orient="top", title=None)
    shape = alt.Shape(
        "quantity:N", scale=alt.Scale(domain=names, range=["circle", "square"]), legend=legend
    )
    fill = alt.Fill(
        "quantity:N", scale=alt.Scale(domain=names, range=[DIFFER, "transparent"]), legend=legend
    )
    points = table("sizes").mark_point(size=110, stroke=DIFFER, strokeWidth=2)
    points = points.encode(x=x, y=y, shape=shape, fill=fill)
    picked = alt.selection_point(name="pick", fields=["size"], toggle=False)
    tooltip = [
        alt.Tooltip("size:O", title="samples in a batch"),
        alt.Tooltip("text:N", title="change"),
    ]
    shade = alt.condition("datum.picked", alt.value(0.12), alt.value(0))
    # Columns of full height are clicked more easily than points.
    columns = (
        table("sizes")
        .mark_rect(fill=INK, cursor="pointer")
        .transform_filter(f"datum.quantity == '{names[0]}'")
    )
    columns = columns.encode(x=x, fillOpacity=shade, tooltip=tooltip, key="size:O")
    return chart(alt.layer(points, columns.add_params(picked)), "sizes", height=250)
