"""The errors over x as a picture: autograd and one formula, bin by bin.

A visitor drags the ends of a range of bins, and the figures follow at once, in the browser. So the counts come bin by
bin: those of a range are their sums.
"""

from math import log2
from typing import Any, NamedTuple

import numpy as np

from lib.derivative.axis import Axis, as_label, axis_of, mean_levels
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment import functions
from lib.experiment.expressions import on_paper
from lib.experiment.query import Experiment
from lib.floats.quantities import ulps
from lib.run.tally import LARGEST, Histogram


def compared(tally: DerivativeTally, experiment: Experiment, asked: str = "") -> str:
    """The formula that is held against autograd: the one asked for, or the visitor's own, or the first that differed so
    far, or the first."""
    formulas = functions.FUNCTIONS[experiment.differentiated].formulas
    if asked in formulas or experiment.df:
        return asked if asked in formulas else experiment.df
    return next((name for name, series in tally.formulas.items() if series.equal.total < tally.exist), formulas[0])


class Curves(NamedTuple):
    """The mean errors bin by bin of an axis, in ulps and None without an x, by the kind of the series: "first" is
    autograd, "second" the formula."""

    axis: Axis
    means: dict[str, list[float | None]]


def curves(tally: DerivativeTally, experiment: Experiment, formula: str) -> Curves:
    axis = axis_of(experiment)
    return Curves(axis, {kind: _means(one, axis.bins) for kind, _, one in _both(tally, formula)})


def errors_over_x(
    tally: DerivativeTally, experiment: Experiment, formula: str, ghost: Curves | None = None
) -> dict[str, Any]:
    """The data of the picture; places are from 0 to 1.

    Of each bin: `edges`, as texts, one more than there are bins; and `exist`, the number of x where the derivative
    exists. Of each of the two `series`: `correct`, the number of x that are correctly rounded; `lost`, the number of x
    where the value is infinite or NaN by mistake; `height`, the place of the mean error, None without an x; `mean` and
    `worst`, the mean and the largest error as texts. `ghost` has the heights of the curves before, if these have the
    same axis.
    """
    both = _both(tally, formula)
    axis, means = curves(tally, experiment, formula)
    before = ghost.means if ghost and ghost.axis == axis else {}
    found = [mean for drawn in (*means.values(), *before.values()) for mean in drawn if mean is not None]
    levels = mean_levels(max([0.0, *found]))
    top = max(levels.values())

    def place(mean: float) -> float:
        return mean / top if top <= 4 else log2(1 + mean) / log2(1 + top)

    def heights(of: list[float | None]) -> list[float | None]:
        return [None if mean is None else round(place(mean), 4) for mean in of]

    return {
        "name": axis.name,
        "axis": "|x|, the size of x" if axis.scale == "log" else "x",
        "edges": [as_label(edge) for edge in axis.edges.tolist()],
        "ticks": [{"at": at, "text": text} for text, at in axis.ticks.items()],
        "levels": [{"at": place(level), "text": text} for text, level in levels.items()],
        "exist": _counts(tally.autograd.exist, axis.bins),
        "series": [
            {
                "kind": kind,
                "name": name,
                "height": heights(means[kind]),
                "mean": ["" if mean is None else ulps(mean) for mean in means[kind]],
                "correct": _counts(one.correct, axis.bins),
                "lost": _counts(one.lost, axis.bins),
                "worst": ["" if size is None else ulps(size) for size in _sizes(one, axis.bins)],
            }
            for kind, name, one in both
        ],
        "ghost": [{"kind": kind, "height": heights(of)} for kind, of in before.items()],
    }


def _both(tally: DerivativeTally, formula: str) -> list[tuple[str, str, SeriesTally]]:
    """The kind, the name and the tally of autograd and of the formula; none without an x."""
    if tally.samples == 0:
        return []
    return [("first", AUTOGRAD, tally.autograd), ("second", on_paper(formula), tally.formulas[formula])]


def worst_x(tally: DerivativeTally, bin_: int, formula: str) -> float | None:
    """The x in a bin with the largest error of autograd or the formula; None if no x there has one."""
    series = [tally.series.tallies.get(name, SeriesTally()) for name in (formula, AUTOGRAD)]
    found = [worst for one in series if (worst := one.worst[bin_]).place]
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
