"""The controls: three experiments in which the two gradients must be equal, whatever the machine.

If one of them were not, the discrepancy elsewhere might be no rounding, but a fault.

NOTE [other kernels]: with one output the rest of reverse mode is nearly always equal to `backward()` too, but not for
certain. `vmap` turns products with a vector into products with a matrix, which may add in another order (seen with one
input), and a copy per output makes the forward pass one of a batch. `func.jacrev` besides runs the network as a
transformed function: there PyTorch computes a linear layer of a 1-D input as a product and a sum with a rounding
between them, where a plain call rounds once, which shows in 16 bits; and it differentiates SiLU by a formula that can
be differentiated again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from lib.experiment.choices import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.jacobians import backward_gradient, summed_jacobian
from lib.network.sampled import SampledStudy, Samples
from lib.run.tally import ByName, Histogram, Tally
from lib.variations import whole_numbers

MOST_SAMPLES = 256
"""Samples of each control; fewer if the experiment has fewer."""

SAME_KERNELS = tuple(name for name, method in METHODS.items() if method.mode == "reverse" and not method.batched)
"""Methods that with one output run the same kernels as `backward()`, on the same shapes."""

OTHER_KERNELS = tuple(name for name, method in METHODS.items() if method.batched)
"""The rest of reverse mode: NOTE [other kernels]."""

EXACT = tuple(name for name, method in METHODS.items() if method.gives in ("rows", "sum"))
"""Methods whose summed Jacobian is on paper the backward gradient."""


@dataclass(frozen=True)
class Compared(Samples):
    """The backward gradient and then the summed Jacobians by some methods, shape (samples, 1 + methods, inputs)."""

    gradients: Tensor


class Comparison(SampledStudy):
    """The backward gradient against the summed Jacobian by each of the methods."""

    measured = Compared

    def __init__(self, experiment: Experiment, methods: tuple[str, ...]) -> None:
        super().__init__(experiment)
        self._methods = methods

    def differentiate(self, x: Tensor) -> tuple[Tensor]:
        summed = (summed_jacobian(method, self.net, x) for method in self._methods)
        return (torch.stack([backward_gradient(self.net, x), *summed], -2),)


class WholeNumbers(Comparison):
    """The same on a network and on samples of small whole numbers."""

    def __init__(self, experiment: Experiment, methods: tuple[str, ...]) -> None:
        super().__init__(experiment, methods)
        self.net = whole_numbers.build(experiment)

    def _samples(self, block: int) -> Tensor:
        if self._drawn is None or self._drawn[0] != block:
            self._drawn = block, whole_numbers.block(self.experiment, block)
        return self._drawn[1]


@dataclass(frozen=True)
class Control:
    """The `label` that the page shows, why equality is `expected`, for which methods it is certain, what compares them,
    and methods that are shown `besides`, without being certain."""

    label: str
    expected: str
    certain: tuple[str, ...]
    compare: Callable[[Experiment, tuple[str, ...]], Comparison]
    besides: tuple[str, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        return self.certain + self.besides


CONTROLS = {
    "one-output": Control(
        "one output",
        "There is one row, so no rows are added up: with the same kernels as backward(), the result is the same.",
        SAME_KERNELS,
        lambda experiment, methods: Comparison(replace(experiment, outputs=1), methods),
        OTHER_KERNELS,
    ),
    "whole-numbers": Control(
        "small whole numbers as weights and inputs",
        "Every product and sum is exact, so no order of adding can matter.",
        EXACT,
        WholeNumbers,
    ),
    "summed-output": Control(
        "the outputs summed before the Jacobian",
        "The Jacobian of the sum is computed by the same backward pass as backward() itself.",
        ("summed-output",),
        Comparison,
    ),
}


@dataclass(frozen=True)
class Checked:
    """Consecutive samples of one control."""

    control: str
    compared: Compared

    def __len__(self) -> int:
        return len(self.compared)


@dataclass(frozen=True)
class ControlTally(Tally):
    """One control: components by the place of the method among those of the control."""

    samples: int = 0
    finite: Histogram = Histogram()
    equal: Histogram = Histogram()
    """Components that are equal to the backward gradient: +0 and −0 are, though their bits are not."""
    nonfinite: Histogram = Histogram()

    @classmethod
    def of(cls, compared: Compared) -> "ControlTally":
        values = to_float64(compared.gradients)
        backward, summed = values[:, :1], values[:, 1:]
        finite = np.isfinite(backward) & np.isfinite(summed)
        places = np.arange(summed.shape[1])
        parts = (finite, finite & (backward == summed), ~finite)
        return cls(len(compared), *(Histogram.of(places, part.sum((0, 2))) for part in parts))


@dataclass(frozen=True)
class ControlsTally(Tally):
    """What the study remembers: a `ControlTally` by control."""

    controls: ByName = ByName()

    @classmethod
    def of(cls, checked: Checked) -> "ControlsTally":
        return cls(ByName({checked.control: ControlTally.of(checked.compared)}))

    @property
    def samples(self) -> int:
        """Samples of all controls together."""
        return sum(tally.samples for tally in self.controls.tallies.values())

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: for each control and method the components, and those that are equal to
        the backward gradient; `holds` says whether these are all for the methods where that is certain."""
        rows = []
        for name, control in CONTROLS.items():
            tally = self.controls.tallies.get(name, ControlTally())
            methods = [
                {
                    "method": method,
                    "certain": method in control.certain,
                    "components": tally.finite[place] + tally.nonfinite[place],
                    "nonfinite": tally.nonfinite[place],
                    "equal": tally.equal[place],
                }
                for place, method in enumerate(control.methods)
            ]
            holds = all(row["equal"] == row["components"] for row in methods if row["certain"])
            rows.append({"control": name, "samples": tally.samples, "holds": holds, "methods": methods})
        return {"samples": self.samples, "controls": rows}


