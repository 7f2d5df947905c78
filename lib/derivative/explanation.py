"""One x explained: the exact derivative there, and where autograd and each formula end.

An x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in `formulas`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan

import torch
from torch import Tensor

from lib.derivative.certified import reference
from lib.derivative.exact_derivatives import digits
from lib.derivative.formulas import derivatives_at
from lib.floats.line import round_once, to_float64
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS

EXACT_DIGITS = 30
"""The number of decimal digits to which an exact derivative is written."""

_FRACTION_DIGITS = 50


@dataclass(frozen=True)
class Explained:
    """One computed derivative at x: its value, its error in ulps, None if that is not defined, and whether it is
    correctly rounded, None if the derivative does not exist."""

    value: float
    ulps: float | None
    correct: bool | None


@dataclass(frozen=True)
class Explanation:
    """The derivatives at one x of a dtype, formula by formula.

    `exact` is the derivative to 30 significant digits, `nearest` its correct rounding and `ulp` the length of one
    ulp there; `fraction` is the derivative to 50 digits. All four are None if the derivative does not exist or is
    `undecided`, and the last two are also None if it overflows.
    """

    x: float
    exact: str | None
    nearest: float | None
    ulp: float | None
    fraction: Fraction | None
    computed: dict[str, Explained]
    undecided: bool = False


def explain(function: str, x: float, dtype: str, device: str = "cpu") -> Explanation:
    """Explain every derivative at x, which is first rounded to the dtype."""
    block = whole_block([x], getattr(torch, dtype), device)
    computed = {name: to_float64(values[:1]) for name, values in derivatives_at(function, block).items()}
    found = reference(function, block[:1], list(computed.values()))
    nearest, ulp = found.nearest[0].item(), 2.0 ** found.ulp[0].item()
    finite = isfinite(nearest)
    errors = {name: found.errors(values)[0].item() for name, values in computed.items()}
    return Explanation(
        block[0].item(),
        digits(function, block[0].item(), EXACT_DIGITS) if found.exists[0] else None,
        nearest if found.exists[0] else None,
        ulp if finite else None,
        _fraction(function, block[0].item(), nearest, found.residual[0].item()) if finite else None,
        {
            name: Explained(
                values[0].item(),
                None if isnan(errors[name]) else errors[name],
                bool(values[0] == nearest) if found.exists[0] else None,
            )
            for name, values in computed.items()
        },
        bool(found.undecided[0]),
    )


def _fraction(function: str, x: float, nearest: float, residual: float) -> Fraction:
    text = digits(function, x, _FRACTION_DIGITS) if residual else "0"
    return Fraction(nearest) if not residual or text.startswith("within") else Fraction(text)


def whole_block(x: Sequence[float], dtype: torch.dtype, device: str) -> Tensor:
    """A block that begins with these x and is filled up with copies of the last."""
    use_one_thread()
    padded = torch.full((POINTS,), x[-1], dtype=torch.float64)
    padded[: len(x)] = torch.tensor(x, dtype=torch.float64)
    return round_once(padded, dtype).to(device)
