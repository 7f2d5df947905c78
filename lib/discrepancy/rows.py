"""Components as rows of a table: number by number, as a script would print them."""

import pandas as pd
import torch

from lib.experiment.query import Experiment
from lib.floats.line import shortest
from lib.network.comparison import BY_METHOD, PLAIN
from lib.reference.compared import Comparisons, Variant
from lib.reference.judge import Gradients

FIRST_SAMPLES = 5


def first_rows(experiment: Experiment, most: int = FIRST_SAMPLES) -> pd.DataFrame:
    """Return a row for each component of the first samples.

    Returns:
        `sample` and `component`, their numbers; `backward()` and `Jacobian`, their values in the
        fewest digits that tell all floats apart; `equal`; `difference`; `floats apart`.
    """
    study = Comparisons(Variant(experiment, {PLAIN: BY_METHOD}))
    dtype = getattr(torch, experiment.dtype)
    rows: list[dict[str, object]] = []
    sample = 0
    while sample < min(most, experiment.samples):
        gradients = study.measure(sample, 0.0).under(PLAIN)
        for place in range(min(len(gradients), most - sample)):
            rows += _rows_of(gradients, place, dtype)
        sample += len(gradients)
    return pd.DataFrame(rows)


def _rows_of(gradients: Gradients, place: int, dtype: torch.dtype) -> list[dict[str, object]]:
    first, second = (values[place] for values in gradients.values)
    return [
        {
            "sample": gradients.number + place,
            "component": component,
            "backward()": shortest(first[component].item(), dtype),
            "Jacobian": shortest(second[component].item(), dtype),
            "equal": first[component].item() == second[component].item(),
            "difference": first[component].item() - second[component].item(),
            "floats apart": int(gradients.steps[place, component])
            if gradients.finite[place, component]
            else None,
        }
        for component in range(len(first))
    ]
