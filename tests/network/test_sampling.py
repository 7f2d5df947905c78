"""The random samples: the same points whatever else is chosen, and as random as they claim."""

import math
from dataclasses import replace
from statistics import NormalDist
from threading import Thread

import numpy as np
import pytest
import torch

from lib.experiment.choices import DISTRIBUTIONS, DTYPES, X_FROM
from lib.experiment.query import Experiment
from lib.floats.ulps import binade, round_once, to_float64
from lib.network.sampling import block, block_size, points
from tests.cases import SHAPES, every_dtype

COSTLY = [
    Experiment(inputs=64, hidden=(256,) * 6, outputs=8),
    Experiment(inputs=64, hidden=(), outputs=64),
    Experiment(inputs=784, hidden=(128,), outputs=10),
    Experiment(inputs=64, hidden=(3, 250), outputs=2),
    Experiment(inputs=256, hidden=(1,), outputs=256),
]
"""For each bound a network whose chunk reaches it."""

DRAWN = [
    *((block, {"distribution": distribution}) for distribution in DISTRIBUTIONS),
    *((points, {"x_from": x_from}) for x_from in X_FROM),
]


@pytest.mark.parametrize("draw, chosen", DRAWN)
def test_a_block_depends_on_nothing_else(draw, chosen):
    """Than experiment and number: whatever was drawn before, in whatever order and thread. Global
    generators stay as they are."""
    experiment = Experiment(**chosen)
    numbers = [0, 1, 2**28 - 1]
    state = torch.get_rng_state()
    blocks = [draw(experiment, number) for number in numbers]
    again = []
    backwards = reversed(numbers)
    thread = Thread(target=lambda: again.extend(draw(experiment, n) for n in backwards))
    thread.start()
    thread.join()
    assert all(map(torch.equal, blocks, reversed(again)))
    assert torch.equal(torch.get_rng_state(), state)
    others = [*blocks, draw(replace(experiment, seed=1), 0)]
    assert len({tuple(x.flatten()[:9].tolist()) for x in others}) == 4
    if chosen.get("x_from") == "log-uniform":
        return
    exact = draw(replace(experiment, dtype="float64"), 1)
    for dtype in DTYPES:
        rounded = draw(replace(experiment, dtype=dtype), 1)
        once = round_once(exact, getattr(torch, dtype))
        assert rounded.equal(once) and not rounded.requires_grad


@pytest.mark.parametrize("experiment", [*SHAPES, *COSTLY])
def test_a_block_is_the_largest_that_is_cheap_enough(experiment):
    inputs, parameters = experiment.inputs, experiment.parameters
    limits = [
        (1, 8192),
        (parameters * experiment.outputs, 2**25),
        (parameters * inputs, 2**31),
        (inputs * experiment.outputs, 2**20),
        (inputs * max(experiment.widths), 2**25),
    ]
    size = block_size(experiment)
    assert size.bit_count() == 1 and all(size * cost <= most for cost, most in limits)
    assert any(2 * size * cost > most for cost, most in limits)
    assert block(experiment, 1).shape == (size, inputs)
    card = replace(experiment, device="cuda", evaluation="batched")
    assert block_size(card) == 16 * size
    assert block_size(replace(card, evaluation="per-sample")) == size
    for device in (experiment, card):
        assert block_size(replace(device, networks="each-block")) == min(size, 128)


@pytest.mark.parametrize("draw, chosen", DRAWN[:-1])
def test_samples_have_the_shares_that_the_page_says(draw, chosen):
    """Within 5 standard errors, at most 1/2 over the root of their number, at every place."""
    x = np.sort(to_float64(draw(Experiment(dtype="float64", **chosen), 0)).ravel())
    if "normal" in chosen.values():
        expected = np.array([NormalDist().cdf(value) for value in x.tolist()])
    else:
        expected = x.clip(0, 1) if draw is block else ((x + 64) / 128).clip(0, 1)
        assert round(x[-1]) == (1 if draw is block else 64)
    off = expected - (np.arange(x.size) + 0.5) / x.size
    assert np.abs(off).max() < 2.5 * x.size**-0.5


@every_dtype
def test_log_uniform_x_have_all_binades_alike(dtype):
    """Within 6 standard errors of a binomial count.

    The lowest binades have few floats, and round into each other.
    """
    x = to_float64(points(Experiment(dtype=dtype, x_from="log-uniform"), 0))
    finfo = torch.finfo(getattr(torch, dtype))
    lowest = round(math.log2(finfo.smallest_normal) + math.log2(finfo.eps))
    binades = round(math.log2(finfo.max)) - lowest
    assert finfo.max >= np.abs(x).max() > finfo.max / 2
    assert np.abs(x).min() < 16 * 2.0**lowest and (x != 0).all()
    expected = 2**15 / binades
    counts = np.bincount(binade(x) - lowest, minlength=binades)
    assert np.all(np.abs(counts[8:] - expected) < 6 * expected**0.5)
    assert abs(counts[:8].sum() - 8 * expected) < 6 * (8 * expected) ** 0.5
    assert abs(np.mean(x > 0) - 0.5) < 3 * x.size**-0.5
