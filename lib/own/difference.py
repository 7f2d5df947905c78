"""Two results that should be the same, component by component: how far apart, and is that rounding?

Rounding errors shrink with eps: computed in float64 throughout they nearly vanish, while another
difference stays as it is. What rounding does is measured by imitating it, where the size of the
result alone does not settle that. An infinity or NaN is never the rounding of a number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from lib.floats.line import to_float64, ulp_distance
from lib.floats.quantities import listed
from lib.own.slope import Slope
from lib.own.watch import Seen

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = ("equal", "rounding", "undecided", "not rounding")
"""The kinds, from the best to the worst."""

STAYS, NEGLIGIBLE = 0.1, 1e-4
"""At least, and less than, this part of a difference remains in float64: it is none of rounding, and
it is rounding."""

_ROUNDINGS = 1000  # of the largest component are nothing strange in float64
_ROOM = 1.5  # times what the imitation allows is nothing strange
_SPREADS = 8  # of four imitations are nothing strange

Both = Sequence[list[Tensor]]
"""The tensors of each side."""

Spread = Callable[[torch.dtype | None], np.ndarray | None]
"""By how much imitated rounding moves each component, of shape (2, components), in the network's own
dtype or in float64 throughout; None if that could not be measured."""


@dataclass(eq=False)
class Difference:
    """Two results, of the `first` side and the `second`, each a list of tensors with `names`.

    The rest is evidence, as far as it could be measured. `values` and `exact` are `own` and `wide` in
    float64, of shape (2, components).

    Args:
        what: of what these are results.
        first: the name of the first side.
        second: the name of the second side.
        names: of the tensors.
        own: both sides as the network computes them.
        wide: both sides in float64 throughout.
        spread: imitates rounding.
        slopes: those measured for each side, of gradients.
        seen: what the runs showed.
    """

    what: str
    first: str
    second: str
    names: Sequence[str]
    own: Both
    wide: Both | None = None
    spread: Spread = lambda dtype: None
    slopes: Sequence[Slope] = ()
    seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        self.values = flat(self.own)
        self.exact = flat(self.wide) if self.wide else np.full_like(self.values, np.nan)
        self.components = self.values.shape[1]
        first, second = self.values
        # every NaN equals every other
        differ = (first != second) & ~np.isnan(self.values).all(0)
        self.differing = int(differ.sum())
        self.alike = bool((first == second).all())
        self.finite = np.isfinite(self.values).all(0)
        self.lost = (~np.isfinite(self.values)).sum(1).tolist()
        self.hidden = sum(self.lost)
        self.known = self.finite & np.isfinite(self.exact).all(0)
        self.stay = int((~self.finite & ~np.isfinite(self.exact).all(0)).sum())
        self.eps = max(torch.finfo(part.dtype).eps for part in self.own[0])
        self.wrong = next((slope for slope in self.slopes if slope.contradicts), None)
        self.digits = min((slope.digits for slope in self.slopes), default=0)
        self.causes = listed(self.seen.causes)
        unseen = listed(self.seen.unseen)
        self.throughout = f"except in {unseen}" if unseen else "throughout"
        self.remains = None if (differ & self.finite & ~self.known).any() else self._remains()
        self.off = self._off()
        self.kind = self._kind()
        self.same = self.kind in (EQUAL, ROUNDING)

    def _remains(self) -> float:
        """The largest part of a component's difference that stays in float64 and is beyond rounding.

        Where two components are equal, eps times their size stands for their difference.
        """
        values = self.values[:, self.known]
        exact = self.exact[:, self.known]
        fine = np.ptp(exact, 0)
        beyond = fine > _ROUNDINGS * torch.finfo(torch.float64).eps * np.abs(exact).max(initial=0)
        spread = self.spread(torch.float64) if beyond.any() else None
        if spread is not None:
            beyond &= fine > _SPREADS * np.nan_to_num(spread[:, self.known], posinf=0).max(0)
        unit = np.maximum(np.ptp(values, 0), self.eps * np.abs(values).max(0))[beyond]
        with np.errstate(divide="ignore"):
            return float((fine[beyond] / unit).max(initial=0))

    def _off(self) -> float:
        """By which part of its size a side is off from float64 throughout, or 0 if by no more than
        rounding. Nothing else sees a fault in one dtype alone.
        """
        room = 2 * self.eps * np.abs(self.exact)
        known = self.known
        if self._beyond(room, known).any():
            spread = self.spread(None)
            if spread is None:
                return 0.0
            room += spread
            known = known & np.isfinite(spread).all(0)
        off = np.linalg.norm((self.values - self.exact)[:, known], axis=1)
        size = np.linalg.norm(self.exact[:, known], axis=1)
        return float((off / np.maximum(size, 5e-324))[self._beyond(room, known)].max(initial=0))

    def _beyond(self, room: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Whether each side is farther from float64 throughout than there is room for rounding."""
        off = np.linalg.norm((self.values - self.exact)[:, known], axis=1)
        return off > _ROOM * np.linalg.norm(room[:, known], axis=1)

    def _kind(self) -> str:
        lost = ~self.finite
        if self.what == "Values" and self.wide:  # an infinity that stays may be meant
            lost &= (self.values[0] != self.values[1]) | (self.exact != self.values).any(0)
        if lost.any():
            certain = self.wide and (self.stay or self.seen.overflow)
            return NOT_ROUNDING if certain else UNDECIDED
        if self.wrong or self.off:
            return NOT_ROUNDING
        if not self.differing:
            return EQUAL
        if self.remains is None:
            return UNDECIDED
        if self.remains < NEGLIGIBLE:
            return ROUNDING
        exact = self.exact[:, self.known]
        small = np.ptp(exact, 0).max() <= STAYS * np.abs(exact).max()  # as of a dtype of 16 bits
        return UNDECIDED if self.remains < STAYS or self.seen.unseen and small else NOT_ROUNDING

    @cached_property
    def ulps(self) -> np.ndarray:
        """How many floats apart, uint64, shape (components,); 0 where that is no number."""
        apart = []
        for sides in zip(*self.own, strict=True):
            first, second = (side.flatten().nan_to_num(0, 0, 0) for side in sides)
            apart.append(ulp_distance(first, second))
        return np.where(self.finite, np.concatenate(apart), np.uint64(0))

    @property
    def apart(self) -> int:
        return int(self.ulps.max())

    @property
    def factor(self) -> float:
        """The factor from the first to the second, to half of the digits; 0 for none, or 1."""
        first, second = self.values[:, self.finite]
        factor = float(first @ second) / (float(first @ first) or 1.0)
        error = np.abs(second - factor * first).max(initial=0)
        close = error <= sqrt(self.eps) * np.abs(second).max(initial=0)
        return factor if first.size > 1 and close and abs(factor - 1) >= 0.01 else 0.0

    @property
    def table(self) -> pd.DataFrame:
        """Every component, those with NaN or an infinity on a side first, then the farthest apart.

        `float64` is the mean of both sides in float64 where these agree.
        """
        parts = zip(self.names, self.own[0], strict=True)
        places = [(self.what, name, index) for name, part in parts for index in np.ndindex(*part.shape)]
        first, second = self.values
        with np.errstate(invalid="ignore"):  # inf − inf
            table = pd.DataFrame(places, columns=["what", "of", "index"]).assign(
                first=first,
                second=second,
                difference=first - second,
                ulps=self.ulps,
                float64=self.exact.mean(0) if self.same else np.nan,
            )
        return table.iloc[np.lexsort((-self.ulps.astype(np.float64), self.finite))]


def flat(both: Both) -> np.ndarray:
    return np.array([np.concatenate([to_float64(part).ravel() for part in side]) for side in both])
