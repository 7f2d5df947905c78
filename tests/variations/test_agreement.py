"""The agreement study against plain calls compared bit by bit, and against the discrepancy study of each method."""

from dataclasses import replace
from itertools import product
from math import isnan

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.reference.compared import Compared
from lib.run.stream import Stream
from lib.variations.agreement import BACKWARD, NAMES, WAYS, Agreement, AgreementTally, tables
from lib.variations.variants import Measured
from tests.cases import EVERY_METHOD, REVERSE_MODE
from tests.oracles import PLAIN

NEVER, AT_ONCE = float("inf"), 0.0


def finish(experiment: Experiment) -> AgreementTally:
    return Stream(Agreement(experiment)).finish()


def plain_answers(experiment: Experiment, samples: int) -> dict[str, list[torch.Tensor]]:
    """The gradients by hand-written calls, without finite differences, which have no plain call."""
    net = network.build(experiment)
    answers = {BACKWARD: [], **{method: [] for method in PLAIN}}
    for point in sampling.block(experiment, 0)[:samples]:
        x = point.clone().requires_grad_()
        net(x).sum().backward()  # the cotangent of a sum is ones
        answers[BACKWARD].append(x.grad)
        for method, jacobian in PLAIN.items():
            answers[method].append(jacobian(net, point.clone()).sum(0))
    return answers


@pytest.mark.parametrize("query", ["samples=60", "samples=20&outputs=9&dtype=bfloat16", "samples=20&hidden=33,17"])
def test_every_pair_is_that_of_plain_calls(query):
    experiment = Experiment.parse(query)
    figures = finish(experiment).figures()
    answers = plain_answers(experiment, experiment.samples)
    assert figures["components"] == experiment.samples * experiment.inputs
    for (i, one), (j, other) in product(enumerate(NAMES), repeat=2):
        assert figures["nonfinite"][i][j] == 0
        if one in answers and other in answers:
            pairs = zip(answers[one], answers[other], strict=True)
            assert figures["equal"][i][j] == sum(int((a == b).sum()) for a, b in pairs), (one, other)


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_a_method_is_equal_to_backward_as_often_as_in_its_discrepancy_study(evaluation):
    experiment = Experiment(samples=50, outputs=5, evaluation=evaluation)
    tally = finish(experiment)
    for method in EVERY_METHOD:
        other = Stream(Discrepancy(replace(experiment, method=method))).finish()
        assert tally.share(BACKWARD, method) == other.equal / other.components, method


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_with_one_output_all_of_reverse_mode_is_of_one_class(evaluation):
    first, *_ = finish(Experiment(outputs=1, samples=100, evaluation=evaluation)).classes()
    assert set(first) == {BACKWARD, *REVERSE_MODE, "summed-output", "single-call"}


@pytest.mark.parametrize("query", ["samples=100", "samples=100&outputs=8", "samples=8192&outputs=8&evaluation=batched"])
def test_the_summed_output_alone_is_of_the_class_of_the_backward_gradient(query):
    first, *others = finish(Experiment.parse(query)).classes()
    assert first == (BACKWARD, "summed-output")
    assert ("single-call",) in others and ("finite-difference",) in others


def test_the_same_jacobian_may_have_another_sum_when_it_lies_otherwise_in_memory():
    experiment = Experiment(outputs=20, hidden=(64,), evaluation="batched", samples=512)
    net, samples = network.build(experiment), sampling.block(experiment, 0)
    one, other = jacobians.functional(net, samples), jacobians.rows(net, samples)
    assert torch.equal(one, other) and one.stride() != other.stride()
    assert torch.equal(one.contiguous().sum(-2), other.contiguous().sum(-2))
    assert torch.equal(one.sum(-2), other.sum(-2)) == (finish(experiment).share("functional", "rows") == 1)


@pytest.mark.parametrize("query", ["samples=12", "samples=20000&evaluation=batched&inputs=2", "samples=9&outputs=64"])
def test_the_tally_does_not_depend_on_the_slicing(query):
    experiment = Experiment.parse(query)
    sliced = Stream(Agreement(experiment))
    while not sliced.complete:
        sliced.advance(AT_ONCE)
    assert sliced.tally == finish(experiment)


