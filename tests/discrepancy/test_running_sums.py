"""The drift of running sums against plain fractions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.discrepancy import running_sums
from lib.discrepancy.running_sums import drift_of
from lib.experiment.query import Experiment
from lib.reference.arb_gradient import ArbNetwork, ExactTerms
from lib.replay.replay import Replay, replay
from lib.replay.steps import in_steps
from lib.replay.trees import Tree
from tests.cases import every_dtype, network_and_samples
from tests.known_orders import replayed
from tests.oracles import first_deltas

CASES = [
    Experiment(),
    Experiment(outputs=1),
    Experiment(inputs=3, hidden=(), outputs=5, output_activation="identity"),
    Experiment(inputs=3, hidden=(9, 6), outputs=4, activation="tanh"),
    Experiment(inputs=2, hidden=(5,), activation="leaky_relu", output_activation="softmax"),
]
ULP = Fraction(1, 2**30)


@every_dtype
@pytest.mark.parametrize("case", CASES)
def test_each_step_adds_what_it_inherits_and_rounds(case, dtype, monkeypatch):
    """From 0 to the error of the result."""
    monkeypatch.setattr(running_sums, "MOST_POINTS", 10**6)
    experiment = replace(case, dtype=dtype)
    shown = replayed(replay(experiment, 1, 0))
    net, samples = network_and_samples(experiment)
    x = samples[1].tolist()
    drawn = drift_of(shown, ArbNetwork(net, experiment).terms(x, 0), ULP, None)
    weights = list(map(Fraction, net[0].weight[:, 0].tolist()))
    rows = np.array(first_deltas(net, x)) * weights
    # one row has no sum of rows
    count = len(shown.jacobian if len(rows) > 1 else shown.backward)
    assert drawn.operations == (len(shown.backward), count)
    for operations, steps, result in (
        (drawn.backward, shown.backward, shown.backward_result),
        (drawn.jacobian, shown.jacobian, shown.jacobian_result),
    ):
        before = 0.0
        for operation in operations:
            step = operation.step
            assert step is steps[operation.place]
            exact = step.exact
            inherited = Fraction()
            if operation.unit is not None:
                product = Fraction(step.left) * Fraction(step.right)
                exact = Fraction(step.before) + product
                of_row = slice(None) if operation.output is None else operation.output
                inherited = product - np.sum(rows[of_row, operation.unit])
            assert operation.rounded == float((Fraction(step.after) - exact) / ULP)
            assert operation.inherited == pytest.approx(float(inherited / ULP), rel=1e-9)
            change = operation.inherited + operation.rounded
            assert operation.drift - before == pytest.approx(change, rel=1e-6, abs=1e-9)
            before = operation.drift
        assert before == pytest.approx(float((Fraction(result) - rows.sum()) / ULP), rel=1e-9)


def test_a_sum_of_zeros_keeps_its_last_operation():
    steps = in_steps(Tree(2, ((0, 1),)), [("h0", 1.0, 0.0), ("h1", 2.0, 0.0)], torch.float32)
    zeros = Replay(0, 0, "float32", "functional", 0.0, 0.0, 0.0, backward=steps, jacobian=steps)
    terms = ExactTerms(((Fraction(), Fraction()),), Fraction())
    drawn = drift_of(replace(zeros, row_lengths=(2,)), terms, ULP, None)
    for operations in (drawn.backward, drawn.jacobian):
        assert [(operation.place, operation.drift) for operation in operations] == [(1, 0)]


def test_of_many_operations_some_are_kept():
    """The ends and the first divergence are among them."""
    experiment = Experiment(hidden=(200,))
    shown = replayed(replay(experiment, 0, 0))
    net, samples = network_and_samples(experiment)
    terms = ArbNetwork(net, experiment).terms(samples[0].tolist(), 0)
    drawn = drift_of(shown, terms, ULP, (1, 77))
    sides = (drawn.backward, shown.backward), (drawn.jacobian, shown.jacobian)
    most = running_sums.MOST_POINTS
    assert most - 4 <= sum(len(some) for some, _ in sides) <= most
    for some, steps in sides:
        places = [operation.place for operation in some]
        assert places == sorted(set(places)) and places[-1] == len(steps) - 1
        assert 77 in [operation.unit for operation in some if operation.marked]
