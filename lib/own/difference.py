"""Two results that are to be the same, component by component: how far apart, and whether that is rounding.

Rounding errors shrink with eps: computed in float64 throughout they are smaller by the quotient of the two eps. A
difference of another kind stays as it is. Both are measured, and a difference that does neither is left undecided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
import torch

from lib.floats.line import to_float64, ulp_distance
from lib.floats.sentences import Sentence
from lib.own.function import Points
from lib.own.slope import FEWEST_DIGITS, Slope
from lib.paste.causes import Verdict

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = ("equal", "rounding", "undecided", "not rounding")
"""The kinds, from the best to the worst."""

VERDICTS = (Verdict.ROUNDING, Verdict.ROUNDING, Verdict.MORE_DIGITS, Verdict.NOT_ROUNDING)
"""Their words on the page."""

UNSEEN = 8 * torch.finfo(torch.float32).eps
"""So much of the largest component may remain in float64 of rounding in a float32 that PyTorch does not see."""

Both = tuple[Points, Points]


@dataclass(eq=False)
class Difference:
    """Two results, of two `sides`, each a list of tensors with `names`.

    `own` has them as the network computes them, `wide` in float64 throughout, if that was possible, and `coarse` in
    float32 throughout if the network's own dtype is float64, else as `own`. `slopes` are those measured for each side,
    if these are gradients, and `causes` are what may have kept one of them from being right.

    Of these follow `values` and `exact`, float64 of shape (2, components), that are `own` and `wide`; the `ulps`
    between them, uint64, 0 where that is no number; how many components differ and how many are `hidden` by NaN or
    infinity; and which part of the difference `remains` in float64, where of a rounding error the quotient of the two
    dtypes' eps is `expected` to.
    """

    what: str
    sides: str
    names: Sequence[str]
    own: Both
    wide: Both | None
    coarse: Both
    slopes: Sequence[Slope] = ()
    causes: str = ""

    def __post_init__(self) -> None:
        self.values, self.exact = _flat(self.own), _flat(self.wide or self.own)
        self.components, self.differing = self.values.shape[1], int(_differ(self.values).sum())
        pairs = ([side.flatten().nan_to_num(0, 0, 0) for side in pair] for pair in zip(*self.own, strict=True))
        self.ulps = np.where(_hidden(self.values), np.uint64(0), np.concatenate([ulp_distance(*one) for one in pairs]))
        self.apart, self.hidden = int(self.ulps.max()), int(_hidden(self.values).sum())
        self.digits = min((one.digits(one.by_gradient) for one in self.slopes), default=0)
        self.own_digits = min((one.digits(one.by_own) for one in self.slopes), default=0)
        self.wrong = next((one for one in self.slopes if one.contradicts is not None), None)
        self.kind = self._kind(max(torch.finfo(one.dtype).eps for one in self.coarse[0]))
        self.same, self.stays = self.kind in (EQUAL, ROUNDING), self.kind == NOT_ROUNDING
        self.open = self.kind == UNDECIDED and not self.hidden
        self.factor, self.terms, self.transposed = self._relation() if self.stays else (0.0, 0, False)

    def _kind(self, eps: float) -> str:
        """Measure what `remains`: the largest difference in float64 throughout, as a part of that of the network, or of
        float32 if that is larger, or of eps times the largest component where these are equal by luck."""
        sides = np.array([self.values, _flat(self.coarse), self.exact])
        finite = np.isfinite(sides).all((0, 1))
        own, coarse, wide = np.abs(sides[:, 0, finite] - sides[:, 1, finite]).max(1, initial=0)
        largest, exact = (np.abs(one[:, finite]).max(initial=0) for one in (self.values, self.exact))
        unit, self.expected = max(own, coarse, eps * largest), torch.finfo(torch.float64).eps / eps
        self.remains = float(wide / unit) if unit and self.wide else None
        shrinks = self.remains is not None and self.remains <= sqrt(self.expected)
        stays = self.remains is not None and not shrinks and wide > UNSEEN * exact
        lost = self.wide and all((_differ(one) & _hidden(one)).any() for one in (self.values, self.exact))
        if stays or lost or self.wrong:
            return NOT_ROUNDING
        if self.hidden or not self.differing:
            return UNDECIDED if self.hidden else EQUAL
        return ROUNDING if shrinks else UNDECIDED

    def _relation(self) -> tuple[float, int, bool]:
        """Return the number by which the first has to be multiplied to give the second, 0 if there is none, or it is 1;
        that or its inverse if it is a whole number, as that of a sum and a mean is; and whether one is transposed."""
        one, other = self.exact

        def gives(guess: np.ndarray) -> bool:
            return np.allclose(guess, other, 0, UNSEEN * np.abs(other).max())

        factor = float(one @ other) / (float(one @ one) or 1.0)
        terms = max(abs(factor), 1 / abs(factor or 1))
        whole = round(terms) if terms > 1.5 and abs(terms - round(terms)) <= UNSEEN * terms else 0
        told = abs(factor - 1) >= 0.01 and (one.size > 1 or whole) and gives(factor * one)
        shape = self.own[0][0].shape if len(self.own[0]) == 1 else ()
        square = len(shape) == 2 and shape[0] == shape[1]
        return factor if told else 0.0, whole if told else 0, square and gives(one.reshape(shape).T.ravel())

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
                float64=self.exact.mean(0) if self.wide and self.same else np.nan,
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
    Sentence("{f.sides} are equal.", lambda f: not f.differing),
    Sentence("{f.sides} differ in {f.differing:,} of {f.components:,}, up to {f.apart:,} ulp.", lambda f: f.apart),
    Sentence("NaN or infinite: {f.hidden:,}; an x where all is finite would tell more.", lambda f: f.hidden),
    Sentence(
        "In float64 throughout {f.remains:.2g} of it remains; of rounding about {f.expected:.2g} would.",
        lambda f: f.remains is not None and f.differing,
    ),
    Sentence("Another x, or a network that is float64 inside, would decide.", lambda f: f.open),
    Sentence(
        "The gradient is not the function's: central differences give the slope {f.wrong.measured:.6g} ± "
        "{f.wrong.error:.1g}, not {f.wrong.contradicts:.6g}.",
        lambda f: f.wrong,
    ),
    Sentence(
        "Central differences agree along a random direction to {f.own_digits} digits, with the gradient in float64 to "
        "{f.digits}; small components do not show there.",
        lambda f: f.same and f.digits >= FEWEST_DIGITS,
    ),
    Sentence(
        f"Central differences confirm nothing here, as at a kink: an error of 1e-{FEWEST_DIGITS} would not show.",
        lambda f: f.same and f.slopes and f.digits < FEWEST_DIGITS,
    ),
    Sentence("The second is {f.factor:.6g} times the first.", lambda f: f.factor),
    Sentence("So are the sum and the mean over {f.terms:,} terms.", lambda f: f.terms),
    Sentence("The second is the first transposed.", lambda f: f.transposed),
    Sentence("Look at {f.causes}.", lambda f: f.stays and f.causes),
    Sentence(
        "Looked for and not found: detach(), no_grad(), item(), a hook, a custom backward.",
        lambda f: f.stays and not (f.causes or f.factor or f.transposed),
    ),
)
"""What is said of a `Difference`."""
