"""A replay in words, as tables and as JSON: every digit reads back, every exact number is exact."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from lib.experiment.query import Experiment
from lib.replay.first_divergence import FirstDivergence
from lib.replay.operations import MOST_ROWS, figures, in_words, tables
from lib.replay.replay import Replay, replay
from tests.cases import EVERY_DTYPE
from tests.known_orders import replayed
from tests.oracles import rounded

COLUMNS = {
    "w": "left",
    "δ": "right",
    "w·δ": "product",
    "error of w·δ": "product_error",
    "sum": "after",
    "error of the sum": "error",
    "exact sum": "exact",
}


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_table_has_every_operation_in_digits_that_read_back(dtype):
    done = replayed(replay(Experiment(outputs=3, dtype=dtype), 1, 2))
    for name, steps, diverges_at in (
        ("backward", done.backward, done.backward_diverges_at),
        ("jacobian", done.jacobian, done.jacobian_diverges_at),
    ):
        table = tables(done)[name]
        assert table["operation"].tolist() == [step.label for step in steps]
        marked = [place for place, mark in enumerate(table["diverges"]) if mark]
        assert marked == ([] if diverges_at is None else [diverges_at])
        for row, step in zip(table.to_dict("records"), steps, strict=True):
            for column, field in COLUMNS.items():
                value = getattr(step, field)
                digits = row[column].removeprefix("≈ ")
                if value is None or (field == "product_error" and step.product is None):
                    assert digits == ""
                elif "error" in field:
                    assert float(digits) == pytest.approx(value, abs=0.000501)
                elif field == "exact":
                    assert float(digits) == float(value)
                    assert (float(value) == value) == (row[column] == digits)
                else:
                    of = dtype if field in ("left", "right") or dtype == "float64" else "float32"
                    fused = float(digits)  # a product that is not rounded
                    assert value in (fused, rounded(Fraction(digits), of))
    long = replace(done, jacobian=done.jacobian * 50)
    assert len(tables(long)["jacobian"]) == MOST_ROWS


def test_exact_numbers_are_fractions_in_the_json():
    for number in range(9):
        done = replayed(replay(Experiment(outputs=4), number, 3))
        printed = json.loads(json.dumps(figures(done), allow_nan=False))
        exact = [Fraction(step["exact_fraction"]) for step in printed["jacobian_steps"]]
        assert exact == [step.exact for step in done.jacobian]
        parting = printed["parting"]
        assert not parting or Fraction(parting["exact_fraction"]) == sum(
            map(Fraction, parting["rows"])
        )


DONE = Replay(4, 3, "float32", "functional", 1.5, 1.25, 1.25, True, True, dot_order="a")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"jacobian_verified": False, "reason": "Not revealed."}, "no replay of .* Not revealed"),
        ({}, "gives `1.5` and `functional.jacobian` gives `1.25`.* `1.5`, .* up to 1.25.$"),
        ({"first_divergence": None}, "gives `1.25`.$"),
        ({"jacobian_result": 1.5}, "gives `1.5`.$"),
        (
            {"first_divergence": FirstDivergence("slope", "h3", 1.5, (1.25, 2.0**-70))},
            "the gradient of h3, where the slope .* add up to ≈ 1.25.$",
        ),
        (
            {"method": "jacfwd", "method_result": 1.75},
            "of `functional.jacobian`: `jacfwd` .*`1.75`",
        ),
    ],
)
def test_a_replay_is_told_in_words(changes, words):
    diverges = replace(DONE, first_divergence=FirstDivergence("sum", "h3", 1.5, (1.0, 0.25)))
    assert re.search(words, in_words(replace(diverges, **changes)))
