"""Two results that are to be the same, component by component: how far apart, and whether that is rounding.

Rounding errors shrink with eps: computed in float64 throughout they are smaller by the quotient of the two eps. A
difference of another kind stays as it is. Both are measured, and a difference that does neither is left undecided.
"""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import torch

from lib.floats.line import to_float64, ulp_distance
from lib.own.function import Points
from lib.own.slope import Slope

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = ("equal", "rounding", "undecided", "not rounding")
"""The kinds, from the best to the worst."""

STAYS = 0.1
"""At least this part of the difference remains in float64: it does not come from rounding."""

Both = tuple[Points, Points]
EPS64 = torch.finfo(torch.float64).eps


@dataclass(frozen=True, eq=False)
class Difference:
    """Two results, each a list of tensors with `names`, of both `sides`.

    `own` has them as the network computes them, `wide` in float64 throughout, and `narrow` in float32 throughout if the
    network's own dtype is float64. `slopes` are those measured for each side, if these are gradients.
    """

    what: str
    sides: tuple[str, str]
    names: tuple[str, ...]
    own: Both
    wide: Both | None
    narrow: Both | None = None
    slopes: tuple[Slope, ...] = ()
    causes: tuple[str, ...] = ()

    @cached_property
    def values(self) -> np.ndarray:
        """Both results, float64, of shape (2, components)."""
        return _flat(self.own)

    @cached_property
    def exact(self) -> np.ndarray | None:
        """Both results in float64 throughout, likewise."""
        return _flat(self.wide) if self.wide else None

    @cached_property
    def comparable(self) -> np.ndarray:
        """Where both are finite."""
        return np.isfinite(self.values).all(0)

    @cached_property
    def unmatched(self) -> np.ndarray:
        return _unmatched(self.values)

    @cached_property
    def ulps(self) -> np.ndarray:
        """How many floats apart, uint64, of shape (components,); 0 where that is no number."""
        found = []
        for one, other in zip(*self.own, strict=True):
            finite = (one.isfinite() & other.isfinite()).flatten()
            a, b = (torch.where(finite, side.detach().flatten(), 0).contiguous() for side in (one, other))
            found.append(ulp_distance(a, b))
        return np.concatenate(found)

    @property
    def differing(self) -> int:
        return int((self.ulps > 0).sum() + self.unmatched.sum())

    @cached_property
    def expected(self) -> float:
        """Which part of a rounding error remains in float64: the quotient of the two dtypes' eps."""
        dtypes = [torch.float32] if self.narrow else [one.dtype for one in self.own[0]]
        return EPS64 / max(torch.finfo(dtype).eps for dtype in dtypes)

    @cached_property
    def remains(self) -> float | None:
        """The largest difference in float64 throughout, as a part of that of the network, or of float32 if larger.

        Where these are equal by luck, eps times the largest component stands for them. A small component counts alone
        if its own difference stays and is a thousand times what rounding leaves of the largest. None without a second
        computation, or where nothing of it is finite.
        """
        if self.exact is None or self.narrow is None and self.expected == 1:
            return None
        coarse = [self.values] + ([_flat(self.narrow)] if self.narrow else [])
        finite = np.isfinite(self.exact).all(0) & np.all([np.isfinite(one).all(0) for one in coarse], 0)
        if not finite.any():
            return None
        fine = np.abs(self.exact[0] - self.exact[1])[finite]
        apart = np.max([np.abs(one[0] - one[1])[finite] for one in coarse], 0)
        unit = max(apart.max(), EPS64 / self.expected * np.abs(self.values[:, finite]).max())
        if not fine.any() or not unit:
            return None if fine.any() else 0.0
        alone = (apart > 0) & (fine > 1000 * self.expected * unit)
        return float(max(fine.max() / unit, *(fine[alone] / apart[alone]), 0.0))

    @property
    def kind(self) -> str:
        remains = self.remains
        if self.unmatched.any():
            return NOT_ROUNDING if self.exact is not None and _unmatched(self.exact).any() else UNDECIDED
        if not self.comparable.all():
            return UNDECIDED
        if remains is not None and remains >= STAYS or any(one.contradicts for one in self.slopes):
            return NOT_ROUNDING
        if not self.differing:
            return EQUAL
        return ROUNDING if remains is not None and remains <= sqrt(self.expected) else UNDECIDED

    @property
    def factor(self) -> float | None:
        """The number by which the first result has to be multiplied to give the second, to half of the digits."""
        one, other = self.values[:, self.comparable]
        weight = float(one @ one)
        factor = float(one @ other) / weight if weight else 0.0
        close = np.abs(other - factor * one).max(initial=0) <= self._half_of_the_digits * np.abs(other).max(initial=0)
        return factor if one.size > 1 and factor and close else None

    @property
    def transposed(self) -> bool:
        one, other = (side[0] for side in self.own)
        square = len(self.own[0]) == 1 and one.dim() == 2 and one.shape[0] == one.shape[1] > 1
        size = float(other.abs().max()) if square else 0.0
        return square and bool((one.T - other).abs().max() <= self._half_of_the_digits * size)

    @cached_property
    def lost(self) -> np.ndarray:
        """The components of a side that share fewer than half of their digits with float64, from the first on."""
        if self.exact is None:
            return np.zeros(0, int)
        with np.errstate(invalid="ignore"):  # what is not finite has no digits
            far = np.abs(self.values - self.exact) > self._half_of_the_digits * np.abs(self.exact)
        return np.flatnonzero((far & np.isfinite(self.exact)).any(0))

    @cached_property
    def errors(self) -> np.ndarray | None:
        """The distances of both sides from their mean in float64 throughout, of shape (2, components)."""
        if self.exact is None or self.narrow or self.kind != ROUNDING:
            return None
        return np.abs(self.values - self.exact.mean(0))

    def place(self, component: int) -> tuple[str, tuple[int, ...], torch.dtype]:
        """Return the name of the tensor that a component belongs to, its index there, and its dtype."""
        for name, one in zip(self.names, self.own[0], strict=True):
            if component < one.numel():
                return name, tuple(int(k) for k in np.unravel_index(component, tuple(one.shape))), one.dtype
            component -= one.numel()
        raise IndexError(component)

    def worst(self, count: int) -> list[int]:
        """Return the components that differ, the farthest apart first; before them those with NaN or an infinity."""
        order = np.lexsort((-self.ulps.astype(np.float64), ~self.unmatched))
        return order[: min(count, self.differing)].tolist()

    @property
    def _half_of_the_digits(self) -> float:
        return sqrt(EPS64 / self.expected)


def _flat(both: Both) -> np.ndarray:
    return np.array([np.concatenate([to_float64(one).reshape(-1) for one in side]) for side in both])


def _unmatched(values: np.ndarray) -> np.ndarray:
    """Where NaN or an infinity stands against something else."""
    one, other = values
    same = (one == other) | np.isnan(one) & np.isnan(other)
    return ~np.isfinite(values).all(0) & ~same
