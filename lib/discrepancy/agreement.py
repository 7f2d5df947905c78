"""Which methods give equal values in every component (+0 equals −0, NaN equals NaN).

The study compares the summed Jacobians of all methods and the backward gradient. Methods that make
the same calls on tensors with the same memory layout usually return the same bits; such methods
form classes. The classes of per-sample and batched evaluation differ, since last bits depend on
kernels, not on formulas. Two methods whose Jacobians have the same bits may still disagree after
`J.sum(0)`, whose order of addition depends on the memory layout of the matrix.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import pandas as pd

from lib.discrepancy.variants import Variants, VariantsTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import comparison
from lib.network.comparison import Comparison
from lib.reference.compared import ComparisonStudy

BACKWARD = "backward"

WAYS = {BACKWARD: comparison.BACKWARD, **{method: comparison.by(method) for method in METHODS}}
"""The backward gradient and the methods, by name."""

NAMES = tuple(WAYS)


def pair(first: str, second: str) -> str:
    """Return the name of the comparison of two of the `NAMES`, in either order."""
    return ", ".join(sorted((first, second), key=NAMES.index))


PAIRS = {
    pair(first, second): Comparison(pair(first, second), WAYS[first], WAYS[second])
    for first, second in combinations_with_replacement(NAMES, 2)
}


@dataclass(frozen=True)
class AgreementTally(VariantsTally):
    """What the study remembers: a tally for each `pair`."""

    def classes(self) -> list[tuple[str, ...]]:
        """Return the names in classes, within which no component differs so far."""
        classes: dict[str, list[str]] = {}
        for name in NAMES:
            equal = (first for first in classes if not self[pair(first, name)].apart)
            classes.setdefault(next(equal, name), []).append(name)
        return [tuple(members) for members in classes.values()]

    def figures(self) -> dict[str, object]:
        """Return the figures of the study, for JSON.

        `equal` and `nonfinite` count components, with a row and a column for each of the `names`.
        """
        pairs = [[self[pair(first, second)] for second in NAMES] for first in NAMES]
        return {
            "samples": self.samples,
            "components": pairs[0][0].components,
            "names": list(NAMES),
            "equal": [[tally.equal for tally in row] for row in pairs],
            "nonfinite": [[tally.nonfinite for tally in row] for row in pairs],
            "classes": [list(members) for members in self.classes()],
        }


class Agreement(Variants):
    """Compares the backward gradient and every method's summed Jacobian.

    Some methods use forward mode, so only one thread of a process may run this study.
    """

    empty = AgreementTally()

    @staticmethod
    def variants(experiment: Experiment) -> list[ComparisonStudy]:
        return [ComparisonStudy(experiment, PAIRS)]


def claim(tally: AgreementTally) -> str:
    """Return which methods have equal values, as a sentence."""
    if not tally.samples:
        return "Nothing is measured yet."
    classes = [", ".join(f"`{name}`" for name in members) for members in tally.classes()]
    return f"Groups of equal gradients: {'; '.join(classes)}."


def table(tally: AgreementTally) -> pd.DataFrame:
    """Return a table for display: each method, and how it differs from the backward gradient."""
    return tally.table({pair(BACKWARD, method): {"method": method} for method in METHODS})
