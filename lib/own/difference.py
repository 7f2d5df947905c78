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

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = (
    "equal",
    "rounding",
    "undecided",
    "not rounding",
)
"""The kinds, from the best to the worst."""

STAYS, NEGLIGIBLE = 0.1, 1e-4
"""At least, and less than, this part of a difference remains in float64: it is none of rounding, and
it is rounding."""

_ROUNDINGS = 1000  # of the largest component are nothing strange in float64
_ROOM = 1.5  # times what the imitation allows is nothing strange
_SPREADS = 8  # of four imitations, times the quotient of both eps, are nothing strange

Both = Sequence[list[Tensor]]
"""The tensors of each side."""


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
        spread: measures by how much imitated rounding moves each component, of shape (2, components);
            None if that is not possible.
        slopes: those measured for each side, of gradients.
        seen: what the runs showed.
    """

    what: str
    first: str
    second: str
    names: Sequence[str]
    own: Both
    wide: Both | None = None
    spread: Callable[[], np.ndarray | None] = lambda: None
    slopes: Sequence[Slope] = ()
    seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        self.values = flat(self.own)
        self.exact = flat(self.wide) if self.wide else np.full_like(self.values, np.nan)
        self.components = self.values.shape[1]
        first, second = self.values
        self.finite = np.isfinite(first) & np.isfinite(second)
        self.lost = [int((~np.isfinite(side)).sum()) for side in self.values]
        self.hidden = sum(self.lost)
        differ = first != second
        self.alike = not differ.any()
        # every NaN equals every other
        self.differing = int((differ & ((first == first) | (second == second))).sum())
        known = np.isfinite(self.exact[0]) & np.isfinite(self.exact[1])
        self.stay = int((~self.finite & ~known).sum())
        self.known = self.finite & known
        self.eps = max(torch.finfo(part.dtype).eps for part in self.own[0])
        self.wrong = next((slope for slope in self.slopes if slope.contradicts), None)
        self.digits = min((slope.digits for slope in self.slopes), default=0)
        self.causes = listed(self.seen.causes)
        unseen = listed(self.seen.unseen)
        self.throughout = f"except in {unseen}" if unseen else "throughout"
        self.range = bool(self.hidden and self.wide and not self.stay) and self._range()
        self.remains = None if (differ & self.finite & ~known).any() else self._remains()
        self.off = self._off()
        self.kind = self._kind()
        self.same = self.kind in (EQUAL, ROUNDING)

    def _range(self) -> bool:
        """Whether a component is no number however it is rounded."""
        spread = self.spread()
        return spread is not None and bool(np.isnan(spread[:, ~self.finite]).any())

    def _remains(self) -> float:
        """The largest part of a component's difference that stays in float64 and is beyond rounding.

        Where two components are equal, eps times their size stands for their difference.
        """
        first, second = np.where(self.known, self.exact, 0)
        fine = np.abs(first - second)
        narrower = torch.finfo(torch.float64).eps
        beyond = fine > _ROUNDINGS * narrower * np.abs(first).max()
        spread = self.spread() if beyond.any() else None
        if spread is not None:
            beyond &= fine > _SPREADS * narrower / self.eps * np.nan_to_num(spread, posinf=0).max(0)
        first, second = self.values[:, beyond]
        unit = np.maximum(np.abs(first - second), self.eps * np.abs(first))
        return float((fine[beyond] / np.maximum(unit, 5e-324)).max(initial=0))

    def _off(self) -> float:
        """By which part of its size a side is off from float64 throughout, or 0 if by no more than
        rounding. Nothing else sees a fault in one dtype alone.
        """
        for k in (0, 1):
            exact = self.exact[k, self.known]
            error = self.values[k, self.known] - exact
            room = 2 * self.eps * np.abs(exact)
            spread = self.spread() if _norm(error) > _ROOM * _norm(room) else None
            if spread is not None:
                room += spread[k, self.known]
                steady = np.isfinite(room)
                if _norm(error[steady]) > _ROOM * _norm(room[steady]):
                    return float(_norm(error) / (_norm(exact) or 1))
        return 0.0

    def _kind(self) -> str:
        lost = ~self.finite
        if self.what == "Values" and self.wide:  # an infinity that stays may be meant
            lost &= (self.values[0] != self.values[1]) | (self.exact != self.values).any(0)
        if lost.any():
            return NOT_ROUNDING if self.range or self.wide and self.stay else UNDECIDED
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
        places = [
            (self.what, name, index) for name, part in parts for index in np.ndindex(*part.shape)
        ]
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


def _norm(vector: np.ndarray) -> float:
    # not numpy.linalg.norm, whose BLAS starts threads
    return sqrt(np.square(vector).sum())


def flat(both: Both) -> np.ndarray:
    return np.array([np.concatenate([to_float64(part).ravel() for part in side]) for side in both])
