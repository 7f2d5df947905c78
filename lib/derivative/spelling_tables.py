"""Two spellings of one function as tables."""

import pandas as pd
import torch

from lib.derivative.two_spellings import Comparison
from lib.display.quantities import in_floats, percent
from lib.display.tables import text_table
from lib.floats.line import shortest


def by_spelling(comparison: Comparison, dtype: torch.dtype) -> pd.DataFrame:
    """Both spellings, one row each: the share that is correctly rounded, errors, and the x of the worst."""
    whole = comparison.whole
    return text_table(
        {
            "spelling": name,
            "correctly rounded": percent(one.correct, whole.exist),
            "mean error in floats": _in_floats(one.mean),
            "largest error in floats": _in_floats(one.worst),
            "at x": None if one.at is None else shortest(one.at, dtype),
        }
        for name, one in (("f", whole.f), ("g", whole.g))
    )


def by_range(comparison: Comparison) -> pd.DataFrame:
    """Ranges of x, one row each: how many x, the shares that are correctly rounded, mean errors, how often equal."""
    return text_table(
        {
            "where": part.range,
            "number of x": f"{part.exist:,}",
            "f correctly rounded": percent(part.f.correct, part.exist),
            "g correctly rounded": percent(part.g.correct, part.exist),
            "f off by": _in_floats(part.f.mean),
            "g off by": _in_floats(part.g.mean),
            "same float": percent(part.equal, part.exist),
        }
        for part in comparison.ranges
    )


def _in_floats(error: float | None) -> str | None:
    return None if error is None else in_floats(error)
