"""The derivative along one direction from values alone, without automatic differentiation.

`backward()` and every reverse-mode Jacobian use the same backward formulas, and all of them lose
what `detach()` or `no_grad()` cuts off. So only values of the function can tell whether the
gradient is that of the function. `torch.autograd.gradcheck` uses them too, within a tolerance.

Central differences of second and fourth order are taken from values at five places. Their
difference tells the error of the formula, and third differences of the values tell their noise
(J. J. Moré and S. M. Wild, "Estimating computational noise", SIAM Journal on Scientific Computing
33, 2011). A kink nearby is noise too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt

import torch
from torch import Tensor

from lib.network.seeds import stream_seed
from lib.own.function import OwnFunction

STEP, FINER = 2.0**-16, 2.0**-30
"""Times the sizes of a tensor's numbers. The first is as small as rounding allows, since a
network with ReLUs has kinks nearby. The second tells whether the function varies within a step."""

NEAR = 2.0**-8
"""Times these sizes: how far away nearby is, much farther than a step."""

FLAT = "Values hardly change where the gradient gives a slope: straight-through?"
ONLY_HERE = "Central differences contradict the gradient here, not nearby: it may be wrong here."

_BEYOND = 10  # times its error a slope may be off before it contradicts the gradient
_PRECISE = 1000  # times its error: a slope of the gradient that is larger is known
_SMOOTH = 2.0**-10  # times what a slope is off: the slope of most kinks jumps by more


@dataclass(frozen=True)
class Slope:
    """The slope `measured` along a direction, its `error`, and what the gradient gives.

    `jump` is by how much the slope from here on is larger than the slope up to here. `doubt` is
    a sentence on why the gradient may be wrong though no slope is known that contradicts it.
    """

    measured: float
    error: float
    by_gradient: float
    jump: float = 0.0
    doubt: str = ""

    @property
    def off(self) -> float:
        """By which part of its terms, added up by size, the gradient's slope is off."""
        return abs(self.measured - self.by_gradient) / abs(self.by_gradient or 1.0)

    @property
    def is_known(self) -> bool:
        """Whether the error is small beside the slope that the gradient gives."""
        return _PRECISE * self.error < abs(self.by_gradient)

    @property
    def contradicts(self) -> bool:
        """Whether the two differ by far more than the error."""
        return abs(self.measured - self.by_gradient) > _BEYOND * self.error


def measure_slope(
    function: OwnFunction, value: Tensor, gradient: Sequence[Tensor], is_even: bool = False
) -> Slope:
    """Measure the slope of the sum of all finite results in float64 along a random direction.

    If it contradicts the gradient, or is not known, it is measured once more nearby, where a fault
    shows as well. If it agrees there, and a kink is seen here, such as a tie of a maximum, the
    error is infinite.

    Args:
        function: what was brought.
        value: its result in float64 throughout.
        gradient: in float64 throughout, all finite.
        is_even: take a direction in which all components whose gradient is not 0 change the sum
            alike. A large one then hides no other; where their sizes differ too much, the slope
            is not known.
    """
    point = _vector(function.tensors).double()
    direction = _direction(function, 0)
    slopes = _vector(gradient)
    shares = torch.ones_like(direction)
    changes = (direction * slopes).abs()
    if is_even and changes.any():
        least = changes[changes > 0].min()
        shares = least / changes.clamp(min=least)
    here = _along(function, point, shares * direction, value, slopes)
    if here.is_known and not here.contradicts:
        return here
    near = point + NEAR * _direction(function, 1)
    value, *gradient = function.backward(torch.float64, point=near)
    there = _along(function, near, direction, value, _vector(gradient))
    if there.contradicts:
        return here if here.contradicts else there
    if not here.contradicts:
        return here
    is_smooth = abs(here.jump) < _SMOOTH * abs(here.measured - here.by_gradient)
    return replace(here, error=inf, doubt=ONLY_HERE if is_smooth else "")


def _vector(tensors: Sequence[Tensor]) -> Tensor:
    # not PyTorch's parameters_to_vector, which takes contiguous tensors alone
    return torch.cat([tensor.flatten() for tensor in tensors])


def _direction(function: OwnFunction, number: int) -> Tensor:
    """Return the sizes of a step: 1/2 to 3/2 of each number, or of the median of those of its
    tensor that are not 0 where that is larger, so that every one counts. `number` selects the
    random numbers."""
    generator = torch.Generator().manual_seed(stream_seed("directions", 0, number))
    sizes = []
    for tensor in function.tensors:
        numbers = tensor.double().abs()
        typical = numbers[numbers > 0].median().item() if numbers.any() else 1.0
        sizes.append(numbers.clamp(min=typical))
    direction = _vector(sizes)
    random = torch.rand(direction.shape, generator=generator, dtype=torch.float64) + 0.5
    return random.to(direction.device) * direction


def _along(
    function: OwnFunction, point: Tensor, direction: Tensor, value: Tensor, gradient: Tensor
) -> Slope:
    """Measure the slope at `point` along a direction, with the signs of the gradient, so that no
    terms cancel."""
    direction = direction.copysign(gradient)
    expected = float(direction @ gradient)
    finite = value.isfinite()  # an infinity stays one, as where a mask sets it
    # Within an operation there may be terms as large as the numbers at `point`, which cancel.
    sizes = float(value[finite].abs().sum() + point.abs().sum())
    rounding = torch.finfo(torch.float64).eps / 2 * sizes

    def measured(step: float) -> Slope:
        changes = {0: 0.0}
        for k in (-2, -1, 1, 2):
            there = function.value_at(torch.float64, point=point + k * step * direction)
            changes[k] = float((there - value)[finite].sum())
        difference, error, jump = _difference(changes, rounding)
        is_flat = not difference and abs(expected * step) > _BEYOND * rounding
        doubt = FLAT if is_flat else ""
        return Slope(difference / step, error / step, expected, jump / step, doubt)

    result = measured(STEP)
    if not result.contradicts:
        return result
    finer = measured(FINER)
    apart = abs(finer.measured - result.measured)
    is_confirmed = apart <= _BEYOND * (finer.error + result.error) < inf
    # The same noise in the values, as the finer step shows it.
    noise = finer.error * FINER / STEP
    is_noisy = _BEYOND * noise > abs(result.measured)
    return result if is_confirmed and not is_noisy else replace(result, error=inf)


def _difference(f: dict[int, float], rounding: float) -> tuple[float, float, float]:
    """Return the central difference of a step, its error, and the second difference, from the
    changes `f` of the function at -2 to 2 steps. The error is infinite where the values hardly
    change, and no number where they are not finite."""
    if len(set(f.values())) < 3:
        return 0.0, inf, 0.0
    second = (f[1] - f[-1]) / 2
    fourth = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / 12
    third = [f[k + 3] - 3 * f[k + 2] + 3 * f[k + 1] - f[k] for k in (-2, -1)]
    noise = hypot(*third) / sqrt(40)
    # 1.5: what rounding of all four values can add up to
    return fourth, abs(fourth - second) + 1.5 * max(2 * noise, rounding), f[1] + f[-1]
