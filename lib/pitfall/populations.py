"""Two populations of errors on one axis: those of the right rows, and of the wrong entries.

Where the other rows add nothing, an entry of the single call is right. It is not drawn.

The end of the axis is a power of ten above all errors, in steps of four decades, and its length
depends on the dtype alone. So it hardly ever changes while samples arrive.
"""

from functools import cache
from math import ceil, floor, log10

import altair as alt
import pandas as pd

from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, SECOND, Chart, axis, chart, power, table
from lib.floats.quantities import percent, size
from lib.pitfall.study import PitfallTally, octaves
from lib.run.tally import Histogram

_LABELLED = 4  # powers of ten from one label of the axis to the next
_OCTAVE = log10(2)
_RIGHT = 54  # pixels that the name of the right rows takes
_SINGLE = 74  # pixels that the other name takes at most

Ends = tuple[int, int]
"""The ends of the axis, as powers of ten. Errors of 0 are drawn at the lower one."""


def axis_ends(tally: PitfallTally, experiment: Experiment) -> Ends:
    """Return the ends of the axis."""
    largest = tally.worst.value
    high = _LABELLED * ceil(log10(largest) / _LABELLED) if largest else 0
    return high - (20 if experiment.dtype == "float64" else 14), high


def names(tally: PitfallTally, experiment: Experiment) -> list[str]:
    """Return the name of each population; with one output both are the same, and there is one."""
    if experiment.outputs == 1:
        return ["right rows"]
    return ["right rows", "wrong entries" if tally.wrong.total else "one call"]


def populations(tally: PitfallTally, experiment: Experiment) -> pd.DataFrame:
    """Return a row for each bar.

    Returns:
        `rows`, the name of the population; `low` and `high`, the ends of the bar as powers of ten;
        `error`, what they are in words; `entries`, how many it counts; `share`, of all entries.
    """
    low, high = axis_ends(tally, experiment)
    lowest = ceil(low / _OCTAVE)
    highest = floor(high / _OCTAVE) - 1
    rows = []
    for name, errors in zip(names(tally, experiment), tally.populations, strict=False):
        by_octave = octaves(errors)
        bars = Histogram.of(by_octave.keys.clip(lowest, highest), by_octave.counts)
        for octave, entries in zip(bars.keys.tolist(), bars.counts.tolist(), strict=True):
            words = _words(octave, lowest, highest)
            rows.append((name, octave * _OCTAVE, (octave + 1) * _OCTAVE, words, entries))
    bars = pd.DataFrame(rows, columns=["rows", "low", "high", "error", "entries"])
    bars["share"] = bars["entries"] / tally.right_errors.total
    return bars


def medians(tally: PitfallTally, experiment: Experiment) -> str:
    """Return the median error of each population, how many are wrong, and a quotient, in words."""
    if not tally.right_errors.total:
        return ""
    labels = names(tally, experiment)
    entries = tally.single_errors.total
    wrong = tally.wrong.total if len(labels) > 1 else 0
    if wrong:
        labels[1] = f"{labels[1]}, {percent(wrong, entries)} of one call"
    texts = [
        f"{label}: median {size(*typical)}"
        for label, typical in zip(labels, tally.typical, strict=False)
    ]
    (right, _), (single, _) = tally.typical
    if wrong and right:
        texts.append(f"about {size(single / right, 1)} times larger")
    if 0 < wrong < entries:
        texts.append("the rest of one call, right or nearly so, is not drawn")
    return "; ".join(texts)


@cache
def populations_chart(ends: Ends) -> Chart:
    """Return the chart: the share of the entries by the size of their error."""
    low, high = ends
    label = f"datum.value == {low} ? '0' : datum.value == 0 ? '1' : {power(10)}"
    labelled = range(_LABELLED * ceil((low + 1) / _LABELLED), high + 1, _LABELLED)
    scale = alt.Scale(domain=[low, high], nice=False)
    x = alt.X(
        "low:Q",
        title="absolute error of an entry",
        scale=scale,
        axis=alt.Axis(labelExpr=label, values=[low, *labelled], grid=False),
    )
    y = alt.Y("share:Q", title="share of entries", stack=None, axis=axis(format="%", tickCount=4))
    colours = alt.Scale(
        domain=["right rows", "wrong entries", "one call"], range=[SECOND, DIFFER, DIFFER]
    )
    color = alt.Color("rows:N", scale=colours, legend=None)
    tooltip = [
        "rows:N",
        "error:N",
        alt.Tooltip("entries:Q", format=","),
        alt.Tooltip("share:Q", format=".2%"),
    ]
    bars = table("populations").mark_rect(opacity=0.85)
    bars = bars.encode(x=x, x2="high:Q", y=y, y2=alt.datum(0), color=color, tooltip=tooltip)
    # A name stands over the highest bar of its population. That of the right rows, whose errors are
    # smaller, ends there, and the other begins there, so that they do not meet.
    after_first = f"{low} + {_RIGHT * (high - low)} / width"
    before_end = f"{high} - {_SINGLE * (high - low)} / width"
    first = _name("==", f"max(datum.high, {after_first})", "right")
    second = _name("!=", f"clamp(datum.low, {after_first}, {before_end})", "left")
    labels = [
        name.encode(
            x=alt.X("place:Q", aggregate=alt.ArgmaxDef(argmax="share"), scale=scale),
            y=alt.Y("max(share):Q", stack=None),
            text="rows:N",
            color=color,
        )
        for name in (first, second)
    ]
    return chart(alt.layer(bars, *labels), "populations", height=250)


def _name(same: str, place: str, align: str) -> alt.Chart:
    """Return a layer for the name of a population, where `place` says and there is room for it."""
    name = table("populations").transform_filter(f"datum.rows {same} 'right rows'")
    name = name.transform_calculate(place=place)
    return name.mark_text(dy=-10, fontWeight=600, align=align)


def _words(octave: int, lowest: int, highest: int) -> str:
    low = size(2.0**octave)
    high = size(2.0 ** (octave + 1))
    if octave == lowest:
        return f"0 or below {high}"
    return f"{low} and above" if octave == highest else f"{low} to {high}"
