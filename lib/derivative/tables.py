"""A derivative tally, and derivatives at single points, as tables for the charts and tables to read.

Columns and types are the same whatever the tally holds.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from math import log2, log10

import numpy as np
import pandas as pd
import torch

from lib.derivative.bins import bin_from, error_ends, x_ends
from lib.derivative.points import Edge, Explanation, Line
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.display.quantities import hexadecimal, percent, power_of_ten, power_of_two, significant
from lib.display.tables import NUMBER, TEXT, text_table, typed
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.line import shortest

_MOST_ULPS = 4  # the histogram ends here; its last column collects larger errors
_PER_ULP = 8  # columns of the histogram per ulp
_TICKS = (0, 0.25, 0.5, 1, 2, 4, *(10**e for e in range(2, 20, 2)))  # ticks of the axis of the mean error, in ulps

_SHOWN = {"normal": (-8, 3), "uniform": (-4, 6), "log-uniform": (-32, 10)}
"""The powers of two of abs(x) between which x is shown, by where x comes from; the end columns collect the rest."""


def tables(tally: DerivativeTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use."""
    by_x = _by_x(tally, experiment)
    return {"errors": _errors(tally), "by_x": by_x, "x_ticks": _x_ticks(experiment), "mean_ticks": _mean_ticks(by_x)}


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


def _by_x(tally: DerivativeTally, experiment: Experiment) -> pd.DataFrame:
    """The mean error of each derivative along the float line.

    Columns: series, x and mean (places on the axes), and the labels error, correct (the share that is correctly
    rounded) and range (of x).
    """
    binned = FUNCTIONS[experiment.function].binned
    place = _places(experiment)
    rows = []
    for name, series in tally.series.tallies.items():
        count, correct, total = Counter[float](), Counter[float](), defaultdict[float, float](float)
        label: dict[float, str] = {}
        for key, n in zip(series.by_x.keys.tolist(), series.by_x.counts.tolist(), strict=True):
            x = place(key)
            count[x] += n
            correct[x] += series.correct_by_x[key]
            total[x] += series.sums_by_x[key]
            label.setdefault(x, " to ".join(f"{end:.4g}" for end in x_ends(key, binned)))
        for x in sorted(count):
            mean = total[x] / count[x]
            rows.append((name, x, _place_of(mean), significant(mean), percent(correct[x], count[x]), label[x]))
    return typed({"series": TEXT, "x mean": NUMBER, "error correct range": TEXT}, rows)


def _places(experiment: Experiment) -> Callable[[int], float]:
    """A function from a bin of x to the place of its middle on the axis, in mantissas, or in quarters of a binade
    outwards from 0."""
    if FUNCTIONS[experiment.function].binned == "mantissa":
        return lambda key: sum(x_ends(key, "mantissa")) / 2
    first, end = map(bin_from, _SHOWN[experiment.x_from])

    def place(key: int) -> float:
        outward = min(max(abs(key), first), end - 1) - first + 0.5
        return -outward if key < 0 else outward

    return place


def _x_ticks(experiment: Experiment) -> pd.DataFrame:
    """The labels of the axis of x, which ends at the outermost labels: x, label."""
    if FUNCTIONS[experiment.function].binned == "mantissa":
        ticks = {at: f"{at:g}" for at in (1.0, 1.25, 1.5, 1.75, 2.0)}
    else:
        low, high = _SHOWN[experiment.x_from]
        step = max((high - low) // 5, 1)
        outward = {float(bin_from(e) - bin_from(low)): power_of_two(e) for e in range(high, low + step // 2, -step)}
        ticks = {0.0: "0"} | outward | {-x: f"−{label}" for x, label in outward.items()}
    return typed({"x": NUMBER, "label": TEXT}, sorted(ticks.items()))


def _place_of(mean: float) -> float:
    """The place of a mean error on its axis, which is linear well below 1 ulp and logarithmic far above."""
    return log2(1 + mean)


def _mean_ticks(by_x: pd.DataFrame) -> pd.DataFrame:
    """The labels of the axis of the mean error, which ends at the last label: mean (a place), label."""
    largest = max([0.0, *by_x["mean"]])
    end = next(i for i, tick in enumerate(_TICKS) if i > 2 and (_place_of(tick) >= largest or tick == _TICKS[-1]))
    ticks = [tick for tick in _TICKS[: end + 1] if end < 6 or not 0 < tick < 100]
    labels = [power_of_ten(round(log10(tick))) if tick >= 100 else f"{tick:g}" for tick in ticks]
    return typed({"mean": NUMBER, "label": TEXT}, zip(map(_place_of, ticks), labels, strict=True))


def comparison(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """Autograd and the formulas, one row each, as Markdown; errors are in ulps of the exact derivative."""
    exist = tally.samples - tally.outside
    return text_table(_compared(name, series, exist, dtype) for name, series in tally.series.tallies.items())


def _compared(name: str, series: SeriesTally, exist: int, dtype: torch.dtype) -> dict[str, str | None]:
    return {
        "derivative": f"`{name}`",
        "equal to autograd": percent(series.equal, exist),
        "correctly rounded": percent(series.correct, exist),
        "mean error": significant(series.sums_by_x.total / series.finite) if series.finite else None,
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


def printed(lines: list[Line], dtype: torch.dtype) -> pd.DataFrame:
    """A table in the form of the post: whether two numbers are equal, x, and their difference."""
    rows = [(str(line.equal), shortest(line.x, dtype), f"{line.error:.6g}") for line in lines]
    return text_table(rows, ["equal", "x", "round-off error"])


def spellings(function: str, gradients: dict[str, float], dtype: torch.dtype) -> pd.DataFrame:
    """The gradients of one function at 0, by spelling, as Markdown."""
    rows = [(f"`{spelling}`", shortest(gradient, dtype)) for spelling, gradient in gradients.items()]
    return text_table(rows, [f"{function}, spelt as", "gradient at 0"])


def edge_rows(edges: list[Edge], dtype: torch.dtype) -> pd.DataFrame:
    """Special x, one row each: f(x), the correctly rounded derivative, and the computed derivatives."""
    rows = []
    for edge in edges:
        nearest = "none" if edge.nearest is None else shortest(edge.nearest, dtype)
        computed = {name: shortest(value, dtype) for name, value in edge.computed.items()}
        named = {"x": f"{edge.name}: {shortest(edge.x, dtype)}", "f(x)": shortest(edge.f, dtype)}
        rows.append(named | {"correctly rounded": nearest} | computed)
    return text_table(rows)
