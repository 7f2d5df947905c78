"""To which side the verdict leans, against the number of outputs, in every dtype; and why, by switching causes off.

Networks differ, so what is counted are networks: the points of a dtype are measured on `NETWORKS` networks each, some
samples of every one. At the last point, with the most outputs, each of the `MECHANISMS` is switched off in turn, on the
same networks and samples.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lib.discrepancy.judge import Judge, Judged
from lib.discrepancy.verdict import VerdictTally
from lib.experiment.choices import DEVICES
from lib.experiment.query import Experiment, QueryError
from lib.floats.line import to_float64
from lib.network import sampling
from lib.network.jacobians import backward_and_saved
from lib.network.sampled import SampledStudy, Samples
from lib.run.tally import ByName, Tally
from lib.variations.mechanisms import MECHANISMS, METHOD, PLAIN

NETWORKS = 64
"""Networks at each point."""

SAMPLES = {"per-sample": 4, "batched": 64}
"""Samples on each network, by evaluation; fewer if the largest network has smaller blocks."""

OUTPUTS = [2**k for k in range(1, 7)]
"""The points. With one output there is one row, and nothing to add up."""


@dataclass(frozen=True)
class Point:
    """So many outputs in one dtype, as the experiment that it makes, and the names of what is compared there."""

    experiment: Experiment
    compared: tuple[str, ...]

    def name(self, mechanism: str) -> str:
        """Of what is measured at the point with a mechanism switched off."""
        return point_name(self.experiment.dtype, self.experiment.outputs, mechanism)


def point_name(dtype: str, outputs: int, mechanism: str = PLAIN) -> str:
    return f"{dtype}, {outputs} outputs, {mechanism}"


@dataclass(frozen=True)
class Sides(Samples):
    """Both sides of each comparison, float64 of shape (samples, comparisons, 2, inputs), and the saved
    activations, shape (samples, neurons)."""

    sides: Tensor
    saved: Tensor


class Comparisons(SampledStudy):
    """Both sides of some comparisons, on a new network for every so many samples."""

    measured = Sides

    def __init__(self, point: Point) -> None:
        super().__init__(point.experiment)
        self.block_size = point.experiment.samples // NETWORKS  # the first samples of each block, which has more
        self._compared = [MECHANISMS[name] for name in point.compared]
        self._judge: tuple[int, Judge] | None = None

    def differentiate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        pairs = (mechanism.sides(self.net, x) for mechanism in self._compared)
        sides = [torch.stack([side.cpu().double() for side in pair], -2) for pair in pairs]
        return torch.stack(sides, -3), backward_and_saved(self.net, x)[1]

    def judged(self, measured: Sides) -> list[Judged]:
        """Each comparison against the exact gradient; in float64 a network's first samples, as `judge` says."""
        if self._judge is None or self._judge[0] != measured.block:
            judge = Judge(self.net, self.experiment).turned_to(self._samples(measured.block))
            self._judge = measured.block, judge
        values = to_float64(measured.sides)
        return [
            self._judge[1].judge(measured.index, measured.index, measured.saved, values[:, i, 0], values[:, i, 1])
            for i in range(len(self._compared))
        ]

    @property
    def nbytes(self) -> int:
        return super().nbytes + (self._judge[1].nbytes if self._judge else 0)


@dataclass(frozen=True)
class Leaning:
    """Consecutive samples of one network at one point, judged by comparison."""

    point: Point
    samples: Sides
    judged: list[Judged]

    def __len__(self) -> int:
        return len(self.samples)


@dataclass(frozen=True)
class LeanTally(Tally):
    """What the study remembers: a `VerdictTally` by `point_name`."""

    points: ByName = ByName()
    samples: int = 0
    """At all points together, those on which mechanisms were switched off counted once."""

    @classmethod
    def of(cls, leaning: Leaning) -> "LeanTally":
        of_each = {
            leaning.point.name(mechanism): VerdictTally.of(judged, leaning.samples.block, leaning.samples.index)
            for mechanism, judged in zip(leaning.point.compared, leaning.judged, strict=True)
        }
        return cls(ByName(of_each), len(leaning))

    def at(self, dtype: str, outputs: int, mechanism: str = PLAIN) -> VerdictTally:
        """What was measured there; an empty tally before anything was."""
        return self.points.tallies.get(point_name(dtype, outputs, mechanism), VerdictTally())

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row per comparison that was reached; `switched_off` is null where
        nothing is, and `exact` counts components without an error."""
        rows = []
        for dtype, outputs, mechanism in _names():
            tally = self.at(dtype, outputs, mechanism)
            if tally.networks:
                kept = ("referenced", "networks", "closer", "lean_of_networks", "lean_of_networks_interval")
                figures = tally.figures()
                rows.append(
                    {"dtype": dtype, "outputs": outputs, "switched_off": None if mechanism == PLAIN else mechanism}
                    | {name: figures[name] for name in kept}
                    | {"exact": tally.exact()}
                )
        return {"samples": self.samples, "leans": rows}


class Lean:
    """The comparisons of all points, one after the other, by the method of `mechanisms`. For one thread at a time."""

    empty = LeanTally()
    tally = staticmethod(LeanTally.of)

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._points = points(experiment)
        self.block_size = self._points[0].experiment.samples // NETWORKS
        self._at: tuple[int, Comparisons] | None = None

    @staticmethod
    def total(experiment: Experiment) -> int:
        return sum(point.experiment.samples for point in points(experiment))

    def measure(self, number: int, deadline: float) -> Leaning:
        """Consecutive samples of the point and of the network that the number falls in."""
        place, number = divmod(number, NETWORKS * self.block_size)
        point = self._points[place]
        if self._at is None or self._at[0] != place:
            self._at = place, Comparisons(point)
        measured = self._at[1].measure(number, deadline)
        return Leaning(point, measured, self._at[1].judged(measured))

    @property
    def nbytes(self) -> int:
        """Memory of the network at work and of its block of samples, in bytes."""
        return self._at[1].nbytes if self._at else 0


def points(experiment: Experiment) -> list[Point]:
    """The points in the order in which they are measured, dtype by dtype, as far as the network may grow; all have as
    many samples."""
    allowed = []
    for outputs in OUTPUTS:
        try:
            allowed.append(replace(experiment, method=METHOD, networks="each-block", outputs=outputs))
        except QueryError:
            break  # more outputs are not allowed either
    samples = NETWORKS * min(SAMPLES[experiment.evaluation], *map(sampling.block_size, allowed))
    return [
        Point(replace(at, dtype=dtype, samples=samples), _compared(dtype) if at is allowed[-1] else (PLAIN,))
        for dtype in DEVICES[experiment.device].dtypes
        for at in allowed
    ]


def _compared(dtype: str) -> tuple[str, ...]:
    return tuple(name for name, mechanism in MECHANISMS.items() if dtype != "float64" or not mechanism.needs_wider)


def _names() -> list[tuple[str, int, str]]:
    dtypes = DEVICES["cpu"].dtypes
    return [(dtype, outputs, name) for dtype in dtypes for outputs in OUTPUTS for name in MECHANISMS]
