"""How the discrepancy scales with the width, the depth and the number of outputs of the network.

A sum of n rounded terms is off by at most n rounding errors, and by about √n if their signs are random. So each sweep
changes one number of the experiment, point by point, with the same number of samples at every point. A point is one
network, drawn from the experiment's seed, so a curve also shows how networks scatter.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from math import log2

import numpy as np
import pandas as pd
import torch

from lib.discrepancy.study import DiscrepancyTally
from lib.display.tables import COUNT, NUMBER, TEXT, typed
from lib.experiment.query import Experiment
from lib.floats.exact_sum import ExactSum
from lib.network.comparison import BY_METHOD
from lib.reference.compared import Gradients, Variant
from lib.run.tally import Extreme, Place, Tally
from lib.variations.variants import Stage, Variants, VariantsTally

SAMPLES = 256
"""The number of samples at each point."""

SWEEPS = {"width": [2**k for k in range(8)], "depth": list(range(1, 7)), "outputs": [2**k for k in range(7)]}
"""The values of each sweep: the width of every hidden layer, the number of hidden layers, the number of outputs."""

_WIDTH = 10  # of hidden layers if the experiment has none, as in the post


@dataclass(frozen=True)
class Point:
    """One value of one sweep, and the experiment with this value."""

    sweep: str
    value: int
    experiment: Experiment

    @property
    def name(self) -> str:
        return point_name(self.sweep, self.value)


def point_name(sweep: str, value: int) -> str:
    return f"{sweep}={value}"


@dataclass(frozen=True)
class PointTally(Tally):
    """The tally of one point: its discrepancy tally, and the sum and the largest of the relative discrepancies of NOTE
    [yardstick]."""

    discrepancy: DiscrepancyTally = DiscrepancyTally()
    relative: ExactSum = ExactSum()
    max_relative: Extreme[Place] = Extreme()

    @classmethod
    def of(cls, gradients: Gradients) -> "PointTally":
        values, measured = relative(gradients)
        largest = Extreme.of(values, gradients.block, gradients.index)
        return cls(DiscrepancyTally.of(gradients), ExactSum.of(values[measured]), largest)

    @property
    def ulps_nine_of_ten(self) -> int:
        """Nine of ten finite components differ by at most this many ulps; 0 if there are none. The mean and the largest
        distance would only reflect the few components that nearly cancel."""
        ulps = self.discrepancy.ulps
        order = np.argsort(np.abs(ulps.keys), kind="stable")
        below = ulps.counts[order].cumsum()
        if below.size == 0:
            return 0
        return int(np.abs(ulps.keys[order][np.searchsorted(below, -(-9 * below[-1] // 10))]))

    def figures(self) -> dict[str, object]:
        """The figures of the point, for JSON; relative discrepancies are in eps·max(abs(g))."""
        kept = ("samples", "components", "nonfinite", "equal", "max_abs", "max_ulps", "max_units")
        figures = self.discrepancy.figures()
        return {name: figures[name] for name in kept} | {
            "ulps_nine_of_ten": self.ulps_nine_of_ten,
            "mean_relative": self.relative.mean,
            "max_relative": self.max_relative.value,
        }


@dataclass(frozen=True)
class ScalingTally(VariantsTally[PointTally]):
    """What the study remembers: a `PointTally` for each point, by its name."""

    each, of_one = PointTally, PointTally.of

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row for each point that was reached."""
        rows = [
            {"sweep": sweep, "value": value} | self.known[name].figures()
            for sweep, values in SWEEPS.items()
            for value in values
            if (name := point_name(sweep, value)) in self.known
        ]
        return {"samples": self.samples, "scaling": rows}


class Scaling(Variants):
    """Measures the discrepancy at every point, and which side is right."""

    empty = ScalingTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        return [[Variant(point.experiment, {point.name: BY_METHOD}, judged=True)] for point in points(experiment)]


def points(experiment: Experiment) -> list[Point]:
    """The points in the order in which they are measured, up to the largest network allowed."""
    hidden = experiment.hidden or (_WIDTH,)
    changes: dict[str, list[dict[str, object]]] = {
        "width": [{"hidden": (value,) * len(hidden)} for value in SWEEPS["width"]],
        "depth": [{"hidden": (hidden[0],) * value} for value in SWEEPS["depth"]],
        "outputs": [{"outputs": value} for value in SWEEPS["outputs"]],
    }
    few = replace(experiment, samples=SAMPLES)
    return [
        Point(sweep, value, changed)
        for sweep, values in SWEEPS.items()
        for value, changed in zip(values, few.while_allowed(changes[sweep]), strict=False)
    ]


def relative(gradients: Gradients) -> tuple[np.ndarray, np.ndarray]:
    """abs(discrepancy)/(eps·max(abs(g))), float64, and where it is defined, bool, both of shape (samples, inputs).

    NOTE [yardstick]: g is the backward gradient of the sample; no single cancellation can shrink the largest of its
    components. The ratio is not defined where a component is not finite or g is 0; it is set to 0 there.
    """
    eps = torch.finfo(gradients.backward.dtype).eps
    finite = gradients.finite
    size = np.where(finite, np.abs(gradients.values[0]), 0.0).max(1, keepdims=True)
    measured = finite & (size > 0)
    return np.divide(np.abs(gradients.discrepancy), eps * size, out=np.zeros(finite.shape), where=measured), measured


UNITS, ULPS = "largest, in rounding units", "nine in ten within, in floats"

QUANTITIES: dict[str, Callable[[PointTally], float]] = {
    UNITS: lambda point: point.discrepancy.verdict.max_units.value,
    ULPS: lambda point: point.ulps_nine_of_ten,
}
"""The quantities of the small multiples."""

GUIDES = {"√n": 0.5, "n": 1.0}
"""The guide lines by name, with their slopes on logarithmic axes."""


def tables(tally: ScalingTally) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use; x and y are powers of two.

    Each sweep and quantity has two tables. "points" has a row for each point: value, x, y, size (y as a text); a
    discrepancy of 0 does not fit on a log axis and has no row. "guides" has the lines √n and n through the first of
    these points: name, x and y at both ends.
    """
    shown = {}
    for (sweep, values), (quantity, size_of) in product(SWEEPS.items(), QUANTITIES.items()):
        sizes = [(value, size_of(tally[point_name(sweep, value)])) for value in values]
        rows = [(value, log2(value), log2(size), f"{size:.3g}") for value, size in sizes if size]
        points_ = typed({"value": COUNT, "x y": NUMBER, "size": TEXT}, rows)
        first, end = points_[["x", "y"]].head(1).to_numpy(np.float64), log2(values[-1])
        lines = [
            (name, x, y0 + slope * (x - x0)) for x0, y0 in first for name, slope in GUIDES.items() for x in (x0, end)
        ]
        shown[table_name(sweep, quantity, "points")] = points_
        shown[table_name(sweep, quantity, "guides")] = typed({"name": TEXT, "x y": NUMBER}, lines)
    return shown


def table_name(sweep: str, quantity: str, kind: str) -> str:
    """The name of the table of the "points" or the "guides" for a sweep and a quantity."""
    return f"{sweep} {'units' if quantity == UNITS else 'ulps'} {kind}"
