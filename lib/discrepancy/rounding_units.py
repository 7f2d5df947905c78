"""How far off both gradients are, and how far apart, in rounding units.

A rounding unit is u·S and what underflow may lose, which cancellation does not inflate.
"""

from dataclasses import dataclass
from math import log2

import numpy as np
import pandas as pd

from lib.discrepancy.study import Discrepancy
from lib.floats.quantities import significant
from lib.floats.ulps import ZERO_BINADE, binade
from lib.reference.judge import UNJUDGED
from lib.reference.pair import Pair
from lib.run.tally import Constant, Histogram, Tally

SERIES = ("error of backward()", "error of the Jacobian", "their discrepancy")
"""What is measured in rounding units, as the page names it."""

LOWEST, HIGHEST = -8, 10
"""The powers of two of rounding units that are shown; the end columns collect the rest."""


@dataclass(frozen=True)
class RoundingUnitsTally(Tally):
    """What the study remembers.

    The histograms count judged components by the binade of a size in rounding units, `ZERO_BINADE`
    for 0: abs(backward − reference), abs(Jacobian − reference) and abs(backward − Jacobian).
    """

    samples: int = 0
    backward_errors: Histogram = Histogram()
    jacobian_errors: Histogram = Histogram()
    discrepancies: Histogram = Histogram()
    bound_units: Constant[float] = Constant()

    @classmethod
    def of(cls, gradients: Pair) -> "RoundingUnitsTally":
        judged = gradients.judged
        known = (judged.verdicts != UNJUDGED) & ~np.isnan(judged.first_errors)
        return cls(
            len(gradients),
            Histogram.of(binade((judged.first_errors / judged.unit)[known])),
            Histogram.of(binade((judged.second_errors / judged.unit)[known])),
            Histogram.of(binade(judged.units[known])),
            Constant(judged.bound_units),
        )


class RoundingUnits(Discrepancy):
    """The same samples as the study of the discrepancy."""

    empty = RoundingUnitsTally()
    tally = staticmethod(RoundingUnitsTally.of)


def tables(tally: RoundingUnitsTally) -> dict[str, pd.DataFrame]:
    """Return the tables of the chart.

    Returns:
        `units`, the components by binade: `series`; `x`, the lower end as a power of two; its
            `size` as text; `share`. Zeros are in the first column. The row at `HIGHEST` has
            share 0: it ends the last step at its full width.
        `bound`, a row for the bound if there is one: `x`, as a power of two, at most the end of the
            axis; its `name`.
    """
    columns = range(LOWEST - 2, HIGHEST + 1)
    inner = [f"2^{power} to 2^{power + 1}" for power in range(LOWEST + 1, HIGHEST - 1)]
    sizes = ["0", "", f"below 2^{LOWEST + 1}", *inner, f"2^{HIGHEST - 1} and more", ""]
    series = tally.backward_errors, tally.jacobian_errors, tally.discrepancies
    rows: list[tuple[str, int, str, float]] = []
    for name, histogram in zip(SERIES, series, strict=True):
        powers = histogram.keys.clip(LOWEST, HIGHEST - 1)
        powers[histogram.keys == ZERO_BINADE] = LOWEST - 2
        counts = Histogram.of(powers, histogram.counts)
        for column, size in zip(columns, sizes, strict=True):
            rows.append((name, column, size, counts[column] / max(histogram.total, 1)))
    bounds: list[tuple[float, str]] = []
    bound = tally.bound_units.value
    if bound is not None:
        beyond = " →" if log2(bound) > HIGHEST else ""
        bounds = [(min(log2(bound), HIGHEST), f"bound: {significant(bound)}{beyond}")]
    return {
        "units": pd.DataFrame(rows, columns=["series", "x", "size", "share"]),
        "bound": pd.DataFrame(bounds, columns=["x", "name"]).astype({"x": float, "name": str}),
    }
