"""How many components have the same value on both sides of a comparison."""

from dataclasses import dataclass

import numpy as np

from lib.reference.compared import Gradients
from lib.run.tally import Tally


@dataclass(frozen=True)
class EqualityTally(Tally):
    """The tally of one comparison: its samples, and its components by how the two values compare."""

    samples: int = 0
    finite: int = 0
    """Components in which both values are finite."""
    equal: int = 0
    """Finite components with equal values: +0 equals −0, though their bits differ."""
    nonfinite: int = 0
    """Components in which a value is infinite or NaN."""
    apart: int = 0
    """Components that tell the two sides apart; here every NaN equals every other, and infinities compare by sign, so
    that "not told apart" is an equivalence."""

    @classmethod
    def of(cls, gradients: Gradients) -> "EqualityTally":
        (one, other), finite = gradients.values, gradients.finite
        same = one == other
        alike = same | (np.isnan(one) & np.isnan(other))
        return cls(len(gradients), *(int(part.sum()) for part in (finite, finite & same, ~finite, ~alike)))

    @property
    def components(self) -> int:
        return self.finite + self.nonfinite

    def figures(self) -> dict[str, int]:
        """The numbers of components, nonfinite components and equal components, for JSON."""
        return {"components": self.components, "nonfinite": self.nonfinite, "equal": self.equal}
