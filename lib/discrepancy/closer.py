"""Which gradient is closer to the exact one, as a table and its chart."""

from functools import cache

import altair as alt
import numpy as np
import pandas as pd

from lib.discrepancy.verdict import VerdictTally
from lib.floats.charts import COMPONENTS, EQUAL, FIRST, QUIET, SECOND, SHARE, UP_TO_ALL, Chart, chart, table
from lib.floats.tables import COUNT, NUMBER, TEXT, typed_columns

LABELS = {
    "backward": "backward() is closer",
    "jacobian": "the Jacobian is closer",
    "tie": "tie",
    "undecided": "undecided",
}
"""The verdicts as the page names them."""


def tables(tally: VerdictTally) -> dict[str, pd.DataFrame]:
    """The table of the chart, `closer`: components by verdict (label), components, share."""
    counts = np.array([tally.closer[name] for name in LABELS], np.int64)
    types = {"verdict": TEXT, "components": COUNT, "share": NUMBER}
    return {"closer": typed_columns(types, list(LABELS.values()), counts, counts / max(counts.sum(), 1))}


@cache
def closer() -> Chart:
    """The share of components in which each gradient is closer."""
    names = list(LABELS.values())
    x = alt.X("share:Q", title="components", scale=UP_TO_ALL, axis=alt.Axis(format="%"))
    y = alt.Y("verdict:N", sort=names, title=None, axis=alt.Axis(labelLimit=200))
    hues = alt.Scale(domain=names, range=[FIRST, SECOND, EQUAL, QUIET])
    color = alt.Color("verdict:N", scale=hues, legend=None)
    bars = table("closer").mark_bar().encode(x=x, y=y, color=color, tooltip=["verdict:N", COMPONENTS, SHARE])
    return chart(bars, "closer", height=200)
