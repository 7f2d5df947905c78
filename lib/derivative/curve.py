"""The errors over x as a picture: autograd and one formula, bin by bin.

A visitor drags the ends of a range of bins, and the figures follow at once, in the browser. So the counts come bin by
bin: those of a range are their sums, and the worst error of a range is the largest of its bins.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

from lib.derivative.axis import Axis, as_label, axis_of, mean_levels, place_of_mean
from lib.derivative.certified import exists_at
from lib.derivative.formulas import AUTOGRAD, COMPUTED
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.display.quantities import floats
from lib.experiment import functions
from lib.experiment.expressions import on_paper
from lib.experiment.query import Experiment
from lib.run.tally import Histogram

_MOST_JUMPS = 40  # more of them are too close together to be seen as jumps
_FINE = 64  # places to look for a jump in a bin


def compared(tally: DerivativeTally, experiment: Experiment, asked: str = "") -> str:
    """The formula that is held against autograd: the one asked for, or the visitor's own, or the first that differed so
    far, or the first."""
    formulas = functions.FUNCTIONS[experiment.differentiated].formulas
    if asked in formulas or experiment.df:
        return asked if asked in formulas else experiment.df
    return next((name for name, series in tally.formulas.items() if series.equal < tally.exist), formulas[0])


class Curves(NamedTuple):
    """The mean errors bin by bin of an axis, in ulps and None without an x, by the kind of the series: "first" is
    autograd, "second" the formula."""

    axis: Axis
    means: dict[str, list[float | None]]


def curves(tally: DerivativeTally, experiment: Experiment, formula: str) -> Curves:
    axis = axis_of(experiment)
    return Curves(axis, {kind: _means(one, axis.bins) for kind, _, one in _both(tally, formula)})


def errors_over_x(
    tally: DerivativeTally, experiment: Experiment, formula: str, former: Curves | None = None
) -> dict[str, Any]:
    """The data of the picture; places are from 0 to 1.

    `linear` says whether heights are; else they are those of log2(1 + mean error). `gaps` says whether a curve has any.
    Of each bin: `edges`, as texts, one more than there are bins; `exist`, the number of x where the derivative
    exists, and `equal`, those of them where the formula's value is autograd's. Of each of the two `series`:
    `correct`, the number of x that are correctly rounded; `lost`, the number of x where the value is infinite or NaN
    by mistake; `height`, the place of the mean error, None without an x; `mean` and `worst`, the mean and the largest
    error as texts; and `size`, the largest error as a number to compare. `ghost` has the heights of `former` curves,
    if these have the same axis.
    """
    both = _both(tally, formula)
    axis, means = curves(tally, experiment, formula)
    ghost = former.means if former and former.axis == axis else {}
    found = [mean for drawn in (*means.values(), *ghost.values()) for mean in drawn if mean is not None]
    linear, levels = mean_levels(max([0.0, *found]))
    top = max(levels.values())

    def heights(of: list[float | None]) -> list[float | None]:
        return [None if mean is None else round((mean if linear else place_of_mean(mean)) / top, 4) for mean in of]

    return {
        "name": axis.name,
        "axis": "|x|, the size of x" if axis.scale == "log" else "x",
        "edges": [as_label(edge) for edge in axis.edges.tolist()],
        "ticks": [{"at": at, "text": text} for text, at in axis.ticks.items()],
        "linear": linear,
        "levels": [{"at": at / top, "text": text} for text, at in levels.items()],
        "jumps": list(jumps(experiment)),
        "gaps": any(mean is None for drawn in means.values() for mean in drawn),
        "exist": _counts(tally.exist_by_x, axis.bins),
        "equal": _counts(both[-1][2].by_x.equal if both else Histogram(), axis.bins),
        "series": [
            {
                "kind": kind,
                "name": name,
                "height": heights(means[kind]),
                "mean": ["" if mean is None else floats(mean) for mean in means[kind]],
                "correct": _counts(one.by_x.correct, axis.bins),
                "lost": _counts(one.by_x.lost, axis.bins),
                "worst": ["" if size is None else floats(size) for size in _sizes(one, axis.bins)],
                "size": _sizes(one, axis.bins),
            }
            for kind, name, one in both
        ],
        "ghost": [{"kind": kind, "height": heights(of)} for kind, of in ghost.items()],
    }


def _both(tally: DerivativeTally, formula: str) -> list[tuple[str, str, SeriesTally]]:
    """The kind, the name and the tally of autograd and of the formula; none without an x."""
    if tally.samples == 0:
        return []
    return [("first", AUTOGRAD, tally.autograd), ("second", on_paper(formula), tally.formulas[formula])]


def worst_x(tally: DerivativeTally, bin_: int, formula: str) -> float | None:
    """The x in a bin with the largest error of autograd or the formula; None if no x there has one."""
    series = [tally.series.tallies.get(name, SeriesTally()) for name in (formula, AUTOGRAD)]
    found = [worst for one in series if (worst := one.by_x.worst.of_bin.get(bin_)) and worst.place]
    return max(found, key=lambda worst: worst.value).place.x if found else None


def _counts(histogram: Histogram, bins: int) -> list[int]:
    counts = np.zeros(bins, np.int64)
    counts[histogram.keys] = histogram.counts
    return counts.tolist()


def _means(series: SeriesTally, bins: int) -> list[float | None]:
    counts = _counts(series.by_x.finite, bins)
    return [series.by_x.sums[bin_] / count if count else None for bin_, count in enumerate(counts)]


def _sizes(series: SeriesTally, bins: int) -> list[float | None]:
    worst = series.by_x.worst.of_bin
    return [worst[bin_].value if bin_ in worst else None for bin_ in range(bins)]


@lru_cache(maxsize=64)
def jumps(experiment: Experiment) -> tuple[float, ...]:
    """The places on the axis of x where the derivative passes a power of two, so that floats are farther apart on one
    side of it than on the other; none if they are too close together to be seen, or if nothing but ball arithmetic
    knows the derivative."""
    axis, function = axis_of(experiment), COMPUTED[experiment.differentiated]
    if not function.terms:
        return ()
    places = np.linspace(0, 1, _FINE * axis.bins + 1)
    x = torch.from_numpy(axis.x_at(places))
    exact = sum((term(x) for term in function.terms), torch.zeros((), dtype=torch.float64)).numpy()
    exists = exists_at(experiment.differentiated, x.numpy())
    with np.errstate(divide="ignore", invalid="ignore"):
        binade = np.where(exists & np.isfinite(exact) & (exact != 0), np.floor(np.log2(np.abs(exact))), np.nan)
    passed = np.flatnonzero(np.abs(np.diff(binade)) > 0)  # NaN is not
    found = (places[passed] + places[passed + 1]) / 2
    apart = np.diff(found, prepend=0, append=1)  # the ends count, too
    seen = found[(apart[:-1] > 1 / axis.bins) & (apart[1:] > 1 / axis.bins)]
    return tuple(seen.tolist()) if seen.size <= _MOST_JUMPS else ()
