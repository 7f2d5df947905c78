"""The fingerprints under each CPU capability as a table to read."""

import pandas as pd

from lib.batch.capabilities import Made, SideBySide
from lib.batch.fingerprint_differences import Differences
from lib.batch.fingerprint_sentences import place_of
from lib.display.quantities import listed
from lib.display.tables import text_table

_MOST_NAMED = 2

COLUMNS = (
    "ATEN_CPU_CAPABILITY",
    "kernels for",
    "hash",
    "orders unlike this page's",
    "activations unlike this page's",
    "seconds",
)


def table(found: SideBySide) -> pd.DataFrame:
    """A row for each capability, compared with the kernels of this page."""
    rows = (_row(made, differences, found.own) for made, differences in zip(found.made, found.differences, strict=True))
    return text_table(rows, COLUMNS)


def _row(made: Made, differences: Differences | None, own: str) -> dict[str, str]:
    here = " (this page)" if made.kernels == own else ""
    row = {"ATEN_CPU_CAPABILITY": made.capability, "kernels for": f"{made.kernels}{here}" or made.reason}
    if made.fingerprint:
        row["hash"] = made.fingerprint.hash or "not revealed"
    if differences:
        row["orders unlike this page's"] = _places(differences)
        row["activations unlike this page's"] = listed(one.activation for one in differences.activations) or "none"
    return row | {"seconds": f"{made.seconds:.1f}"}


def _places(differences: Differences) -> str:
    """Name the first places where orders differ, and count the others."""
    names = [place_of(place) for place in differences.places]
    more = len(names) - _MOST_NAMED
    return "; ".join([*names[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])]) or "none"
