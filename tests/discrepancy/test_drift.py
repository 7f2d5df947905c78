"""The drift of running sums against bookkeeping in plain fractions, and thinning against its
promises."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy import drift
from lib.discrepancy.drift import drift_of, thinned
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.arb_gradient import ArbNetwork, ExactTerms
from lib.replay.replay import Replay, replay
from lib.replay.steps import Step, in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.exact_networks import first_deltas
from tests.known_orders import replayed

CASES = [
    Experiment(),
    Experiment(outputs=1),
    Experiment(inputs=3, hidden=(), outputs=5, output_activation="identity"),
    Experiment(inputs=3, hidden=(9, 6), outputs=4, activation="tanh"),
    Experiment(inputs=2, hidden=(5,), activation="leaky_relu", output_activation="softmax"),
]
ULP = Fraction(1, 2**30)


def curve(
    steps: tuple[Step, ...], terms: list[Fraction], before: Fraction = Fraction()
) -> list[Fraction]:
    """What the accumulators hold in all after each step, less the exact terms added so far."""
    held: dict[int, Fraction] = {}
    exact = Fraction()
    places = []
    for step in steps:
        number = step.label.removeprefix("accumulator ")
        if number != step.label:
            held.pop(int(number), None)
        elif step.left is not None:
            exact += terms[step.term]
        held[step.accumulator] = Fraction(step.after)
        places.append(before + sum(held.values()) - exact)
    return places


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_each_point_is_the_running_sum_less_the_exact_one(case, dtype, monkeypatch):
    """And the change from the point before is what was inherited and what was rounded."""
    monkeypatch.setattr(drift, "MOST_POINTS", 10**6)
    experiment = replace(case, dtype=dtype)
    shown = replayed(replay(experiment, 1, 0))
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[1].tolist()
    drawn = drift_of(shown, ArbNetwork(net, experiment).terms(x, 0), ULP, None)
    weights = list(map(Fraction, net[0].weight[:, 0].tolist()))
    deltas = np.array(first_deltas(net, experiment.activations, x))
    rows = (deltas * weights).tolist()

    backward = curve(shown.backward, sum(np.array(rows)).tolist())
    jacobian = [Fraction()]
    length = len(shown.backward)
    for output, row in enumerate(rows):
        steps = shown.jacobian[output * length : (output + 1) * length]
        jacobian += curve(steps, row, jacobian[-1])
    for step in shown.jacobian[len(rows) * length :] if len(rows) > 1 else ():
        jacobian.append(jacobian[-1] + Fraction(step.after) - step.exact)
    assert drawn.operations == (len(backward), len(jacobian) - 1)

    total = sum(map(sum, rows))
    for operations, expected, result in (
        (drawn.backward, backward, shown.backward_result),
        (drawn.jacobian, jacobian[1:], shown.jacobian_result),
    ):
        before = 0.0
        for operation in operations:
            place = float(expected[operation.place] / ULP)
            assert operation.drift == pytest.approx(place, rel=1e-9, abs=1e-12)
            change = operation.inherited + operation.rounded
            assert operation.drift - before == pytest.approx(change, rel=1e-6, abs=1e-9)
            before = operation.drift
            step = operation.step
            exactly = step.exact
            if operation.unit is not None:
                exactly = Fraction(step.before) + Fraction(step.left) * Fraction(step.right)
            assert operation.rounded == float((Fraction(step.after) - exactly) / ULP)
        assert before == pytest.approx(float((Fraction(result) - total) / ULP), rel=1e-9)


def test_a_sum_of_zeros_keeps_its_last_operation():
    steps = in_steps(Tree(2, ((0, 1),)), [("h0", 1.0, 0.0), ("h1", 2.0, 0.0)], torch.float32)
    zeros = Replay(0, 0, "float32", "functional", 0.0, 0.0, 0.0, backward=steps, jacobian=steps)
    terms = ExactTerms(((Fraction(), Fraction()),), Fraction())
    drawn = drift_of(replace(zeros, row_lengths=(2,)), terms, ULP, None)
    for operations in (drawn.backward, drawn.jacobian):
        assert [(operation.place, operation.drift) for operation in operations] == [(1, 0)]


VALUES = st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=300)


@given(VALUES, st.integers(8, 60), st.data())
def test_thinning_keeps_the_ends_the_extremes_and_whatever_it_has_to(values, most, data):
    kept = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=2))
    places = thinned(values, most, kept)
    assert places == sorted(set(places)) and len(places) <= max(most, 2)
    assert {0, len(values) - 1, *kept} <= set(places)
    taken = [values[place] for place in places]
    assert max(taken) == max(values) and min(taken) == min(values)
    assert len(values) > most or len(places) == len(values)
