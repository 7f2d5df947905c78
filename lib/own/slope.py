"""The derivative along one direction without automatic differentiation: a witness that autograd cannot mislead.

`backward()` and every reverse-mode Jacobian ask the same backward formulas, and all of them lose what `detach()` or
`no_grad()` cuts off. So only values of the function can tell whether the gradient is that of the function.
`torch.autograd.gradcheck` asks them too, within a tolerance; to how many digits they agree only their noise tells.

Central differences of second and fourth order are taken from values at five places. What they differ by tells the error
of the formula, and third and fourth differences of the values tell their noise (J. J. Moré and S. M. Wild, "Estimating
computational noise", SIAM Journal on Scientific Computing 33, 2011). A kink nearby is noise too.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor, inf, isfinite, log10, sqrt

import torch
from torch import Tensor

from lib.network.seeds import stream_seed
from lib.own.function import OwnFunction, Points

STEP, WIDER, FINER = 2.0**-16, 2.0**-12, 2.0**-30
"""Times the size of a point, the root mean square of its numbers. The first is as small as rounding allows, since a
network with ReLUs has kinks nearby; the second is for a function whose values have much noise, and the third tells
whether the function varies within a step."""

FEWEST_DIGITS = 3
"""A check that cannot see an error of 1e-3 confirms nothing."""

_BEYOND = 10  # times its error a slope may be off before it contradicts the gradient
_ROUNDINGS = 32  # of the result are nothing strange
_MARGIN = 30  # times its error it is said to be known to: a part of the gradient may be wrong while the rest is right


@dataclass(frozen=True)
class Slope:
    """The slope `measured` along a direction with its `error`, the one that the gradient in float64 gives, and the one
    that the network's `own` gives; or twice the latter, if that contradicts."""

    measured: float
    error: float
    by_gradient: float
    own: float

    @property
    def contradicts(self) -> bool:
        """Whether the two differ by far more than the error."""
        return abs(self.measured - self.by_gradient) > _BEYOND * self.error

    @property
    def digits(self) -> int:
        """To how many digits the two agree, as far as the error tells."""
        return 0 if self.contradicts else _digits(_MARGIN * self.error, self.by_gradient)

    @property
    def own_digits(self) -> int:
        """To how many of these digits the network's own gradient agrees."""
        return min(self.digits, _digits(abs(self.measured - self.own), self.own))


def slope(function: OwnFunction, value: Tensor, gradient: Points, own: Points, number: int = 0) -> Slope:
    """Measure the slope of the sum of all results in float64 along a random direction.

    Args:
        function: what was brought.
        value: its result in float64 throughout.
        gradient: in float64 throughout.
        own: as the network computes it. It contradicts too, if it is off by more than rounding explains: that of a few
            operations, and what noise of the size of rounding in every one of them makes of the gradient.
        number: of the direction. Its numbers have the signs of the gradient, so that no terms cancel, and sizes from
            1/2 to 3/2 of the point's, so that every one of them counts. Another one is tried if 0 contradicts.
    """
    generator = torch.Generator().manual_seed(stream_seed("directions", 0, number))
    points, direction = [point.double() for point in function.points], []
    for point, g in zip(points, gradient, strict=True):
        random = torch.rand(point.shape, generator=generator, dtype=torch.float64).to(point.device) + 0.5
        direction.append(random.copysign_(g).mul_(point.square().mean().sqrt().item() or 1.0))
    expected, by_own = (_along(side, direction) for side in (gradient, own))

    def measured(step: float) -> Slope:
        return Slope(*_measured(function, value, points, direction, step), expected, by_own)

    found = measured(STEP)
    if found.digits < 2 * FEWEST_DIGITS and not found.contradicts:
        found = min(found, measured(WIDER), key=lambda one: one.error)
    error = found.error + _ROUNDINGS * max(torch.finfo(one.dtype).eps for one in own) * abs(by_own)
    if not found.contradicts and Slope(found.measured, error, by_own, by_own).contradicts:
        shaken, y = function.backward(shaken=True)
        error += _along([(a - b).abs() for a, b in zip(shaken, own, strict=True)], [d.abs() for d in direction])
        again = Slope(found.measured, error, by_own, by_own)
        found = again if again.contradicts and y.isfinite().all() else found
    if found.contradicts and not number:
        return slope(function, value, gradient, own, 1)
    if found.contradicts:
        finer = measured(FINER)
        disputed = abs(finer.measured - found.measured) > _BEYOND * (finer.error + found.error)
        return replace(found, error=inf) if disputed or _BEYOND * found.error > abs(found.measured) else found
    return found


def _digits(error: float, value: float) -> int:
    return max(0, floor(-log10(max(error / abs(value), 1e-99)))) if value and isfinite(error) else 0


def _along(gradient: Iterable[Tensor], direction: Iterable[Tensor]) -> float:
    return float(sum((one * d).sum() for one, d in zip(gradient, direction, strict=True)))


def _measured(
    function: OwnFunction, value: Tensor, points: list[Tensor], direction: list[Tensor], step: float
) -> tuple[float, float]:
    """Return the slope and its error; the error is infinite where the values hardly change."""
    f = {0: 0.0}
    with torch.no_grad(), function.throughout(torch.float64):
        for k in (-2, -1, 1, 2):
            there = tuple(torch.add(p, d, alpha=k * step) for p, d in zip(points, direction, strict=True))
            f[k] = float((function(there, torch.float64) - value).sum())
    if not all(map(isfinite, f.values())) or len(set(f.values())) < 4:
        return 0.0, inf
    second = (f[1] - f[-1]) / 2
    fourth = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / 12
    third_differences = [f[k + 3] - 3 * f[k + 2] + 3 * f[k + 1] - f[k] for k in (-2, -1)]
    noise = max(
        sqrt(sum(one * one for one in third_differences) / 2 / 20),
        abs(third_differences[1] - third_differences[0]) / sqrt(70),
    )
    rounding = torch.finfo(torch.float64).eps / 2 * float(value.abs().sum())
    error = abs(fourth - second) + 1.5 * max(2 * noise, rounding)  # 1.5: what rounding of all four values can add up to
    return fourth / step, error / step
