"""How the discrepancy scales with the width, the depth and the number of outputs of the network.

A sum of n rounded terms is off by at most n rounding errors, and by about √n if their signs are random. So each sweep
changes one number of the experiment, point by point, with the same number of samples at every point. A point is one
network, drawn from the experiment's seed, so a curve also shows how networks scatter.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lib.discrepancy.named_comparisons import NamedComparisons, NamedTally, Stage
from lib.discrepancy.named_tables import Growth, Point
from lib.experiment.query import Experiment
from lib.network.comparison import BY_METHOD
from lib.reference.compared import Variant

SAMPLES = 256
"""The number of samples at each point."""

HIDDEN = (10,)
"""The hidden layers whose width and number change if the experiment has none: as in the post."""


@dataclass(frozen=True)
class Sweep:
    """The values of a number, and what of the experiment changes for each of them."""

    values: Sequence[int]
    change: Callable[[Experiment, int], dict[str, object]]

    def experiments(self, experiment: Experiment) -> list[Experiment]:
        """The experiments of the sweep, up to the largest network allowed."""
        few = replace(experiment, samples=SAMPLES)
        return few.while_allowed(self.change(experiment, value) for value in self.values)


SWEEPS = {
    "width": Sweep([2**k for k in range(8)], lambda e, n: {"hidden": (n,) * len(e.hidden or HIDDEN)}),
    "depth": Sweep(range(1, 7), lambda e, n: {"hidden": (e.hidden or HIDDEN)[:1] * n}),
    "outputs": Sweep([2**k for k in range(7)], lambda e, n: {"outputs": n}),
}
"""What is swept: the width of every hidden layer, the number of hidden layers, the number of outputs."""

GROWTHS = {sweep: Growth(sweep, sweep, "largest, in rounding units", 2, {"√n": 0.5, "n": 1.0}) for sweep in SWEEPS}
"""The chart of each sweep."""


class Scaling(NamedComparisons):
    """Measures the discrepancy at every point, in rounding units."""

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        return [
            [Variant(at, {point_name(name, value): BY_METHOD}, judged=True)]
            for name, sweep in SWEEPS.items()
            for value, at in zip(sweep.values, sweep.experiments(experiment), strict=False)
        ]


def point_name(sweep: str, value: int) -> str:
    return f"{sweep}={value}"


def points(tally: NamedTally, sweep: str) -> Iterator[Point]:
    """Yield the largest difference in rounding units at each point of a sweep, over its value."""
    for value in SWEEPS[sweep].values:
        yield Point(str(value), value, tally[point_name(sweep, value)].max_units.value)


def growth(tally: NamedTally, sweep: str) -> float | None:
    """The largest difference at the last point of a sweep over that at the first; None if fewer than two have one."""
    sizes = [point.size for point in points(tally, sweep) if point.size]
    return sizes[-1] / sizes[0] if len(sizes) > 1 else None
