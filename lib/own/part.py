"""Two results that were compared, with all that was found of them, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from lib.floats.line import to_float64
from lib.own.causes import Cause
from lib.own.pair import Pair
from lib.own.verdict import Tested, Verdict, judge

COLUMNS = {"what", "of", "index", "difference", "ulps", "float64", "closer"}
"""Of the table, besides the two sides: no side may have such a name."""


@dataclass(frozen=True, eq=False)
class Part:
    """Two results that were compared: `what` they are, the `labels` of both sides, and what was found.

    `reference` is the result in float64, or None where float64 has no answer or there is no single one.
    `causes` were looked for where the difference is not rounding; `undone` says that with the cuts among them undone
    the gradient has the measured slope. `of_two` says that two ways were brought, and not one network.
    """

    what: str
    labels: tuple[str, str]
    pair: Pair
    tested: Sequence[Tested | None] = ()
    reference: Sequence[Tensor] | None = None
    causes: Sequence[Cause] = ()
    undone: bool = False
    of_two: bool = False

    @cached_property
    def verdict(self) -> Verdict:
        return judge(self.pair, self.tested)

    @cached_property
    def exact(self) -> np.ndarray | None:
        """The reference of every component, shape (components,), or None."""
        if self.reference is None:
            return None
        return np.concatenate([to_float64(one).reshape(-1) for one in self.reference])

    @cached_property
    def errors(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The distances of both sides from the reference, each of shape (components,)."""
        if self.exact is None:
            return None
        one, other = (np.abs(side - self.exact) for side in self.pair.values)
        return one, other

    def rows(self, components: Sequence[int]) -> pd.DataFrame:
        """Return a table of components: where, both values, how far apart, and the reference with who is closer."""
        one, other = self.pair.values
        places = [self.pair.place(k) for k in components]
        k = list(components)
        table = pd.DataFrame(
            {
                "what": [self.what] * len(k),
                "of": [name for name, _ in places],
                "index": [index for _, index in places],
                self.labels[0]: one[k],
                self.labels[1]: other[k],
                "difference": one[k] - other[k],
                "ulps": self.pair.ulps[k],
            }
        )
        if self.errors is not None and self.exact is not None:
            table["float64"] = self.exact[k]
            nearer = np.sign(self.errors[0][k] - self.errors[1][k])
            table["closer"] = [
                {-1.0: self.labels[0], 1.0: self.labels[1], 0.0: "both"}.get(sign, "") for sign in nearer
            ]
        return table

    def in_roundings(self) -> tuple[float, float] | None:
        """Return both sides' largest error, in units of eps times the condition times the largest component."""
        if self.errors is None or self.exact is None:
            return None
        size = float(np.abs(self.exact).max())
        unit = self._eps * self.pair.condition() * size
        one, other = (float(error.max()) / unit if unit else 0.0 for error in self.errors)
        return one, other

    def closer(self) -> tuple[int, int] | None:
        """Return for how many components the one and the other side is closer to the reference."""
        if self.errors is None:
            return None
        one, other = self.errors
        return int((one < other).sum()), int((other < one).sum())

    @property
    def _eps(self) -> float:
        return torch.finfo(self.pair.dtype).eps
