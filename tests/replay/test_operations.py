"""A replay in words, as tables and as JSON: every digit reads back, every exact number is exact."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.floats.ulps import shortest
from lib.replay.first_divergence import FirstDivergence
from lib.replay.operations import MOST_ROWS, figures, in_words, tables
from lib.replay.replay import Replay, replay
from tests.cases import EVERY_DTYPE
from tests.known_orders import replayed


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_table_has_every_operation_in_digits_that_read_back(dtype):
    done = replayed(replay(Experiment(outputs=3, dtype=dtype), 1, 2))
    number = np.float64 if dtype == "float64" else np.float32
    of = getattr(torch, dtype)
    for name, steps, diverges_at in (
        ("backward", done.backward, done.backward_diverges_at),
        ("jacobian", done.jacobian, done.jacobian_diverges_at),
    ):
        table = tables(done)[name]
        assert table["operation"].tolist() == [step.label for step in steps]
        marked = [place for place, mark in enumerate(table["diverges"]) if mark]
        assert marked == ([] if diverges_at is None else [diverges_at])
        for row, step in zip(table.to_dict("records"), steps, strict=True):
            assert float(number(row["sum"])) == step.after
            near = row["exact sum"].removeprefix("≈ ")
            assert (Fraction(float(near)) == step.exact) == (row["exact sum"] == near)
            assert float(row["error of the sum"]) == pytest.approx(step.error, abs=0.000501)
            if step.left is None:
                assert row["w"] == row["δ"] == row["w·δ"] == row["error of w·δ"] == ""
                continue
            factors = [row[column] for column in ("w", "δ")]
            assert factors == [shortest(value, of) for value in (step.left, step.right)]
            error = float(row["error of w·δ"])
            assert error == pytest.approx(step.product_error, abs=0.000501)


def test_where_they_part_is_a_step_of_the_last_sum_only_in_the_component_itself():
    places = set()
    for hidden, number in product([(), (10,)], range(12)):
        done = replayed(replay(Experiment(hidden=hidden, outputs=4), number, 3))
        printed = json.loads(json.dumps(figures(done), allow_nan=False))
        assert (printed["sample"], printed["component"], printed["verified"]) == (number, 3, True)
        assert printed["backward"] - printed["jacobian"] == printed["discrepancy"]
        parting, steps = printed["parting"], printed["backward_steps"]
        exact = [Fraction(step["exact_fraction"]) for step in printed["jacobian_steps"]]
        assert exact == [step.exact for step in done.jacobian]
        if not parting:
            continue
        assert Fraction(parting["exact_fraction"]) == sum(map(Fraction, parting["rows"]))
        step = parting["step"]
        places.add((parting["unit"] == "x3", printed["backward_parts_at"]))
        assert (step is None) == (parting["operation"] in ("slope", "order"))
        if parting["unit"] != "x3":
            assert step is None or step not in steps
        elif parting["operation"] == "sum of rows":
            assert step in printed["jacobian_steps"][-4:]
        else:
            assert step == steps[printed["backward_parts_at"]]
    assert {unit for unit, _ in places} == {True, False} and len(places) > 2


def test_of_a_long_sum_there_are_the_first_operations():
    done = replayed(replay(Experiment(), 0, 0))
    done = replace(done, jacobian=done.jacobian * 20)
    assert len(tables(done)["jacobian"]) == MOST_ROWS


DONE = Replay(4, 3, "float32", "functional", 1.5, 1.25, 1.25, True, True, dot_order="a")
DIVERGENCE = FirstDivergence("sum", "h3", 1.5, (1.0, 0.25))
BEGINNING = (
    "In component 3 of sample 4, `backward()` gives `1.5` and `functional.jacobian` gives `1.25`."
)


def test_a_replay_is_told_in_words():
    assert in_words(DONE) == BEGINNING
    refused = replace(DONE, jacobian_verified=False, reason="It is not revealed.")
    assert in_words(refused) == (
        "There is no replay of component 3 of sample 4. It is not revealed."
    )
    assert in_words(replace(DONE, first_divergence=DIVERGENCE)) == (
        f"{BEGINNING} They first diverge in the gradient of h3, where an addition is rounded. "
        "There, `backward()` has `1.5`, and the rows add up to 1.25."
    )
    near = replace(DIVERGENCE, rows=(1.25, 2.0**-70))
    assert in_words(replace(DONE, first_divergence=near)).endswith("the rows add up to ≈ 1.25.")
    equal = replace(DONE, jacobian_result=1.5, first_divergence=DIVERGENCE)
    assert in_words(equal) == BEGINNING.replace("1.25", "1.5")
    assert in_words(replace(DONE, replayed="rows", method="jacfwd", method_result=1.75)) == (
        f"{BEGINNING.replace('functional.jacobian', 'grad, row by row')} These are the operations "
        "of `grad, row by row`: `jacfwd` gives `1.75` here."
    )
