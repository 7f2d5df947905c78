"""Two populations of errors on one axis: right rows are off by their rounding, the single call by the other rows.

The end of the axis depends on the largest distance among the first samples, and its length on the dtype alone. So it
stays while samples arrive.
"""

from functools import cache
from math import ceil, floor, log10

import altair as alt
import numpy as np
import pandas as pd

from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, SECOND, Chart, axis, chart, power, table
from lib.floats.line import ZERO_BINADE
from lib.floats.quantities import size
from lib.pitfall.study import PitfallTally, octaves

_LABELLED = 4  # powers of ten from one label of the axis to the next
_OCTAVE = log10(2)

Ends = tuple[float, float]
"""The ends of the axis, as powers of ten. Errors of 0 are drawn at the lower one."""


def axis_ends(tally: PitfallTally, experiment: Experiment) -> Ends:
    """Return the ends of the axis."""
    largest = tally.first.value
    high = _LABELLED * ceil(log10(largest) / _LABELLED) if largest else 0
    return high - (20 if experiment.dtype == "float64" else 14), high


def names(tally: PitfallTally, experiment: Experiment) -> dict[str, str]:
    """Return the name of each population; with one output both are the same, and there is one."""
    if experiment.outputs == 1:
        return {"right": "right rows"}
    return {"right": "right rows", "single": "wrong rows" if tally.wrong.total else "one call"}


def populations(tally: PitfallTally, experiment: Experiment) -> pd.DataFrame:
    """Return a row for each bar.

    Returns:
        `rows`, the name of the population; `low` and `high`, the ends of the bar as powers of ten; `error`, what they
        are in words; `entries`, how many it counts; `share`, of its population.
    """
    low, high = axis_ends(tally, experiment)
    lowest, highest = ceil(low / _OCTAVE) + 2, floor(high / _OCTAVE) - 1
    errors = {"right": tally.right_errors, "single": tally.single_errors}
    rows = []
    for kind, name in names(tally, experiment).items():
        counted = octaves(errors[kind])
        zero = counted.keys == ZERO_BINADE
        for octave in np.unique(counted.keys.clip(lowest, highest)[~zero]).tolist():
            entries = int(
                counted.counts[(counted.keys.clip(lowest, highest) == octave) & ~zero].sum()
            )
            edges = octave * _OCTAVE, (octave + 1) * _OCTAVE
            rows.append((name, *edges, _words(octave, lowest, highest), entries))
        if zero.any():
            rows.append((name, low, low + _OCTAVE, "0", int(counted.counts[zero].sum())))
    found = pd.DataFrame(rows, columns=["rows", "low", "high", "error", "entries"])
    found["share"] = found["entries"] / found.groupby("rows")["entries"].transform("sum")
    return found


def medians(tally: PitfallTally, experiment: Experiment) -> str:
    """Say how large the typical error of each population is, and how far they are apart."""
    if not tally.right_errors.total:
        return ""
    (right, _), (single, _) = tally.typical
    texts = [
        f"{name}: median {size(*typical)}"
        for name, typical in zip(names(tally, experiment).values(), tally.typical, strict=False)
    ]
    if len(texts) > 1 and tally.wrong.total and right:
        texts.append(f"about {size(single / right, 1)} times larger")
    return "; ".join(texts)


@cache
def populations_chart(ends: Ends) -> Chart:
    """The share of the entries by the size of their error, zeros at the left end."""
    low, high = ends
    label = f"datum.value == {low} ? '0' : datum.value == 0 ? '1' : {power(10)}"
    values = [low, *range(_LABELLED * ceil((low + 1) / _LABELLED), int(high) + 1, _LABELLED)]
    scale = alt.Scale(domain=[low, high], nice=False)
    title = "absolute error of an entry"
    x = alt.X(
        "low:Q", title=title, scale=scale, axis=alt.Axis(labelExpr=label, values=values, grid=False)
    )
    y = alt.Y("share:Q", title="share of entries", stack=None, axis=axis(format="%", tickCount=4))
    hues = alt.Scale(
        domain=["right rows", "wrong rows", "one call"], range=[SECOND, DIFFER, DIFFER]
    )
    color = alt.Color("rows:N", scale=hues, legend=None)
    tooltip = [
        "rows:N",
        "error:N",
        alt.Tooltip("entries:Q", format=","),
        alt.Tooltip("share:Q", format=".2%"),
    ]
    bars = table("populations").mark_rect(opacity=0.85)
    bars = bars.encode(x=x, x2="high:Q", y=y, y2=alt.datum(0), color=color, tooltip=tooltip)
    within = f"clamp(datum.low, {low + 1.5}, {high - 1})"  # where a name has room
    name = table("populations").transform_calculate(place=within).mark_text(dy=-10, fontWeight=600)
    highest = alt.Y("max(share):Q", stack=None)
    name = name.encode(x=alt.X("mean(place):Q", scale=scale), y=highest, text="rows:N", color=color)
    return chart(alt.layer(bars, name), "populations", height=250)


def _words(octave: int, lowest: int, highest: int) -> str:
    low, high = size(2.0**octave), size(2.0 ** (octave + 1))
    return (
        f"below {high}"
        if octave == lowest
        else f"{low} and above"
        if octave == highest
        else f"{low} to {high}"
    )
