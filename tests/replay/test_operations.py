"""A replay as tables and as JSON: every digit reads back, every exact number is exact."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lib.experiment.query import Experiment
from lib.replay.operations import MOST_ROWS, figures, tables
from lib.replay.replay import replay
from tests.cases import EVERY_DTYPE
from tests.known_orders import replayed

NUMBERS = {
    "float64": np.float64,
    "float32": np.float32,
    "bfloat16": np.float32,
    "float16": np.float32,
}


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_table_has_every_operation_in_digits_that_read_back(dtype):
    done = replayed(replay(Experiment(outputs=3, dtype=dtype), 1, 2))
    for name, steps, diverges_at in (
        ("backward", done.backward, done.backward_diverges_at),
        ("jacobian", done.jacobian, done.jacobian_diverges_at),
    ):
        of = {column: list(values) for column, values in tables(done)[name].items()}
        assert of["operation"] == [step.label for step in steps]
        assert [place for place, mark in enumerate(of["diverges"]) if mark] == (
            [] if diverges_at is None else [diverges_at]
        )
        for place, step in enumerate(steps):
            assert (
                float(NUMBERS[dtype](of["sum"][place]))
                == step.after
                == float.fromhex(of["sum, bits"][place])
            )
            assert float(NUMBERS[dtype](of["sum before"][place])) == step.before
            near = of["exact sum"][place]
            assert (Fraction(float(near.removeprefix("≈ "))) == step.exact) == (
                not near.startswith("≈")
            )
            assert float(of["error of the sum"][place]) == pytest.approx(step.error, abs=0.000501)
            error = of["error of w·δ"][place]
            assert (
                (of["w·δ"][place] == "")
                == (of["w"][place] == "")
                == (error == "")
                == (step.left is None)
            )
            assert step.left is None or float(error) == pytest.approx(
                step.product_error, abs=0.000501
            )


def test_the_figures_are_json_and_exact():
    done = replayed(replay(Experiment(), 1, 2))
    told = json.loads(json.dumps(figures(done), allow_nan=False))
    assert (told["sample"], told["component"], told["verified"]) == (1, 2, True)
    assert (told["backward"], told["jacobian"]) == (done.backward_result, done.jacobian_result)
    for name, steps in (("backward_steps", done.backward), ("jacobian_steps", done.jacobian)):
        assert [Fraction(step["exact_fraction"]) for step in told[name]] == [
            step.exact for step in steps
        ]
        assert [step["after"] for step in told[name]] == [step.after for step in steps]
    assert Fraction(told["parting"]["exact_fraction"]) == done.first_divergence.exact
    assert told["parting"]["step"]["label"] == done.first_divergence.step.label


def test_where_they_part_is_a_step_of_the_last_sum_only_in_the_component_itself():
    partings, places = set(), set()
    for hidden, number in product([(), (10,)], range(12)):
        told = figures(replayed(replay(Experiment(hidden=hidden, outputs=4), number, 3)))
        parting, steps = told["parting"], told["backward_steps"]
        if not parting:
            continue
        in_component, step = parting["unit"] == "x3", parting["step"]
        partings.add((parting["operation"], in_component))
        assert (step is None) == (parting["operation"] in ("slope", "order"))
        if in_component and parting["operation"] == "sum of rows":
            assert step in told["jacobian_steps"][-4:]
        elif in_component:
            assert step == steps[told["backward_parts_at"]]
        elif step:
            assert step not in steps
        # The first δ that is not the sum of the rows' is already a place where the last sums part.
        rows = [
            told["jacobian_steps"][start : start + len(steps)]
            for start in range(0, 4 * len(steps), len(steps))
        ]
        apart = (
            place
            for place, step in enumerate(steps)
            for name in ("right", "product", "after")
            if sum(Fraction(row[place][name]) for row in rows) != Fraction(step[name])
        )
        assert told["backward_parts_at"] == next(apart, None)
        places.add(told["backward_parts_at"])
    assert {in_component for _, in_component in partings} == {True, False} and len(places) > 2


def test_what_is_not_replayed_has_no_rows():
    done = replace(
        replay(Experiment(), 0, 0),
        reason="The reason.",
        backward_verified=False,
        backward=(),
        jacobian=(),
    )
    assert all(len(table) == 0 and "sum" in table for table in tables(done).values())
    told = figures(done)
    assert (
        told["verified"] is False and told["backward_steps"] == [] and told["reason"] == done.reason
    )


def test_of_a_long_sum_there_are_the_first_operations():
    done = replayed(replay(Experiment(outputs=40, hidden=(30,)), 0, 0))
    table = tables(done)["jacobian"]
    assert len(done.jacobian) > len(table) == MOST_ROWS
    assert table["operation"].tolist() == [step.label for step in done.jacobian[:MOST_ROWS]]
