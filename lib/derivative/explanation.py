"""The derivatives at one x, autograd's and each formula's, beside the exact one; and the x that are worth a look.

An x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in `formulas`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isnan

import torch
from torch import Tensor

from lib.derivative.certified import exists_at, reference
from lib.derivative.exact_derivatives import digits, is_known_exactly
from lib.derivative.formulas import COMPUTED, autograd, derivatives_at, elementwise
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.parser import parse
from lib.experiment.query import Experiment
from lib.floats.line import round_once, to_float64
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS, points

POSTS_X = 1.0497568845748901
"""The first positive float32 x whose derivatives the third post's printout fits: −0.9074 both ways, 2⁻²⁴ apart."""

_FRACTION_DIGITS = 50
EXACT_DIGITS = 30
"""The number of decimal digits to which an exact derivative is written."""


@dataclass(frozen=True)
class Explained:
    """One computed derivative at x: its value, its error in ulps, None if that is not defined, and whether it is
    correctly rounded, None if the derivative does not exist."""

    value: float
    ulps: float | None
    correct: bool | None


@dataclass(frozen=True)
class Explanation:
    """f(x) and the derivatives at one x of a dtype, formula by formula.

    `exact` is the derivative to 30 significant digits and `nearest` its correct rounding, None if the derivative does
    not exist or is `undecided`. `ulp` is the length of one ulp there, and `fraction` the derivative to 50
    digits, None also if it overflows. `is_float` says whether the derivative is known to be the float `nearest`.
    """

    x: float
    f: float
    exact: str | None
    nearest: float | None
    ulp: float | None
    fraction: Fraction | None
    is_float: bool
    computed: dict[str, Explained]
    undecided: bool = False


def explain(function: str, x: float, dtype: str, device: str = "cpu") -> Explanation:
    """Explain every derivative at x, which is first rounded to the dtype."""
    (found,) = explain_all(function, [x], dtype, device)
    return found


def explain_all(function: str, x: Sequence[float], dtype: str, device: str = "cpu") -> list[Explanation]:
    """Explain every derivative at each x."""
    block = whole_block(x, getattr(torch, dtype), device)
    at, f = (to_float64(values[: len(x)]) for values in (block, COMPUTED[function].f(block)))
    computed = {name: to_float64(values[: len(x)]) for name, values in derivatives_at(function, block).items()}
    found = reference(function, block[: len(x)], list(computed.values()))
    errors = {name: found.errors(values) for name, values in computed.items()}

    def one(i: int) -> Explanation:
        x, nearest, residual, exists = at[i].item(), found.nearest[i].item(), found.residual[i].item(), found.exists[i]
        ulp = Fraction(2) ** int(found.ulp[i])
        finite = isfinite(nearest)
        return Explanation(
            x=x,
            f=f[i].item(),
            exact=digits(function, x, EXACT_DIGITS) if exists else None,
            nearest=nearest if exists else None,
            ulp=float(ulp) if finite else None,
            fraction=_fraction(function, x, nearest, residual) if finite else None,
            is_float=finite and residual == 0 and is_known_exactly(function, x),
            computed={
                name: Explained(
                    values[i].item(),
                    None if isnan(errors[name][i]) else errors[name][i].item(),
                    bool(values[i] == nearest) if exists else None,
                )
                for name, values in computed.items()
            },
            undecided=bool(found.undecided[i]),
        )

    return [one(i) for i in range(len(x))]


def _fraction(function: str, x: float, nearest: float, residual: float) -> Fraction:
    text = digits(function, x, _FRACTION_DIGITS) if residual else "0"
    return Fraction(nearest) if not residual or text.startswith("within") else Fraction(text)


def edges(experiment: Experiment) -> dict[str, Explanation]:
    """The function at special x: the ends of the float line, and those where domains often end."""
    finfo = torch.finfo(getattr(torch, experiment.dtype))
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
    found = explain_all(experiment.differentiated, list(special.values()), experiment.dtype, experiment.device)
    return dict(zip(special, found, strict=True))


AT_KINKS = {
    "relu": ("relu(x)", "maximum(x, 0)", "where(x > 0, x, 0)", "where(x >= 0, x, 0)", "(x + abs(x))/2"),
    "abs": ("abs(x)", "maximum(x, -x)", "where(x > 0, x, -x)", "where(x >= 0, x, -x)", "x*sign(x)", "sqrt(x**2)"),
}
"""Several spellings of the same function; on paper all have the same derivative everywhere except at 0."""


def kinks(experiment: Experiment) -> dict[str, dict[str, float]]:
    """Autograd's gradient at 0 for every spelling of ReLU and of the absolute value, in the experiment's dtype."""
    zero = whole_block([0.0], getattr(torch, experiment.dtype), experiment.device)
    return {
        function: {text: autograd(elementwise(parse(text)), zero)[0].item() for text in texts}
        for function, texts in AT_KINKS.items()
    }


def example_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> float:
    """An x to look at: of 1/x in float32 the post's, else the first at which the formula differs from autograd. While
    there is none so far, it is the first that has a derivative."""
    listed = FUNCTIONS[experiment.differentiated].formulas == FUNCTIONS[Experiment.function].formulas
    if listed and experiment.dtype == Experiment.dtype:
        return POSTS_X
    apart = tally.formulas[formula].first_apart.place if tally.samples else None
    return apart.x if apart else _first_x(experiment)


@lru_cache(maxsize=64)
def _first_x(experiment: Experiment) -> float:
    """The experiment's first x that has a derivative, or its first x."""
    x = to_float64(points(experiment, 0))
    return x[int(exists_at(experiment.differentiated, x).argmax())].item()


def whole_block(x: Sequence[float], dtype: torch.dtype, device: str) -> Tensor:
    """A block that begins with these x and is filled up with copies of the last."""
    use_one_thread()
    padded = torch.full((POINTS,), x[-1], dtype=torch.float64)
    padded[: len(x)] = torch.tensor(x, dtype=torch.float64)
    return round_once(padded, dtype).to(device)
