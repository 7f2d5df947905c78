"""Two results that are to be the same, component by component: how far apart, and whether that is rounding.

Rounding errors shrink with eps: computed in float64 throughout they are smaller by the quotient of the two eps. A
difference of another kind stays as it is. Both are measured, and a difference that does neither is left undecided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
import pandas as pd
import torch

from lib.floats.line import to_float64, ulp_distance
from lib.floats.sentences import Sentence
from lib.own.function import Points
from lib.own.slope import FEWEST_DIGITS, Slope

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = ("equal", "rounding", "undecided", "not rounding")
"""The kinds, from the best to the worst."""

STAYS = 0.1
"""At least this part of the difference remains in float64: it does not come from rounding."""

Both = tuple[Points, Points]
EPS64 = torch.finfo(torch.float64).eps


@dataclass(eq=False)
class Difference:
    """Two results, of `one` side and the `other`, each a list of tensors with `names`.

    `own` has them as the network computes them, `wide` in float64 throughout, if that was possible, and `coarse` in
    float32 throughout if the network's own dtype is float64, else as `own`. `slopes` are those measured for each side,
    if these are gradients, `causes` are what may have kept one of them from being right, and `unseen` is what may have
    been computed in a coarser dtype even where all is to be in float64.

    Of these follow `values` and `exact`, float64 of shape (2, components), that are `own` and `wide`; the number of
    components that differ and of those `hidden` by NaN or infinity; and which part of the difference `remains` in
    float64, where of a rounding error the quotient of the two dtypes' eps is `expected` to.
    """

    what: str
    one: str
    other: str
    names: Sequence[str]
    own: Both
    wide: Both | None
    coarse: Both | None
    slopes: Sequence[Slope] = ()
    causes: str = ""
    unseen: str = ""

    def __post_init__(self) -> None:
        self.values, self.exact = _flat(self.own), _flat(self.wide) if self.wide else None
        self.components, self.differing = self.values.shape[1], int(_differ(self.values).sum())
        self.hidden = int(_hidden(self.values).sum())
        eps = max(torch.finfo(one.dtype).eps for one in (self.coarse or self.own)[0])
        self.expected, self.half = EPS64 / eps, sqrt(eps)  # of the digits
        self.remains = self._remains(_flat(self.coarse), self.exact, eps) if self.coarse and self.wide else None
        self.wrong = next((one for one in self.slopes if one.contradicts), None)
        self.digits = min((one.digits for one in self.slopes), default=0)
        self.own_digits = min((one.own_digits for one in self.slopes), default=0)
        self.kind = self._kind()
        self.same, self.stays = self.kind in (EQUAL, ROUNDING), self.kind == NOT_ROUNDING

    def _remains(self, coarse: np.ndarray, exact: np.ndarray, eps: float) -> float | None:
        """The largest difference in float64 throughout, as a part of that of the network, or of float32 if larger.

        Where these are equal by luck, eps times the largest component stands for them. A small component counts alone
        if its own difference stays and is a thousand times what rounding leaves of the largest.
        """
        finite = np.isfinite([self.values, coarse, exact]).all((0, 1))
        own, narrow, fine = (np.abs(one[0] - one[1])[finite] for one in (self.values, coarse, exact))
        if not fine.any():
            return 0.0 if finite.any() else None
        apart = np.maximum(own, narrow)
        unit = max(apart.max(), eps * np.abs(self.values[:, finite]).max())
        alone = (apart > 0) & (fine > 1000 * self.expected * unit)
        return float(max(fine.max() / unit, *(fine[alone] / apart[alone]), 0.0)) if unit else None

    def _kind(self) -> str:
        if self.hidden:
            stays = all(one is not None and (_differ(one) & _hidden(one)).any() for one in (self.values, self.exact))
            return NOT_ROUNDING if stays else UNDECIDED
        if self.wrong or self.remains is not None and self.remains >= STAYS:
            small = np.ptp(self.exact, 0).max() <= STAYS * np.abs(self.exact).max()  # as of a dtype of 16 bits
            return UNDECIDED if self.unseen and small and not self.wrong else NOT_ROUNDING
        if not self.differing:
            return EQUAL
        return ROUNDING if self.remains is not None and self.remains <= sqrt(self.expected) else UNDECIDED

    @cached_property
    def ulps(self) -> np.ndarray:
        """How many floats apart, uint64, shape (components,); 0 where that is no number."""
        pairs = zip(*self.own, strict=True)
        apart = [ulp_distance(*(side.flatten().nan_to_num(0, 0, 0) for side in pair)) for pair in pairs]
        return np.where(_hidden(self.values), np.uint64(0), np.concatenate(apart))

    @property
    def apart(self) -> int:
        return int(self.ulps.max())

    @property
    def factor(self) -> float:
        """The number by which the first has to be multiplied to give the second, to half of the digits; 0 if there is
        none, or it is 1."""
        one, other = self.values[:, ~_hidden(self.values)]
        factor = float(one @ other) / (float(one @ one) or 1.0)
        close = np.abs(other - factor * one).max(initial=0) <= self.half * np.abs(other).max(initial=0)
        return factor if one.size > 1 and close and abs(factor - 1) >= 0.01 else 0.0

    @property
    def terms(self) -> int:
        """The factor, or its inverse, if it is a whole number, as that of a sum and a mean is; else 0."""
        terms = max(abs(self.factor), 1 / abs(self.factor or 1))
        return round(terms) if terms > 1.5 and abs(terms - round(terms)) <= self.half * terms else 0

    @property
    def transposed(self) -> bool:
        one, other = (side[0] for side in self.own)
        square = len(self.own[0]) == 1 and one.dim() == 2 and one.shape[0] == one.shape[1] > 1
        return square and bool((one.T - other).abs().max() <= self.half * other.abs().max())

    @property
    def table(self) -> pd.DataFrame:
        """Every component, those with NaN or an infinity on a side first, then the farthest apart; with the mean of
        both in float64 where these agree."""
        parts = zip(self.names, self.own[0], strict=True)
        places = [(self.what, name, index) for name, one in parts for index in np.ndindex(*one.shape)]
        with np.errstate(invalid="ignore"):  # inf − inf
            table = pd.DataFrame(places, columns=["what", "of", "index"]).assign(
                first=self.values[0],
                second=self.values[1],
                difference=self.values[0] - self.values[1],
                ulps=self.ulps,
                float64=self.exact.mean(0) if self.exact is not None and self.same else np.nan,
            )
        unmatched = _differ(self.values) & _hidden(self.values)
        return table.iloc[np.lexsort((-self.ulps.astype(np.float64), ~unmatched))]


def _flat(both: Both) -> np.ndarray:
    return np.array([np.concatenate([to_float64(one).reshape(-1) for one in side]) for side in both])


def _differ(values: np.ndarray) -> np.ndarray:
    """Where the two are not equal, of which every NaN equals every other."""
    return (values[0] != values[1]) & ~np.isnan(values).all(0)


def _hidden(values: np.ndarray) -> np.ndarray:
    return ~np.isfinite(values).all(0)


SENTENCES = (
    Sentence("{f.one} and {f.other} are equal.", lambda f: not f.differing),
    Sentence(
        "{f.one} and {f.other} differ in {f.differing:,} of {f.components:,}, up to {f.apart:,} ulp.", lambda f: f.apart
    ),
    Sentence("NaN or infinite: {f.hidden:,}; an x where all is finite would tell more.", lambda f: f.hidden),
    Sentence(
        "In float64 throughout {f.remains:.2g} of it remains; of rounding about {f.expected:.2g} would.",
        lambda f: f.remains is not None and f.differing and not f.unseen,
    ),
    Sentence(
        "In float64, except in {f.unseen}, {f.remains:.2g} of it remains.",
        lambda f: f.remains is not None and f.differing and f.unseen,
    ),
    Sentence(
        "Another x, or a network that runs in float64, would decide.", lambda f: f.kind == UNDECIDED and not f.hidden
    ),
    Sentence(
        "The gradient is not the function's: central differences give the slope {f.wrong.measured:.6g} ± "
        "{f.wrong.error:.1g}, not {f.wrong.by_gradient:.6g}.",
        lambda f: f.wrong,
    ),
    Sentence(
        "Central differences agree along a random direction to {f.own_digits} digits, with the gradient in float64 to "
        "{f.digits}; small components do not show there.",
        lambda f: f.same and f.digits >= FEWEST_DIGITS,
    ),
    Sentence(
        f"Central differences confirm nothing here: they cannot see an error of 1e-{FEWEST_DIGITS}, as at a kink or "
        "where the function varies within their step.",
        lambda f: f.same and f.slopes and f.digits < FEWEST_DIGITS,
    ),
    Sentence("{f.other} is {f.factor:.6g} times {f.one}, to half of the digits.", lambda f: f.stays and f.factor),
    Sentence("So are the sum and the mean over {f.terms:,} terms.", lambda f: f.stays and f.terms),
    Sentence("{f.other} is {f.one} transposed, to half of the digits.", lambda f: f.stays and f.transposed),
    Sentence("Look at {f.causes}.", lambda f: f.stays and f.causes),
    Sentence(
        "Looked for and not found: detach(), no_grad(), item(), a hook, a custom backward.",
        lambda f: f.stays and not (f.causes or f.factor or f.transposed),
    ),
)
"""What is said of a `Difference`."""

VERDICT_OF = {EQUAL: "Equal", ROUNDING: "Rounding", UNDECIDED: "Undecided", NOT_ROUNDING: "Not rounding"}
