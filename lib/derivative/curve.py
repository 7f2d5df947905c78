"""The errors over x, bin by bin: a table of autograd and one formula, and its chart."""

from collections.abc import Iterable
from functools import lru_cache

import altair as alt
import numpy as np
import pandas as pd

from lib.derivative.axis import Axis, as_label, axis_of
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment import functions
from lib.experiment.expressions import on_paper
from lib.experiment.query import Experiment
from lib.floats.charts import FIRST, INK, SECOND, Chart, axis, chart, power, table
from lib.floats.quantities import percent, ulps
from lib.floats.tables import UNKNOWN
from lib.run.tally import LARGEST, Histogram


def compared(tally: DerivativeTally, experiment: Experiment, asked: str = "") -> str:
    """The formula that is held against autograd: the one asked for, or the visitor's own, or the first that differed so
    far, or the first."""
    formulas = functions.FUNCTIONS[experiment.differentiated].formulas
    if asked in formulas or experiment.df:
        return asked if asked in formulas else experiment.df
    return next(
        (name for name, series in tally.formulas.items() if series.equal.total < tally.exist),
        formulas[0],
    )


def better(tally: DerivativeTally, formula: str) -> tuple[str, float] | None:
    """Return the way to compute the derivative with the smallest largest error, and that error in ulps; None if both
    autograd and the formula are fine, or none is much better than the worse of the two."""
    faults = {name: _faults(series) for name, series in tally.series.tallies.items()}
    if not tally.exist:
        return None
    best = min(faults, key=faults.__getitem__)
    lost, largest = max(faults[AUTOGRAD], faults[formula])
    best_lost, best_largest = faults[best]
    helps = best_lost < lost or best_largest <= largest / 2
    return (best, best_largest) if helps and not best_lost and (lost or largest > FINE) else None


FINE = 4.0
"""Errors up to so many ulps need no better formula."""


def _faults(series: SeriesTally) -> tuple[int, float]:
    """Return how many values have no right digit, and the largest error of the others."""
    return series.nonfinite + series.zero.total, series.worst.largest.value


def errors_over_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> pd.DataFrame:
    """Return a row for each bin of x, of autograd and of the formula, none without an x.

    Args:
        tally: what is counted.
        experiment: whose axis of x is divided into bins.
        formula: what is compared with autograd.

    Returns:
        `key`, which no two rows share; `bin`; `derivative`, its name; `place`, the middle of the bin on the scale of
        the axis, and `x`, the bin in words; `mean`, the mean error in ulps, None without an error; `error` and `worst`,
        the mean and the largest error in words; `nearest`, the share of x that are correctly rounded, and `lost`, how
        many values are infinite or NaN by mistake.
    """
    columns = [
        "key",
        "bin",
        "derivative",
        "place",
        "x",
        "mean",
        "error",
        "worst",
        "nearest",
        "lost",
    ]
    rows: list[tuple[object, ...]] = []
    if tally.samples:
        bounds = axis_of(experiment)
        exist = _counts(tally.autograd.exist, bounds.bins)
        rows += _rows(AUTOGRAD, tally.autograd, bounds, exist)
        rows += _rows(on_paper(formula), tally.formulas[formula], bounds, exist)
    return pd.DataFrame(rows, columns=columns)


def _rows(
    name: str, tally: SeriesTally, bounds: Axis, exist: list[int]
) -> list[tuple[object, ...]]:
    means = _means(tally, bounds.bins)
    sizes = _sizes(tally, bounds.bins)
    correct = _counts(tally.correct, bounds.bins)
    lost = _counts(tally.lost, bounds.bins)
    return [
        (
            f"{name} {bin_}",
            bin_,
            name,
            bounds.at(bin_ + 0.5),
            bin_words(bounds, bin_),
            means[bin_],
            UNKNOWN if means[bin_] is None else ulps(means[bin_]),
            UNKNOWN if sizes[bin_] is None else ulps(sizes[bin_]),
            percent(correct[bin_], exist[bin_]),
            lost[bin_],
        )
        for bin_ in range(bounds.bins)
    ]


def bin_words(bounds: Axis, bin_: int) -> str:
    """Say which x a bin holds."""
    low, high = (as_label(edge) for edge in bounds.edges[bin_ : bin_ + 2].tolist())
    return f"{bounds.name} from {low} to {high}"


