"""The law of every study: in whatever slices it is measured, and however they are added up, the tally is the same."""

from random import Random

import pytest

from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.remedies import Remedies
from lib.discrepancy.scaling import Scaling
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.zero_cases import ZeroCases
from lib.experiment.query import Experiment
from lib.pitfall.study import Pitfall
from lib.run.stream import Stream
from lib.run.tally import Tally

QUERIES = {
    Discrepancy: (
        *("samples=40", "samples=20000&evaluation=batched", "samples=9&hidden=256,256,60"),
        *("samples=300&networks=each-block", "samples=300&networks=each-block&evaluation=batched&dtype=bfloat16"),
        *(
            "samples=70&method=finite-difference&distribution=normal&dtype=bfloat16",
            "samples=50&dtype=float16&method=finite-difference&step=-20",
        ),
    ),
    Pitfall: ("samples=40", "samples=20000&evaluation=batched&outputs=3"),
    Batch: ("samples=700&networks=each-block", "samples=600&dtype=bfloat16&gradient=method&method=jacrev"),
    Derivative: ("samples=70000", "samples=1500&dtype=float64&function=gelu", "samples=5&dtype=float16"),
    **dict.fromkeys(
        (Agreement, ZeroCases, Ladder, Remedies, Scaling), ("samples=6", "samples=9000&evaluation=batched&outputs=3")
    ),
}


def total(parts: list[Tally], empty: Tally) -> Tally:
    """The sum of the parts, of both halves first: one after the other is how a run adds them."""
    if len(parts) < 2:
        return parts[0] if parts else empty
    half = len(parts) // 2
    return total(parts[:half], empty) + total(parts[half:], empty)


@pytest.mark.parametrize(
    ("study", "query"), [(study, query) for study, queries in QUERIES.items() for query in queries]
)
def test_the_tally_is_that_of_any_slices_added_up_in_any_order(study, query, monkeypatch):
    monkeypatch.setattr("lib.discrepancy.scaling.SAMPLES", 5)
    experiment = Experiment.parse(query)
    whole, sliced, parts, number = Stream(study(experiment)).finish(), study(experiment), [], 0
    while number < study.total(experiment):
        measured = sliced.measure(number, 0.0)
        number += len(measured)
        parts.append(sliced.tally(measured))
        assert parts[-1].samples == len(measured)
    assert sum(parts, start=study.empty) == whole and whole.samples == study.total(experiment)
    Random(len(parts)).shuffle(parts)
    assert total(parts, study.empty) == whole == whole + study.empty == study.empty + whole
