"""The errors over x, bin by bin: a table of autograd and one formula, and its chart."""

from collections.abc import Iterable
from functools import cache

import altair as alt
import numpy as np
import pandas as pd

from lib.derivative.axis import Axis, as_label, axis_of
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment import functions
from lib.experiment.expressions import on_paper
from lib.experiment.query import Experiment
from lib.floats.charts import FIRST, SECOND, Chart, axis, chart, power, table
from lib.floats.quantities import ulps
from lib.run.tally import LARGEST, Histogram


def compared(tally: DerivativeTally, experiment: Experiment, asked: str = "") -> str:
    """The formula that is held against autograd: the one asked for, or the visitor's own, or the first that differed so
    far, or the first."""
    formulas = functions.FUNCTIONS[experiment.differentiated].formulas
    if asked in formulas or experiment.df:
        return asked if asked in formulas else experiment.df
    return next((name for name, series in tally.formulas.items() if series.equal.total < tally.exist), formulas[0])


def errors_over_x(
    tally: DerivativeTally, experiment: Experiment, formula: str, inside: tuple[int, int]
) -> pd.DataFrame:
    """Return a row for each bin of x, of autograd and of the formula, none without an x.

    Args:
        tally: what is counted.
        experiment: whose axis of x is divided into bins.
        formula: what is compared with autograd.
        inside: the first bin of the chosen range, and the one behind its last.

    Returns:
        `bin`; `series`, "autograd" or "by hand", and `formula`, its name; `low` and `high` on the scale of the axis,
        and `x` in words; `mean`, the mean error in ulps, and `mean_text` and `worst_text`; `correct` and `exist`, how
        many x are correctly rounded, and have a derivative; `inside`, whether the bin is in the range.
    """
    bounds = axis_of(experiment)
    columns = ["bin", "series", "formula", "low", "high", "x", "mean", "mean_text", "worst_text"]
    columns += ["correct", "exist", "inside"]
    rows: list[tuple[object, ...]] = []
    if tally.samples:
        exist = _counts(tally.autograd.exist, bounds.bins)
        rows += _rows("autograd", AUTOGRAD, tally.autograd, bounds, exist, inside)
        rows += _rows("by hand", on_paper(formula), tally.formulas[formula], bounds, exist, inside)
    return pd.DataFrame(rows, columns=columns)


def _rows(
    series: str, name: str, tally: SeriesTally, bounds: Axis, exist: list[int], inside: tuple[int, int]
) -> list[tuple[object, ...]]:
    step = (bounds.high - bounds.low) / bounds.bins
    means, worst, correct = _means(tally, bounds.bins), _sizes(tally, bounds.bins), _counts(tally.correct, bounds.bins)
    rows: list[tuple[object, ...]] = []
    for place, (mean, largest) in enumerate(zip(means, worst, strict=True)):
        if mean is None or largest is None:
            continue
        low = bounds.low + place * step
        words = bin_words(bounds, place)
        figures = mean, ulps(mean), ulps(largest), correct[place], exist[place]
        rows.append((place, series, name, low, low + step, words, *figures, inside[0] <= place < inside[1]))
    return rows


def bin_words(bounds: Axis, place: int) -> str:
    """Say which x a bin holds."""
    low, high = (as_label(edge) for edge in bounds.edges[place : place + 2].tolist())
    return f"{bounds.name} from {low} to {high}"


@cache
def errors_chart(bounds: Axis) -> Chart:
    """The mean error over x, a step for each bin, which can be picked."""
    labels = power(2) if bounds.scale == "log" else "format(datum.value, '~r')"
    title = "|x|, the size of x" if bounds.scale == "log" else "x"
    scale = alt.Scale(domain=[bounds.low, bounds.high], nice=False)
    x = alt.X("low:Q", title=title, scale=scale, axis=alt.Axis(labelExpr=labels, tickMinStep=1, grid=False))
    y = alt.Y("mean:Q", title="mean error, ulps", scale=alt.Scale(type="symlog", constant=1), axis=axis(tickCount=5))
    legend = alt.Legend(orient="top", title=None)
    hues = alt.Color("series:N", scale=alt.Scale(domain=["autograd", "by hand"], range=[FIRST, SECOND]), legend=legend)
    dashes = alt.Scale(domain=["autograd", "by hand"], range=[[1, 0], [6, 2]])
    dash = alt.StrokeDash("series:N", scale=dashes, legend=legend)
    pale = alt.condition("datum.inside", alt.value(1), alt.value(0.3))
    tooltip = [
        alt.Tooltip("formula:N", title="derivative"),
        alt.Tooltip("x:N"),
        alt.Tooltip("mean_text:N", title="mean error"),
        alt.Tooltip("worst_text:N", title="largest error"),
        alt.Tooltip("correct:Q", title="correctly rounded", format=","),
        alt.Tooltip("exist:Q", title="of", format=","),
    ]
    steps = table("errors").mark_rule(strokeWidth=3)
    steps = steps.encode(x=x, x2="high:Q", y=y, color=hues, strokeDash=dash, opacity=pale, tooltip=tooltip)
    columns = table("errors").mark_rect(opacity=0, cursor="pointer")
    columns = columns.encode(x=x, x2="high:Q", tooltip=tooltip, key="bin:Q")
    picked = alt.selection_point(name="pick", fields=["bin"], toggle=False)
    return chart(alt.layer(steps, columns.add_params(picked)), "errors", height=230)


def worst_x(tally: DerivativeTally, bins: Iterable[int], formula: str) -> float | None:
    """Return the x in these bins with the largest error of autograd or the formula; None if no x there has one."""
    series = [tally.series.tallies.get(name, SeriesTally()) for name in (formula, AUTOGRAD)]
    found = [one.worst[place] for place in bins for one in series if one.worst[place].place]
    return max(found, key=lambda worst: worst.value).place.x if found else None


def _counts(histogram: Histogram, bins: int) -> list[int]:
    counts = np.zeros(bins, np.int64)
    counts[histogram.keys] = histogram.counts
    return counts.tolist()


def _means(series: SeriesTally, bins: int) -> list[float | None]:
    """The mean error of each bin; None if no x in it has one, or one is larger than sums hold."""
    counts, sizes = _counts(series.finite, bins), _sizes(series, bins)
    held = [count and size is not None and size <= LARGEST for count, size in zip(counts, sizes, strict=True)]
    return [series.sums[bin_] / counts[bin_] if held[bin_] else None for bin_ in range(bins)]


def _sizes(series: SeriesTally, bins: int) -> list[float | None]:
    worst = series.worst.of_bin
    return [worst[bin_][0] if bin_ in worst else None for bin_ in range(bins)]
