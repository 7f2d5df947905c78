"""The opening picture against the example that it shows."""

import json
from fractions import Fraction

import pytest
import torch

from lib.batch.example import Ends, Example, Pick, example
from lib.batch.find_example import first_example
from lib.batch.opening import float_line_of, opening
from lib.batch.stairs import stairs
from lib.batch.study import Batch
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.known_orders import known

STEP = Fraction(1, 2**24)  # from float to float in float32, from 0.5 to 1
HALF = Fraction(1, 2)


def drawn(exact: Fraction, alone: int, batch: int) -> dict:
    """The line around an exact value from 0.5 on, and results so many floats from there."""
    ends = float(HALF + alone * STEP), float(HALF + batch * STEP)
    return float_line_of(Ends("Both", "float32", *ends, HALF + exact))


def near(line: dict) -> list[str]:
    """The names of the results that are called the nearest float."""
    return [label["lines"][0] for label in line["labels"] if "nearest float" in label["lines"]]


@pytest.mark.parametrize(
    ("exact", "alone", "batch", "nearest"),
    [
        (STEP / 4, 0, 1, "alone"),
        (3 * STEP / 4, 0, 1, "in the batch"),
        (3 * STEP / 4, 1, 0, "alone"),
        (STEP / 4, 0, 0, "alone and in the batch"),
        (STEP / 2, 0, 1, None),  # midway: none is nearest
        (STEP / 4, 1, 2, ""),  # a float that neither hits
        (7 * STEP / 4, 0, 3, ""),
    ],
)
def test_nearest_float_is_said_of_the_nearest_float_alone(exact, alone, batch, nearest):
    line = drawn(exact, alone, batch)
    assert near(line) == ([nearest] if nearest else [])
    assert bool(line["notes"]) == (nearest == "")
    if nearest == "":
        (note,) = line["notes"]
        assert note["text"] == "nearest float" and all(label["at"] != note["at"] for label in line["labels"])
    assert len(line["labels"]) == 1 + (alone != batch)
    assert [label["kind"] for label in sorted(line["labels"], key=lambda one: one["kind"])] == (
        ["first"] if alone == batch else ["first", "second"]
    )


def test_the_line_is_told_in_words_with_its_figures():
    assert drawn(STEP / 4, 0, 1)["said"] == (
        "Both. Alone: 0.500000000, 0.25 floats below the exact value. "
        "In the batch: 0.500000060, 0.75 floats above the exact value."
    )
    assert drawn(Fraction(0), 0, 0)["said"] == "Both. Alone and in the batch: 0.500000000, on the exact value."


EXPERIMENTS = [Experiment(samples=40), Experiment(samples=40, dtype="bfloat16"), Experiment(samples=40, hidden=(70,))]


def shown(experiment: Experiment, one: Example | None) -> dict:
    tally = Stream(Batch(experiment)).finish()
    data = json.loads(json.dumps(opening(tally, 4, one), allow_nan=False))
    assert data["stairs"].items() >= json.loads(json.dumps(stairs(tally, 4))).items()
    return data


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_both_trees_end_on_the_results_of_the_sum(experiment):
    one = example(experiment, first_example(experiment, 4))
    known(one.orders, one.reason)
    data = shown(experiment, one)["example"]
    names = ("first", "Alone"), ("second", f"Row {one.row} of a batch of 4")
    for side, name in zip(data["sides"], names, strict=True):
        assert (side["kind"], side["heading"]) == name and side["note"] and side["label"].startswith(name[1])
    for side, value in zip(data["sides"], (one.shown.alone, one.shown.batch), strict=True):
        result = torch.tensor(float(side["tree"]["result"].replace("−", "-")), dtype=getattr(torch, experiment.dtype))
        assert result.item() == value
    alone, batch = (side["tree"]["leaves"] for side in data["sides"])
    assert not any(leaf["moved"] for leaf in alone)
    assert ("underlined" in data["said"]) == any(leaf["moved"] for leaf in batch)
    assert data["reason"] == "" and data["title"].startswith(one.shown.name)


def test_an_example_without_a_sum_says_why():
    experiment = Experiment(samples=40, gradient="method")
    data = shown(experiment, example(experiment, Pick(4, 1, "gradient", 2)))["example"]
    assert [side["tree"] for side in data["sides"]] == [None, None] and data["said"] == ""
    assert "are not followed here" in data["reason"] and data["line"]


def test_before_an_example_is_known_there_is_none():
    assert shown(EXPERIMENTS[0], None)["example"] is None
