"""The controls: three experiments in which the two gradients must be equal, whatever the machine.

If they were unequal in one of them, the discrepancy elsewhere might be a fault and not rounding.

NOTE [other kernels]: with one output, the other methods of reverse mode are nearly always equal to `backward()` too,
but not for certain. `vmap` turns products with a vector into products with a matrix, which may add in another order
(seen with one input), and a copy for each output turns the forward pass into that of a batch. In addition,
`func.jacrev` runs the network as a transformed function. There PyTorch computes a linear layer of a 1-D input as a
product and a sum with a rounding in between, while a plain call rounds once, which shows in 16 bits; and it
differentiates SiLU by a formula that can be differentiated again.
"""

from dataclasses import dataclass, replace

import pandas as pd

from lib.display.tables import UNKNOWN, text_table
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.experiment.rows import Named
from lib.network.comparison import BACKWARD, Comparison, by
from lib.network.sampled_study import RANDOM, Source
from lib.reference.compared import Variant
from lib.variations import whole_numbers
from lib.variations.equality import EqualityTally
from lib.variations.variants import Stage, Variants, VariantsTally

MOST_SAMPLES = 256
"""The number of samples of each control, or fewer if the experiment has fewer."""

SAME_KERNELS = tuple(name for name, method in METHODS.items() if method.mode == "reverse" and not method.batched)
"""Methods that, with one output, run the same kernels as `backward()` on the same shapes."""

OTHER_KERNELS = tuple(name for name, method in METHODS.items() if method.batched)
"""The other methods of reverse mode: NOTE [other kernels]."""

EXACT = tuple(name for name, method in METHODS.items() if method.gives in ("rows", "sum"))
"""Methods whose summed Jacobian is, on paper, the backward gradient."""


@dataclass(frozen=True)
class Control(Named):
    """A control: the `label` that the page shows, why equality is `expected`, for which methods it is `certain`, and
    the methods shown `besides`, for which it is not certain.

    `outputs` replaces the experiment's number of outputs if it is not None; `source` supplies networks and samples.
    """

    label: str
    expected: str
    certain: tuple[str, ...]
    besides: tuple[str, ...] = ()
    outputs: int | None = None
    source: Source = RANDOM

    @property
    def methods(self) -> tuple[str, ...]:
        return self.certain + self.besides

    def comparisons(self, name: str) -> dict[str, Comparison]:
        """The comparisons of this control, which has this name, by `point_name`."""
        labels = {method: METHODS[method].label for method in self.methods}
        return {point_name(name, method): Comparison(label, BACKWARD, by(method)) for method, label in labels.items()}


CONTROLS = {
    "one-output": Control(
        "one output",
        "There is only one row, so no rows are added up: the same kernels as in backward() give the same result.",
        SAME_KERNELS,
        OTHER_KERNELS,
        outputs=1,
    ),
    "whole-numbers": Control(
        "small whole numbers as weights and inputs",
        "Every product and every sum is exact, so the order of addition cannot matter.",
        EXACT,
        source=Source(whole_numbers.build, whole_numbers.block),
    ),
    "summed-output": Control(
        "the outputs summed before the Jacobian",
        "The Jacobian of the sum comes from the same backward pass as backward() itself.",
        ("summed-output",),
    ),
}


@dataclass(frozen=True)
class ControlsTally(VariantsTally[EqualityTally]):
    """What the study remembers: an `EqualityTally` for each control and method, by `point_name`."""

    each, of_one = EqualityTally, EqualityTally.of

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: for each control and method, how many components there are and how many
        equal the backward gradient's. `holds` says whether all are equal for the methods for which that is certain."""
        rows = []
        for name, control in CONTROLS.items():
            found = {method: self[point_name(name, method)] for method in control.methods}
            methods = [
                {"method": method, "certain": method in control.certain} | of.figures() for method, of in found.items()
            ]
            holds = all(row["equal"] == row["components"] for row in methods if row["certain"])
            samples = max(of.samples for of in found.values())
            rows.append({"control": name, "samples": samples, "holds": holds, "methods": methods})
        return {"samples": self.samples, "controls": rows}


class Controls(Variants):
    """Runs every control of the experiment, one after the other."""

    empty = ControlsTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        few = replace(experiment, samples=min(experiment.samples, MOST_SAMPLES))
        return [
            [Variant(at, control.comparisons(name), source=control.source)]
            for name, control in CONTROLS.items()
            for at in [replace(few, outputs=control.outputs or few.outputs)]
        ]


def point_name(control: str, method: str) -> str:
    """The name of the comparison by a method under a control."""
    return f"{control}, {method}"


def readable(tally: ControlsTally) -> pd.DataFrame:
    """The controls as a table to read, one row for each control and method.

    Columns: control, expected, method, equal (components, of how many), verdict (whether all are equal). A dash means
    that nothing was measured yet.
    """
    return text_table(
        {
            "control": control.label,
            "expected": control.expected,
            "method": METHODS[method].label,
            "equal": f"{found.equal:,} of {found.components:,}" if found.components else UNKNOWN,
            "verdict": _verdict(method in control.certain, found.equal, found.finite),
        }
        for name, control in CONTROLS.items()
        for method in control.methods
        for found in [tally[point_name(name, method)]]
    )


def _verdict(certain: bool, equal: int, finite: int) -> str:
    if not finite:
        return UNKNOWN
    if equal == finite:
        return "✓ all"
    return "✗ not all" if certain else "not all: other kernels"
