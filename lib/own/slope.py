"""The derivative along one direction without automatic differentiation: a witness that autograd cannot mislead.

`backward()` and every reverse-mode Jacobian ask the same backward formulas, and all of them lose what `detach()` or
`no_grad()` cuts off. So only values of the function can tell whether the gradient is that of the function.

Central differences with steps h and h/2 are extrapolated to h = 0 (L. F. Richardson, "The approximate arithmetical
solution by finite differences", Philosophical Transactions A 210, 1911). The error is taken from what the extrapolation
changed and from the rounding of the values, whose size is that of the largest number computed on the way: a result that
all but cancels, such as 1 − cos(x) at a small x, has the rounding errors of what cancels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import floor, inf, isfinite, log10
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from lib.network.seeds import stream_seed
from lib.own.function import Function, Points

STEP = 2.0**-17
"""Times the size of a point: the root mean square of its numbers. As small as rounding allows, since a network with
ReLUs has kinks nearby."""

FEWEST_DIGITS = 3
"""A check that cannot see an error of 1e-3 confirms nothing."""

_ROUNDINGS = 64  # rounding errors of a result, in units of eps times the largest number on its way: a generous guess
_ALIKE = 0.25  # the slopes at both steps may differ by this part of the larger one, else there is none to measure


@dataclass(frozen=True)
class Slope:
    """The slope `measured` along a direction with its `error`, beside that which a gradient gives: the sum of terms
    whose sizes add up to `scale`. `kink` says that both sides, or both steps, have slopes of their own."""

    measured: float
    error: float
    kink: bool
    by_gradient: float
    scale: float

    @property
    def contradicts(self) -> bool:
        """Whether the two differ by far more than the error."""
        return not self.kink and abs(self.measured - self.by_gradient) > 10 * self.error + 1e-9 * self.scale

    @property
    def digits(self) -> int:
        """To how many digits the two agree, as far as the error tells."""
        if self.kink or self.contradicts or not self.by_gradient:
            return 0
        apart = max(10 * self.error + 1e-9 * self.scale, abs(self.measured - self.by_gradient))
        return max(0, floor(-log10(apart / abs(self.by_gradient)))) if isfinite(apart) else 0


def slope(function: Function, gradient: Points, number: int = 0) -> Slope:
    """Measure the slope of the sum of all results in float64 along the random direction of this number.

    The numbers of a direction have sizes from 1/2 to 3/2 of the point's, so that every one of them counts.
    """
    generator = torch.Generator().manual_seed(stream_seed("directions", 0, number))
    points, direction = [point.double() for point in function.points], []
    for point in points:
        random = torch.rand(point.shape, generator=generator, dtype=torch.float64) * 2 - 1
        size = point.square().mean().sqrt().item() or 1.0
        direction.append(((random + random.sign() / 2) * size).to(point.device))
    step = STEP / 8**number
    with torch.no_grad(), _Largest() as numbers:
        value = function(tuple(points), torch.float64)
    largest = max(float(value.abs().sum()), value.numel() * numbers.size)
    noise = _ROUNDINGS * torch.finfo(torch.float64).eps * largest / step
    sides = [_sides(function, points, direction, value, h) for h in (step, step / 2)]
    wide, narrow = ((above + below) / 2 for above, below in sides)
    apart, apart_half = (abs(above - below) for above, below in sides)
    found, error = (4 * narrow - wide) / 3, abs(narrow - wide) + 2 * noise
    kink = apart_half > 0.75 * apart and apart_half > 8 * noise + 1e-6 * max(map(abs, sides[0]))
    kink |= abs(narrow - wide) > _ALIKE * max(abs(narrow), abs(wide)) + 4 * noise
    terms = [(g.double() * d).flatten() for g, d in zip(gradient, direction, strict=True)]
    by_gradient, scale = (float(sum(size(term).sum() for term in terms)) for size in (torch.clone, torch.abs))
    return Slope(found, error if isfinite(found) and isfinite(error) else inf, kink, by_gradient, scale)


def _sides(
    function: Function, points: list[Tensor], direction: list[Tensor], value: Tensor, h: float
) -> tuple[float, float]:
    """The slopes above and below the points."""
    with torch.no_grad():
        above, below = (
            function(tuple(p + sign * h * d for p, d in zip(points, direction, strict=True)), torch.float64)
            for sign in (1, -1)
        )
        return float((above - value).sum()) / h, float((value - below).sum()) / h


class _Largest(TorchDispatchMode):
    """Remembers the largest finite number that is computed."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0.0

    def __torch_dispatch__(self, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        for one in tree_leaves((args, results)):
            if isinstance(one, Tensor) and one.is_floating_point() and one.numel():
                self.size = max(self.size, float(one.detach().nan_to_num(0, 0, 0).abs().max()))
        return results
