"""What was found about which gradient is right, as tables for the charts.

A table has the same columns and types whatever the tally holds, even if it is empty, and its axes are fixed. So a chart
that streams only swaps rows, and nothing else moves.
"""

from math import log2

import numpy as np
import pandas as pd

from lib.discrepancy.verdict import VerdictTally
from lib.floats.line import ZERO_BINADE
from lib.floats.quantities import significant
from lib.floats.tables import COUNT, NUMBER, TEXT, typed, typed_columns
from lib.reference.verdicts import VERDICTS

LABELS = {
    "backward": "backward() is closer",
    "jacobian": "the Jacobian is closer",
    "tie": "tie",
    "undecided": "undecided",
}
"""The verdicts as the page names them."""

SERIES = ("error of backward()", "error of the Jacobian", "their discrepancy")
"""The quantities measured in rounding units, as the page names them."""

_LOWEST, _HIGHEST = -8, 10  # the powers of two of rounding units that are shown; the end columns collect the rest


def tables(tally: VerdictTally) -> dict[str, pd.DataFrame]:
    """All tables of charts, by the names that the charts use."""
    return {"closer": _closer(tally), "units": _units(tally), "bound": _bound(tally)}


def _closer(tally: VerdictTally) -> pd.DataFrame:
    """Components by verdict: verdict (label), components, share."""
    counts = np.array([tally.closer[name] for name in VERDICTS], np.int64)
    types = {"verdict": TEXT, "components": COUNT, "share": NUMBER}
    return typed_columns(types, [LABELS[name] for name in VERDICTS], counts, counts / max(counts.sum(), 1))


def _units(tally: VerdictTally) -> pd.DataFrame:
    """Components by octave of rounding units: series, x (the lower end as a power of two), size (label), share.

    Zeros are in the first column. The last column is repeated at its upper end, so that a stepped line has its full
    width.
    """
    columns = np.arange(_LOWEST - 2, _HIGHEST + 1)
    sizes = ["0", "", *(f"2^{e} to 2^{e + 1}" for e in range(_LOWEST, _HIGHEST)), ""]
    types = {"series": TEXT, "x": NUMBER, "size": TEXT, "share": NUMBER}
    parts = []
    for name, histogram in zip(
        SERIES, (tally.backward_errors, tally.jacobian_errors, tally.discrepancies), strict=True
    ):
        place = histogram.keys.clip(_LOWEST, _HIGHEST - 1) - _LOWEST + 2
        counts = np.zeros(columns.size, np.int64)
        np.add.at(counts, np.where(histogram.keys == ZERO_BINADE, 0, place), histogram.counts)
        parts.append(typed_columns(types, name, columns, sizes, counts / max(histogram.total, 1)))
    return pd.concat(parts, ignore_index=True)


def _bound(tally: VerdictTally) -> pd.DataFrame:
    """The bound on the discrepancy, if there is one: x (as a power of two), name (with its value).

    A bound beyond the axis is drawn at its end, and its name says so.
    """
    bound = tally.bound_units.value
    rows = (
        [] if bound is None else [(log2(bound), f"bound: {significant(bound)}{' →' if log2(bound) > _HIGHEST else ''}")]
    )
    return typed({"x": NUMBER, "name": TEXT}, [(min(x, _HIGHEST), name) for x, name in rows])
