"""A graphics card against the oracles of the CPU's tests. It has not yet run on a card.

Without a card everything is skipped. With `LAST_BIT_DEVICE=cpu` the CPU takes the place of the
card, which shows that these tests can fail. With `-n 0 -s` the speed is printed.
"""

import os
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter

import numpy as np
import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import EVALUATIONS, MATMULS
from lib.experiment.query import Experiment
from lib.floats.outcome import FEW_UNITS
from lib.network import machine, network, sampling
from lib.reference.arb_gradient import ArbNetwork
from tests import test_tallies
from tests.batch import test_study
from tests.cases import EVERY_METHOD, every_dtype, finish
from tests.network import test_jacobians

DEVICE = os.environ.get("LAST_BIT_DEVICE", "cuda")
on_device = partial(replace, device=DEVICE)
pytestmark = pytest.mark.skipif(not machine.has(DEVICE), reason=f"There is no {DEVICE} device.")
every_evaluation = pytest.mark.parametrize("evaluation", EVALUATIONS)
every_method = pytest.mark.parametrize("method", EVERY_METHOD)


@pytest.mark.parametrize("experiment", test_jacobians.CASES)
def test_every_method_gives_what_mpmath_gives(experiment):
    test_jacobians.test_every_method_gives_what_it_gives_in_mpmath(on_device(experiment))


@every_dtype
@every_method
def test_one_sample_is_the_code_on_the_page(method, dtype, monkeypatch):
    monkeypatch.setattr(test_jacobians, "SHAPES", [*map(on_device, test_jacobians.SHAPES)])
    test_jacobians.test_one_sample_is_the_code_on_the_page_bit_for_bit(method, dtype)


@pytest.mark.parametrize("study, query", test_tallies.CASES)
def test_every_study_has_the_same_bits_in_any_slices(study, query):
    test_tallies.test_a_tally_is_that_of_any_slices(study, f"{query}&device={DEVICE}")


def test_batches_are_those_of_a_plain_loop(monkeypatch):
    monkeypatch.setattr(test_study, "WIDE", on_device(test_study.WIDE))
    test_study.test_conditions_change_what_a_plain_loop_does()


@every_dtype
@every_evaluation
@every_method
def test_a_run_has_the_same_bits_again_at_a_speed(method, evaluation, dtype):
    samples = {"per-sample": 100, "batched": 2**17}[evaluation]
    experiment = Experiment(method=method, evaluation=evaluation, dtype=dtype, samples=samples)
    tally = finish(Discrepancy, on_device(experiment))
    start = perf_counter()
    assert finish(Discrepancy, on_device(experiment)) == tally
    print(f"{experiment.query}: {1e6 * (perf_counter() - start) / samples:.3g} µs a sample")


@every_dtype
@every_evaluation
@pytest.mark.parametrize("matmul", MATMULS)
def test_verdicts_are_those_of_balls(matmul, evaluation, dtype):
    """Only TF32 is coarse. It is for batches, and for factors that are aligned as these are."""
    on_cpu = Experiment(64, (64,), 8, dtype=dtype, evaluation=evaluation, samples=20)
    measured = Discrepancy(on_device(on_cpu, matmul=matmul)).measure(0, inf)
    assert measured.x.equal(sampling.block(on_cpu, 0)[:20])
    balls = ArbNetwork(network.build(on_cpu), on_cpu)
    samples = zip(measured.x.tolist(), *map(np.ndarray.tolist, measured.values), strict=True)
    verdicts, *expected = zip(*(balls.judge(*sample) for sample in samples), strict=True)
    judged = measured.judged
    assert np.array_equal(judged.verdicts, verdicts)
    room = 0 if dtype == "float64" else 1e-14 * judged.absolute_sums
    parts = judged.first_errors, judged.second_errors, judged.exact
    for part, by_balls in zip(parts, expected, strict=True):
        assert np.all(np.abs(part - by_balls) <= room)
    if evaluation == "batched":
        is_tf32 = DEVICE == "cuda" and torch.cuda.is_tf32_supported() and matmul == "tf32"
        units = judged.first_errors / judged.unit
        assert (units.max() > FEW_UNITS) == (is_tf32 and dtype == "float32")
