"""To which side the verdict leans, by the number of outputs, in every dtype; and why, by switching causes off.

Networks differ, so intervals count networks: each point of a dtype is measured on `NETWORKS` networks, with some
samples on each. At the last point, which has the most outputs, each of the `MECHANISMS` is switched off in turn, on the
same networks and samples.
"""

from dataclasses import dataclass, replace
from itertools import product

from lib.discrepancy.compared import Gradients, Variant
from lib.discrepancy.verdict import VerdictTally
from lib.experiment.choices import DTYPES
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.network import sampling
from lib.network.comparison import PLAIN
from lib.variations.mechanisms import MECHANISMS
from lib.variations.variants import Stage, Variants, VariantsTally

METHOD = "functional"
"""The method whose Jacobian is compared: the post's own."""

NETWORKS = 64
"""The number of networks at each point."""

SAMPLES = {"per-sample": 4, "batched": 64}
"""The number of samples on each network, by evaluation; fewer if the largest network has smaller blocks."""

OUTPUTS = [2**k for k in range(1, 7)]
"""The numbers of outputs at the points. One output is left out: it has a single row, so there is nothing to add up."""


@dataclass(frozen=True)
class Point:
    """A number of outputs in one dtype, as an experiment, and the names of the mechanisms that are compared there."""

    experiment: Experiment
    compared: tuple[str, ...]


def point_name(dtype: str, outputs: int, mechanism: str = PLAIN) -> str:
    return f"{dtype}, {outputs} outputs, {mechanism}"


@dataclass(frozen=True)
class LeanTally(VariantsTally[VerdictTally]):
    """What the study remembers: a `VerdictTally` by `point_name`. A sample counts once, even if it was measured with
    several mechanisms switched off."""

    each = VerdictTally

    @staticmethod
    def of_one(gradients: Gradients) -> VerdictTally:
        return VerdictTally.of(gradients.judged, gradients.block, gradients.index)

    def at(self, dtype: str, outputs: int, mechanism: str = PLAIN) -> VerdictTally:
        """The tally at a point, with a mechanism switched off."""
        return self[point_name(dtype, outputs, mechanism)]

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: one row for each comparison that was reached. `switched_off` is null if
        nothing is switched off, and `exact` counts components without an error."""
        rows = []
        for dtype, outputs, mechanism in product(DTYPES, OUTPUTS, MECHANISMS):
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


class Lean(Variants):
    """Measures the comparisons of all points, one after the other, by the post's method."""

    empty = LeanTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        stages: list[Stage] = []
        for point in points(experiment):
            at = point.experiment
            compared = {point_name(at.dtype, at.outputs, name): MECHANISMS[name] for name in point.compared}
            stages.append([Variant(at, compared, judged=True, of_each_block=at.samples // NETWORKS)])
        return stages


def subject(experiment: Experiment) -> Experiment:
    """The experiment with defaults for everything that the points set themselves, so that equivalent ones share a
    run."""
    own = ("dtype", "outputs", "method", "step", "samples", "networks")
    return replace(experiment, **{name: getattr(Experiment, name) for name in own})


def points(experiment: Experiment) -> list[Point]:
    """The points in the order in which they are measured, dtype by dtype, up to the largest network allowed; all have
    the same number of samples."""
    least = replace(experiment, method=METHOD, networks="each-block", outputs=1)
    allowed = least.while_allowed({"outputs": outputs} for outputs in OUTPUTS)
    samples = NETWORKS * min(SAMPLES[experiment.evaluation], *map(sampling.block_size, allowed))
    return [
        Point(replace(at, dtype=dtype, samples=samples), _compared(dtype) if at is allowed[-1] else (PLAIN,))
        for dtype in DEVICES[experiment.device].dtypes
        for at in allowed
    ]


def _compared(dtype: str) -> tuple[str, ...]:
    return tuple(name for name, mechanism in MECHANISMS.items() if dtype != "float64" or not mechanism.needs_wider)
