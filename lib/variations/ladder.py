"""The dtype ladder: the same network and the same points in every dtype, one rung each.

If the discrepancy is rounding it is proportional to eps, so on log–log axes the rungs lie on a line of slope 1. Every
rung is the discrepancy study of its dtype, figure for figure, without its verdict; the dtypes take turns sample by
sample, or batched block by block, so that all rungs stand on equally many samples at any time.
"""

from dataclasses import dataclass, replace
from math import log10
from time import perf_counter

import numpy as np
import pandas as pd
import torch

from lib.discrepancy.study import DiscrepancyTally, Gradients, Unjudged
from lib.experiment.choices import DEVICES
from lib.experiment.query import Experiment
from lib.floats.exact_sum import ExactSum
from lib.network import sampling
from lib.run.tally import ByName, Tally

LINE_THROUGH = "float32"
"""The dtype through whose largest discrepancy the line of slope 1 goes."""


@dataclass(frozen=True)
class Rungs:
    """The gradients of the same consecutive samples, by dtype."""

    of: dict[str, Gradients]

    def __len__(self) -> int:
        return len(next(iter(self.of.values())))


@dataclass(frozen=True)
class RungTally(Tally):
    """One dtype: the tally of its discrepancy study, and the sum of abs(discrepancy) over the finite components."""

    discrepancy: DiscrepancyTally = DiscrepancyTally()
    total: ExactSum = ExactSum()

    @classmethod
    def of(cls, gradients: Gradients) -> "RungTally":
        total = ExactSum.of(np.abs(gradients.discrepancy[gradients.finite]))
        return cls(DiscrepancyTally.of(gradients), total)

    def figures(self) -> dict[str, object]:
        """Of the components, `equal` are equal; the largest and the mean abs(discrepancy) are of the finite ones."""
        kept = ("components", "nonfinite", "equal", "max_abs", "max_abs_at", "max_ulps", "max_ulps_at")
        figures = self.discrepancy.figures()
        return {name: figures[name] for name in kept} | {"mean_abs": self.total.mean}


@dataclass(frozen=True)
class LadderTally(Tally):
    """What the study remembers: a `RungTally` by dtype."""

    rungs: ByName = ByName()

    @classmethod
    def of(cls, measured: Rungs) -> "LadderTally":
        return cls(ByName({dtype: RungTally.of(gradients) for dtype, gradients in measured.of.items()}))

    @property
    def samples(self) -> int:
        """Samples that every rung stands on."""
        return min((rung.discrepancy.samples for rung in self.rungs.tallies.values()), default=0)

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per dtype."""
        rows = [{"dtype": dtype, "eps": eps(dtype)} | rung.figures() for dtype, rung in self.rungs.tallies.items()]
        return {"samples": self.samples, "ladder": rows}


class Ladder:
    """The discrepancy studies of the experiment in every dtype that its device has. For one thread at a time."""

    empty = LadderTally()
    tally = staticmethod(LadderTally.of)

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.block_size = sampling.block_size(experiment)
        dtypes = DEVICES[experiment.device].dtypes
        self._studies = {dtype: Unjudged(replace(experiment, dtype=dtype)) for dtype in dtypes}

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def measure(self, number: int, deadline: float) -> Rungs:
        """Consecutive samples from `number` on, each in every dtype before the next, until the deadline (a time of
        `perf_counter`) or the end of their block or of the experiment; at least one, batched a block."""
        stop = min((number // self.block_size + 1) * self.block_size, self.experiment.samples)
        turns: list[dict[str, Gradients]] = []
        while number < stop:
            # A study whose deadline has passed measures one sample, or batched all that are left of the block.
            turns.append({dtype: study.measure(number, deadline=0.0) for dtype, study in self._studies.items()})
            number += len(next(iter(turns[-1].values())))
            if perf_counter() >= deadline:
                break
        return Rungs({dtype: _joined([turn[dtype] for turn in turns]) for dtype in self._studies})

    @property
    def nbytes(self) -> int:
        """Memory of the networks and of their blocks of samples, in bytes."""
        return sum(study.nbytes for study in self._studies.values())


def eps(dtype: str) -> float:
    """The distance from 1 to the next float of the dtype."""
    return torch.finfo(getattr(torch, dtype)).eps


def tables(tally: LadderTally) -> dict[str, pd.DataFrame]:
    """The tables by the names under which the charts know them; magnitudes are given as powers of ten.

    `ladder`: one row per dtype and kind ("largest" or "mean"): dtype, kind, label, eps, discrepancy, name (as a text),
    equal (share of the finite components). A discrepancy of 0 has no place on a log axis and no row here.
    `ladder_line`: the line of slope 1 through the largest discrepancy of float32, from the smallest to the largest eps:
    eps, discrepancy. It has no rows where that is 0.
    """
    points = []
    for dtype, rung in tally.rungs.tallies.items():
        share = rung.discrepancy.equal / max(rung.discrepancy.ulps.total, 1)
        kinds = {"largest": rung.discrepancy.max_abs.value, "mean": rung.total.mean}
        points += [(dtype, kind, eps(dtype), value, share) for kind, value in kinds.items() if value]
    dtype, kind, epsilons, values, share = zip(*points, strict=True) if points else [()] * 5
    ladder = pd.DataFrame(
        {
            "dtype": pd.Series(dtype, dtype="str"),
            "kind": pd.Series(kind, dtype="str"),
            "label": pd.Series([f"{d}, {k}" for d, k in zip(dtype, kind, strict=True)], dtype="str"),
            "eps": np.log10(np.array(epsilons, np.float64)).astype(np.float32),
            "discrepancy": np.log10(np.array(values, np.float64)).astype(np.float32),
            "name": pd.Series([f"{value:.2g}" for value in values], dtype="str"),
            "equal": np.array(share, np.float32),
        }
    )
    return {"ladder": ladder, "ladder_line": _line(tally)}


def _line(tally: LadderTally) -> pd.DataFrame:
    largest = {dtype: rung.discrepancy.max_abs.value for dtype, rung in tally.rungs.tallies.items()}
    ends = []
    if largest.get(LINE_THROUGH):
        above = log10(largest[LINE_THROUGH]) - log10(eps(LINE_THROUGH))
        ends = sorted(log10(eps(dtype)) for dtype in largest)
        ends = [(x, x + above) for x in (ends[0], ends[-1])]
    return pd.DataFrame(np.array(ends, np.float32).reshape(-1, 2), columns=["eps", "discrepancy"])


def _joined(parts: list[Gradients]) -> Gradients:
    """The gradients of consecutive samples as one."""
    first = parts[0]
    tensors = (torch.cat([getattr(part, name) for part in parts]) for name in ("x", "backward", "jacobian"))
    return Gradients(first.block, first.index, first.number, *tensors)
