"""Two spellings of one function, such as log(1+x) and log1p(x): the values of both against the exact ones, x by x.

On paper they are equal. Each is computed in whole blocks, NOTE [whole blocks] in `formulas`, at the x of the study of
the derivative, and held against the exact value of the first, which ball arithmetic encloses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
import torch
from flint import arb

from lib.derivative import power_series
from lib.derivative.axis import axis_of
from lib.derivative.certified import Reference
from lib.derivative.different import NEAR_0, Witness, witness
from lib.derivative.exact_derivatives import certified
from lib.derivative.formulas import elementwise
from lib.experiment.functions import FUNCTIONS
from lib.experiment.parser import parse, read
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import sampling
from lib.network.machine import use_one_thread

MOST_X = 2048
"""The first so many x of the experiment are compared: ball arithmetic takes a fraction of a second for them."""

_RANGES = 8  # of x, at most
_WITNESSES = 64  # of the x, besides the worst, to look for a difference that is none of rounding


@dataclass(frozen=True)
class Accuracy:
    """How near one spelling came to the exact value at some x.

    `correct` is the number of x where it is correctly rounded, and `lost` of those where it is infinite or NaN though
    the exact value rounds to a finite float. `mean` and `worst` are errors in ulps of the exact value, and `at` is the
    x of the worst; all three are None if no x has an error.
    """

    correct: int
    lost: int
    mean: float | None
    worst: float | None
    at: float | None


@dataclass(frozen=True)
class Part:
    """Two spellings in a range of x, in words: the number of x where the function `exist`s, the number of those where
    both end on the same float, ±0 being one, and how near each came."""

    range: str
    exist: int
    equal: int
    f: Accuracy
    g: Accuracy


@dataclass(frozen=True)
class Comparison:
    """Two spellings at `samples` x: at all of them, and in each range of x where the function has a value somewhere.
    `overflow` is the number of x where the exact value is beyond the largest float, and `undecided` of those where ball
    arithmetic does not tell whether f has a value, or which float is nearest to it. `different` tells of an x at which
    they are proved to be two functions."""

    samples: int
    overflow: int
    undecided: int
    whole: Part
    ranges: tuple[Part, ...]
    different: Witness | None


def compare(experiment: Experiment, g: str) -> Comparison:
    """Compare the experiment's function with the text of another spelling of it. Raises ValueError as `read` does."""
    use_one_thread()
    trees = parse(FUNCTIONS[experiment.differentiated].call), read(g)
    f, other = (power_series.value(tree) for tree in trees)
    block, count = sampling.points(experiment, 0), min(experiment.samples, MOST_X)
    values = [to_float64(elementwise(tree)(block)[:count]) for tree in trees]
    x = to_float64(block[:count])
    found = _reference(f, x, block.dtype, values)
    axis = axis_of(experiment)
    bins, step = axis.bin_of(x), ceil(axis.bins / _RANGES)
    whole = _part("all x", np.full(count, True), x, values, found)
    worst = [at for at in (whole.f.at, whole.g.at) if at is not None]
    ranges = []
    for first in range(0, axis.bins, step):
        last = min(first + step, axis.bins)
        ranges.append(_part(axis.range_text(first, last), (bins >= first) & (bins < last), x, values, found))
    return Comparison(
        count,
        int(np.count_nonzero(np.isinf(found.nearest))),
        int(np.count_nonzero(found.undecided)),
        whole,
        tuple(part for part in ranges if part.exist),
        witness(f, other, [*NEAR_0, *x[:_WITNESSES].tolist(), *worst]),
    )


def _reference(exact: Callable[[arb], arb], x: np.ndarray, dtype: torch.dtype, values: list[np.ndarray]) -> Reference:
    """The exact values at x, as `certified.reference` gives derivatives."""
    nearest, residual, ulp = np.full(x.shape, np.nan), np.zeros_like(x), np.zeros(x.shape, np.int32)
    undecided = np.full(x.shape, False)
    for i, at in enumerate(x.tolist()):
        value = certified(exact, at, dtype)
        if not value.settled and any(one[i] != value.nearest for one in values):
            value = certified(exact, at, dtype, settle=True)
        nearest[i], residual[i], ulp[i] = value.nearest, value.residual, value.ulp
        undecided[i] = value.undecided
    return Reference(nearest, residual, ulp, int(np.count_nonzero(~np.isnan(nearest))), undecided)


def _part(range_: str, there: np.ndarray, x: np.ndarray, values: list[np.ndarray], found: Reference) -> Part:
    there = there & found.exists
    f, g = values
    return Part(
        range_,
        int(np.count_nonzero(there)),
        int(np.count_nonzero((f == g) & there)),
        *(_accuracy(one, there, x, found) for one in values),
    )


def _accuracy(values: np.ndarray, there: np.ndarray, x: np.ndarray, found: Reference) -> Accuracy:
    errors = np.where(there, found.errors(values), np.nan)
    measured = np.flatnonzero(~np.isnan(errors))
    worst = measured[errors[measured].argmax()] if measured.size else None
    return Accuracy(
        int(np.count_nonzero((values == found.nearest) & there)),
        int(np.count_nonzero(there & np.isfinite(found.nearest) & ~np.isfinite(values))),
        None if worst is None else float(errors[measured].mean()),
        None if worst is None else float(errors[worst]),
        None if worst is None else float(x[worst]),
    )
