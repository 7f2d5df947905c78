"""The histogram of the first tab: how many floats apart the two results of all components are."""

import numpy as np
import pyarrow as pa

from lib.discrepancy.study import BARS, LAST_BAR, DiscrepancyTally, bar_of
from lib.floats.quantities import counted


def histogram(tally: DiscrepancyTally, picked: int | None = None) -> pa.Table:
    """Return a row for each bar.

    Args:
        tally: what is counted.
        picked: the signed ulp distance of the component that is shown, whose bar is marked.

    Returns:
        `bar`, its key; `floats`, its distances in words; `components`, how many it counts; `share`,
        of all components; `picked`, whether it is marked. The page draws it many times a
        second, so it is Arrow's table, as the browser gets it.
    """
    places = bar_of(tally.ulps.keys) - BARS[0]
    components = np.bincount(places, tally.ulps.counts, len(BARS)).astype(np.int64)
    marked = None if picked is None else int(bar_of(np.array(picked)))
    return pa.table(
        {
            "bar": list(BARS),
            "floats": [words(bar) for bar in BARS],
            "components": components,
            "share": components / max(tally.components, 1),
            "picked": [bar == marked for bar in BARS],
        }
    )


def words(bar: int) -> str:
    """Say which distances a bar counts, in words."""
    if bar == 0:
        return "equal"
    higher = "backward()" if bar > 0 else "the Jacobian"
    far = abs(bar)
    lowest, highest = 2 ** (far - 2) + 1, 2 ** (far - 1)
    if far <= 2:
        distance = counted(far, "float")
    elif far < LAST_BAR:
        distance = f"{lowest:,} to {highest:,} floats"
    else:
        distance = f"{lowest:,} floats or more"
    return f"{higher} is {distance} higher"
