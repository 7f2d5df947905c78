"""What kind of difference it is: none, rounding, not rounding, or it cannot be said.

Rounding errors shrink with eps: computed again in float64 they are smaller by the quotient of the two eps. A difference
of another kind stays as it is. Both are measured, and a difference that does neither is left undecided.

Equal bits, or rounding, only say that the two agree. Whether both have lost the same path is another question: it goes
to the slope that was measured without automatic differentiation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from lib.own.gradients import Gradient
from lib.own.pair import Pair
from lib.own.slope import Slope

EQUAL, ROUNDING, UNDECIDED, NOT_ROUNDING = KINDS = ("equal", "rounding", "undecided", "not rounding")
"""The kinds, from the best to the worst."""

SEVERITY = {kind: place for place, kind in enumerate(KINDS)}

STAYS = 0.1
"""At least this part of the difference remains in float64: it does not come from rounding."""


@dataclass(frozen=True)
class Tested:
    """Slopes measured along one or two random directions, and what they say of a side's gradient in float64.

    `is_own` says that the caller's gradient, in its dtype, is the same to half its digits.
    """

    slopes: tuple[Slope, ...]
    gradient: Gradient
    is_own: bool = True

    @property
    def contradicted(self) -> bool:
        """Whether all slopes contradict the gradient; of the second, if the first does."""
        return len(self.slopes) > 1 and all(slope.contradicts(self.gradient) for slope in self.slopes)

    @property
    def confirmed(self) -> bool:
        return self.is_own and all(slope.confirms(self.gradient) for slope in self.slopes)

    @property
    def kink(self) -> bool:
        return any(slope.kink for slope in self.slopes)


@dataclass(frozen=True)
class Verdict:
    """The `kind`, and the `reason`: a key of the table in `sentences`."""

    kind: str
    reason: str


def judge(pair: Pair, tested: Sequence[Tested | None] = ()) -> Verdict:
    """Return the verdict on two results; `tested` are those on their gradients, if they are gradients."""
    remains = pair.remains
    if pair.unmatched.any():
        if pair.unmatched_again:
            return Verdict(NOT_ROUNDING, "not finite")
        return Verdict(UNDECIDED, "not finite in one dtype")
    if not pair.comparable.all():
        return Verdict(UNDECIDED, "not finite on both sides")
    if remains is not None and remains >= STAYS:
        return Verdict(NOT_ROUNDING, "stays")
    if any(test and test.contradicted for test in tested):
        return Verdict(NOT_ROUNDING, "slope")
    if not pair.differing:
        return Verdict(EQUAL, "equal")
    if remains is None and pair.one_again:
        return Verdict(UNDECIDED, "out of range")
    if remains is None:
        return Verdict(UNDECIDED, "not computed again")
    if remains <= sqrt(pair.expected):
        return Verdict(ROUNDING, "shrinks")
    return Verdict(UNDECIDED, "between")