class Controls:
    """Every control of the experiment, one after the other. For one thread at a time."""

    empty = ControlsTally()
    tally = staticmethod(ControlsTally.of)

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        few = replace(experiment, samples=_samples(experiment))
        self._comparisons = {name: control.compare(few, control.methods) for name, control in CONTROLS.items()}

    @staticmethod
    def total(experiment: Experiment) -> int:
        return len(CONTROLS) * _samples(experiment)

    def measure(self, number: int, deadline: float) -> Checked:
        """Consecutive samples of the control that the number falls in, as its comparison measures them."""
        place, number = divmod(number, _samples(self.experiment))
        name = list(CONTROLS)[place]
        return Checked(name, self._comparisons[name].measure(number, deadline))

    @property
    def nbytes(self) -> int:
        """Memory of the networks and of their blocks of samples, in bytes."""
        return sum(comparison.nbytes for comparison in self._comparisons.values())


def readable(tally: ControlsTally) -> pd.DataFrame:
    """The controls as a table to read, one row for each control and method: control, expected, method, equal components
    of how many, and whether these are all; a dash where nothing was measured yet."""
    return pd.DataFrame(
        [
            {
                "control": CONTROLS[row["control"]].label,
                "expected": CONTROLS[row["control"]].expected,
                "method": METHODS[method["method"]].label,
                "equal": f"{method['equal']:,} of {method['components']:,}" if method["components"] else "–",
                "verdict": _verdict(method["certain"], method["equal"], method["components"] - method["nonfinite"]),
            }
            for row in tally.figures()["controls"]
            for method in row["methods"]
        ]
    )


def _verdict(certain: bool, equal: int, finite: int) -> str:
    if not finite:
        return "–"
    if equal == finite:
        return "✓ all"
    return "✗ not all" if certain else "not all: other kernels"


def _samples(experiment: Experiment) -> int:
    return min(experiment.samples, MOST_SAMPLES)
