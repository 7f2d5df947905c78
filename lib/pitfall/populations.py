"""Two populations of errors on one axis: those of the right rows, and of one call.

The axis ends at the lowest of …, 10⁻⁴, 1, 10⁴, … that is not below the largest distance of the
single call from the right rows. The length of the axis depends on the dtype alone. So the axis
hardly ever changes while samples arrive.
"""

from functools import cache
from math import ceil, floor, log10

import altair as alt
import pandas as pd

from lib.experiment.query import Experiment
from lib.floats.charts import DIFFER, SECOND, Chart, axis, chart, power, table
from lib.floats.quantities import size
from lib.pitfall.study import PitfallTally, binades, median
from lib.run.tally import Histogram

_LABELLED = 4
"""Powers of ten from one label of the axis to the next."""

_BINADE = log10(2)

Ends = tuple[int, int]
"""The ends of the axis, as powers of ten. Errors of 0 are drawn at the lower one."""


def axis_ends(tally: PitfallTally, experiment: Experiment) -> Ends:
    """Return the ends of the axis."""
    largest = tally.worst.value
    high = _LABELLED * ceil(log10(largest) / _LABELLED) if largest else 0
    # This many powers of ten leave room for the rounding errors, which are far smaller.
    return high - (20 if experiment.dtype == "float64" else 14), high


def names(experiment: Experiment) -> list[str]:
    """Return the name of each population; with one output only right rows are drawn."""
    return ["right rows", "one call"][: experiment.outputs]


def populations(tally: PitfallTally, experiment: Experiment) -> pd.DataFrame:
    """Return a row for each bar; before anything is measured, an empty bar of each population.

    Returns:
        `rows`, the name of the population; `low` and `high`, the ends of the bar as decimal
        logarithms of errors; `error`, the ends in words; `entries`, how many it counts; `share`, of
        all entries.
    """
    low, high = axis_ends(tally, experiment)
    lowest = ceil(low / _BINADE)
    highest = floor(high / _BINADE) - 1
    rows = []
    for name, errors in zip(
        names(experiment), (tally.right_errors, tally.single_errors), strict=False
    ):
        by_binade = binades(errors)
        bars = Histogram.of(by_binade.keys.clip(lowest, highest), by_binade.counts)
        for binade, entries in zip(bars.keys.tolist(), bars.counts.tolist(), strict=True):
            words = _words(binade, lowest, highest)
            rows.append((name, binade * _BINADE, (binade + 1) * _BINADE, words, entries))
    if not rows:
        rows = [(name, low, low, "", 0) for name in names(experiment)]
    bars = pd.DataFrame(rows, columns=["rows", "low", "high", "error", "entries"])
    bars["share"] = bars["entries"] / max(tally.right_errors.total, 1)
    return bars


def medians(tally: PitfallTally, experiment: Experiment) -> str:
    """Return the median error of each population, and their quotient, in words."""
    if not tally.right_errors.total:
        return ""
    right = median(tally.right_errors)
    single = median(tally.single_errors)
    texts = [
        f"{label}: median {size(typical)}"
        for label, typical in zip(names(experiment), (right, single), strict=False)
    ]
    if experiment.outputs > 1 and 0 < 2 * right < single:
        texts.append(f"about {size(single / right, 1)} times larger")
    return "; ".join(texts)


@cache
def populations_chart(ends: Ends, *labels: str) -> Chart:
    """Return the chart of the populations with these names: the share of entries by error."""
    low, high = ends
    label = f"datum.value == {low} ? '0' : datum.value == 0 ? '1' : {power(10)}"
    labelled = range(_LABELLED * ceil((low + 1) / _LABELLED), high + 1, _LABELLED)
    x = alt.X(
        "low:Q",
        title="absolute error of an entry",
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(labelExpr=label, values=[low, *labelled], grid=False),
    )
    y = alt.Y("share:Q", title="share of entries", stack=None, axis=axis(format="%", tickCount=4))
    color = alt.Color(
        "rows:N",
        scale=alt.Scale(domain=labels, range=[SECOND, DIFFER][: len(labels)]),
        legend=alt.Legend(orient="top", title=None),
    )
    tooltip = [
        "rows:N",
        "error:N",
        alt.Tooltip("entries:Q", format=","),
        alt.Tooltip("share:Q", format=".2%"),
    ]
    bars = table("populations").mark_rect(opacity=0.85)
    bars = bars.encode(x=x, x2="high:Q", y=y, y2=alt.datum(0), color=color, tooltip=tooltip)
    return chart(bars, "populations", height=250)


def _words(binade: int, lowest: int, highest: int) -> str:
    low = size(2.0**binade)
    high = size(2.0 ** (binade + 1))
    if binade == lowest:
        return f"0 or below {high}"
    return f"{low} and above" if binade == highest else f"{low} to {high}"
