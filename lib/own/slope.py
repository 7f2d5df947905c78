"""The derivative along one direction from values alone, without automatic differentiation.

`backward()` and every reverse-mode Jacobian use the same backward formulas, and all of them lose
what `detach()` or `no_grad()` cuts off. So only values of the function can tell whether the
gradient is that of the function. `torch.autograd.gradcheck` uses them too, within a tolerance.

NOTE [slope]: central differences of second and fourth order are computed from values at five
places. Their difference estimates the error of the formula, and third differences of the values
estimate their noise (J. J. Moré and S. M. Wild, "Estimating computational noise", SIAM Journal on
Scientific Computing 33, 2011). A kink within the step counts as noise too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt

import torch
from torch import Tensor

from lib.network.seeds import stream_seed
from lib.own.function import OwnFunction

STEP, FINER = 2.0**-16, 2.0**-30
"""Steps relative to the sizes of a tensor's numbers. The first is as short as rounding allows,
since a network with ReLUs has kinks nearby. The second is too short for an accurate slope, but
shows whether the slope changes within the first."""

NEAR = 2.0**-8
"""The distance of a second point nearby, relative to the same sizes: much more than a step."""

FLAT = "The values hardly change, but the gradient is not 0: a straight-through estimator?"
ONLY_HERE = "Central differences contradict the gradient at this x, but not nearby."

_BEYOND = 10
"""A slope contradicts the gradient if it is off by more than this times its error."""

_PRECISE = 1000
"""A slope is known if this times its error is below the slope that the gradient gives."""

_SMOOTH = 2.0**-10
"""At nearly every kink, the jump is more than this share of the difference between the measured
slope and the gradient's."""


@dataclass(frozen=True)
class Slope:
    """A slope along a direction, measured and by the gradient.

    Attributes:
        measured: the central difference.
        error: an estimate of its error, infinite if the slope cannot be trusted.
        by_gradient: the slope that the gradient gives, Σ abs(direction·gradient).
        jump: the slope after the point minus the slope before it, large at a kink.
        doubt: a sentence on why the gradient may be wrong even if no slope contradicts it, or "".
    """

    measured: float
    error: float
    by_gradient: float
    jump: float = 0.0
    doubt: str = ""

    @property
    def off(self) -> float:
        """The difference of the two slopes, relative to the gradient's."""
        return abs(self.measured - self.by_gradient) / abs(self.by_gradient or 1.0)

    @property
    def is_known(self) -> bool:
        """Whether the error is small beside the slope that the gradient gives."""
        return _PRECISE * self.error < abs(self.by_gradient)

    @property
    def contradicts(self) -> bool:
        """Whether the two slopes differ by far more than the error."""
        return abs(self.measured - self.by_gradient) > _BEYOND * self.error


def measure_slope(
    function: OwnFunction, value: Tensor, gradient: Sequence[Tensor], is_even: bool = False
) -> Slope:
    """Measure the slope of the sum of all finite results in float64 along a random direction.

    If the slope contradicts the gradient or is not known, it is measured again nearby, where most
    faults show as well. If only the slope here contradicts it, as at the kink where two maxima tie,
    the error becomes infinite; `doubt` is set if no kink is seen.

    Args:
        function: the network.
        value: its result in float64.
        gradient: its gradients in float64, all finite, one for each of its tensors.
        is_even: whether the direction is scaled so that all components whose gradient is not 0
            change the sum equally. Then a large one does not hide the others. If their sizes differ
            too much, the slope is not known.
    """
    if not value.isfinite().all():
        # The gradient also counts results that are infinite, as after adding a mask of -inf.
        gradient = function.backward(torch.float64, finite=True)[1:]
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
    value, *gradient = function.backward(torch.float64, finite=True, point=near)
    there = _along(function, near, direction, value, _vector(gradient))
    if there.contradicts:
        return here if here.contradicts else there
    if not here.contradicts:
        return here
    is_smooth = abs(here.jump) < _SMOOTH * abs(here.measured - here.by_gradient)
    return replace(here, error=inf, doubt=ONLY_HERE if is_smooth else "")


def _vector(tensors: Sequence[Tensor]) -> Tensor:
    # PyTorch's parameters_to_vector takes only contiguous tensors.
    return torch.cat([tensor.flatten() for tensor in tensors])


def _direction(function: OwnFunction, number: int) -> Tensor:
    """Return a direction with positive components.

    Each is the size of its number or, if larger, the median size of the nonzero numbers of its
    tensor, times a random factor from 1/2 to 3/2. `number` selects the random numbers.
    """
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
    """Measure the slope at `point` along a direction, NOTE [slope].

    The components of the direction take the signs of the gradient, so that no terms cancel.
    """
    direction = direction.copysign(gradient)
    expected = float(direction @ gradient)
    # A mask may set some results to infinity.
    finite = value.isfinite()
    # Terms as large as the numbers at `point` may cancel within an operation.
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
    # The finer step shows the noise in the values. Over the longer step, it causes this error of
    # the slope.
    noise = finer.error * FINER / STEP
    is_noisy = _BEYOND * noise > abs(result.measured)
    return result if is_confirmed and not is_noisy else replace(result, error=inf)


def _difference(f: dict[int, float], rounding: float) -> tuple[float, float, float]:
    """Return the central difference of fourth order, its error, and the second difference.

    Args:
        f: the change of the function at -2 to 2 steps.
        rounding: the error of one value.

    Returns:
        All three as changes over one step. The error is infinite if the values hardly change, and
        infinite or NaN if one is not finite.
    """
    if len(set(f.values())) < 3:
        return 0.0, inf, 0.0
    second = (f[1] - f[-1]) / 2
    fourth = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / 12
    third = [f[k + 3] - 3 * f[k + 2] + 3 * f[k + 1] - f[k] for k in (-2, -1)]
    # A third difference of values with variance σ² has variance 20·σ² = (1 + 9 + 9 + 1)·σ².
    noise = hypot(*third) / sqrt(2 * 20)
    # The sizes of the coefficients of `fourth` add up to 1.5.
    return fourth, abs(fourth - second) + 1.5 * max(2 * noise, rounding), f[1] + f[-1]
