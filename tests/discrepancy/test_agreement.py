"""The agreement study against plain calls compared bit by bit, and against the discrepancy study of
each method."""

from dataclasses import replace
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.agreement import BACKWARD, NAMES, WAYS, Agreement, AgreementTally, claim, table
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


def test_every_pair_is_that_of_plain_calls():
    """But for finite differences, which have no plain call."""
    experiment = Experiment(samples=20, outputs=9, dtype="bfloat16")
    net = network.build(experiment)
    points = sampling.block(experiment, 0)[:20]
    plain = {BACKWARD: [backward(net, point) for point in points]}
    for method, jacobian in PLAIN.items():
        plain[method] = [jacobian(net, point.clone()).sum(0) for point in points]
    figures = finish(experiment).figures()
    assert figures["components"] == 100 and sum(map(sum, figures["nonfinite"])) == 0
    for first, second in product(plain, repeat=2):
        equal = torch.stack(plain[first]) == torch.stack(plain[second])
        counted = figures["equal"][NAMES.index(first)][NAMES.index(second)]
        assert counted == int(equal.sum()), (first, second)


def test_a_method_is_equal_to_backward_as_often_as_in_its_discrepancy_study():
    experiment = Experiment(samples=50, outputs=5, evaluation="batched")
    tally = finish(experiment)
    equal = dict(zip(NAMES, tally.matrix("equal")[0], strict=True))
    for method in EVERY_METHOD:
        alone = Stream(Discrepancy(replace(experiment, method=method))).finish()
        assert equal[method] == alone.equal, method
    first, *others = tally.classes()
    assert {BACKWARD, "summed-output"} <= set(first) and ("single-call",) in others
    assert claim(tally).startswith(f"Of {len(EVERY_METHOD)} methods, these equal")
    assert all(f"`{name}`" in claim(tally) for name in first[1:])


VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")])
SAMPLES = st.lists(st.tuples(*[VALUES] * len(NAMES)), min_size=1, max_size=3)


@given(SAMPLES)
def test_classes_are_of_the_names_that_nothing_tells_apart(samples):
    """Samples of one component each, given as a value for every name."""
    (variant,) = Agreement.variants(Experiment())
    sides = torch.tensor(samples, dtype=torch.float32).T[:, :, None]
    given_ = dict(zip(WAYS.values(), sides, strict=True))
    x = torch.zeros(len(samples), 1)
    tally = AgreementTally.of(Measured((Compared(0, 0, 0, x, variant, given_),)))
    columns = dict(zip(NAMES, zip(*samples, strict=True), strict=True))
    classes: dict[tuple, list[str]] = {}  # as keys, 0.0 and −0.0 are equal, and NaN has a name
    for name, values in columns.items():
        key = tuple("NaN" if value != value else value for value in values)
        classes.setdefault(key, []).append(name)
    assert tally.classes() == [tuple(members) for members in classes.values()]
    alone = len(tally.classes()[0]) == 1
    assert claim(tally).startswith("None of" if alone else "Of ")

    rows = table(tally)
    pairs = list(zip(rows["first"], rows["second"], strict=True))
    assert pairs == list(product(NAMES, repeat=2))
    for row in rows.itertuples():
        both = zip(columns[row.first], columns[row.second], strict=True)
        finite = [(a, b) for a, b in both if a - a == 0 == b - b]
        equal = sum(a == b for a, b in finite)
        assert (row.equal, row.components) == (equal, len(finite))
        assert row.share == pytest.approx(equal / max(len(finite), 1))
        together = any({row.first, row.second} <= set(members) for members in classes.values())
        assert row.values == ("the same so far" if together else "different")


def test_before_the_first_sample_nothing_is_claimed():
    assert claim(Agreement.empty) == "Nothing is measured yet."
