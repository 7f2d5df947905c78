"""The dtype ladder: the same network and the same points in every dtype, one rung for each.

If the discrepancy is rounding, it is proportional to eps, so the rungs lie on a line of slope 1 on log–log axes. Every
rung has the same figures as the discrepancy study of its dtype.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from lib.discrepancy.named_comparisons import NamedComparisons, NamedTally, Stage
from lib.discrepancy.named_tables import Growth, Point
from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import significant
from lib.network.comparison import BY_METHOD
from lib.reference.compared import Variant

EPS = {name: torch.finfo(getattr(torch, name)).eps for name in DTYPES}
"""The distance from 1 to the next float of each dtype."""

ROWS = {name: {"computed in": name, "eps": significant(eps)} for name, eps in EPS.items()}
"""What each rung is, by its name."""


@dataclass(frozen=True)
class LadderTally(NamedTally):
    """What the study remembers: a tally for each dtype, by its name."""

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype."""
        rungs = [{"dtype": name, "eps": EPS[name]} | rung.figures() for name, rung in self.known.items()]
        return {"samples": self.samples, "ladder": rungs}


class Ladder(NamedComparisons):
    """Measures the discrepancy of the experiment in every dtype of its device."""

    empty = LadderTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        dtypes = DEVICES[experiment.device].dtypes
        return [[Variant(replace(experiment, dtype=dtype), {dtype: BY_METHOD}) for dtype in dtypes]]


GROWTH = Growth("ladder", "eps of the dtype", "|backward − jacobian|", 10, {"∝ eps": 1.0}, "float32")
"""The chart; its line goes through the largest discrepancy in float32."""


def points(tally: NamedTally) -> Iterator[Point]:
    """Yield the largest and the mean difference of each rung, over its eps."""
    for name, rung in tally.known.items():
        for kind, size in {"largest": rung.max_abs.value, "mean": rung.total.mean}.items():
            yield Point(name, EPS[name], size, kind)
