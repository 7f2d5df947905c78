"""The claim, honest about what is missing, its conditions and its reasons."""

import ast
import re

import numpy as np
import pytest

from lib.discrepancy.sentences import claim, conditions, finiteness, why_apart
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.display.quantities import at_most, percent
from lib.experiment.devices import MATMULS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.cases import EVERY_METHOD


def test_the_claim_has_the_figures_of_the_tally():
    experiment = Experiment(samples=200)
    tally = Stream(Discrepancy(experiment)).finish()
    text = claim(tally, experiment)
    assert percent(1000 - tally.equal, 1000) in text and at_most(tally.max_abs.value) in text and "1,000" in text


def test_the_claim_of_the_control_is_that_all_bits_are_the_same():
    experiment = Experiment(samples=20, outputs=1)
    assert "equal values in all 100 " in claim(Stream(Discrepancy(experiment)).finish(), experiment)


def test_the_claim_of_nothing_is_no_figure():
    assert "on their way" in claim(DiscrepancyTally(), Experiment())
    overflowed = DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(5, int)), arrived=Histogram.of(np.array([0])))
    assert "no finite" in claim(overflowed, Experiment())


def test_components_that_are_not_finite_are_said():
    lost = DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(3, int)))
    assert "0/0" in finiteness(lost, Experiment(method="finite-difference"))
    assert finiteness(lost, Experiment()).endswith(
        ": an intermediate value overflowed the range of the dtype. They are in no other figure here."
    )
    assert finiteness(lost, Experiment()).startswith("3 of 3 components are infinite or NaN")


def claim_of(query: str) -> str:
    experiment = Experiment.parse(f"samples=20&{query}")
    return claim(Stream(Discrepancy(experiment)).finish(), experiment)


@pytest.mark.parametrize(
    ("query", "side", "words"),
    [
        (
            "method=summed-output",
            "jacobian(lambda x: net(x).sum(), x)",
            "100 gradient components: each is one backward",
        ),
        (
            "method=single-call&outputs=1",
            "stack(grad(list(y), [x] * len(y))).sum(0)",
            "components: each is one backward",
        ),
        ("method=single-call&outputs=3", "stack(grad(list(y), [x] * len(y))).sum(0)", "counts the gradient 3 times"),
        (
            "method=finite-difference",
            "((net(x + diag(h)) - net(x - diag(h))).T / (2*h)).sum(0)",
            "finite differences only approximate",
        ),
        (
            "method=finite-difference&outputs=1",
            "((net(x + diag(h)) - net(x - diag(h))).T / (2*h)).sum(0)",
            "only approximate the",
        ),
        ("method=jacrev", "jacrev(net)(x).sum(0)", "never differed by more than"),
        ("method=batched-grad", "grad(y, x, eye, is_grads_batched=True)[0].sum(0)", "differed by more than"),
    ],
)
def test_the_claim_writes_down_what_was_compared_and_why_it_differs(query, side, words):
    text = claim_of(query)
    assert text.startswith(f"`backward()` and `{side}` gave ") and words in text


def test_the_claim_of_a_right_jacobian_gives_no_reason():
    assert ": " not in claim_of("method=rows") and ": " not in claim_of("method=rows&outputs=1")


def test_what_the_claim_writes_down_sums_the_whole_of_the_call():
    """Whatever is written down for a method, `.sum(0)` applies to all of it: parsed, it is called on that very text."""
    for method in METHODS.values():
        summed, call = (ast.parse(part, mode="eval").body for part in (method.summed, method.call))
        if method.gives == "sum":
            assert ast.dump(summed) == ast.dump(call)
        else:
            assert summed.func.attr == "sum" and ast.dump(summed.func.value) == ast.dump(call)


def test_the_conditions_of_finite_differences_name_the_step():
    texts = [conditions(Experiment(method="finite-difference", step=step)) for step in (None, -12, 3)]
    steps = [re.search(r"The step is h = (.*?)·max\(1, \|x\|\)\.", text)[1] for text in texts]
    assert steps == ["eps^(1/3)", "2⁻¹²", "2³"]
    assert conditions(Experiment(step=-12)) == conditions(Experiment())


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_the_conditions_name_the_evaluation_the_dtype_and_the_device(method):
    text = conditions(Experiment(method=method, evaluation="batched", dtype="bfloat16"))
    assert "batched" in text and "bfloat16" in text and "CPU" in text


def test_the_conditions_of_a_card_name_its_flags_and_when_its_bits_repeat():
    texts = [conditions(Experiment(device="cuda", matmul=matmul)) for matmul in MATMULS]
    assert len(set(texts)) == 3 and all("CUDA" in text and "cuBLAS" in text for text in texts)
    assert [MATMULS[matmul].about in text for matmul, text in zip(MATMULS, texts, strict=True)] == [True] * 3
    assert conditions(Experiment(matmul="tf32")) == conditions(Experiment())


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_with_one_output_no_rows_are_said_to_be_added(method):
    assert "rows are added last" not in why_apart(Experiment(outputs=1, method=method)).why
