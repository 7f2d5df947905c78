"""The dtype ladder: the same network and the same points in every dtype, one rung for each.

If the discrepancy is rounding, it is proportional to eps, so the rungs lie on a line of slope 1 on log–log axes. Every
rung has the same figures as the discrepancy study of its dtype, but no verdict.
"""

from dataclasses import dataclass, replace
from math import log10

import numpy as np
import pandas as pd
import torch

from lib.discrepancy.compared import Gradients, Variant
from lib.discrepancy.study import DiscrepancyTally
from lib.display.tables import NUMBER, TEXT, typed
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.floats.exact_sum import ExactSum
from lib.network.comparison import BY_METHOD
from lib.run.tally import Tally
from lib.variations.variants import Stage, Variants, VariantsTally

LINE_THROUGH = "float32"
"""The line of slope 1 goes through the largest discrepancy of this dtype."""


@dataclass(frozen=True)
class RungTally(Tally):
    """The tally of one dtype: its discrepancy tally, and the sum of abs(discrepancy) over the finite components."""

    discrepancy: DiscrepancyTally = DiscrepancyTally()
    total: ExactSum = ExactSum()

    @classmethod
    def of(cls, gradients: Gradients) -> "RungTally":
        total = ExactSum.of(np.abs(gradients.discrepancy[gradients.finite]))
        return cls(DiscrepancyTally.of(gradients), total)

    def figures(self) -> dict[str, object]:
        """The figures of one dtype, for JSON; the largest and the mean abs(discrepancy) are of finite components."""
        kept = ("components", "nonfinite", "equal", "max_abs", "max_abs_at", "max_ulps", "max_ulps_at")
        figures = self.discrepancy.figures()
        return {name: figures[name] for name in kept} | {"mean_abs": self.total.mean}


@dataclass(frozen=True)
class LadderTally(VariantsTally[RungTally]):
    """What the study remembers: a `RungTally` for each dtype."""

    each, of_one = RungTally, RungTally.of

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype."""
        rows = [{"dtype": dtype, "eps": eps(dtype)} | rung.figures() for dtype, rung in self.known.items()]
        return {"samples": self.samples, "ladder": rows}


class Ladder(Variants):
    """Measures the discrepancy of the experiment in every dtype of its device."""

    empty = LadderTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        dtypes = DEVICES[experiment.device].dtypes
        return [[Variant(replace(experiment, dtype=dtype), {dtype: BY_METHOD}) for dtype in dtypes]]


def eps(dtype: str) -> float:
    """The distance from 1 to the next float of the dtype."""
    return torch.finfo(getattr(torch, dtype)).eps


def tables(tally: LadderTally) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use; magnitudes are given as powers of ten.

    `ladder` has a row for each dtype and kind ("largest" or "mean"): dtype, kind, label, eps, discrepancy, name (the
    discrepancy as a text), equal (share of the finite components). A discrepancy of 0 does not fit on a log axis and
    has no row. `ladder_line` is the line of slope 1 through the largest discrepancy of float32, from the smallest to
    the largest eps: eps, discrepancy. It has no rows if that discrepancy is 0.
    """
    points = []
    for dtype, rung in tally.known.items():
        share = rung.discrepancy.equal / max(rung.discrepancy.finite, 1)
        for kind, value in (("largest", rung.discrepancy.max_abs.value), ("mean", rung.total.mean)):
            if value:
                points.append((dtype, kind, f"{dtype}, {kind}", log10(eps(dtype)), log10(value), f"{value:.2g}", share))
    types = {"dtype kind label": TEXT, "eps discrepancy": NUMBER, "name": TEXT, "equal": NUMBER}
    return {"ladder": typed(types, points), "ladder_line": _line(tally)}


def _line(tally: LadderTally) -> pd.DataFrame:
    ends = []
    if through := tally[LINE_THROUGH].discrepancy.max_abs.value:
        above = log10(through) - log10(eps(LINE_THROUGH))
        epsilons = sorted(log10(eps(dtype)) for dtype in tally.known)
        ends = [(x, x + above) for x in (epsilons[0], epsilons[-1])]
    return typed({"eps discrepancy": NUMBER}, ends)
