"""The agreement study against plain calls compared bit by bit, and against the discrepancy study of each method."""

from dataclasses import replace
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.agreement import BACKWARD, NAMES, WAYS, Agreement, AgreementTally, tables
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.variants import Measured
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.compared import Compared
from lib.run.stream import Stream
from tests.cases import EVERY_METHOD
from tests.oracles import PLAIN, backward


def finish(experiment: Experiment) -> AgreementTally:
    return Stream(Agreement(experiment)).finish()


def plain_answers(experiment: Experiment, samples: int) -> dict[str, list[torch.Tensor]]:
    """The gradients by hand-written calls, without finite differences, which have no plain call."""
    net = network.build(experiment)
    answers = {BACKWARD: [], **{method: [] for method in PLAIN}}
    for point in sampling.block(experiment, 0)[:samples]:
        answers[BACKWARD].append(backward(net, point))
        for method, jacobian in PLAIN.items():
            answers[method].append(jacobian(net, point.clone()).sum(0))
    return answers


@pytest.mark.parametrize(
    "query", ["samples=60", "samples=20&outputs=9&dtype=bfloat16", "samples=20&hidden=33,17"]
)
def test_every_pair_is_that_of_plain_calls(query):
    experiment = Experiment.parse(query)
    figures = finish(experiment).figures()
    answers = plain_answers(experiment, experiment.samples)
    assert figures["components"] == experiment.samples * experiment.inputs
    for (i, one), (j, other) in product(enumerate(NAMES), repeat=2):
        assert figures["nonfinite"][i][j] == 0
        if one in answers and other in answers:
            pairs = zip(answers[one], answers[other], strict=True)
            assert figures["equal"][i][j] == sum(int((a == b).sum()) for a, b in pairs), (
                one,
                other,
            )


def test_a_method_is_equal_to_backward_as_often_as_in_its_discrepancy_study():
    experiment = Experiment(samples=50, outputs=5, evaluation="batched")
    equal = dict(zip(NAMES, finish(experiment).matrix("equal")[0], strict=True))
    for method in EVERY_METHOD:
        assert (
            equal[method] == Stream(Discrepancy(replace(experiment, method=method))).finish().equal
        ), method


@pytest.mark.parametrize(
    "query", ["samples=100", "samples=100&outputs=8", "samples=8192&outputs=8&evaluation=batched"]
)
def test_the_summed_output_is_of_the_class_of_the_backward_gradient(query):
    first, *others = finish(Experiment.parse(query)).classes()
    assert {BACKWARD, "summed-output"} <= set(first)
    assert ("single-call",) in others and ("finite-difference",) in others


few_values = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")])
SAMPLES = st.lists(
    st.lists(few_values, min_size=len(NAMES), max_size=len(NAMES)), min_size=1, max_size=3
)


@given(SAMPLES)
def test_classes_are_of_the_names_that_nothing_tells_apart(samples):
    """Samples of one component each, given as a value for every name."""
    ((variant,),) = Agreement.stages(Experiment())
    given = dict(
        zip(WAYS.values(), torch.tensor(samples, dtype=torch.float32).T[:, :, None], strict=True)
    )
    tally = AgreementTally.of(
        Measured((Compared(0, 0, 0, torch.zeros(len(samples), 1), variant, given),))
    )
    columns = dict(zip(NAMES, zip(*samples, strict=True), strict=True))
    expected: dict[
        tuple, list[str]
    ] = {}  # as a key, Python's 0.0 and −0.0 are equal; NaN has a name
    for name in NAMES:
        expected.setdefault(tuple("NaN" if v != v else v for v in columns[name]), []).append(name)
    assert tally.classes() == [tuple(members) for members in expected.values()]
    shown = tables(tally)["agreement"]
    assert shown[["one", "other"]].to_numpy().tolist() == [
        list(names) for names in product(NAMES, repeat=2)
    ]
    for row in shown.itertuples():
        both = [
            (a, b)
            for a, b in zip(columns[row.one], columns[row.other], strict=True)
            if a - a == 0 == b - b
        ]
        equal = sum(a == b for a, b in both)
        assert (row.equal, row.components) == (equal, len(both))
        assert row.share == pytest.approx(equal / len(both) if both else 0)
        together = any({row.one, row.other} <= set(members) for members in expected.values())
        assert row.bits == ("the same so far" if together else "different")
