"""A replay in words, as tables and as JSON: every digit reads back, every exact number is exact."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from lib.replay.first_divergence import FirstDivergence
from lib.replay.operations import MOST_OPERATIONS, figures, in_words, tables
from lib.replay.replay import Replay
from lib.replay.steps import in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded


def done(dtype: str = "float32") -> Replay:
    """A sum of four products, of which a wide dtype fuses one, and a number."""
    fused = (1,) if dtype in ("float32", "float64") else None
    tree = Tree.of(5, [[0, 1], [2, 3], [5, 6], [7, 4]], fused, values=1)
    numbers = torch.linspace(-1.1, 1.3, 10, dtype=getattr(torch, dtype)).view(5, 2).tolist()
    terms = [(f"h{k}", *pair) for k, pair in enumerate(numbers)]
    terms[4] = ("bias", None, terms[4][1])
    steps = in_steps(tree, terms, getattr(torch, dtype))
    divergence = FirstDivergence("sum", "h3", 1.5, (1.0, 2.0**-70), steps[1])
    evaluations = {"backward": steps, "jacobian": steps * 80, "backward_diverges_at": 2}
    results = 1.5, 1.25, 1.25
    return Replay(4, 3, dtype, "functional", *results, **evaluations, first_divergence=divergence)


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_table_has_every_operation_in_digits_that_read_back(dtype):
    replay = done(dtype)
    steps = replay.backward
    wide = "float64" if dtype == "float64" else "float32"
    table, of_jacobian = tables(replay).values()
    assert table["operation"].tolist() == [step.label for step in steps]
    assert [*map(bool, table["diverges"])] == [place == 2 for place in range(len(steps))]
    for row, step in zip(table.to_dict("records"), steps, strict=True):
        floats = [("w", step.left, dtype), ("δ", step.right, dtype), ("sum", step.after, wide)]
        exact = {"exact sum": step.exact}
        if step.product is None:
            assert row["w"] == row["δ"] == row["w·δ"] == row["error of w·δ"] == ""
        elif step.product_error:
            floats.append(("w·δ", step.product, wide))
        else:  # fused, or nothing was rounded
            exact["w·δ"] = Fraction(step.left) * Fraction(step.right)
        for column, value, of in floats:
            assert value is None or rounded(Fraction(row[column]), of) == value
        for column, number in exact.items():
            digits = row[column].removeprefix("≈ ")
            assert (digits == row[column]) == (Fraction(float(number)) == number)
            of = wide if column == "w·δ" and rounded(number, wide) == number else "float64"
            assert rounded(Fraction(digits), of) == float(number)
        for column, error in (
            ("error of w·δ", step.product_error),
            ("error of the sum", step.error),
        ):
            assert float(row[column] or 0) == pytest.approx(error, abs=0.000501)
    assert len(of_jacobian) == MOST_OPERATIONS


def test_exact_numbers_are_fractions_in_the_json():
    printed = json.loads(json.dumps(figures(replace(done(), method_result=float("nan")))))
    assert printed["method_result"] is None
    for side in ("backward", "jacobian"):
        exact = [Fraction(step["exact_fraction"]) for step in printed[f"{side}_steps"]]
        assert exact == [step.exact for step in getattr(done(), side)]
    assert Fraction(printed["parting"]["exact_fraction"]) == 1 + Fraction(2) ** -70
    assert printed["parting"]["step"] == printed["backward_steps"][1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reason": "Not revealed."}, "no replay of .* Not revealed"),
        ({}, "gives `1.5` and `functional.jacobian` gives `1.25`.* `1.5`, .* up to ≈ 1.0.$"),
        ({"jacobian_result": 1.5}, "gives `1.5`.$"),
        (
            {"method": "jacfwd", "method_result": 1.75},
            "of `functional.jacobian`: `jacfwd` .*`1.75`",
        ),
    ],
)
def test_a_replay_is_told_in_words(changes, words):
    assert re.search(words, in_words(replace(done(), **changes)))
