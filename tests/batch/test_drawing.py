"""The drawing against the example that it shows."""

import json
from fractions import Fraction

import pytest
import torch

from lib.batch.arrangements import Pick
from lib.batch.drawing import SIDES, batch_drawing, walks
from lib.batch.example import Ends, Example, example
from lib.batch.find_example import another, first_example
from lib.experiment.query import Experiment
from lib.floats.picture import float_line
from lib.floats.quantities import counted
from tests.known_orders import known

STEP = Fraction(1, 2**24)  # from float to float in float32, from 0.5 to 1
HALF = Fraction(1, 2)


def drawn(exact: Fraction, alone: int, batch: int) -> dict:
    """The line around an exact value from 0.5 on, and results so many floats from there."""
    ends = float(HALF + alone * STEP), float(HALF + batch * STEP)
    return walks(Ends("Both", "float32", *ends, HALF + exact), [None, None])


@pytest.mark.parametrize(
    ("exact", "alone", "batch"), [(STEP / 4, 0, 1), (3 * STEP / 4, 1, 0), (7 * STEP / 4, 90, 3)]
)
def test_each_way_begins_at_the_exact_value_and_ends_on_its_float(exact, alone, batch):
    line = drawn(exact, alone, batch)
    base = exact // STEP
    for way, end in zip(line["ways"], (alone, batch), strict=True):
        (step,) = way["steps"]
        assert (
            (step["from"], step["to"])
            == (line["exact"], way["at"])
            == (float(exact / STEP - base), end - base)
        )
        assert float(way["same"] + way["rest"]) == pytest.approx(float(HALF + end * STEP), rel=1e-9)
        assert line["low"] < way["at"] < line["high"]
    assert line["ways"][0]["same"] == line["ways"][1]["same"]
    assert line["apart"] == (
        "1 float apart" if abs(alone - batch) == 1 else f"{abs(alone - batch)} floats apart"
    )
    assert len(line["ticks"]) <= 26 and all(
        line["low"] <= tick <= line["high"] for tick in line["ticks"]
    )
    assert line["how"].endswith("each tick is a float.") == (
        line["ticks"][1] - line["ticks"][0] == 1
    )


EXPERIMENTS = [
    Experiment(samples=40),
    Experiment(samples=40, dtype="bfloat16"),
    Experiment(samples=40, hidden=(70,)),
]


def shown(one: Example) -> dict:
    return json.loads(json.dumps(batch_drawing(one), allow_nan=False))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_both_walks_end_on_the_results_of_the_sum(experiment):
    one = example(experiment, first_example(experiment, 4))
    known(one.orders, one.reason)
    data = shown(one)
    assert [side["kind"] for side in data["sides"]] == ["first", "second"]
    assert f"row {one.row + 1} of 4 in a batch" in data["sides"][1]["heading"]
    ends = dict(zip(SIDES, (one.shown.alone, one.shown.batch), strict=True))
    line = float_line(one.shown.exact, experiment.dtype, ends)
    at = {name: mark["at"] for mark in line["marks"] for name in mark["names"]}
    for way, name in zip(data["line"]["ways"], SIDES, strict=True):
        places = [line["exact"], *(step["to"] for step in way["steps"])]
        assert places[:-1] == [step["from"] for step in way["steps"]]
        assert places[-1] == way["at"] == at[name]
    pairs = list(zip(*(order.values[: order.tree.terms] for order in one.orders), strict=True))
    assert one.zeros == pairs.count((0, 0))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_title_line_and_ends_speak_of_the_same_sum(experiment):
    place = first_example(experiment, 8)
    for _ in range(6):
        place = another(experiment, place)
        one = example(experiment, place)
        drawn = batch_drawing(one)
        assert drawn["title"].startswith(f"{one.shown.name}, sample {place.sample}: ")
        assert drawn["line"]["said"].startswith(one.shown.name)
        for way, value in zip(
            drawn["line"]["ways"], (one.shown.alone, one.shown.batch), strict=True
        ):
            text = (way["same"] + way["rest"]).replace("−", "-")
            assert torch.tensor(float(text)).to(getattr(torch, experiment.dtype)).item() == value
        steps = abs(drawn["line"]["ways"][0]["at"] - drawn["line"]["ways"][1]["at"])
        assert drawn["line"]["apart"] == (
            f"{counted(steps, 'float')} apart" if steps else "on the same float"
        )


def test_an_example_without_a_sum_says_why():
    experiment = Experiment(samples=40, gradient="method")
    data = shown(example(experiment, Pick(4, 1, "gradient", 2)))
    assert [side["tree"] for side in data["sides"]] == [None, None]
    assert "are not followed here" in data["about"] and data["line"]
