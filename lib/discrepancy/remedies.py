"""How to make the discrepancy go away: each remedy, tried on the same samples.

A remedy is a comparison: some remedies change one side, some both.

NOTE [row by row]: one `backward()` per output adds its row to `x.grad`, so the rows are added one
after the other, in the order of the outputs. If a Jacobian is also computed row by row and its rows
are added in that same order, the bits are the same. `J.sum(0)` need not have these bits: it keeps
the sum of 16-bit rows in float32 and rounds once at the end, and it adds many rows several at a
time. Neither of the two sums needs to have the bits of a single `backward()` with ones, which adds
the parts of all outputs before it goes through the earlier layers.
"""

from dataclasses import replace

import pandas as pd

from lib.discrepancy.variants import Variants, VariantsTally
from lib.experiment.query import Experiment
from lib.network import comparison
from lib.network.comparison import (
    BACKWARD,
    BACKWARD_ROW_BY_ROW,
    PLAIN,
    Comparison,
    Way,
    by,
    in_float64,
)
from lib.reference.compared import ComparisonStudy

_ROWS_IN_ORDER = Way(
    "J[0] + J[1] + …", lambda subject, x: comparison.add_in_order(subject.jacobian(x, "rows"))
)

REMEDIES = {
    PLAIN: comparison.BY_METHOD,
    "summed-output": Comparison(
        "sum the outputs before the Jacobian", BACKWARD, by("summed-output")
    ),
    "rows-in-order": Comparison(
        "backward row by row, the rows added in the same order", BACKWARD_ROW_BY_ROW, _ROWS_IN_ORDER
    ),
    "rows-summed": Comparison(
        "backward row by row, but J.sum(0)",
        BACKWARD_ROW_BY_ROW,
        replace(by("rows"), code="J.sum(0)"),
    ),
    "float64": Comparison(
        "compute both gradients in float64 and round once",
        in_float64(BACKWARD),
        in_float64(comparison.JACOBIAN),
        # `.to` goes from float64 to 16 bits through float32, and so rounds twice.
        code_of_both="both gradients from net.double() and x.double(), rounded once",
    ),
}
"""The remedies by name. The first one, `PLAIN`, is the experiment without a remedy."""


class Remedies(Variants):
    """Measures each sample under every remedy."""

    @staticmethod
    def variants(experiment: Experiment) -> list[ComparisonStudy]:
        return [ComparisonStudy(experiment, REMEDIES)]


def claim(tally: VariantsTally) -> str:
    """Return how many remedies leave no difference, as a sentence.

    NaN on one side alone is a difference. Remedies without a finite component are not counted.
    """
    known = [tally[name] for name in REMEDIES if name != PLAIN and tally[name].finite]
    equal = sum(not remedy.apart for remedy in known)
    no_difference = f"Remedies that leave no difference: {equal} of {len(known)}."
    return tally.why_no_claim or no_difference


def table(tally: VariantsTally) -> pd.DataFrame:
    """Return a table for display: each remedy, its code, and what it leaves."""
    about = {
        name: {"remedy": remedy.label, "code": remedy.code} for name, remedy in REMEDIES.items()
    }
    return tally.table(about)
