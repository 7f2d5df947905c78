"""How the discrepancy scales: with eps, in every dtype; and with the width, the depth and the outputs of the network.

If the discrepancy is rounding, it is proportional to eps, so the dtypes lie on a line of slope 1 on log–log axes. All
of them have the same network and the same points.

A sum of n rounded terms is off by at most n rounding errors, and by about √n if their signs are random. So each sweep
changes one number of the experiment, point by point, with the same number of samples at every point. A point is one
network, drawn from the experiment's seed, so a curve also shows how networks scatter.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import pandas as pd
import torch

from lib.discrepancy.variants import Stage, Variants, VariantsTally
from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import significant
from lib.floats.tables import NUMBER, TEXT, typed
from lib.network.comparison import BY_METHOD
from lib.reference.compared import Variant

EPS = {name: torch.finfo(getattr(torch, name)).eps for name in DTYPES}
"""The distance from 1 to the next float of each dtype."""

DTYPE_ROWS = {name: {"computed in": name, "eps": significant(eps)} for name, eps in EPS.items()}
"""What the comparison in each dtype is, by its name."""


@dataclass(frozen=True)
class LadderTally(VariantsTally):
    """What the study remembers: a tally for each dtype, by its name."""

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype."""
        rungs = [
            {"dtype": name, "eps": EPS[name]} | rung.figures() | {"mean_abs": rung.total.mean}
            for name, rung in self.known.items()
        ]
        return {"samples": self.samples, "ladder": rungs}


class Ladder(Variants):
    """Measures the discrepancy of the experiment in every dtype of its device."""

    empty = LadderTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        dtypes = DEVICES[experiment.device].dtypes
        return [[Variant(replace(experiment, dtype=dtype), {dtype: BY_METHOD}) for dtype in dtypes]]


SAMPLES = 256
"""The number of samples at each point of a sweep."""

HIDDEN = (10,)
"""The hidden layers whose width and number change if the experiment has none: as in the post."""


@dataclass(frozen=True)
class Sweep:
    """The values of a number, and what of the experiment changes for each of them."""

    values: Sequence[int]
    change: Callable[[Experiment, int], dict[str, object]]


SWEEPS = {
    "width": Sweep(
        [2**k for k in range(8)], lambda e, n: {"hidden": (n,) * len(e.hidden or HIDDEN)}
    ),
    "depth": Sweep(range(1, 7), lambda e, n: {"hidden": (e.hidden or HIDDEN)[:1] * n}),
    "outputs": Sweep([2**k for k in range(7)], lambda e, n: {"outputs": n}),
}
"""What is swept: the width of every hidden layer, the number of hidden layers, the number of outputs."""


class Scaling(Variants):
    """Measures the discrepancy at every point of every sweep, up to the largest network allowed, in rounding units."""

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        few = replace(experiment, samples=SAMPLES)
        return [
            [Variant(at, {f"{name}={value}": BY_METHOD}, judged=True)]
            for name, sweep in SWEEPS.items()
            for allowed in [few.while_allowed(sweep.change(few, value) for value in sweep.values)]
            for value, at in zip(sweep.values, allowed, strict=False)
        ]


@dataclass(frozen=True)
class Point:
    """One point of a chart: a difference of this size where the number along the axis is x.

    `kind` is "largest" or "mean".
    """

    name: str
    x: float
    size: float
    kind: str = "largest"


def points(tally: VariantsTally, name: str) -> Iterator[Point]:
    """Yield the points of a chart: of the ladder, the largest and the mean difference in each dtype, over its eps; of a
    sweep, the largest difference in rounding units over each value."""
    for dtype, rung in tally.known.items() if name == "ladder" else ():
        yield Point(dtype, EPS[dtype], rung.max_abs.value)
        yield Point(dtype, EPS[dtype], rung.total.mean, "mean")
    for value in SWEEPS[name].values if name in SWEEPS else ():
        yield Point(str(value), value, tally[f"{name}={value}"].max_units.value)


@dataclass(frozen=True)
class LogLog:
    """A chart of sizes, `y`, against a number, `x`, both as powers of `base`.

    `slopes` are those of the guide lines by name, drawn through the first point of the name `through`, or the first of
    all.
    """

    x: str
    y: str
    base: int
    slopes: Mapping[str, float]
    through: str = ""

    def tables(self, name: str, points: Iterable[Point]) -> dict[str, pd.DataFrame]:
        """Two tables, called `name` and `name` + " guides", whose x and y are exponents of the base.

        The points: x, y, name, kind, size (as a text); one of size 0 does not fit on a log axis. The guides: name, x
        and y at both ends of the axis.
        """
        known = list(points)
        shown = [point for point in known if point.size]
        ends = (
            [self._exponent(end(point.x for point in known)) for end in (min, max)] if known else []
        )
        through = [point for point in shown if self.through in ("", point.name)][:1]
        lines = [
            (guide, x, self._exponent(point.size) + slope * (x - self._exponent(point.x)))
            for point in through
            for guide, slope in self.slopes.items()
            for x in ends
        ]
        rows = [
            (self._exponent(p.x), self._exponent(p.size), p.name, p.kind, f"{p.size:.3g}")
            for p in shown
        ]
        return {
            name: typed({"x y": NUMBER, "name kind size": TEXT}, rows),
            f"{name} guides": typed({"name": TEXT, "x y": NUMBER}, lines),
        }

    def _exponent(self, number: float) -> float:
        return log(number) / log(self.base)


LOG_LOG = {
    "ladder": LogLog("eps of the dtype", "|backward − jacobian|", 10, {"∝ eps": 1.0}, "float32"),
    **{
        sweep: LogLog(sweep, "largest, in rounding units", 2, {"√n": 0.5, "n": 1.0})
        for sweep in SWEEPS
    },
}
"""The charts. The line of the ladder goes through the largest discrepancy in float32."""


def tables(tally: VariantsTally, name: str) -> dict[str, pd.DataFrame]:
    """The tables of a chart: see `LogLog`."""
    return LOG_LOG[name].tables(name, points(tally, name))
