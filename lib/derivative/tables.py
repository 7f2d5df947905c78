"""A derivative tally, and derivatives at single points, as tables for the charts and tables to read.

Columns and types are the same whatever the tally holds.
"""

import numpy as np
import pandas as pd
import torch

from lib.derivative.bins import error_ends
from lib.derivative.explanation import Explanation
from lib.derivative.points import Edge
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.display.quantities import hexadecimal, percent, significant
from lib.display.tables import NUMBER, TEXT, text_table, typed
from lib.experiment.query import Experiment
from lib.floats.line import shortest

_MOST_ULPS = 4  # the histogram ends here; its last column collects larger errors
_PER_ULP = 8  # columns of the histogram per ulp


def tables(tally: DerivativeTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use."""
    return {"errors": _errors(tally)}


def _errors(tally: DerivativeTally) -> pd.DataFrame:
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
        share = np.append(counts, counts[-1]) / max(series.finite, 1)
        rows += [(name, *row) for row in zip(low, labels, share, strict=True)]
    return typed({"series": TEXT, "x": NUMBER, "ulps": TEXT, "share": NUMBER}, rows)


def comparison(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """Autograd and the formulas, one row each, as Markdown; errors are in ulps of the exact derivative."""
    return text_table(_compared(name, series, tally.exist, dtype) for name, series in tally.series.tallies.items())


def _compared(name: str, series: SeriesTally, exist: int, dtype: torch.dtype) -> dict[str, str | None]:
    return {
        "derivative": f"`{name}`",
        "equal to autograd": percent(series.equal, exist),
        "correctly rounded": percent(series.correct, exist),
        "mean error": significant(series.by_x.sums.total / series.finite) if series.finite else None,
        "largest error": significant(series.worst.value) if series.finite else None,
        "at x": shortest(series.worst.place.x, dtype) if series.finite else None,
        "0 by mistake": f"{series.zero:,}",
        "infinite or NaN by mistake": f"{series.nonfinite:,}",
    }


_CORRECT = {True: "✓", False: "✗", None: None}


def explained(explanation: Explanation, dtype: torch.dtype) -> pd.DataFrame:
    """The derivatives at one x, one row each, as Markdown: the value in decimal and hexadecimal digits, and its
    error in ulps."""
    return text_table(
        {
            "derivative": f"`{name}`",
            "value": shortest(one.value, dtype),
            "hexadecimal": hexadecimal(one.value),
            "error": None if one.ulps is None else significant(one.ulps),
            "correctly rounded": _CORRECT[one.correct],
        }
        for name, one in explanation.computed.items()
    )


def spellings(function: str, gradients: dict[str, float], dtype: torch.dtype) -> pd.DataFrame:
    """The gradients of one function at 0, by spelling, as Markdown."""
    rows = [(f"`{spelling}`", shortest(gradient, dtype)) for spelling, gradient in gradients.items()]
    return text_table(rows, [f"{function}, spelt as", "gradient at 0"])


def edge_rows(edges: list[Edge], dtype: torch.dtype) -> pd.DataFrame:
    """Special x, one row each: f(x), the correctly rounded derivative, and the computed derivatives."""
    rows = []
    for edge in edges:
        none = "undecided" if edge.undecided else "none"
        nearest = none if edge.nearest is None else shortest(edge.nearest, dtype)
        computed = {name: shortest(value, dtype) for name, value in edge.computed.items()}
        named = {"x": f"{edge.name}: {shortest(edge.x, dtype)}", "f(x)": shortest(edge.f, dtype)}
        rows.append(named | {"correctly rounded": nearest} | computed)
    return text_table(rows)
