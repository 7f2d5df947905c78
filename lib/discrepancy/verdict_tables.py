"""A verdict tally as tables for the charts: which gradient is closer, and the errors and the discrepancy on one axis of
rounding units."""

from math import log2

import numpy as np
import pandas as pd

from lib.discrepancy.verdict import VerdictTally
from lib.display.quantities import significant
from lib.display.tables import COUNT, NUMBER, TEXT, typed, typed_columns
from lib.floats.line import ZERO_BINADE
from lib.reference.verdicts import VERDICTS
from lib.run.tally import Histogram

LABELS = {"backward": "backward() is closer", "jacobian": "the other is closer", "tie": "tie", "undecided": "undecided"}
"""The verdicts as the page names them: what is compared with backward() need not be a Jacobian."""

SERIES = ("error of backward()", "error of the other", "their discrepancy")
"""The quantities measured in rounding units, as the page names them."""

LIMITS = ("bound", "probable bound")
"""The page's names for the most that rounding alone can do, for certain and if rounding errors are random."""

_LOWEST, _HIGHEST = -8, 10  # the powers of two of rounding units that are shown; the end columns collect the rest


def tables(tally: VerdictTally) -> dict[str, pd.DataFrame]:
    """All tables, by the names that the charts use."""
    counts = np.array([tally.closer[name] for name in VERDICTS], np.int64)
    types = {"verdict": TEXT, "components": COUNT, "share": NUMBER}
    closer = typed_columns(types, [LABELS[name] for name in VERDICTS], counts, counts / max(counts.sum(), 1))
    parts = (tally.backward_errors, tally.jacobian_errors, tally.discrepancies)
    units = pd.concat([_units(name, part) for name, part in zip(SERIES, parts, strict=True)], ignore_index=True)
    return {"closer": closer, "units": units, "bound": _limits(tally)}


def _limits(tally: VerdictTally) -> pd.DataFrame:
    """The certain and the probable limit of the discrepancy: x (as a power of two), name (with value), limit.

    A limit beyond the axis is drawn at its end, and its name says so; a limit that does not exist has no row.
    """
    rows = []
    for limit, value in zip(LIMITS, (tally.bound_units.value, tally.probable_units.value), strict=True):
        if value:
            beyond = " →" if log2(value) > _HIGHEST else ""
            rows.append((min(log2(value), _HIGHEST), f"{limit}: {significant(value)}{beyond}", limit))
    return typed({"x": NUMBER, "name limit": TEXT}, rows)


def _units(name: str, histogram: Histogram) -> pd.DataFrame:
    """Components by octave of rounding units: series, x (the lower end as a power of two), size (label), share.

    Zeros are in the first column. The last column is repeated at its upper end, so that a stepped line has its full
    width.
    """
    columns = np.arange(_LOWEST - 2, _HIGHEST + 1)
    zero = histogram.keys == ZERO_BINADE
    place = np.where(zero, 0, histogram.keys.clip(_LOWEST, _HIGHEST - 1) - _LOWEST + 2)
    counts = np.zeros(columns.size, np.int64)
    np.add.at(counts, place, histogram.counts)
    sizes = ["0", "", *(f"2^{e} to 2^{e + 1}" for e in range(_LOWEST, _HIGHEST)), ""]
    types = {"series": TEXT, "x": NUMBER, "size": TEXT, "share": NUMBER}
    return typed_columns(types, name, columns, sizes, counts / max(histogram.total, 1))
