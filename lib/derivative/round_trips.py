"""There and back: whether 1/(1/x) is x again, in every dtype, and two formulas for −1/x², x by x.

All of it is computed at random x of the experiment, the same in every dtype up to its rounding.
"""

from dataclasses import replace

import pandas as pd
import torch

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.floats.quantities import UNKNOWN, distance, percent
from lib.floats.ulps import steps
from lib.network.machine import use_one_thread
from lib.network.sampling import points

LINES = 10
"""The most x in the table of the two formulas."""


def round_trips(experiment: Experiment) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute two tables of texts.

    Args:
        experiment: says where x come from, how many of the first block are taken, and the seed.

    Returns:
        The round trips, a row for each dtype; and both formulas for the derivative of 1/x in
        float64, a row for each of the first `LINES` x.
    """
    use_one_thread()
    return pd.DataFrame(_of_dtype(experiment, name) for name in DTYPES), _lines(experiment)


def _of_dtype(experiment: Experiment, name: str) -> dict[str, str]:
    x = _points(experiment, name)
    back = 1 / (1 / x)
    finite = back.isfinite()
    away = abs(steps(back[finite], x[finite]))
    farthest = int(away.max(initial=0))
    worst = x[finite][away.argmax()].item() if farthest else None
    return {
        "dtype": name,
        "1/(1/x) is x": percent(int((back == x).sum()), len(x)),
        "farthest off": distance(farthest),
        "at x": UNKNOWN if worst is None else shortest(worst, x.dtype),
        "29/100*100": shortest((torch.tensor(29, dtype=x.dtype) / 100 * 100).item(), x.dtype),
    }


def _lines(experiment: Experiment) -> pd.DataFrame:
    """Compute both formulas for the derivative of 1/x at the first x, number by number."""
    x = _points(experiment, "float64")[:LINES]
    first = -(1 / x) * (1 / x)
    second = -1 / x**2
    columns = {
        "x": x,
        "-(1/x)*(1/x)": first,
        "-1/x**2": second,
        "equal": first == second,
        "difference": first - second,
    }
    return pd.DataFrame({name: map(repr, values.tolist()) for name, values in columns.items()})


def _points(experiment: Experiment, name: str) -> torch.Tensor:
    """Return the first x of the experiment, in the dtype of this name and on the CPU."""
    return points(replace(experiment, dtype=name, device="cpu"), 0)[: experiment.samples]
