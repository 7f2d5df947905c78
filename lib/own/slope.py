"""The derivative along one direction without automatic differentiation: a witness that autograd cannot mislead.

`backward()` and every reverse-mode Jacobian ask the same backward formulas, and all of them lose what `detach()` or
`no_grad()` cuts off. So only values of the function can tell whether the gradient is that of the function.
`torch.autograd.gradcheck` asks them too, within a tolerance; to how many digits they agree only their noise tells.

Central differences over one and over two steps give one of fourth order, as L. F. Richardson found. What it differs by
from the first tells the error of the formula, and third differences of the values tell their noise, as in J. J. Moré
and S. M. Wild, "Estimating computational noise", SIAM Journal on Scientific Computing 33, 2011. A kink is noise too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, inf, isfinite, log10

import torch
from torch import Tensor

from lib.network.seeds import stream_seed
from lib.own.function import OwnFunction, Points

STEPS = 2.0**-16, 2.0**-12, 2.0**-30
"""Times the size of a point, the root mean square of its numbers. The first is as small as rounding allows, since a
network with ReLUs has kinks nearby; the second is for values with much noise, the third for what varies in a step."""

FEWEST_DIGITS = 3
"""A check that cannot see an error of 1e-3 confirms nothing."""

_BEYOND = 10  # times its error a slope may be off before it contradicts the gradient
_ROUNDINGS = 32  # of the result are nothing strange
_MARGIN = 30  # times its error it is said to be known to: a part of the gradient may be wrong while the rest is right


@dataclass(frozen=True)
class Slope:
    """The slope `measured` along a direction with its `error`, the one that the gradient in float64 gives, and the one
    that the network's own gives, with the `noise` that rounding makes of it."""

    measured: float
    error: float
    by_gradient: float
    by_own: float
    noise: float = inf

    @property
    def contradicts(self) -> float | None:
        """What a gradient gives, if the measured slope is off by far more than its error; else None."""
        sides = ((self.by_gradient, self.error), (self.by_own, self.error + self.noise))
        known = _BEYOND * self.error < abs(self.measured)
        return next((by for by, error in sides if known and abs(self.measured - by) > _BEYOND * error), None)

    def digits(self, by: float) -> int:
        """To how many digits it agrees with what a gradient gives, as far as the error tells."""
        off = max(abs(self.measured - by), _MARGIN * self.error) / abs(by or 1.0)
        return max(0, floor(-log10(max(off, 1e-99)))) if by and isfinite(off) else 0


def slope(function: OwnFunction, value: Tensor, gradient: Points, own: Points) -> Slope:
    """Measure the slope of the sum of all results in float64 along a random direction.

    Its numbers have the signs of the gradient, so that no terms cancel, and sizes from 1/2 to 3/2 of the point's, so
    that every one of them counts. Where it contradicts the gradient, a second direction is asked.

    Args:
        function: what was brought.
        value: its result in float64 throughout.
        gradient: in float64 throughout.
        own: as the network computes it. Its noise is that of a few roundings, and if it is off by more, what noise of
            the size of rounding in every operation makes of the gradient.
    """
    of_points = [point.detach().double().square().mean().sqrt() for point in function.points]
    for number in (0, 1):
        draw = torch.Generator().manual_seed(stream_seed("directions", 0, number))
        random = [torch.rand(g.shape, generator=draw, dtype=torch.float64).to(g) + 0.5 for g in gradient]
        direction = [r.copysign(g) * (of or 1.0) for r, g, of in zip(random, gradient, of_points, strict=True)]
        by_gradient, by_own = _along(gradient, direction), _along(own, direction)
        sizes = [d.abs() for d in direction]
        ulps = [torch.finfo(g.dtype).eps * (g.double().abs() + torch.finfo(g.dtype).tiny) for g in own]
        noise = _ROUNDINGS * _along(ulps, sizes)
        if abs(by_own - by_gradient) > noise:
            (((y,), shaken),) = function.sides(shaken=True)
            off = [(a.double() - b).abs() for a, b in zip(shaken, own, strict=True)]
            noise += _along(off, sizes) if y.isfinite().all() else inf
        found: list[Slope] = []
        for step in STEPS:
            found.append(Slope(*_measured(function, value, direction, step), by_gradient, by_own, noise))
            best = min(found, key=lambda one: one.error)
            if best.digits(by_gradient) >= 2 * FEWEST_DIGITS:
                break
        if best.contradicts is None:
            break
    return best


def _along(gradient: Iterable[Tensor], direction: Iterable[Tensor]) -> float:
    return float(sum((one * d).sum() for one, d in zip(gradient, direction, strict=True)))


def _measured(function: OwnFunction, value: Tensor, direction: list[Tensor], step: float) -> tuple[float, float]:
    """Return the slope and its error; the error is infinite where the values hardly change."""
    f = {k: float((function.moved(direction, k * step) - value).sum()) if k else 0.0 for k in range(-2, 3)}
    if not all(map(isfinite, f.values())) or len(set(f.values())) < 4:
        return 0.0, inf
    narrow, wide = (f[1] - f[-1]) / 2, (f[2] - f[-2]) / 4
    noise = max(abs(f[k + 3] - 3 * f[k + 2] + 3 * f[k + 1] - f[k]) for k in (-2, -1)) / 2
    rounding = torch.finfo(torch.float64).eps / 2 * float(value.abs().sum())
    return (4 * narrow - wide) / 3 / step, (abs(narrow - wide) / 3 + noise + rounding) / step
