"""Two results that should be the same, component by component: how far apart, and is that rounding?

Rounding errors are proportional to eps. With every operation in float64 they nearly vanish; other
differences stay. If eps times the size of a component does not explain its difference, rounding
errors are measured by imitating them. A NaN or an infinity that occurs in every such run is not
rounding.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import sqrt

import numpy as np
import torch

from lib.floats.ulps import to_float64, ulp_distance
from lib.own.evidence import Evidence, Sides

KINDS = ("equal", "rounding", "undecided", "not rounding")
"""From the best to the worst."""

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS
SAME = (EQUAL, ROUNDING)

VALUES = "Values"
"""The name of the difference of the results themselves."""

NEGLIGIBLE = 1e-4
"""A difference is rounding if less than this share of it remains in float64."""

# How much is tolerated as rounding:
_DRIFT = 1e5
"""In units of the largest rounding error in float64, since long sums accumulate errors."""

_ROOM = 1.5
"""In units of the norm of the rounding errors of a tensor."""

_MARGIN = 8
"""In units of the rounding error of a component."""


@dataclass(eq=False)
class Difference:
    """Two results that should be the same: the `VALUES` of both sides, or else their gradients.

    All arrays are float64 unless a dtype is named.

    Args:
        what: `VALUES`, or a name for the gradients.
        evidence: the runs of both sides.

    Attributes:
        own: for each side, its tensors in their own dtypes.
        values: both sides in their own dtypes, shape (2, components).
        wide: both sides with every operation in float64, NaN if that failed, shape (2, components).
        finite: whether both values are finite, bool, shape (components,).
        comparable: whether both float64 values are finite too, bool, shape (components,).
        all_comparable: whether all finite components are comparable.
        differ: whether the values differ, bool, shape (components,). NaN equals NaN.
        still_lost: the number of components that are NaN or infinite in float64 as well.
        counts: the number of components of each tensor.
        eps: the eps of each component's own dtype, shape (components,).
        room: what is allowed for one rounding, shape (2, components): eps times the size of the
            value, but at least the smallest normal number, below which all digits may be lost.
        slopes: the slopes that check the gradients, none for `VALUES`.
        doubts: the `doubt` of each slope that has one.
        wrong: the first slope that contradicts the gradient, or None.
        remains, is_large: how much of the difference remains in float64, and whether that is large.
        off: a side that is further from its float64 values than rounding explains, or None.
        kind: one of `KINDS`.
    """

    what: str
    evidence: Evidence

    def __post_init__(self) -> None:
        self.tensors = slice(1) if self.what == VALUES else slice(1, None)
        self.own = [side[self.tensors] for side in self.evidence.own]
        self.values = self._flat(self.evidence.own)
        self.wide = np.full_like(self.values, np.nan)
        if self.evidence.wide:
            self.wide[:] = self._flat(self.evidence.wide)
        self.finite = np.isfinite(self.values).all(0)
        self.differ = (self.values[0] != self.values[1]) & ~np.isnan(self.values).all(0)
        finite_wide = np.isfinite(self.wide).all(0)
        self.comparable = self.finite & finite_wide
        self.still_lost = int((~self.finite & ~finite_wide).sum())
        formats = [torch.finfo(part.dtype) for part in self.own[0]]
        self.counts = [part.numel() for part in self.own[0]]
        self.eps = np.repeat([numbers.eps for numbers in formats], self.counts)
        tiny = np.repeat([numbers.tiny for numbers in formats], self.counts)
        sizes = np.abs(np.where(self.comparable, self.values, 0))
        self.room = np.maximum(self.eps * sizes, tiny)
        self.slopes = () if self.what == VALUES else self.evidence.slopes
        self.doubts = [slope.doubt for slope in self.slopes if slope.doubt]
        self.wrong = next((slope for slope in self.slopes if slope.contradicts), None)
        self.all_comparable = not (self.finite & ~finite_wide).any()
        self.remains, self.is_large = self._remains()
        self.off = self._off()
        self.kind = self._kind()

    def _flat(self, sides: Sides) -> np.ndarray:
        parts = [[to_float64(part).ravel() for part in side[self.tensors]] for side in sides]
        return np.array([np.concatenate(side) for side in parts])

    @cached_property
    def imitations(self) -> np.ndarray:
        """The runs with imitated rounding, shape (runs, 1 or 2, components), (0,) if they fail."""
        return np.array([self._flat(run) for run in self.evidence.imitations()])

    @property
    def spread(self) -> np.ndarray:
        """Twice the standard deviation of each component under imitated rounding, shape
        (2, components). It is NaN if it is not known."""
        if not len(self.imitations):
            return np.full_like(self.values, np.nan)
        return np.broadcast_to(2 * self.imitations.std(0, ddof=1), self.values.shape)

    def _remains(self) -> tuple[float, bool]:
        """Return the largest share of a component's difference that remains in float64 and is not
        rounding, and whether what remains of any is too large for a rounded constant or a long sum.

        A rounding error is up to `room` in the component's own dtype, and `eps_ratio` times that in
        float64. A difference smaller than `room` counts as `room`.
        """
        fine = np.abs(np.subtract(*np.where(self.comparable, self.wide, 0)))
        apart = np.abs(np.subtract(*np.where(self.comparable, self.values, 0)))
        room = self.room.max(0)
        eps_ratio = torch.finfo(torch.float64).eps / self.eps

        def remaining(room: np.ndarray) -> np.ndarray:
            part = fine / np.maximum(apart, room)
            is_beyond = (part >= NEGLIGIBLE) & (fine > _MARGIN * eps_ratio * room)
            return np.where(is_beyond, part, 0)

        remains = remaining(room)
        if remains.any():
            room = np.maximum(room, np.nan_to_num(self.spread, posinf=0).max(0))
            remains = remaining(room)
        by_sums = (_DRIFT * eps_ratio * room).max()
        is_large = (remains > 0) & (fine > np.maximum(_MARGIN * room, by_sums))
        return float(remains.max()), bool(is_large.any())

    def _off(self) -> tuple[str, float, float] | None:
        """Return a side that differs from its own float64 values by more than rounding, or None.

        A fault that occurs in one dtype alone is seen only here.

        Returns:
            The name of the side, the norm of its errors, and the norm that is expected of rounding,
            both relative to the norm of the float64 values.
        """
        tensors = np.split(np.arange(self.values.shape[1]), np.cumsum(self.counts)[:-1])
        for k, tensor in product((0, 1), tensors):
            places = tensor[self.comparable[tensor]]
            wide = self.wide[k, places]
            error = np.abs(self.values[k, places] - wide)
            room = self.room[k, places]
            # The norm does not show a single component that is off among many that are not.
            is_far = error > _MARGIN * room.max(initial=0)
            if not is_far.any() and _norm(error) <= 2 * _ROOM * _norm(room):
                continue
            room = 2 * room + self.spread[k, places]
            steady = np.isfinite(room)
            is_far &= steady & (error > 2 * _ROOM * room[steady].max(initial=0))
            for part in (steady, is_far):
                off, allowed = _norm(error[part]), _norm(room[part])
                if off > _ROOM * allowed:
                    whole = _norm(wide[part]) or 1.0
                    return self.evidence.side_names[k], off / whole, allowed / whole
        return None

    def _kind(self) -> str:
        lost = ~self.finite
        # An infinity on both sides and in float64 may be meant.
        if self.what == VALUES and self.evidence.wide:
            lost &= self.differ | (self.wide != self.values).any(0)
        if lost.any():
            return NOT_ROUNDING if self.is_lost else UNDECIDED
        if self.wrong and self.wrong.off > _MARGIN * self.eps.max():
            return NOT_ROUNDING
        if self.is_large and self.differ.any() and not self.evidence.seen.unreached:
            return NOT_ROUNDING
        # A gradient that may be cut off is right only if a slope confirms it. `off` proves nothing:
        # a rounding error can be larger than all imitated ones.
        is_cut = self.what != VALUES and bool(self.evidence.seen.causes)
        is_known = any(slope.is_known for slope in self.slopes)
        is_open = self.wrong or self.off or self.doubts or self.remains or not self.all_comparable
        if is_open or is_cut and not is_known:
            return UNDECIDED
        return ROUNDING if self.differ.any() else EQUAL

    @property
    def is_lost(self) -> bool:
        """Whether a component is NaN or infinite in every run with imitated rounding."""
        if not len(self.imitations):
            return False
        runs = np.isfinite(self.imitations[..., ~self.finite])
        return bool((~runs.all(1)).all(0).any())

    @cached_property
    def ulps(self) -> np.ndarray:
        """The distance in floats, uint64, shape (components,); 0 where a value is not finite."""
        apart = []
        for sides in zip(*self.own, strict=True):
            first, second = (side.flatten().nan_to_num(0, 0, 0) for side in sides)
            apart.append(ulp_distance(first, second))
        return np.where(self.finite, np.concatenate(apart), np.uint64(0))

    @property
    def worst(self) -> tuple[str, float, float]:
        """The name and both values of the first component that is NaN or infinite or, if all are
        finite, of the one that is most floats apart."""
        parts = zip(self.evidence.names[self.tensors], self.own[0], strict=True)
        places = [(name, index) for name, part in parts for index in np.ndindex(*part.shape)]
        k = np.argmax(np.where(self.finite, self.ulps.astype(np.float64), np.inf))
        first, second = self.values[:, k].tolist()
        name, index = places[k]
        return f"{name}{list(index)}", first, second


def _norm(vector: np.ndarray) -> float:
    # not numpy.linalg.norm, whose BLAS starts threads
    return sqrt(np.square(vector).sum())
