"""Two results that should be the same, component by component: how far apart, and is that rounding?

Rounding errors shrink with eps: computed in float64 throughout they nearly vanish, while another
difference stays as it is. What rounding does is measured by imitating it, where the size of the
result alone does not settle that. NaN and infinities that no other rounding removes are not
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
"""What the results themselves are called."""

NEGLIGIBLE = 1e-4
"""A difference of which less than this part remains in float64 is rounding."""

# What is tolerated as rounding:
_DRIFT = 1e5  # times what rounding moves the component that it moves most, in float64: sums drift
_ROOM = 1.5  # times what the imitation allows
_MARGIN = 8  # times what one rounding, or the imitation, moves a component


@dataclass(eq=False)
class Difference:
    """Two results that should be the same: the `VALUES` of both sides, or else their gradients.

    `values` and `exact` are both sides as computed and in float64 throughout, of shape
    (2, components). `room` is by how much one rounding may move them: below the smallest normal
    number, where digits are lost, by that number.
    """

    what: str
    evidence: Evidence

    def __post_init__(self) -> None:
        self.tensors = slice(1) if self.what == VALUES else slice(1, None)
        self.own = [side[self.tensors] for side in self.evidence.own]
        self.values = self._flat(self.evidence.own)
        self.exact = np.full_like(self.values, np.nan)
        if self.evidence.wide:
            self.exact[:] = self._flat(self.evidence.wide)
        self.finite = np.isfinite(self.values).all(0)
        self.differ = (self.values[0] != self.values[1]) & ~np.isnan(self.values).all(0)
        self.differing = int(self.differ.sum())
        finite_wide = np.isfinite(self.exact).all(0)
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
        self.is_compared = not (self.finite & ~finite_wide).any()
        self.remains, self.is_large = self._remains()
        self.off = self._off()
        self.kind = self._kind()

    def _flat(self, sides: Sides) -> np.ndarray:
        parts = [[to_float64(part).ravel() for part in side[self.tensors]] for side in sides]
        return np.array([np.concatenate(side) for side in parts])

    @cached_property
    def imitations(self) -> np.ndarray:
        """The runs with imitated rounding, of shape (runs, 1 or 2, components), maybe of none."""
        return np.array([self._flat(run) for run in self.evidence.imitations()])

    @property
    def spread(self) -> np.ndarray:
        """Twice the standard deviation of each component under imitated rounding, as `values`. It
        is NaN where it is not known."""
        if not len(self.imitations):
            return np.full_like(self.values, np.nan)
        return np.broadcast_to(2 * self.imitations.std(0, ddof=1), self.values.shape)

    def _remains(self) -> tuple[float, bool]:
        """The largest part of a component's difference that remains in float64 beyond rounding, and
        whether any such difference is larger than a rounded constant or a long sum can leave.

        Rounding moves a component by up to `room` in its own dtype, and by `shrinks` times as much
        in float64. Where the two sides are closer than `room`, `room` stands for their difference.
        """
        fine = np.abs(np.subtract(*np.where(self.comparable, self.exact, 0)))
        apart = np.abs(np.subtract(*np.where(self.comparable, self.values, 0)))
        room = self.room.max(0)
        shrinks = torch.finfo(torch.float64).eps / self.eps

        def remaining(room: np.ndarray) -> np.ndarray:
            part = fine / np.maximum(apart, room)
            is_beyond = (part >= NEGLIGIBLE) & (fine > _MARGIN * shrinks * room)
            return np.where(is_beyond, part, 0)

        remains = remaining(room)
        if remains.any():
            room = np.maximum(room, np.nan_to_num(self.spread, posinf=0).max(0))
            remains = remaining(room)
        by_sums = (_DRIFT * shrinks * room).max()
        is_large = (remains > 0) & (fine > np.maximum(_MARGIN * room, by_sums))
        return float(remains.max()), bool(is_large.any())

    def _off(self) -> tuple[str, float, float] | None:
        """A side that is off from float64 throughout by more than rounding: its name, by which part
        of its size it is off, and what rounding is allowed. Nothing else sees a fault in one dtype
        alone.
        """
        tensors = np.split(np.arange(self.values.shape[1]), np.cumsum(self.counts)[:-1])
        for k, tensor in product((0, 1), tensors):
            places = tensor[self.comparable[tensor]]
            exact = self.exact[k, places]
            error = np.abs(self.values[k, places] - exact)
            room = 2 * self.room[k, places]
            # One component may be off, among many that are not.
            is_far = error > _MARGIN / 2 * room.max(initial=0)
            if not is_far.any() and _norm(error) <= _ROOM * _norm(room):
                continue
            room += self.spread[k, places]
            steady = np.isfinite(room)
            is_far &= steady & (error > 2 * _ROOM * room[steady].max(initial=0))
            for part in (steady, is_far):
                off, allowed = _norm(error[part]), _norm(room[part])
                if off > _ROOM * allowed:
                    whole = _norm(exact[part]) or 1.0
                    return self.evidence.side_names[k], off / whole, allowed / whole
        return None

    def _kind(self) -> str:
        lost = ~self.finite
        if self.what == VALUES and self.evidence.wide:  # an infinity that stays may be meant
            lost &= self.differ | (self.exact != self.values).any(0)
        if lost.any():
            return NOT_ROUNDING if self.is_lost else UNDECIDED
        if self.wrong and self.wrong.off > _MARGIN * self.eps.max():
            return NOT_ROUNDING
        if self.is_large and self.differing and not self.evidence.seen.unseen:
            return NOT_ROUNDING
        # Only a slope tells what is cut off. `off` is no proof: imitations bound nothing.
        is_cut = self.what != VALUES and bool(self.evidence.seen.causes)
        is_known = any(slope.is_known for slope in self.slopes)
        is_open = self.wrong or self.off or self.doubts or self.remains or not self.is_compared
        if is_open or is_cut and not is_known:
            return UNDECIDED
        return ROUNDING if self.differing else EQUAL

    @property
    def is_lost(self) -> bool:
        """Whether a component is NaN or infinite however it is rounded."""
        if not len(self.imitations):
            return False
        runs = np.isfinite(self.imitations[..., ~self.finite])
        return bool((~runs.all(1)).all(0).any())

    @cached_property
    def ulps(self) -> np.ndarray:
        """How many floats apart, uint64, shape (components,); 0 where that is no number."""
        apart = []
        for sides in zip(*self.own, strict=True):
            first, second = (side.flatten().nan_to_num(0, 0, 0) for side in sides)
            apart.append(ulp_distance(first, second))
        return np.where(self.finite, np.concatenate(apart), np.uint64(0))

    @property
    def worst(self) -> tuple[str, float, float]:
        """The component that is farthest apart, or one that is NaN or infinite: its place, and
        both values."""
        parts = zip(self.evidence.names[self.tensors], self.own[0], strict=True)
        places = [(name, index) for name, part in parts for index in np.ndindex(*part.shape)]
        k = np.argmax(np.where(self.finite, self.ulps.astype(np.float64), np.inf))
        first, second = self.values[:, k].tolist()
        name, index = places[k]
        return f"{name}{list(index)}", first, second


def _norm(vector: np.ndarray) -> float:
    # not numpy.linalg.norm, whose BLAS starts threads
    return sqrt(np.square(vector).sum())
