"""Which component is shown first, and which comes next, against all that a plain loop finds to change."""

from dataclasses import replace

import pytest
import torch

from lib.batch.arrangements import Pick, block
from lib.batch.example import example
from lib.batch.find_example import another, first_example, kept_example
from lib.experiment.query import Experiment
from lib.network import network
from tests.oracles import backward

CASES = [
    (Experiment(samples=40), 4),
    (Experiment(samples=30, hidden=(40,), activation="gelu"), 8),
    (Experiment(samples=30, dtype="float64", hidden=(6, 6)), 3),
    (Experiment(samples=30, dtype="bfloat16"), 4),
    (Experiment(samples=30), 1),
]

IDS = [f"{experiment.query}-{size}" for experiment, size in CASES]


def changes(experiment: Experiment, size: int) -> list[Pick]:
    """Every component of the samples that a batch changes, by sample, the outputs before the gradient."""
    net, samples = network.build(experiment), block(experiment, 0)

    def computed(x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"output": net(x.clone()), "gradient": backward(net, x)}

    found = []
    for sample in range(experiment.samples):
        start = sample // size * size
        one, batch = computed(samples[sample]), computed(samples[start : start + size])
        for name in "output", "gradient":
            different = (one[name] != batch[name][sample - start]).nonzero().flatten().tolist()
            found += [Pick(size, sample, name, component) for component in different]
    return found


@pytest.mark.parametrize(("experiment", "size"), CASES, ids=IDS)
def test_the_first_example_changes_if_anything_does(experiment, size):
    place, changed = first_example(experiment, size), changes(experiment, size)
    found = example(experiment, place)
    assert (place in changed) if changed else (place == Pick(size, 0, "output", 0))
    assert (found.component.alone != found.component.batch) == bool(changed)
    follows = [
        one
        for one in map(lambda place: example(experiment, place), changed[:12])
        if one.orders and 0 < one.shown.floats <= 3
    ]
    many = [
        min(5, *(sum(rounding != 0 for rounding in order.roundings) for order in one.orders))
        for one in follows
    ]
    assert not follows or found == follows[many.index(max(many))]


@pytest.mark.parametrize(("experiment", "size"), CASES, ids=IDS)
def test_another_size_shows_the_same_component_where_that_changes_too(experiment, size):
    usual = first_example(experiment, 2)
    kept = kept_example(experiment, size, 2)
    same = replace(usual, size=size)
    assert (
        kept == same
        if size == 1 or same in changes(experiment, size)
        else kept == first_example(experiment, size)
    )


@pytest.mark.parametrize(("experiment", "size"), CASES, ids=IDS)
def test_what_comes_next_is_known_from_any_component(experiment, size):
    changed = changes(experiment, size)

    for place in [
        Pick(size, sample, *one)
        for sample in range(experiment.samples)
        for one in [("output", 1), ("gradient", 2)]
    ]:
        later = [pick for pick in changed if pick.sample > place.sample]
        assert another(experiment, place) == (later or changed or [place])[0]
