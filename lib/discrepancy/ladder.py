"""The dtype ladder: the same network and the same points in every dtype, one rung for each.

If the discrepancy is rounding, it is proportional to eps, so the rungs lie on a line of slope 1 on log–log axes. Every
rung has the same figures as the discrepancy study of its dtype.

Beside the dtypes stand the `EMULATIONS` of what a graphics card may do within a matrix product, each named as one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from lib.discrepancy.named_comparisons import NamedComparisons, NamedTally, Stage
from lib.discrepancy.named_tables import Growth, Point
from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import significant
from lib.network.comparison import BY_METHOD, Comparison
from lib.network.emulated import EMULATIONS, both_emulated
from lib.reference.compared import Variant

EMULATED = {one.label: one for one in EMULATIONS.values()}
"""The emulations by the names of their rungs."""

EPS = {
    **{name: torch.finfo(getattr(torch, name)).eps for name in DTYPES},
    **{name: one.eps for name, one in EMULATED.items()},
}
"""The distance from 1 to the next float of a dtype; of an emulation, to the next number that it rounds to."""

ROWS = {name: {"computed in": name, "eps": significant(eps)} for name, eps in EPS.items()}
"""What each rung is, by its name."""


@dataclass(frozen=True)
class LadderTally(NamedTally):
    """What the study remembers: a tally for each dtype, by its name, and for each emulation, by its label."""

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype, and one per emulation."""
        rungs = {name: {"eps": EPS[name]} | rung.figures() for name, rung in self.known.items()}
        return {
            "samples": self.samples,
            "ladder": [{"dtype": name} | rung for name, rung in rungs.items() if name in DTYPES],
            "emulated": [
                {"name": name, "dtype": EMULATED[name].dtype} | rung for name, rung in rungs.items() if name in EMULATED
            ],
        }


class Ladder(NamedComparisons):
    """Measures the discrepancy of the experiment in every dtype of its device, and with emulated products."""

    empty = LadderTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        dtypes = DEVICES[experiment.device].dtypes
        return [[Variant(replace(experiment, dtype=dtype), _rungs_in(dtype)) for dtype in dtypes]]


def _rungs_in(dtype: str) -> dict[str, Comparison]:
    emulated = {name: both_emulated(BY_METHOD, one) for name, one in EMULATED.items() if one.dtype == dtype}
    return {dtype: BY_METHOD, **emulated}


GROWTH = Growth("ladder", "eps of the dtype", "|backward − jacobian|", 10, {"∝ eps": 1.0}, "float32")
"""The chart; its line goes through the largest discrepancy in float32."""


def points(tally: NamedTally) -> Iterator[Point]:
    """Yield the largest and the mean difference of each rung, over its eps."""
    for name, rung in tally.known.items():
        for kind, size in {"largest": rung.max_abs.value, "mean": rung.total.mean}.items():
            yield Point(name, EPS[name], size, kind, name in EMULATED)
