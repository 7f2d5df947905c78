"""The drawing against the example that it shows."""

from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from lib.batch.arrangements import Pick
from lib.batch.drawing import FUSED, batch_drawing, labelled_line
from lib.batch.example import Results, example
from lib.batch.find_example import first_example
from lib.experiment.query import Experiment
from lib.floats.quantities import counted
from tests.known_orders import known
from tests.sentences import read

WIDE = Experiment(samples=40, hidden=(70,))
STEP = Fraction(1, 2**24)
"""From float to float in float32, from 0.5 to 1."""


@pytest.mark.parametrize("alone, batch", [(0, 1), (90, 3), (2, 2)])
def test_each_result_is_labelled_where_it_lies(alone, batch):
    """The exact value is three quarters of a float above 0.5."""
    ends = (float(Fraction(1, 2) + k * STEP) for k in (alone, batch))
    drawn = labelled_line(Results("Both", "float32", *ends, Fraction(1, 2) + 3 * STEP / 4))
    assert drawn["line"]["exact"] == 0.75
    labels = [(label["kind"], label["at"], label["lines"][1]) for label in drawn["labels"]]
    off = [f"off by {abs(k - 0.75):#.3g} floats" for k in (alone, batch)]
    assert labels == [("first", alone, off[0]), ("second", batch, off[1])]


def test_title_trees_and_line_are_of_the_same_sum():
    shown = example(WIDE, first_example(WIDE, 8))
    known(shown.orders, shown.reason)
    drawn = batch_drawing(shown)
    first, second = (label["at"] for label in drawn["line"]["labels"])
    apart = counted(abs(first - second), "float")
    assert drawn["title"] == f"{shown.shown.name}, sample {shown.pick.sample}: {apart} apart"
    assert f"row {shown.row + 1} of 8 in a batch" in drawn["sides"][1]["heading"]
    for side, value in zip(drawn["sides"], (shown.shown.alone, shown.shown.batch), strict=True):
        assert side["tree"] and torch.tensor(read(side["result"])).item() == value


def test_products_that_are_not_rounded_are_told():
    shown = example(WIDE, first_example(WIDE, 8))
    known(shown.orders, shown.reason)
    first, _ = shown.orders
    other = replace(first, tree=replace(first.tree, fused=(2, *(first.tree.fused or ()))))
    assert FUSED in batch_drawing(replace(shown, orders=(first, other)))["about"]
    assert FUSED not in batch_drawing(replace(shown, orders=(first, first)))["about"]


def test_an_example_without_a_sum_says_why():
    """And there is no line of what is not finite."""
    shown = example(replace(WIDE, gradient="method"), Pick(4, 1, "gradient", 2))
    drawn = batch_drawing(shown)
    assert [side["tree"] for side in drawn["sides"]] == [None, None]
    assert "are not followed here" in drawn["about"] and drawn["line"]
    drawn = batch_drawing(replace(shown, shown=replace(shown.shown, batch=float("nan"))))
    assert drawn["line"] is None and drawn["title"] == "Component 2 of the gradient, sample 1"
