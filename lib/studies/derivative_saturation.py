"""Saturation: from which x on a derivative comes out 0 though its correct rounding is not.

The float line is searched, not sampled: a block of evenly spaced floats, then one between the two neighbours where the
first zero shows, and so on to the last float. That finds a stretch of x if it is longer than a block's first spacing,
which is a sixteenth of a factor of two in float64 and all but none in the 16-bit dtypes.
"""

from collections.abc import Callable

import numpy as np
import torch

from lib.balls import certify
from lib.certified import EXISTS
from lib.derivatives import AUTOGRAD, FUNCTIONS, Elementwise, autograd
from lib.experiment import Experiment
from lib.floats import floats_at, ordinals
from lib.machine import use_one_thread
from lib.sampling import POINTS

Stretch = tuple[float, float]


def saturation(experiment: Experiment) -> dict[str, list[Stretch]]:
    """The stretches of x where autograd and each formula saturate, by name: none, or one for each sign of x.

    It is the stretch nearest to zero, as its first and its last x seen from there. It ends where the value is no more
    0, where the correct rounding is 0 too, or with the largest float.
    """
    use_one_thread()
    row, dtype = FUNCTIONS[experiment.function], getattr(torch, experiment.dtype)
    derivatives = {AUTOGRAD: lambda x: autograd(row.f, x)} | row.formulas
    return {
        name: [stretch for sign in (-1, 1) if (stretch := _stretch(experiment, derivative, dtype, sign))]
        for name, derivative in derivatives.items()
    }


def _stretch(experiment: Experiment, derivative: Elementwise, dtype: torch.dtype, sign: int) -> Stretch | None:
    def is_zero(places: np.ndarray) -> np.ndarray:
        x = sign * floats_at(places, dtype)
        return (derivative(x.to(experiment.device)) == 0).cpu().numpy()

    def x_at(place: int) -> float:
        return sign * floats_at(np.array([place]), dtype).item()

    def saturated(place: int) -> bool:
        return certify(experiment.function, x_at(place), dtype).nearest != 0

    largest = int(ordinals(torch.tensor(torch.finfo(dtype).max, dtype=dtype)))
    first = _first(is_zero, 1, largest)
    if first is None or not EXISTS[experiment.function](np.array(x_at(first))) or not saturated(first):
        return None
    after = _first(lambda places: ~is_zero(places), first, largest)
    low, high = first, largest + 1 if after is None else after
    while high - low > 1:  # the derivative goes to 0 from here on, so its rounding is 0 from some x on
        middle = (low + high) // 2
        low, high = (middle, high) if saturated(middle) else (low, middle)
    return x_at(first), x_at(low)


def _first(holds: Callable[[np.ndarray], np.ndarray], low: int, high: int) -> int | None:
    """The first place from low to high that holds, by blocks of places that are ever closer."""
    while True:
        step = max(-((low - high) // (POINTS - 1)), 1)  # rounded up, so that the last place is high
        places = low + np.minimum(step * np.arange(POINTS), high - low)
        found = np.flatnonzero(holds(places))
        if found.size == 0:
            return None
        if step == 1 or found[0] == 0:
            return int(places[found[0]])
        low, high = int(places[found[0] - 1]), int(places[found[0]])
