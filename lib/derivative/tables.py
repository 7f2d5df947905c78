"""A derivative tally, and derivatives at single points, as tables to read; the errors also as the table of a chart.

Columns and types are the same whatever the tally holds.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch

from lib.derivative.explanation import Explanation
from lib.derivative.tally import DerivativeTally, SeriesTally, error_ends
from lib.derivative.unsafe import Components, Unsafe
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
        counts = np.zeros(columns, np.int64)
        starts = np.array([error_ends(int(key))[0] for key in series.errors.keys])
        np.add.at(counts, (starts.clip(max=_MOST_ULPS) * _PER_ULP).astype(np.int64), series.errors.counts)
        share = np.append(counts, counts[-1]) / max(series.finite.total, 1)
        rows += [(name, *row) for row in zip(low, labels, share, strict=True)]
    return typed({"series": TEXT, "x": NUMBER, "ulps": TEXT, "share": NUMBER}, rows)


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
        {"derivative": f"`{name}`", "0 by mistake": f"{series.zero:,}"}
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


def at_edges(edges: Mapping[str, Explanation], dtype: torch.dtype) -> pd.DataFrame:
    """Special x, one row each: f(x), the correctly rounded derivative, and the computed derivatives."""
    rows = []
    for name, edge in edges.items():
        none = "undecided" if edge.undecided else "none"
        nearest = none if edge.nearest is None else shortest(edge.nearest, dtype)
        named = {"x": f"{name}: {shortest(edge.x, dtype)}", "f(x)": shortest(edge.f, dtype)}
        computed = {formula: shortest(one.value, dtype) for formula, one in edge.computed.items()}
        rows.append(named | {"correctly rounded": nearest} | computed)
    return text_table(rows)


def unsafe(row: Unsafe, found: tuple[Components, Components]) -> pd.DataFrame:
    """The gradients of an unsafe and of a safe spelling, as PyTorch gives them here, beside what is right."""

    def vector(values: Components) -> str:
        texts = ["none" if value is None else minus(f"{value:.7g}") for value in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    first, second = found
    rows = [("unsafe", vector(first)), ("instead", vector(second)), ("exact", vector(row.right))]
    rows += [("unsafe, in PyTorch 2.13 elsewhere", vector(row.gives))]
    return text_table(rows, ["spelling", f"gradient in float32 at x = {vector(row.x)}"])
