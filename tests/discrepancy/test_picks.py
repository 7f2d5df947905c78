"""Which component is shown, against a plain loop over PyTorch's own calls."""

from dataclasses import replace

import pytest
import torch

from lib.discrepancy import picks
from lib.discrepancy.picks import first_component, next_component, sample_and_component
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.tally import Place
from tests.cases import EVERY_DTYPE
from tests.discrepancy.test_histogram import bar
from tests.oracles import PLAIN, backward, place_of


def by_loop(experiment: Experiment, count: int) -> list[tuple[tuple[int, int], int]]:
    """Every component of the first samples with its signed distance, in order."""
    net, found = network.build(experiment), []
    xs = sampling.block(experiment, 0)[: min(count, experiment.samples)]
    if experiment.evaluation == "batched":
        whole = sampling.block(experiment, 0)
        of_batch = backward(net, whole)
        rows = (
            torch.autograd.functional.jacobian(lambda x: net(x).sum(0), whole)
            .movedim(0, -2)
            .sum(-2)
        )
    for sample, x in enumerate(xs):
        if experiment.evaluation == "batched":
            sides = of_batch[sample], rows[sample]
        else:
            sides = backward(net, x), PLAIN[experiment.method](net, x.clone()).sum(0)
        for component, pair in enumerate(zip(*(side.tolist() for side in sides), strict=True)):
            one, other = (place_of(value, experiment.dtype) for value in pair)
            found.append(((sample, component), one - other))
    return found


CASES = [
    *(Experiment(dtype=dtype) for dtype in EVERY_DTYPE),
    Experiment(method="jacrev", seed=4),
    Experiment(outputs=1),
    Experiment(output_activation="softmax", samples=40),
    Experiment(evaluation="batched", samples=10**6),
    Experiment(inputs=9, hidden=(20, 20), outputs=6, activation="tanh"),
]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_the_first_component_is_the_first_one_float_apart_or_the_nearest(experiment):
    known = by_loop(experiment, 64)
    ones = [place for place, ulps in known if abs(ulps) == 1]
    others = sorted({abs(ulps) for _, ulps in known} - {0})
    nearest = next(place for place, ulps in known if abs(ulps) == (others[0] if others else 0))
    assert first_component(experiment) == (ones[0] if ones else nearest)


def test_without_a_finite_component_the_first_is_shown():
    overflowing = Experiment(
        inputs=64, hidden=(256,), outputs=1, dtype="float16", distribution="normal", samples=1
    )
    sample, component = first_component(replace(overflowing, method="finite-difference", step=-60))
    assert (sample, component) == (0, 0)


@pytest.mark.parametrize("experiment", CASES[:3] + CASES[-3:], ids=lambda e: e.query or "post")
def test_the_next_walks_through_a_bin_in_order_and_starts_again(experiment):
    experiment = replace(experiment, samples=10)
    known = [(place, bar(ulps)) for place, ulps in by_loop(experiment, 10)]
    for wanted in {ulps for _, ulps in known}:
        alike = [place for place, ulps in known if ulps == wanted]
        for here, following in zip(alike, [*alike[1:], alike[0]], strict=True):
            assert next_component(experiment, *here) == following


def test_the_search_is_bounded_and_starts_again_at_the_first_sample(monkeypatch):
    experiment = Experiment(samples=60)
    known = [(place, bar(ulps)) for place, ulps in by_loop(experiment, 60)]
    monkeypatch.setattr(picks, "_MOST_SEARCHED", {"per-sample": 5})
    for place, wanted in known[150::10]:
        ahead = [at for at, ulps in known if ulps == wanted and place < at and at[0] < place[0] + 5]
        start = [at for at, ulps in known if ulps == wanted and at[0] < 5]
        assert next_component(experiment, *place) == [*ahead[:1], *start[:1], place][0]


def test_a_place_of_a_tally_is_a_sample_and_a_component():
    assert sample_and_component(Experiment(), Place(0, 17, 3)) == (17, 3)
    batched = Experiment(evaluation="batched", samples=10**6)
    assert sample_and_component(batched, Place(2, 17, 3)) == (
        2 * sampling.block_size(batched) + 17,
        3,
    )
