"""A derivative tally, and derivatives at single points, as tables to read; the errors also as a chart and its table.

Columns and types are the same whatever the tally holds.
"""

from collections.abc import Mapping
from functools import cache

import altair as alt
import numpy as np
import pandas as pd
import torch

from lib.derivative.explanation import Explanation
from lib.derivative.tally import OF_ERRORS, DerivativeTally, SeriesTally
from lib.derivative.unsafe import Components, Unsafe
from lib.floats.charts import FIRST, SECOND, SHARE, Chart, axis, chart, table, titled
from lib.floats.line import shortest
from lib.floats.quantities import hexadecimal, minus, percent, significant
from lib.floats.tables import NUMBER, TEXT, text_table, typed

_MOST_ULPS = 4  # the histogram ends here; its last column collects larger errors
_PER_ULP = 8  # columns of the histogram per ulp


def errors(tally: DerivativeTally) -> pd.DataFrame:
    """The share of x by the error in ulps of each derivative: series, x (lower end of the column), ulps (label), share.

    The last column is repeated at its upper end, so that a stepped line has its full width.
    """
    columns = _MOST_ULPS * _PER_ULP + 1
    low = np.append(np.arange(columns), columns) / _PER_ULP
    labels = [f"{start:g} to {start + 1 / _PER_ULP:g}" for start in low[:-2]] + [f"{_MOST_ULPS} and more"] * 2
    rows = []
    for name, series in tally.series.tallies.items():
        column = np.minimum(series.errors.keys // (OF_ERRORS // _PER_ULP), columns - 1)
        counts = np.bincount(column, series.errors.counts, minlength=columns)
        share = np.append(counts, counts[-1]) / max(series.finite.total, 1)
        rows += [(name, *row) for row in zip(low, labels, share, strict=True)]
    return typed({"series": TEXT, "x": NUMBER, "ulps": TEXT, "share": NUMBER}, rows)


# Autograd comes first in every table. All formulas are the other side, so their dashes tell them apart.
_DASHES = [[1, 0], [7, 3], [2, 2], [10, 2, 2, 2], [4, 4]]
_HUES = [FIRST] + [SECOND] * (len(_DASHES) - 1)
_HEIGHT = 340
_LEGEND = alt.Legend(orient="top", title=None, columns=2, labelLimit=260, symbolSize=300, symbolStrokeWidth=2)
_SERIES = {
    "color": alt.Color("series:N", sort=None, scale=alt.Scale(range=_HUES), legend=_LEGEND),
    "strokeDash": alt.StrokeDash("series:N", sort=None, scale=alt.Scale(range=_DASHES), legend=_LEGEND),
}


@cache
def errors_chart() -> Chart:
    """The share of x by the error in ulps; an error of less than half an ulp is a correct rounding."""
    # The axis shows the square root of the share, so that columns of a few per cent and of all x can both be read.
    share = alt.Scale(type="sqrt", domain=[0, 1])
    x = alt.X("x:Q", title="error in ulps of the exact derivative", scale=alt.Scale(domain=[0, 4.125], nice=False))
    percents = axis(format="%", values=[0, 0.05, 0.2, 0.4, 0.6, 0.8, 1])
    y = alt.Y("share:Q", title="share of x", scale=share, axis=percents)
    steps = table("errors").mark_line(interpolate="step-after", strokeWidth=2)
    tooltip = ["series:N", *titled(ulps="error in ulps"), SHARE]
    return chart(steps.encode(x=x, y=y, **_SERIES, tooltip=tooltip), "errors", height=_HEIGHT)


def comparison(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """Autograd and the formulas, one row each, as Markdown; errors are in ulps of the exact derivative."""

    def row(name: str, series: SeriesTally) -> dict[str, str | None]:
        worst = series.worst.largest
        return {
            "derivative": f"`{name}`",
            "equal to autograd": percent(series.equal.total, tally.exist),
            "correctly rounded": percent(series.correct.total, tally.exist),
            "mean error": None if series.mean is None else significant(series.mean),
            "largest error": significant(worst.value) if worst.place else None,
            "at x": shortest(worst.place.x, dtype) if worst.place else None,
            "infinite or NaN by mistake": f"{series.nonfinite:,}",
        }

    return text_table(row(*one) for one in tally.series.tallies.items())


def zeros(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """How often each derivative was 0 by mistake, and the x nearest to 0 on either side, as Markdown."""
    ends = {"from x, negative": "zero_below", "from x, positive": "zero_above"}
    return text_table(
        {"derivative": f"`{name}`", "0 by mistake": f"{series.zero.total:,}"}
        | {
            title: shortest(place.x, dtype) if (place := getattr(series, end).place) else None
            for title, end in ends.items()
        }
        for name, series in tally.series.tallies.items()
    )


_CORRECT = {True: "✓", False: "✗", None: None}


def explained(explanation: Explanation, dtype: torch.dtype) -> pd.DataFrame:
    """The exact derivative at one x, and the computed ones, one row each, as Markdown: the value in decimal and
    hexadecimal digits, and its error in ulps."""
    exact = {"derivative": "exact", "value": explanation.exact}
    return text_table(
        [exact]
        + [
            {
                "derivative": f"`{name}`",
                "value": shortest(one.value, dtype),
                "hexadecimal": hexadecimal(one.value),
                "error": None if one.ulps is None else significant(one.ulps),
                "correctly rounded": _CORRECT[one.correct],
            }
            for name, one in explanation.computed.items()
        ]
    )


def at_kinks(function: str, gradients: Mapping[str, float], dtype: torch.dtype) -> pd.DataFrame:
    """The gradients of one function at 0, by spelling, as Markdown."""
    rows = [(f"`{spelling}`", shortest(gradient, dtype)) for spelling, gradient in gradients.items()]
    return text_table(rows, [f"{function}, spelt as", "gradient at 0"])


def unsafe(row: Unsafe, found: tuple[Components, Components]) -> pd.DataFrame:
    """The gradients of an unsafe and of a safe spelling, as PyTorch gives them here, beside what is right."""

    def vector(values: Components) -> str:
        texts = ["none" if value is None else minus(f"{value:.7g}") for value in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    first, second = found
    rows = [("unsafe", vector(first)), ("instead", vector(second)), ("exact", vector(row.right))]
    rows += [("unsafe, in PyTorch 2.13 elsewhere", vector(row.gives))]
    return text_table(rows, ["spelling", f"gradient in float32 at x = {vector(row.x)}"])
