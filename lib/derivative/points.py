"""The derivative study at single points: the edges of the domain, kinks, and the post's tables.

Each x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in `formulas`.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from lib.derivative.certified import exists_at, reference
from lib.derivative.explanation import whole_block
from lib.derivative.formulas import AUTOGRAD, FUNCTIONS, Elementwise, autograd, derivatives_at
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS as FUNCTION_ROWS
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS, points

FIRST = 10
"""The number of rows in the post's tables."""

POSTS_X = 1.0497568845748901
"""The first of `the_posts_x`."""

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


@dataclass(frozen=True)
class Line:
    """A line of the post's tables: whether two numbers are equal, the x they belong to, and their difference."""

    equal: bool
    x: float
    error: float


@dataclass(frozen=True)
class Tables:
    """The post's two tables: autograd − formula, by formula, and x − f⁻¹(f(x)), which is empty if f has no inverse."""

    formulas: dict[str, list[Line]]
    round_trip: list[Line]


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
    f = _first(FUNCTIONS[experiment.differentiated].f(x), len(special))
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


def hundredths() -> list[tuple[int, float, bool]]:
    """n, n/100*100, and whether they are equal, for n = 0 … 100 in Python floats: no PyTorch is involved."""
    return [(n, n / 100 * 100, n / 100 * 100 == n) for n in range(101)]


def python_tables(experiment: Experiment) -> Tables:
    """The post's tables for 1/x at the first normal x in float64, in Python floats; -(1/x)*(1/x) stands for
    autograd."""
    normal = points(replace(experiment, dtype="float64", x_from="normal", device="cpu"), 0)[:FIRST].tolist()
    return Tables(
        {"-1/x**2": [_line(x, -(1 / x) * (1 / x), -1 / x**2) for x in normal]},
        [_line(x, x, 1 / (1 / x)) for x in normal],
    )


def torch_tables(experiment: Experiment) -> Tables:
    """The post's tables for the function, the dtype and the first x of the experiment, in PyTorch."""
    use_one_thread()
    x = points(experiment, 0)
    function = FUNCTIONS[experiment.differentiated]
    back = _first(function.inverse(function.f(x)), FIRST).tolist() if function.inverse else []
    at = _first(x, FIRST).tolist()
    computed = {name: values.tolist() for name, values in _computed(experiment.differentiated, x, FIRST).items()}
    gradient = computed.pop(AUTOGRAD)
    return Tables(
        {formula: list(map(_line, at, gradient, values)) for formula, values in computed.items()},
        list(map(_line, at, at, back)),
    )


def example_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> float:
    """An x to look at: of 1/x in float32 the post's, else the first at which the formula differs from autograd. While
    there is none so far, it is the first that has a derivative."""
    reciprocal = FUNCTION_ROWS[experiment.differentiated].formulas == FUNCTION_ROWS[Experiment.function].formulas
    if reciprocal and experiment.dtype == Experiment.dtype:
        return POSTS_X
    apart = tally.formulas[formula].first_apart.place if tally.samples else None
    return apart.x if apart else first_x(experiment)


@lru_cache(maxsize=64)
def first_x(experiment: Experiment) -> float:
    """The experiment's first x that has a derivative, or its first x."""
    x = to_float64(points(experiment, 0))
    return x[int(exists_at(experiment.differentiated, x).argmax())].item()


def the_posts_x() -> list[float]:
    """Every float32 x > 0 for which PyTorch prints what the post shows: autograd's gradient as -0.9074, and its
    difference from -1/x**2 as 5.9605e-08, which is 2**-24. For each x, −x is another."""
    first = torch.tensor(1.049, dtype=torch.float32).view(torch.int32)
    x = (first + torch.arange(POINTS, dtype=torch.int32)).view(torch.float32)
    computed = derivatives_at("reciprocal", x)
    gradient = to_float64(computed[AUTOGRAD])
    found = (np.round(gradient, 4) == -0.9074) & (gradient - to_float64(computed["-1/x**2"]) == 2.0**-24)
    return to_float64(x)[found].tolist()


def _computed(function: str, x: Tensor, count: int) -> dict[str, np.ndarray]:
    """The derivatives at the first `count` x of a block, by name, float64."""
    return {name: _first(values, count) for name, values in derivatives_at(function, x).items()}


def _first(values: Tensor, count: int) -> np.ndarray:
    return to_float64(values[:count])


def _line(x: float, one: float, other: float) -> Line:
    return Line(one == other, x, one - other)
