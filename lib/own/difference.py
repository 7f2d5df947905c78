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

STAYS = 0.1
"""At least this part of the difference remains in float64: it does not come from rounding."""

UNSEEN = 8 * torch.finfo(torch.float32).eps
"""So much of the largest component rounding may leave in a float32 that PyTorch does not see."""

Both = tuple[Points, Points]
EPS64 = torch.finfo(torch.float64).eps


@dataclass(eq=False)
class Difference:
    """Two results, of `one` side and the `other`, each a list of tensors with `names`.

    `own` has them as the network computes them, `wide` in float64 throughout, if that was possible, and `coarse` in
    float32 throughout if the network's own dtype is float64, else as `own`. `slopes` are those measured for each side,
    if these are gradients, and `causes` are what may have kept one of them from being right.

    Of these follow `values` and `exact`, float64 of shape (2, components), that are `own` and `wide`; the `ulps`
    between them, uint64, 0 where that is no number; how many components differ and how many are `hidden` by NaN or
    infinity; and which part of the difference `remains` in float64, where of a rounding error the quotient of the two
    dtypes' eps is `expected` to.
    """

    what: str
    one: str
    other: str
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
        self.remains: float | None = None
        self.unseen = False
        self.kind = self._kind(max(torch.finfo(one.dtype).eps for one in self.coarse[0]))
        self.same, self.stays = self.kind in (EQUAL, ROUNDING), self.kind == NOT_ROUNDING
        self.open = self.kind == UNDECIDED and not self.hidden
        self.factor, self.terms, self.transposed = self._relation() if self.stays else (0.0, 0, False)

    def _kind(self, eps: float) -> str:
        self.expected = EPS64 / eps
        if self.wide and self._stays(eps) or self.wrong:
            return NOT_ROUNDING
        if self.hidden or not self.differing:
            return UNDECIDED if self.hidden else EQUAL
        return ROUNDING if self.remains is not None and self.remains <= sqrt(self.expected) else UNDECIDED

    def _stays(self, eps: float) -> bool:
        """Measure what `remains`, and tell whether a component's difference stays in float64.

        What remains is the largest difference there, as a part of that of the network, or of float32 if that is larger.
        Where these are equal by luck, eps times the largest component stands for them. What stays is also a thousand
        times what rounding leaves of the largest.
        """
        sides = np.array([self.values, _flat(self.coarse), self.exact])
        finite = np.isfinite(sides).all((0, 1))
        own, coarse, wide = np.abs(sides[:, 0, finite] - sides[:, 1, finite])
        apart = np.maximum(own, coarse)
        unit = max(apart.max(initial=0), eps * np.abs(self.values[:, finite]).max(initial=0))
        if unit:
            self.remains = float(wide.max() / unit)
            stays = (wide >= STAYS * np.where(apart, apart, unit)) & (wide > 1000 * self.expected * unit)
            self.unseen = wide.max() <= UNSEEN * np.abs(self.exact[:, finite]).max()
        lost = all((_differ(one) & _hidden(one)).any() for one in (self.values, self.exact))
        return lost or bool(unit) and not self.unseen and bool(stays.any())

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
        shape = self.own[0][0].shape
        transposed = (
            len(shape) == 2 and shape[0] == shape[1] and len(self.own[0]) == 1 and gives(one.reshape(shape).T.ravel())
        )
        return factor if told else 0.0, whole if told else 0, transposed

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
    Sentence("{f.one} and {f.other} are equal.", lambda f: not f.differing),
    Sentence(
        "{f.one} and {f.other} differ in {f.differing:,} of {f.components:,}, up to {f.apart:,} ulp.", lambda f: f.apart
    ),
    Sentence("NaN or infinite: {f.hidden:,}; an x where all is finite would tell more.", lambda f: f.hidden),
    Sentence(
        "In float64 throughout {f.remains:.2g} of it remains; of rounding about {f.expected:.2g} would.",
        lambda f: f.remains is not None and f.differing,
    ),
    Sentence("Float32 inside, unseen by PyTorch, may leave as much.", lambda f: f.open and f.unseen),
    Sentence("Another x, or a network that runs in float64, would decide.", lambda f: f.open),
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
        f"Central differences confirm nothing here: they cannot see an error of 1e-{FEWEST_DIGITS}, as at a kink or "
        "where the function varies within their step.",
        lambda f: f.same and f.slopes and f.digits < FEWEST_DIGITS,
    ),
    Sentence("{f.other} is {f.factor:.6g} times {f.one}.", lambda f: f.factor),
    Sentence("So are the sum and the mean over {f.terms:,} terms.", lambda f: f.terms),
    Sentence("{f.other} is {f.one} transposed.", lambda f: f.transposed),
    Sentence("Look at {f.causes}.", lambda f: f.stays and f.causes),
    Sentence(
        "Looked for and not found: detach(), no_grad(), item(), a hook, a custom backward.",
        lambda f: f.stays and not (f.causes or f.factor or f.transposed),
    ),
)
"""What is said of a `Difference`."""

VERDICT_OF = dict.fromkeys(KINDS, Verdict.ROUNDING)
VERDICT_OF |= {UNDECIDED: Verdict.MORE_DIGITS, NOT_ROUNDING: Verdict.NOT_ROUNDING}
