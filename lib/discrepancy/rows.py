"""The components of the first samples as rows of a table, as a script would print them."""

import pandas as pd
import torch

from lib.discrepancy.picks import measured
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.reference.pair import Pair

FIRST_SAMPLES = 5


def first_rows(experiment: Experiment) -> pd.DataFrame:
    """Return a row for each component of the first `FIRST_SAMPLES` samples.

    Returns:
        `sample` and `component`, their numbers; `backward()` and `Jacobian`, their values in the
        fewest digits that tell all floats apart; `equal`; `difference`, as text; `floats apart`,
        positive if `backward()` is higher, missing if a value is infinite or NaN.
    """
    dtype = getattr(torch, experiment.dtype)
    rows: list[dict[str, object]] = []
    for gradients in measured(Discrepancy(experiment, judged=False), 0, FIRST_SAMPLES):
        for place in range(min(len(gradients), FIRST_SAMPLES - gradients.number)):
            rows += _rows_of(gradients, place, dtype)
    return pd.DataFrame(rows)


def _rows_of(gradients: Pair, place: int, dtype: torch.dtype) -> list[dict[str, object]]:
    first, second = (side[place].tolist() for side in gradients.values)
    finite = gradients.finite[place]
    steps = gradients.signed_ulps[place]
    return [
        {
            "sample": gradients.number + place,
            "component": component,
            "backward()": shortest(a, dtype),
            "Jacobian": shortest(b, dtype),
            "equal": a == b,
            "difference": f"{a - b:.3g}",
            "floats apart": int(steps[component]) if finite[component] else None,
        }
        for component, (a, b) in enumerate(zip(first, second, strict=True))
    ]
