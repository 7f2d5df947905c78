"""The errors over x, bin by bin: a table of autograd and one formula, and its chart."""

from functools import lru_cache

import altair as alt
import pandas as pd

from lib.derivative.axis import Axis, axis_of
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.charts import FIRST, INK, SECOND, Chart, axis, chart, pick, power, table
from lib.floats.quantities import UNKNOWN, in_floats

FINE = 4.0
"""Errors of at most this many ulps need no better formula."""


def formula_to_compare(
    tally: DerivativeTally, experiment: Experiment, asked: str | None = None
) -> str:
    """Return the formula that is compared with autograd.

    It is the one asked for, or else the visitor's own, or else the first that differed so far, or
    else the first.
    """
    formulas = FUNCTIONS[experiment.differentiated].formulas
    if asked in formulas:
        return asked
    if experiment.df:
        return experiment.df
    differ = (name for name, series in tally.formulas.items() if series.equal < tally.existing)
    return next(differ, formulas[0])


def best_formula(tally: DerivativeTally, formula: str, refuted: str = "") -> str:
    """Return the best way to compute the derivative, or "" if none has to be named.

    The best way has the smallest mean error, which is what the chart shows. It is named if no other
    way has fewer lost values, that is 0, infinite, NaN or finite by mistake, and if it is clearly
    better than the worse of autograd and `formula`:

    - if the worse has lost values, the best has at most half as many;
    - otherwise, the largest error of the worse is more than `FINE` ulps, and that of the best is at
      most half as large.

    Args:
        tally: what was measured.
        formula: the formula that is compared with autograd.
        refuted: a formula that is proved not to be the derivative, which is never named.
    """
    series = tally.series.tallies
    means = {name: way.mean for name, way in series.items() if way.mean is not None}
    if not means:
        return ""
    best = min(means, key=lambda name: (means[name], series[name].lost))
    if best == refuted or any(way.lost < series[best].lost for way in series.values()):
        return ""
    faults = {name: (way.lost, way.worst.largest.value) for name, way in series.items()}
    lost, largest = max(faults[AUTOGRAD], faults[formula])
    best_lost, best_largest = faults[best]
    if lost:
        return best if best_lost <= lost / 2 else ""
    return best if largest > FINE and best_largest <= largest / 2 else ""


def errors_over_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> pd.DataFrame:
    """Return a row for each bin of x, of autograd and of a formula.

    Returns:
        `bin`; `derivative`, the name; `place`, the middle of the bin on the scale of the axis;
        `x`, the bin in words; `mean`, the mean error in ulps, NaN where the tally has none;
        `error` and `worst`, the mean and the largest error in words.
    """
    x_axis = axis_of(experiment)
    rows = []
    for name in (AUTOGRAD, formula):
        for bin_ in range(x_axis.bins):
            series = tally.of_name(name)
            mean = series.mean_in(bin_)
            worst = series.worst[bin_]
            rows.append(
                {
                    "bin": bin_,
                    "derivative": on_paper(name),
                    "place": x_axis.at(bin_ + 0.5),
                    "x": x_axis.text(bin_),
                    "mean": mean,
                    "error": UNKNOWN if mean is None else f"{in_floats(mean)} ulps",
                    "worst": f"{in_floats(worst.value)} ulps" if worst.place else UNKNOWN,
                }
            )
    return pd.DataFrame(rows).astype({"mean": float})


@lru_cache(maxsize=64)
def errors_chart(x_axis: Axis) -> Chart:
    """Return the chart of the mean error over x, with a point for each bin that can be picked.

    The axis of the errors is linear below about 1 ulp and logarithmic above, so that 0 has a place.
    """
    x = alt.X(
        "place:Q",
        title="|x|, the size of x" if x_axis.scale == "log" else "x",
        scale=alt.Scale(domain=[x_axis.low, x_axis.high], nice=False),
        axis=alt.Axis(labelExpr=_x_label(x_axis.scale), tickMinStep=1, grid=False),
    )
    powers = power(10, "round(log(datum.value) / LN10)")
    label = f"datum.value < 1000 ? format(datum.value, '~r') : ({powers})"
    mean_error = {
        "title": "mean error (ulps), logarithmic above 1",
        "axis": axis(grid=True, values=_LEVELS, labelExpr=label, labelOverlap="greedy"),
        "scale": alt.Scale(type="symlog", constant=1),
    }
    y = alt.Y("mean:Q", **mean_error)
    legend = alt.Legend(orient="top", title=None, labelLimit=220)
    series = {"field": "derivative", "type": "nominal", "sort": None, "legend": legend}
    hues = alt.Color(scale=alt.Scale(range=[FIRST, SECOND]), **series)
    shapes = alt.Shape(scale=alt.Scale(range=["circle", "square"]), **series)
    is_first = f"datum.derivative == '{AUTOGRAD}'"
    dashes = alt.condition(is_first, alt.value([1, 0]), alt.value([6, 3]))
    tooltip = [
        alt.Tooltip("derivative:N"),
        alt.Tooltip("x:N"),
        alt.Tooltip("error:N", title="mean error"),
        alt.Tooltip("worst:N", title="largest error"),
    ]
    lines = table("errors").mark_line(strokeWidth=2).encode(x=x, y=y, color=hues, strokeDash=dashes)
    points = table("errors").mark_point(filled=True, size=70, cursor="pointer")
    points = points.encode(x=x, y=y, color=hues, shape=shapes, tooltip=tooltip)
    # An invisible point at 0.5 keeps room above 0 if each error is 0.
    room = table("here").mark_point(opacity=0, aria=False).encode(y=alt.YDatum(0.5, **mean_error))
    here = table("here").mark_rule(color=INK, strokeDash=[2, 3], strokeWidth=1.5).encode(x=x)
    name = table("here").mark_text(color=INK, baseline="bottom", dy=-2)
    name = name.encode(x=x, y=alt.value(0), text="x:N")
    layers = room, here, lines, points.add_params(pick("bin")), name
    return chart(alt.layer(*layers), "errors", "here", height=250)


def _x_label(scale: str) -> str:
    """Return the expression of a label of the axis of x: small powers of two are written out."""
    if scale == "linear":
        return "format(datum.value, '~r')"
    written = "datum.value < 0 ? '1/' + pow(2, -datum.value) : pow(2, datum.value)"
    return f"abs(datum.value) <= 8 ? ({written}) : ({power(2)})"


_LEVELS = [0, 0.25, 0.5, 1, 2, 5, 10, 1e2, 1e4, 1e8, 1e16, 1e32, 1e64, 1e128, 1e256]
"""The ticks of the mean errors."""


def place_of_x(experiment: Experiment, x: float) -> pd.DataFrame:
    """Return a table of one row: the `place` of the x in the drawing, and its label `x`.

    The place is None beyond the ends of the axis.
    """
    x_axis = axis_of(experiment)
    place = x_axis.place(x)
    is_on_axis = x_axis.low <= place <= x_axis.high
    return pd.DataFrame({"place": [place if is_on_axis else None], "x": ["this x"]})


def worst_x(tally: DerivativeTally, formula: str, bin_: int) -> float | None:
    """Return the x with the largest error of autograd or of a formula in a bin.

    None if no error is known there.
    """
    # The sum of two extremes is the larger one.
    worst = tally.of_name(formula).worst[bin_] + tally.autograd.worst[bin_]
    return worst.place.x if worst.place else None
