"""In how many components both sides of a comparison have the same value."""

from dataclasses import dataclass

import numpy as np

from lib.discrepancy.compared import Gradients
from lib.run.tally import Tally


@dataclass(frozen=True)
class EqualityTally(Tally):
    """One comparison: its samples, and its components by what both values are."""

    samples: int = 0
    finite: int = 0
    """Components where both values are finite."""
    equal: int = 0
    """Those of them with equal values: +0 and −0 are equal, though their bits are not."""
    nonfinite: int = 0
    """Components where a value is infinite or NaN."""
    apart: int = 0
    """Components that tell the two apart, which is an equivalence: any NaN is like any other, infinities as equal."""

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
        """The components, those that are not finite, and those that are equal, for JSON."""
        return {"components": self.components, "nonfinite": self.nonfinite, "equal": self.equal}