@lru_cache(maxsize=64)
def errors_chart(bounds: Axis, inside: tuple[int, int]) -> Chart:
    """The mean error over x, a point for each bin, which can be picked; points outside of the range are pale.

    Args:
        bounds: the axis of x.
        inside: the first bin of the range that is chosen, and the one behind its last.
    """
    small = "datum.value < 0 ? '1/' + pow(2, -datum.value) : pow(2, datum.value)"
    labels = f"abs(datum.value) <= 8 ? ({small}) : ({power(2)})" if bounds.scale == "log" else ""
    x_axis = alt.Axis(labelExpr=labels or "format(datum.value, '~r')", tickMinStep=1, grid=False)
    title = "|x|, the size of x" if bounds.scale == "log" else "x"
    x_scale = alt.Scale(domain=[bounds.low, bounds.high], nice=False)
    x = alt.X("place:Q", title=title, scale=x_scale, axis=x_axis)
    large = power(10, "round(log(datum.value) / LN10)")
    labels = f"datum.value < 1000 ? format(datum.value, '~r') : ({large})"
    y_axis = axis(grid=True, values=LEVELS, labelExpr=labels, labelOverlap="greedy")
    # Logarithmic above about 1 ulp, and even below it, so that 0 has a place.
    shared = {
        "title": "mean error, ulps",
        "scale": alt.Scale(type="symlog", constant=0.25),
        "axis": y_axis,
    }
    y = alt.Y("mean:Q", **shared)
    legend = alt.Legend(orient="top", title=None, labelLimit=220)
    series = {"field": "derivative", "type": "nominal", "sort": None}
    hues = alt.Color(scale=alt.Scale(range=[FIRST, SECOND]), legend=legend, **series)
    shapes = alt.Shape(scale=alt.Scale(range=["circle", "square"]), legend=legend, **series)
    dashes = alt.condition(
        f"datum.derivative == '{AUTOGRAD}'", alt.value([1, 0]), alt.value([6, 3])
    )
    tooltip = [
        alt.Tooltip("derivative:N"),
        alt.Tooltip("x:N"),
        alt.Tooltip("error:N", title="mean error"),
        alt.Tooltip("worst:N", title="largest error"),
        alt.Tooltip("nearest:N", title="correctly rounded"),
        alt.Tooltip("lost:Q", title="infinite or NaN by mistake", format=","),
    ]
    low, high = (bounds.at(end) for end in inside)
    pale = alt.condition(
        f"datum.place >= {low} && datum.place <= {high}", alt.value(1), alt.value(0.3)
    )
    picked = alt.selection_point(name="pick", fields=["bin"], toggle=False)
    lines = table("errors").mark_line(strokeWidth=2).encode(x=x, y=y, color=hues, strokeDash=dashes)
    points = table("errors").mark_point(filled=True, size=70, cursor="pointer")
    points = points.encode(
        x=x, y=y, color=hues, shape=shapes, opacity=pale, tooltip=tooltip, key="key:N"
    )
    # Room above 0, also where each error is 0.
    room = table("here").mark_point(opacity=0, aria=False).encode(y=alt.YDatum(0.5, **shared))
    here = table("here").mark_rule(color=INK, strokeDash=[2, 3], strokeWidth=1.5).encode(x=x)
    name = (
        table("here")
        .mark_text(color=INK, baseline="bottom", dy=-2)
        .encode(x=x, y=alt.value(0), text="x:N")
    )
    layers = room, here, lines, points.add_params(picked), name
    return chart(alt.layer(*layers), "errors", "here", height=250)


LEVELS = [
    0,
    0.25,
    0.5,
    1,
    2,
    4,
    10,
    *(10.0**exponent for exponent in (2, 4, 8, 16, 32, 64, 128, 256)),
]
"""The ticks of the mean error."""


def here(experiment: Experiment, x: float) -> pd.DataFrame:
    """Return where the x of the drawing lies on the axis, and what it is called there."""
    return pd.DataFrame({"place": [axis_of(experiment).place(x)], "x": ["this x"]})


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
    held = [
        count and size is not None and size <= LARGEST
        for count, size in zip(counts, sizes, strict=True)
    ]
    return [series.sums[bin_] / counts[bin_] if held[bin_] else None for bin_ in range(bins)]


def _sizes(series: SeriesTally, bins: int) -> list[float | None]:
    worst = series.worst.of_bin
    return [worst[bin_][0] if bin_ in worst else None for bin_ in range(bins)]
