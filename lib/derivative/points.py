"""The derivative study at single points: the edges of the domain, and kinks.

Each x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in `formulas`.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from lib.derivative.certified import exists_at, reference
from lib.derivative.explanation import whole_block
from lib.derivative.formulas import COMPUTED, Elementwise, autograd, derivatives_at
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.sampling import points

POSTS_X = 1.0497568845748901
"""The first positive float32 x whose derivatives the third post's printout fits: −0.9074 both ways, 2⁻²⁴ apart."""

SPELLINGS: dict[str, dict[str, Elementwise]] = {
    "relu": {
        "torch.relu(x)": torch.relu,
        "x.clamp(min=0)": lambda x: x.clamp(min=0),
        "torch.maximum(x, zero)": lambda x: torch.maximum(x, torch.zeros_like(x)),
        "torch.where(x > 0, x, 0)": lambda x: torch.where(x > 0, x, 0),
        "torch.where(x >= 0, x, 0)": lambda x: torch.where(x >= 0, x, 0),
        "x * (x > 0)": lambda x: x * (x > 0),
        "(x + x.abs()) / 2": lambda x: (x + x.abs()) / 2,
    },
    "abs": {
        "torch.abs(x)": torch.abs,
        "torch.where(x >= 0, x, -x)": lambda x: torch.where(x >= 0, x, -x),
        "torch.where(x > 0, x, -x)": lambda x: torch.where(x > 0, x, -x),
        "torch.maximum(x, -x)": lambda x: torch.maximum(x, -x),
        "x * x.sign()": lambda x: x * x.sign(),
        "torch.relu(x) + torch.relu(-x)": lambda x: torch.relu(x) + torch.relu(-x),
        "torch.sqrt(x**2)": lambda x: torch.sqrt(x**2),
    },
}
"""Several spellings of the same function; on paper all have the same derivative everywhere except at 0."""


@dataclass(frozen=True)
class Edge:
    """A special x, f(x), and the computed derivatives by name; `nearest` is the correctly rounded derivative, None if
    it does not exist or is `undecided`."""

    name: str
    x: float
    f: float
    nearest: float | None
    computed: dict[str, float]
    undecided: bool = False


def edges(experiment: Experiment) -> list[Edge]:
    """The experiment's function at special x: the ends of the float line, and of the function's domain."""
    dtype = getattr(torch, experiment.dtype)
    finfo = torch.finfo(dtype)
    special = {
        "zero": 0.0,
        "negative zero": -0.0,
        "smallest subnormal": finfo.smallest_normal * finfo.eps,
        "smallest normal": finfo.smallest_normal,
        "largest float": finfo.max,
        "infinity": torch.inf,
        "negative infinity": -torch.inf,
        "NaN": torch.nan,
        "a negative number": -1.0,
    }
    x = whole_block(list(special.values()), dtype, experiment.device)
    f = _first(COMPUTED[experiment.differentiated].f(x), len(special))
    computed = _computed(experiment.differentiated, x, len(special))
    found = reference(experiment.differentiated, x[: len(special)], list(computed.values()))
    return [
        Edge(
            name,
            at,
            f[i].item(),
            found.nearest[i].item() if found.exists[i] else None,
            {formula: values[i].item() for formula, values in computed.items()},
            bool(found.undecided[i]),
        )
        for i, (name, at) in enumerate(special.items())
    ]


def kinks(experiment: Experiment) -> dict[str, dict[str, float]]:
    """Autograd's gradient at 0 for every spelling of ReLU and of the absolute value, in the experiment's dtype."""
    zero = whole_block([0.0], getattr(torch, experiment.dtype), experiment.device)
    return {
        function: {spelling: autograd(f, zero)[0].item() for spelling, f in spellings.items()}
        for function, spellings in SPELLINGS.items()
    }


def example_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> float:
    """An x to look at: of 1/x in float32 the post's, else the first at which the formula differs from autograd. While
    there is none so far, it is the first that has a derivative."""
    reciprocal = FUNCTIONS[experiment.differentiated].formulas == FUNCTIONS[Experiment.function].formulas
    if reciprocal and experiment.dtype == Experiment.dtype:
        return POSTS_X
    apart = tally.formulas[formula].first_apart.place if tally.samples else None
    return apart.x if apart else first_x(experiment)


@lru_cache(maxsize=64)
def first_x(experiment: Experiment) -> float:
    """The experiment's first x that has a derivative, or its first x."""
    x = to_float64(points(experiment, 0))
    return x[int(exists_at(experiment.differentiated, x).argmax())].item()


def _computed(function: str, x: Tensor, count: int) -> dict[str, np.ndarray]:
    """The derivatives at the first `count` x of a block, by name, float64."""
    return {name: _first(values, count) for name, values in derivatives_at(function, x).items()}


def _first(values: Tensor, count: int) -> np.ndarray:
    return to_float64(values[:count])
