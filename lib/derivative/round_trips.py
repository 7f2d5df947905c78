"""There and back: whether 1/(1/x) is x again, in every dtype.

It is computed at random x of the experiment, the same in every dtype up to its rounding.
"""

from dataclasses import replace

import pandas as pd
import torch

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import distance, percent
from lib.floats.tables import text_table
from lib.floats.ulps import shortest, steps
from lib.network.machine import use_one_thread
from lib.network.sampling import points


def round_trips(experiment: Experiment) -> pd.DataFrame:
    """Return a row for each dtype.

    Args:
        experiment: says where x come from, how many of the first block are taken, and the seed.
    """
    use_one_thread()
    return text_table(_of_dtype(experiment, name) for name in DTYPES)


def _of_dtype(experiment: Experiment, name: str) -> dict[str, str | None]:
    x = points(replace(experiment, dtype=name, device="cpu"), 0)[: experiment.samples]
    back = 1 / (1 / x)
    finite = back.isfinite()
    away = abs(steps(back[finite], x[finite]))
    farthest = int(away.max(initial=0))
    worst = x[finite][away.argmax()].item() if farthest else None
    return {
        "dtype": name,
        "1/(1/x) is x": percent(int((back == x).sum()), len(x)),
        "farthest off": distance(farthest),
        "at x": None if worst is None else shortest(worst, x.dtype),
        "29/100*100": shortest((torch.tensor(29, dtype=x.dtype) / 100 * 100).item(), x.dtype),
    }
