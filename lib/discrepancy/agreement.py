"""Which methods agree, value for value: every method's summed Jacobian and the backward gradient, on the same samples.

Methods that run the same kernels in the same order return the same bits, so methods that agree everywhere form classes.
The classes of per-sample and batched evaluation differ, and that is the point: last bits belong to kernels, not to
formulas. Even two methods whose Jacobians have the same bits may disagree once `J.sum(0)` adds up the rows, because the
order of its additions depends on how the matrix lies in memory.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from lib.discrepancy.variants import Stage, Variants, VariantsTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.tables import COUNT, NUMBER, TEXT, typed
from lib.network import comparison
from lib.network.comparison import Comparison
from lib.reference.compared import Variant

BACKWARD = "backward"

WAYS = {BACKWARD: comparison.BACKWARD, **{method: comparison.by(method) for method in METHODS}}
"""The ways that are compared: the backward gradient, and the methods by their names."""

NAMES = tuple(WAYS)


def pair(one: str, other: str) -> str:
    """The name of the comparison of two of the `NAMES`, in either order."""
    return ", ".join(sorted((one, other), key=NAMES.index))


PAIRS = {
    pair(one, other): Comparison(pair(one, other), WAYS[one], WAYS[other])
    for one, other in combinations_with_replacement(NAMES, 2)
}


@dataclass(frozen=True)
class AgreementTally(VariantsTally):
    """What the study remembers: a tally for each `pair`."""

    def classes(self) -> list[tuple[str, ...]]:
        """The names, in the order of `NAMES`, grouped into classes: so far, no component has told the members of a
        class apart."""
        found: dict[str, list[str]] = {}
        for name in NAMES:
            first = next((first for first in found if not self[pair(first, name)].apart), name)
            found.setdefault(first, []).append(name)
        return [tuple(members) for members in found.values()]

    def matrix(self, counted: str) -> np.ndarray:
        """The count of this name in the tally of every ordered pair: int64, shape (names, names)."""
        return np.array(
            [[getattr(self[pair(one, other)], counted) for other in NAMES] for one in NAMES]
        )

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: `equal` and `nonfinite` count components and have a row and a column for
        each of the `names`."""
        return {
            "samples": self.samples,
            "components": self[pair(BACKWARD, BACKWARD)].components,
            "names": list(NAMES),
            "equal": self.matrix("equal").tolist(),
            "nonfinite": self.matrix("nonfinite").tolist(),
            "classes": [list(members) for members in self.classes()],
        }


class Agreement(Variants):
    """Compares the backward gradient and every method's summed Jacobian, whatever the experiment's own method.

    Some methods use forward mode, so only one thread of a process may run this study.
    """

    empty = AgreementTally()

    @staticmethod
    def stages(experiment: Experiment) -> list[Stage]:
        return [[Variant(experiment, PAIRS)]]


def tables(tally: AgreementTally) -> dict[str, pd.DataFrame]:
    """The table of the chart, `agreement`, with a row for every ordered pair of names, each name with itself included.

    Columns: one, other, equal, components (the finite ones), share (of the finite components, 0 if there are none),
    bits (whether anything has told the two apart).
    """
    equal, finite, apart = (
        tally.matrix(counted).ravel() for counted in ("equal", "finite", "apart")
    )
    bits = np.where(apart == 0, "the same so far", "different")
    one, other = np.repeat(NAMES, len(NAMES)), np.tile(NAMES, len(NAMES))
    types = {"one other": TEXT, "equal components": COUNT, "share": NUMBER, "bits": TEXT}
    columns = one, other, equal, finite, equal / np.maximum(finite, 1), bits
    return {"agreement": typed(types, zip(*columns, strict=True))}