def test_a_cut_batched_block_is_the_start_of_the_whole_one():
    few, many = (Agreement(Experiment(evaluation="batched", samples=n)).measure(0, NEVER) for n in (7, 8192))
    for (name, short), (_, long) in zip(few, many, strict=True):
        assert torch.equal(short.backward, long.backward[:7]) and torch.equal(short.jacobian, long.jacobian[:7]), name


any32 = st.floats(width=32)
few_values = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")])
SAMPLES = st.lists(st.lists(few_values | any32, min_size=len(NAMES), max_size=len(NAMES)), min_size=1, max_size=6)


def answers_of(samples: list[list[float]], number: int = 0) -> Measured:
    """Samples of one component each, given as a value for every name."""
    ((variant,),) = Agreement.stages(Experiment())
    given = dict(zip(WAYS.values(), torch.tensor(samples, dtype=torch.float32).T[:, :, None], strict=True))
    return Measured((Compared(0, number, number, torch.zeros(len(samples), 1), variant, given),))


def finite(a: float, b: float) -> bool:
    return a - a == 0 == b - b


@given(SAMPLES)
def test_counts_are_those_of_counting_one_by_one(samples):
    tally = AgreementTally.of(answers_of(samples))
    figures = tally.figures()
    for i, j in product(range(len(NAMES)), repeat=2):
        pairs = [(sample[i], sample[j]) for sample in samples]
        both = [(a, b) for a, b in pairs if finite(a, b)]
        assert figures["nonfinite"][i][j] == len(pairs) - len(both)
        assert figures["equal"][i][j] == sum(a == b for a, b in both)
        share = sum(a == b for a, b in both) / len(both) if both else None
        assert tally.share(NAMES[i], NAMES[j]) == share


@given(SAMPLES)
def test_classes_are_of_the_names_that_nothing_tells_apart(samples):
    classes = AgreementTally.of(answers_of(samples)).classes()
    columns = dict(zip(NAMES, zip(*samples, strict=True), strict=True))
    # As a key, a number stands for its bits: Python's 0.0 and −0.0 are equal, and so made one; NaN has a name.
    bits = {name: tuple("NaN" if isnan(v) else v for v in column) for name, column in columns.items()}
    expected: dict[tuple, list[str]] = {}
    for name in NAMES:
        expected.setdefault(bits[name], []).append(name)
    assert classes == [tuple(members) for members in expected.values()]


@given(SAMPLES, SAMPLES, SAMPLES)
def test_tallies_of_parts_add_up_to_the_tally_of_the_whole(one, two, three):
    a, b, c = (AgreementTally.of(answers_of(part)) for part in (one, two, three))
    whole = AgreementTally.of(answers_of(one + two + three))
    assert (a + b) + c == a + (b + c) == (c + a) + b == whole
    assert a + Agreement.empty == a


def test_the_tables_have_their_columns_whatever_there_is():
    empty, full = tables(Agreement.empty), tables(finish(Experiment(samples=5)))
    for name in full:
        assert full[name].shape == empty[name].shape and (full[name].dtypes == empty[name].dtypes).all()
    assert len(full["agreement"]) == len(NAMES) ** 2


def test_the_tables_say_what_the_figures_say():
    tally = finish(Experiment(samples=40))
    figures, shown = tally.figures(), tables(tally)
    agreement = shown["agreement"].set_index(["one", "other"])
    for (i, one), (j, other) in product(enumerate(NAMES), repeat=2):
        row = agreement.loc[(one, other)]
        assert row["equal"] == figures["equal"][i][j] and row["components"] == 200
        assert row["share"] == pytest.approx(figures["equal"][i][j] / 200)
    letters = shown["bit_classes"].set_index("name")["bits"]
    assert [letters[members[0]] for members in figures["classes"]] == list("ABCDEF"[: len(figures["classes"])])
    for members in figures["classes"]:
        assert len({letters[member] for member in members}) == 1
        for one, other in product(members, repeat=2):
            assert agreement.loc[(one, other)]["bits"] == "the same so far"
