"""How far off both gradients are, and how far apart, in rounding units.

A rounding unit is u·S plus what underflow may lose. Cancellation does not inflate it.
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

    The histograms count judged components by a size in rounding units: abs(backward − reference),
    abs(Jacobian − reference) or abs(backward − Jacobian). The key is the exponent of the largest
    power of two that is not above the size, or `ZERO_BINADE` for 0.
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
    """Measures the same samples as the study of the discrepancy, for another tally."""

    empty = RoundingUnitsTally()
    tally = staticmethod(RoundingUnitsTally.of)


def tables(tally: RoundingUnitsTally) -> dict[str, pd.DataFrame]:
    """Return the tables of the chart.

    Returns:
        `units`, a row for each column of a histogram: `series`, one of `SERIES`; `x`, the exponent
            of the power of two where the column begins; `size`, its ends as text; `share`, of the
            judged components. Zeros are in the first column. The row at `HIGHEST` has share 0: it
            ends the last step at its full width.
        `bound`, a row for the bound if there is one: `x`, its binary logarithm, at most the end of
            the axis; `name`.
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
