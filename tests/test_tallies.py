"""The law of every study: however it is measured, in slices, by ranks or by way of a file, the
tally is the same."""

import json
from random import Random

import pytest

from lib.batch.study import Batch
from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.remedies import Remedies
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.pitfall.study import Pitfall
from lib.run.ranks import Rank
from lib.run.stream import Stream
from lib.run.tally import Tally
from lib.run.tally_json import from_json, to_json
from tests.cases import finish

QUERIES = {
    Discrepancy: (
        "samples=12",
        "samples=20000&evaluation=batched&dtype=float64",
        "samples=258&networks=each-block",
        "samples=300&networks=each-block&evaluation=batched&dtype=bfloat16",
        "samples=70&method=finite-difference&distribution=normal&dtype=bfloat16",
        "samples=50&dtype=float16&method=finite-difference&step=-20",
    ),
    Pitfall: ("samples=40", "samples=9000&evaluation=batched&outputs=3"),
    Batch: ("samples=770", "samples=9&networks=each-block&dtype=bfloat16"),
    Derivative: (
        "samples=70000",
        "samples=1500&dtype=float64&function=gelu",
        "samples=5&dtype=float16",
    ),
    **dict.fromkeys(
        (Agreement, Ladder, Remedies), ("samples=6", "samples=9000&evaluation=batched&outputs=3")
    ),
}


def total(parts, empty):
    """The sum of the parts, of both halves first: one after the other is how a run adds them."""
    if len(parts) < 2:
        return parts[0] if parts else empty
    half = len(parts) // 2
    return total(parts[:half], empty) + total(parts[half:], empty)


CASES = [(study, query) for study, queries in QUERIES.items() for query in queries]


@pytest.mark.parametrize("study, query", CASES)
def test_a_tally_is_that_of_any_slices(study, query):
    experiment = Experiment.parse(query)
    whole = finish(study, experiment)
    assert whole.samples == study.total(experiment)
    sliced = study(experiment)
    parts = []
    number = 0
    while number < whole.samples:
        measured = sliced.measure(number, 0.0)
        number += len(measured)
        parts.append(sliced.tally(measured))
        assert parts[-1].samples == len(measured)
    assert sum(parts, start=study.empty) == whole
    Random(len(parts)).shuffle(parts)
    assert total(parts, study.empty) == whole == whole + study.empty == study.empty + whole
    shares = [Rank(rank, 3).share([range(whole.samples)], sliced.block_size) for rank in (2, 0, 1)]
    of_ranks = [Stream(study(experiment), parts=share).finish() for share in shares]
    assert total(of_ranks, study.empty) == whole
    for tally in (whole, study.empty):
        back = from_json(json.loads(json.dumps(to_json(tally))), Tally)
        assert back == tally and type(back) is type(tally) and repr(back) == repr(tally)
