"""Does the discrepancy shrink with eps? The same network at the same points, in every dtype.

Rounding errors are proportional to eps, so on log–log axes the differences lie near a line of slope
1.
"""

from dataclasses import dataclass, replace
from math import log10

import pandas as pd
import torch

from lib.discrepancy.variants import Variants, VariantsTally
from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import listed, significant
from lib.floats.tables import NUMBER, TEXT, typed
from lib.network.comparison import BY_METHOD
from lib.reference.compared import Plan

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
    def variants(experiment: Experiment) -> list[Plan]:
        dtypes = DEVICES[experiment.device].dtypes
        return [Plan(replace(experiment, dtype=dtype), {dtype: BY_METHOD}) for dtype in dtypes]


def claim(tally: LadderTally) -> str:
    """Return the largest difference in each dtype, as a sentence."""
    rungs = [(dtype, rung) for dtype, rung in tally.known.items() if rung.finite]
    sizes = listed(f"{significant(rung.max_abs.value)} in {dtype}" for dtype, rung in rungs)
    return (
        tally.why_no_claim
        or f"The same network and points: the largest difference of finite results is {sizes}."
    )


NARROW_SUMS = "On the CPU, PyTorch adds 16-bit numbers in float32 and rounds the sum once."
"""Why 16-bit dtypes often differ less often than float32."""


def tables(tally: LadderTally) -> dict[str, pd.DataFrame]:
    """Return the tables of the chart, in powers of ten.

    Returns:
        `ladder`: `x`, eps; `y`, a difference; its dtype `name`, its `kind` and its `size` as text.
            A difference of 0 has no place on a log axis.
        `ladder guides`: both ends of the line of slope 1 through the largest difference in float32.
    """
    points: list[tuple[float, float, str, str, str]] = []
    for dtype, rung in tally.known.items():
        for kind, size in (("largest", rung.max_abs.value), ("mean", rung.total.mean)):
            if size:
                points.append((log10(EPS[dtype]), log10(size), dtype, kind, significant(size)))
    ends: list[tuple[float, float]] = []
    through = tally["float32"].max_abs.value
    if through:
        start = log10(through) - log10(EPS["float32"])
        ends = [(log10(EPS[dtype]), start + log10(EPS[dtype])) for dtype in tally.known]
    return {
        "ladder": typed({"x y": NUMBER, "name kind size": TEXT}, points),
        "ladder guides": typed({"x y": NUMBER}, ends),
    }
