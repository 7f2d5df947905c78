"""Which component is shown, against a plain loop over PyTorch's own calls."""

from dataclasses import replace

import pytest
import torch

from lib.discrepancy import picks
from lib.discrepancy.component import component_of
from lib.discrepancy.picks import first_component, next_component, sample_and_component
from lib.discrepancy.study import Discrepancy
from lib.experiment import choices
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE
from tests.discrepancy.test_tables import bar
from tests.oracles import PLAIN, backward, place_of


def by_loop(experiment: Experiment, count: int) -> dict[tuple[int, int], int]:
    """The signed distance of every component of the first samples, in order."""
    net = network.build(experiment)
    block = sampling.block(experiment, 0)
    if experiment.evaluation == "batched":
        jacobian = torch.autograd.functional.jacobian(lambda x: net(x).sum(0), block)
        sides = zip(backward(net, block), jacobian.movedim(0, -2).sum(-2), strict=True)
    else:
        jacobian = PLAIN[experiment.method]
        sides = ((backward(net, x), jacobian(net, x.clone()).sum(0)) for x in block)
    distances = {}
    for sample, both in zip(range(min(count, experiment.samples)), sides, strict=False):
        for component, pair in enumerate(zip(*(side.tolist() for side in both), strict=True)):
            first, second = (place_of(value, experiment.dtype) for value in pair)
            distances[sample, component] = first - second
    return distances


CASES = [
    *(Experiment(dtype=dtype) for dtype in EVERY_DTYPE),
    Experiment(outputs=1),
    Experiment(output_activation="softmax", samples=40),
    Experiment(evaluation="batched", samples=10**6),
]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_the_first_component_is_the_nearest_that_differs(experiment):
    distances = by_loop(experiment, 64)
    nearest = min((abs(ulps) for ulps in distances.values() if ulps), default=0)
    places = [place for place, ulps in distances.items() if abs(ulps) == nearest]
    assert first_component(experiment) == places[0]


def test_without_a_finite_component_the_first_is_shown():
    wide = Experiment(inputs=64, hidden=(256,), outputs=1, dtype="float16", samples=1)
    overflowing = replace(wide, distribution="normal", method="finite-difference", step=-60)
    assert first_component(overflowing) == (0, 0)


@pytest.mark.parametrize(("evaluation", "most"), [("per-sample", 5), ("batched", 60)])
def test_the_search_is_bounded_and_starts_again_at_the_first_sample(monkeypatch, evaluation, most):
    """But a batched block is searched as a whole."""
    experiment = Experiment(samples=60, evaluation=evaluation)
    bars = {place: bar(ulps) for place, ulps in by_loop(experiment, 60).items()}
    monkeypatch.setattr(picks, "_MOST_SEARCHED", {evaluation: 5})
    for place in [*bars][150::10]:
        alike = [other for other in bars if bars[other] == bars[place]]
        ahead = [other for other in alike if place < other < (place[0] + most, 0)]
        again = [other for other in alike if other < (most, 0)]
        assert next_component(experiment, *place) == [*ahead, *again, place][0]


def test_the_worst_is_found_again_by_its_place(monkeypatch):
    """Blocks are measured in two parts here."""
    monkeypatch.setitem(choices.DEVICES, "cpu", replace(choices.DEVICES["cpu"], chunks=2))
    experiment = Experiment(evaluation="batched", samples=40_000)
    tally = Stream(Discrepancy(experiment)).finish()
    extremes = [tally.max_abs, tally.max_ulps, tally.verdict.max_units]
    assert {extreme.place.block for extreme in extremes} != {0}
    difference, ulps, units = (
        component_of(experiment, *sample_and_component(experiment, extreme.place))
        for extreme in extremes
    )
    assert abs(difference.backward - difference.jacobian) == extremes[0].value
    assert abs(ulps.ulps) == extremes[1].value
    unit = 2.0**-24 * units.condition * abs(float(units.exact))
    assert abs(units.backward - units.jacobian) / unit == pytest.approx(extremes[2].value)
