"""Does the discrepancy shrink with eps? The same network at the same points, in every dtype.

Rounding errors are proportional to eps, so differences divided by eps are of similar size.
"""

from dataclasses import dataclass, replace

import pandas as pd
import torch

from lib.discrepancy.variants import Variants, VariantsTally
from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import UNKNOWN, listed, significant
from lib.network.comparison import BY_METHOD
from lib.reference.compared import ComparisonStudy

EPS = {name: torch.finfo(getattr(torch, name)).eps for name in DTYPES}
"""The distance from 1 to the next float of each dtype."""


@dataclass(frozen=True)
class LadderTally(VariantsTally):
    """What the study remembers: a tally for each dtype, by its name."""

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype."""
        rungs = [
            {"dtype": name, "eps": EPS[name]} | rung.figures() for name, rung in self.known.items()
        ]
        return {"samples": self.samples, "ladder": rungs}


class Ladder(Variants):
    """Measures the discrepancy of the experiment in every dtype of its device."""

    empty = LadderTally()

    @staticmethod
    def variants(experiment: Experiment) -> list[ComparisonStudy]:
        dtypes = DEVICES[experiment.device].dtypes
        return [
            ComparisonStudy(replace(experiment, dtype=dtype), {dtype: BY_METHOD})
            for dtype in dtypes
        ]


def claim(tally: LadderTally) -> str:
    """Return the largest difference in each dtype, as a sentence."""
    rungs = [(dtype, rung) for dtype, rung in tally.known.items() if rung.finite]
    sizes = listed(f"{significant(rung.max_abs.value)} in {dtype}" for dtype, rung in rungs)
    return (
        tally.why_no_claim
        or f"On the same network and points, the largest difference of finite results is {sizes}."
    )


NARROW_SUMS = "On the CPU, PyTorch adds 16-bit numbers in float32 and rounds the sum once."
"""Why 16-bit dtypes often differ less often than float32."""


def table(tally: LadderTally) -> pd.DataFrame:
    """Return a table for display: each dtype, and how its gradients differ."""
    about = {}
    for dtype, eps in EPS.items():
        rung = tally[dtype]
        multiple = significant(rung.max_abs.value / eps) if rung.finite else UNKNOWN
        about[dtype] = {
            "computed in": dtype,
            "eps": significant(eps),
            "largest difference / eps": multiple,
        }
    return tally.table(about)
