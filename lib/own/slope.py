"""The derivative along one direction without automatic differentiation: a witness that autograd cannot mislead.

`backward()` and every reverse-mode Jacobian ask the same backward formulas, and all of them lose what `detach()` or
`no_grad()` cuts off. So only values of the function can tell whether the gradient is that of the function.

Central differences with steps h and h/2 are extrapolated to h = 0 (L. F. Richardson, "The approximate arithmetical
solution by finite differences", Philosophical Transactions A 210, 1911). The error is estimated from what the
extrapolation changed and from the rounding of the values. At a kink the slopes on both sides stay apart, however small
h is, and at a pole or a step they grow as h shrinks.

NOTE [noise]: a result that all but cancels, such as 1 − cos(x) at a small x, has the rounding errors of what cancels.
So the noise is taken from the largest number that the function computes on its way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from lib.network.seeds import stream_seed
from lib.own.function import Function
from lib.own.gradients import Gradient

STEP = 2.0**-17
"""Times the size of a point: the root mean square of its numbers. As small as rounding allows, since a network with
ReLUs has kinks nearby."""

_ROUNDINGS = 64
"""Rounding errors of a result, in units of eps times the largest number on its way: a generous guess."""

_SETTLED = 0.25
"""So far the slopes at both steps may differ, as a part of the larger one: beyond that there is no slope to measure."""


@dataclass(frozen=True)
class Slope:
    """The slope measured along one direction, and its estimated `error`. `kink` says that both sides, or both steps,
    have slopes of their own."""

    value: float
    error: float
    kink: bool
    direction: tuple[Tensor, ...]

    def by(self, gradient: Gradient) -> float:
        """Return the slope that a gradient gives."""
        return sum((g * d).sum().item() for g, d in zip(gradient, self.direction, strict=True))

    def contradicts(self, gradient: Gradient) -> bool:
        """Return whether the gradient's slope differs by far more than the estimated error."""
        return not self.kink and abs(self.value - self.by(gradient)) > 10 * self.error + 1e-9 * self._scale(gradient)

    def confirms(self, gradient: Gradient) -> bool:
        """Return whether the gradient has the slope, which is known to at least three digits."""
        known = self.error <= 1e-3 * max(self._scale(gradient), abs(self.value))
        return not self.kink and known and not self.contradicts(gradient)

    def _scale(self, gradient: Gradient) -> float:
        """The sum of the sizes of the terms of the gradient's product with the direction."""
        return sum(float((g * d).abs().sum()) for g, d in zip(gradient, self.direction, strict=True))


def slope(function: Function, value: Tensor, number: int, step: float = STEP) -> Slope:
    """Measure the slope of the sum of all results along a random direction, in float64.

    Args:
        function: a float64 function.
        value: the result at its points.
        number: of the direction. Its numbers have sizes from 1/2 to 3/2 so that every one of them counts.
        step: relative to the size of each point.
    """
    generator = torch.Generator().manual_seed(stream_seed("directions", 0, number))
    direction = []
    for point in function.points:
        random = torch.rand(point.shape, generator=generator, dtype=torch.float64) * 2 - 1
        size = point.detach().square().mean().sqrt().item() or 1.0
        direction.append(((random + random.sign() / 2) * size).to(point.device))
    steps = [_values(function, direction, h) for h in (step, step / 2)]
    sizes = max(float(value.abs().sum()), value.numel() * _largest(function))
    noise = _ROUNDINGS * torch.finfo(torch.float64).eps * sizes / step
    sides = [(float((above - value).sum()) / h, float((value - below).sum()) / h) for h, above, below in steps]
    wide, narrow = ((above + below) / 2 for above, below in sides)
    apart, apart_half = (abs(above - below) for above, below in sides)
    found = (4 * narrow - wide) / 3
    error = abs(narrow - wide) + 2 * noise
    kink = apart_half > 0.75 * apart and apart_half > 8 * noise + 1e-6 * max(map(abs, sides[0]))
    kink |= abs(narrow - wide) > _SETTLED * max(abs(narrow), abs(wide)) + 4 * noise
    finite = all(map(torch.isfinite, (torch.tensor(found), torch.tensor(error))))
    return Slope(found, error if finite else inf, kink, tuple(direction))


class _Largest(TorchDispatchMode):
    """Remembers the largest finite number that is computed."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0.0

    def __torch_dispatch__(self, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        results = func(*args, **(kwargs or {}))
        for one in tree_leaves((args, results)):
            if isinstance(one, Tensor) and one.is_floating_point() and one.numel():
                finite = one.detach().nan_to_num(0, 0, 0)
                self.size = max(self.size, float(finite.abs().max()))
        return results


@torch.no_grad()
def _largest(function: Function) -> float:
    function.start()
    with _Largest() as numbers:
        function(*function.points)
    return numbers.size


@torch.no_grad()
def _values(function: Function, direction: list[Tensor], h: float) -> tuple[float, Tensor, Tensor]:
    found = []
    for sign in (1, -1):
        function.start()
        points = (point + sign * h * along for point, along in zip(function.points, direction, strict=True))
        found.append(function(*points).double())
    return h, found[0], found[1]
