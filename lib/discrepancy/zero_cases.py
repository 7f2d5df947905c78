"""Where the difference must be zero: three variants of the experiment with equal gradients, whatever the machine.

If they were unequal in one of them, the discrepancy elsewhere might be a fault and not rounding.
"""

from dataclasses import dataclass, replace

from lib.discrepancy import whole_numbers
from lib.discrepancy.named_comparisons import NamedComparisons, Stage
from lib.experiment.choices import Named
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.comparison import BACKWARD, Comparison, by
from lib.network.sampled_study import RANDOM, Source
from lib.reference.compared import Variant

MOST_SAMPLES = 256
"""The number of samples of each case, or fewer if the experiment has fewer."""

SAME_KERNELS = tuple(name for name, method in METHODS.items() if method.mode == "reverse" and not method.batched)
"""Methods that, with one output, run the same kernels as `backward()` on the same shapes. The others are nearly always
equal, too, but not for certain: their products have other shapes, or are transformed into other operations."""

EXACT = tuple(name for name, method in METHODS.items() if method.gives in ("rows", "sum"))
"""Methods whose summed Jacobian is, on paper, the backward gradient."""


@dataclass(frozen=True)
class ZeroCase(Named):
    """A case: the `label` that the page shows, `why` the two gradients are equal, and by which `methods`.

    `outputs` replaces the experiment's number of outputs if it is not None; `source` supplies networks and samples.
    """

    label: str
    why: str
    methods: tuple[str, ...]
    outputs: int | None = None
    source: Source = RANDOM


ZERO_CASES = {
    "one-output": ZeroCase("one output", "one row: nothing is added up", SAME_KERNELS, outputs=1),
    "whole-numbers": ZeroCase(
        "small whole numbers as weights and inputs",
        "every product and every sum is exact",
        EXACT,
        source=Source(whole_numbers.build, whole_numbers.block),
    ),
    "summed-output": ZeroCase("the outputs summed first", "the same backward pass", ("summed-output",)),
}

ROWS = {
    f"{name}, {method}": {"case": case.label, "why": case.why, "method": METHODS[method].label}
    for name, case in ZERO_CASES.items()
    for method in case.methods
}
"""What each comparison is, by its name."""


class ZeroCases(NamedComparisons):
    """Runs every case of the experiment, one after the other."""

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        few = replace(experiment, samples=min(experiment.samples, MOST_SAMPLES))
        return [
            [Variant(at, _compared(name, case), source=case.source)]
            for name, case in ZERO_CASES.items()
            for at in [replace(few, outputs=case.outputs or few.outputs)]
        ]


def _compared(name: str, case: ZeroCase) -> dict[str, Comparison]:
    return {f"{name}, {method}": Comparison(name, BACKWARD, by(method)) for method in case.methods}
