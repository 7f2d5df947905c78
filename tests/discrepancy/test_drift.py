"""The drift of running sums against bookkeeping in plain fractions, and thinning against its promises."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.discrepancy.drift import Drift, drift_of, thinned
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.arb_gradient import ArbNetwork, ExactTerms
from lib.replay.replay import Replay, replay
from lib.replay.steps import Step, in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.exact_networks import first_deltas
from tests.known_orders import replayed
from tests.oracles import ulp_exponent

CASES = [
    Experiment(),
    Experiment(outputs=1),
    Experiment(inputs=3, hidden=(), outputs=5, output_activation="identity"),
    Experiment(inputs=3, hidden=(9, 6), outputs=4, activation="tanh"),
    Experiment(
        inputs=2, hidden=(5,), outputs=3, activation="leaky_relu", output_activation="softmax"
    ),
    Experiment(
        inputs=1,
        hidden=(7, 5, 3),
        outputs=2,
        activation="identity",
        output_activation="relu",
        seed=2,
    ),
]
ULP = Fraction(1, 2**30)


def found(experiment: Experiment, number: int = 1, component: int = 0) -> tuple[Replay, Drift]:
    of_component = replayed(replay(experiment, number, component))
    x = sampling.block(experiment, 0)[number].tolist()
    terms = ArbNetwork(network.build(experiment), experiment).terms(x, component)
    return of_component, drift_of(of_component, terms, ULP)


def curve(
    steps: tuple[Step, ...], terms: list[Fraction], result: Fraction = Fraction()
) -> list[Fraction]:
    """What each step's accumulators hold in all, less the exact terms added so far; `result` is what was before."""
    held: dict[int, Fraction] = {}
    exact, places = Fraction(), []
    for step in steps:
        number = step.label.removeprefix("accumulator ")
        if number != step.label:
            held.pop(int(number), None)
        elif step.left is not None:
            exact += terms[step.term]
        held[step.accumulator] = Fraction(step.after)
        places.append(result + sum(held.values()) - exact)
    return places


def spacing(value: float, dtype: str) -> Fraction:
    return Fraction(2) ** ulp_exponent(Fraction(value), dtype)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.query)
def test_each_point_is_the_running_sum_less_the_exact_one(case, dtype):
    """And the change from the point before is what was inherited and what was rounded."""
    experiment = replace(case, dtype=dtype)
    of_component, drift = found(experiment)
    net, x = network.build(experiment), sampling.block(experiment, 0)[1].tolist()
    weights = [Fraction(w) for w in net[0].weight[:, 0].tolist()]
    rows = [
        [w * d for w, d in zip(weights, row, strict=True)]
        for row in first_deltas(net, experiment.activations, x)
    ]

    backward = curve(of_component.backward, [sum(of_unit) for of_unit in zip(*rows, strict=True)])
    jacobian: list[Fraction] = []
    length = len(of_component.backward)
    for output, row in enumerate(rows):
        before = jacobian[-1] if jacobian else Fraction()
        jacobian += curve(
            of_component.jacobian[output * length : (output + 1) * length], row, before
        )
    drifted = jacobian[-1]
    for step in of_component.jacobian[len(rows) * length :]:
        drifted += Fraction(step.after) - step.exact
        jacobian.append(drifted)

    total, wide = sum(map(sum, rows)), "float64" if dtype == "float64" else "float32"
    for operations, of_side, result in (
        (drift.backward, backward, of_component.backward_result),
        (drift.jacobian, jacobian, of_component.jacobian_result),
    ):
        assert len(operations) > 0 and len(operations) <= len(of_side)
        before = 0.0
        for operation in operations:
            assert operation.drift == pytest.approx(
                float(of_side[operation.place] / ULP), rel=1e-9, abs=1e-12
            )
            change = operation.inherited + operation.rounded
            assert operation.drift - before == pytest.approx(change, rel=1e-6, abs=1e-9)
            step, before = operation.step, operation.drift
            rounding = step.error * spacing(
                step.after, dtype if operation.kind == "rounding" else wide
            )
            rounding += step.product_error * spacing(step.product or 0, wide)
            assert operation.rounded == pytest.approx(float(rounding / ULP), rel=1e-9)
        assert operations[-1].drift == pytest.approx(
            float((Fraction(result) - total) / ULP), rel=1e-9, abs=1e-12
        )
    of_rows = (
        len(jacobian) if len(rows) > 1 else len(rows) * length
    )  # the sum of one row is the row
    assert (drift.backward_operations, drift.jacobian_operations) == (len(backward), of_rows)


