"""How far off both gradients are, and how far apart: a study of its own, begun when its section opens.

Sizes are in rounding units, u·S and what underflow may lose, which cancellation does not inflate. Distances in floats
are held against the condition number S/abs(g) in their place: where terms cancel, floats lie closer.
"""

from dataclasses import dataclass
from itertools import repeat
from math import log2

import numpy as np
import pandas as pd

from lib.discrepancy.study import Discrepancy
from lib.floats.line import ZERO_BINADE, binade
from lib.floats.quantities import percent, significant
from lib.floats.tables import NUMBER, TEXT, typed
from lib.reference.judge import UNJUDGED, Gradients
from lib.run.tally import Constant, Histogram, Tally

SERIES = ("error of backward()", "error of the Jacobian", "their discrepancy")
"""What is measured in rounding units, as the page names it."""

LOWEST, HIGHEST = -8, 10
"""The powers of two of rounding units that are shown; the end columns collect the rest."""


@dataclass(frozen=True)
class RoundingUnitsTally(Tally):
    """What the study remembers. The histograms count judged components by binade of a size in rounding units,
    `ZERO_BINADE` for none: of abs(backward − reference), abs(Jacobian − reference) and abs(backward − Jacobian)."""

    samples: int = 0
    components: int = 0
    within: int = 0
    """Components with finite values at most as many floats apart as their condition number."""
    backward_errors: Histogram = Histogram()
    jacobian_errors: Histogram = Histogram()
    discrepancies: Histogram = Histogram()
    bound_units: Constant[float] = Constant()

    @classmethod
    def of(cls, gradients: Gradients) -> "RoundingUnitsTally":
        judged = gradients.judged
        known = (judged.verdicts != UNJUDGED) & ~np.isnan(judged.backward_errors)
        return cls(
            len(gradients),
            gradients.finite.size,
            int(np.count_nonzero((gradients.ulps <= gradients.condition) & gradients.finite)),
            Histogram.of(binade((judged.backward_errors / judged.unit)[known])),
            Histogram.of(binade((judged.jacobian_errors / judged.unit)[known])),
            Histogram.of(binade(judged.units[known])),
            Constant(judged.bound_units),
        )

    @property
    def share(self) -> str:
        return percent(self.within, self.components)


class RoundingUnits(Discrepancy):
    """The same samples as the study of the discrepancy."""

    empty = RoundingUnitsTally()
    tally = staticmethod(RoundingUnitsTally.of)


def tables(tally: RoundingUnitsTally) -> dict[str, pd.DataFrame]:
    """The tables of the chart.

    `units` has the components by octave: series, x (the lower end as a power of two), size (label), share. Zeros are in
    the first column. The last column is repeated at its upper end, so that a stepped line has its full width.

    `bound` has the bound, if there is one: x (as a power of two), name (with its value). A bound beyond the axis is
    drawn at its end, and its name says so.
    """
    columns = np.arange(LOWEST - 2, HIGHEST + 1)
    inner = (f"2^{e} to 2^{e + 1}" for e in range(LOWEST + 1, HIGHEST - 1))
    sizes = ["0", "", f"below 2^{LOWEST + 1}", *inner, f"2^{HIGHEST - 1} and more", ""]
    types = {"series": TEXT, "x": NUMBER, "size": TEXT, "share": NUMBER}
    parts: list[tuple] = []
    for name, found in zip(
        SERIES, (tally.backward_errors, tally.jacobian_errors, tally.discrepancies), strict=True
    ):
        places = np.where(
            found.keys == ZERO_BINADE, LOWEST - 2, found.keys.clip(LOWEST, HIGHEST - 1)
        )
        merged = Histogram.of(places, found.counts)
        shares = [merged[column] / max(found.total, 1) for column in columns.tolist()]
        parts += zip(repeat(name), columns.tolist(), sizes, shares, strict=False)
    bound = tally.bound_units.value
    x = None if bound is None else log2(bound)
    rows = (
        []
        if x is None
        else [(min(x, HIGHEST), f"bound: {significant(bound)}{' →' * (x > HIGHEST)}")]
    )
    return {"units": typed(types, parts), "bound": typed({"x": NUMBER, "name": TEXT}, rows)}
