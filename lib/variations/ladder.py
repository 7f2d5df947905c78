"""The dtype ladder: the same network and the same points in every dtype, one rung for each.

If the discrepancy is rounding, it is proportional to eps, so the rungs lie on a line of slope 1 on log–log axes. Every
rung has the same figures as the discrepancy study of its dtype, but no verdict.

Beside the dtypes stand the `EMULATIONS` of what a graphics card may do within a matrix product, each named as one.
"""

from dataclasses import dataclass, replace
from math import log10

import numpy as np
import pandas as pd
import torch

from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import percent, significant
from lib.display.tables import NUMBER, TEXT, text_table, typed
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.floats.exact_sum import ExactSum
from lib.network.comparison import BY_METHOD, Comparison
from lib.network.emulated import EMULATIONS, Emulation, both_emulated
from lib.reference.compared import Gradients, Variant
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
    """What the study remembers: a `RungTally` for each dtype, by its name, and for each emulation, by its label."""

    each, of_one = RungTally, RungTally.of

    @property
    def dtypes(self) -> dict[str, RungTally]:
        """The rungs of the dtypes."""
        return {name: rung for name, rung in self.known.items() if name not in _BY_LABEL}

    @property
    def emulated(self) -> list[tuple[Emulation, RungTally]]:
        """The rungs of the emulations."""
        return [(_BY_LABEL[name], rung) for name, rung in self.known.items() if name in _BY_LABEL]

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype, and one per emulation."""
        return {
            "samples": self.samples,
            "ladder": [{"dtype": dtype, "eps": eps(dtype)} | rung.figures() for dtype, rung in self.dtypes.items()],
            "emulated": [
                {"name": one.label, "dtype": one.dtype, "eps": one.eps} | rung.figures() for one, rung in self.emulated
            ],
        }


class Ladder(Variants):
    """Measures the discrepancy of the experiment in every dtype of its device, and with emulated products."""

    empty = LadderTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        return [
            [
                Variant(replace(experiment, dtype=dtype), {dtype: BY_METHOD, **_emulated_in(dtype)})
                for dtype in DEVICES[experiment.device].dtypes
            ]
        ]


_BY_LABEL = {one.label: one for one in EMULATIONS.values()}


def _emulated_in(dtype: str) -> dict[str, Comparison]:
    return {label: both_emulated(BY_METHOD, one) for label, one in _BY_LABEL.items() if one.dtype == dtype}


def eps(name: str) -> float:
    """The distance from 1 to the next float of the dtype; of an emulation, to the next number that it rounds to."""
    return _BY_LABEL[name].eps if name in _BY_LABEL else torch.finfo(getattr(torch, name)).eps


def tables(tally: LadderTally) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use; magnitudes are given as powers of ten.

    `ladder` has a row for each dtype and kind ("largest" or "mean"): dtype, kind, eps, discrepancy, name (the
    discrepancy as a text), equal (share of the finite components). A discrepancy of 0 does not fit on a log axis and
    has no row. `ladder_emulated` has the same for the emulations, with their labels as dtype. `ladder_line` is the line
    of slope 1 through the largest discrepancy of float32, from the smallest to the largest eps: eps, discrepancy. It
    has no rows if that discrepancy is 0.
    """
    emulated = {one.label: rung for one, rung in tally.emulated}
    return {"ladder": _points(tally.dtypes), "ladder_emulated": _points(emulated), "ladder_line": _line(tally)}


def _points(rungs: dict[str, RungTally]) -> pd.DataFrame:
    points = []
    for dtype, rung in rungs.items():
        share = rung.discrepancy.equal / max(rung.discrepancy.finite, 1)
        for kind, value in (("largest", rung.discrepancy.max_abs.value), ("mean", rung.total.mean)):
            if value:
                points.append((dtype, kind, log10(eps(dtype)), log10(value), f"{value:.2g}", share))
    types = {"dtype kind": TEXT, "eps discrepancy": NUMBER, "name": TEXT, "equal": NUMBER}
    return typed(types, points)


def _line(tally: LadderTally) -> pd.DataFrame:
    ends = []
    if through := tally[LINE_THROUGH].discrepancy.max_abs.value:
        above = log10(through) - log10(eps(LINE_THROUGH))
        epsilons = sorted(log10(eps(dtype)) for dtype in tally.dtypes)
        ends = [(x, x + above) for x in (epsilons[0], epsilons[-1])]
    return typed({"eps discrepancy": NUMBER}, ends)


def readable(tally: LadderTally) -> pd.DataFrame:
    """The rungs as a table to read: computed in, eps, equal (share of the finite components), largest and mean
    difference. Each emulation follows the dtype that it computes in. A dash stands for what is not known.
    """
    rows = []
    for name, rung in tally.known.items():
        found = rung.discrepancy
        sizes = map(significant, (found.max_abs.value, rung.total.mean)) if found.finite else (None, None)
        rows.append((name, significant(eps(name)), percent(found.equal, found.finite), *sizes))
    return text_table(rows, ["computed in", "eps", "equal", "largest difference", "mean difference"])