def test_the_phases_are_told_apart():
    _, drift = found(Experiment(outputs=3, dtype="bfloat16"))
    kinds = {"term", "accumulators", "rounding"}
    assert {o.part for o in drift.backward} == {"backward"} and {
        o.kind for o in drift.backward
    } <= kinds
    assert drift.backward[-1].kind == drift.jacobian[-1].kind == "rounding"
    rows, last = ([o for o in drift.jacobian if o.part == part] for part in ("row", "rows"))
    assert [*rows, *last] == list(drift.jacobian) == sorted(drift.jacobian, key=lambda o: o.place)
    assert [o.output for o in rows] == sorted(o.output for o in rows) and {
        o.output for o in rows
    } == {0, 1, 2}
    assert all((o.unit is None) == (o.kind != "term") for o in rows)
    assert [o.output for o in last if o.kind == "row"] in ([1, 2], [0, 1, 2])


def by_hand(fused: bool) -> tuple[Replay, ExactTerms]:
    """1·1 + (1 + ulp)², one output: the exact terms have no error in δ but for the second, 2**-40 too large."""
    tree = Tree(2, ((0, 1),), (1,) if fused else ())
    one = 1 + 2.0**-23
    steps = in_steps(tree, [("h0: w·δ", 1.0, 1.0), ("h1: w·δ", one, one)], torch.float32)
    rows = in_steps(Tree(1, ()), [("row y0", None, steps[-1].after)], torch.float32)
    done = Replay(
        0,
        0,
        "float32",
        "functional",
        *[steps[-1].after] * 3,
        True,
        True,
        backward=steps,
        row_lengths=(2,),
    )
    exact = Fraction(one) ** 2 - Fraction(1, 2**40)
    terms = ExactTerms(((Fraction(1), exact),), Fraction())
    return replace(done, jacobian=(*steps, *rows)), terms


@pytest.mark.parametrize("fused", [False, True])
def test_a_fused_product_is_not_rounded(fused):
    done, terms = by_hand(fused)
    first, second = drift_of(done, terms, Fraction(1, 2**23)).backward
    assert (first.drift, first.inherited, first.rounded) == (0, 0, 0)
    assert second.inherited == 2.0**-17
    assert second.rounded - 2 * second.step.error == (0 if fused else -(2.0**-23))
    assert second.drift == pytest.approx(
        float((Fraction(done.backward_result) - terms.component) * 2**23), rel=1e-12
    )


@given(
    st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=900), st.integers(8, 100), st.data()
)
def test_thinning_keeps_the_ends_the_extremes_and_whatever_it_has_to(values, most, data):
    kept = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=2))
    places = thinned(values, most, kept)
    assert places == sorted(set(places)) and len(places) <= max(most, 2)
    assert {0, len(values) - 1, *kept} <= set(places)
    taken = [values[place] for place in places]
    assert max(taken) == max(values) and min(taken) == min(values)
    if len(values) <= most:
        assert len(places) == len(values)


@given(st.integers(300, 5000), st.integers(20, 200))
def test_thinning_follows_the_curve_everywhere(count, most):
    values = [(place * 7919) % 1009 for place in range(count)]
    places = thinned(values, most)
    longest = 2 * (count // ((most - 2) // 2) + 1)
    assert all(there - here <= longest for here, there in zip(places, places[1:], strict=False))
