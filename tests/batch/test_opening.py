"""The opening picture against the example that it shows, and the table of the orders behind it."""

import json
from fractions import Fraction

import pytest
import torch

from lib.batch.example import Example, Place, example
from lib.batch.examples import first_example
from lib.batch.opening import labelled, opening
from lib.batch.stairs import stairs
from lib.batch.study import Batch
from lib.batch.tables import orders
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

STEP = Fraction(1, 2**24)  # from float to float in float32, from 0.5 to 1
HALF = Fraction(1, 2)


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
    line = labelled(HALF + exact, "float32", float(HALF + alone * STEP), float(HALF + batch * STEP), "A title")
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
    def said(exact: Fraction, alone: float, batch: float) -> str:
        return labelled(HALF + exact, "float32", float(HALF + alone * STEP), float(HALF + batch * STEP), "Both")["said"]

    assert said(STEP / 4, 0, 1) == (
        "Both. Alone: 0.500000000, 0.25 floats below the exact value. "
        "In the batch: 0.500000060, 0.75 floats above the exact value."
    )
    assert said(Fraction(0), 0, 0) == "Both. Alone and in the batch: 0.500000000, on the exact value."


EXPERIMENTS = [Experiment(samples=40), Experiment(samples=40, dtype="bfloat16"), Experiment(samples=40, hidden=(70,))]


def shown(experiment: Experiment, one: Example | None) -> dict:
    tally = Stream(Batch(experiment)).finish()
    data = json.loads(json.dumps(opening(experiment, tally, 4, one), allow_nan=False))
    assert data["stairs"].items() >= json.loads(json.dumps(stairs(tally, 4))).items()
    return data


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_both_trees_end_on_the_results_of_the_sum(experiment):
    one = example(experiment, first_example(experiment, 4))
    known(one.sum, one.reason)
    data = shown(experiment, one)["example"]
    alone, batch = data["sides"]
    assert (alone["kind"], alone["heading"]) == ("first", "Alone")
    assert (batch["kind"], batch["heading"]) == ("second", f"Row {one.row} of a batch of 4")
    for side, traced in (alone, one.sum.alone), (batch, one.sum.batch):
        result = torch.tensor(float(side["tree"]["result"].replace("−", "-")), dtype=getattr(torch, one.dtype))
        assert result.item() == traced.result and side["note"].endswith(".")
        assert side["label"].startswith(side["heading"])
    assert data["reason"] == "" and data["said"]
    moved = [leaf for side in data["sides"] for leaf in side["tree"]["leaves"] if leaf["moved"]]
    assert not moved or one.sum.alone.tree.sums != one.sum.batch.tree.sums
    assert not any(leaf["moved"] for leaf in alone["tree"]["leaves"])


def test_an_example_without_a_sum_says_why():
    experiment = Experiment(samples=40, gradient="method")
    data = shown(experiment, example(experiment, Place(4, 1, "gradient", 2)))["example"]
    assert [side["tree"] for side in data["sides"]] == [None, None] and data["said"] == ""
    assert "are not followed here" in data["reason"] and data["line"]


def test_before_an_example_is_known_there_is_none():
    assert shown(EXPERIMENTS[0], None)["example"] is None


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_table_of_the_orders_covers_every_row_and_column_of_every_layer_once(dtype):
    experiment = Experiment(inputs=5, hidden=(20, 7), outputs=3, dtype=dtype)
    table = orders(experiment, 8)
    widths = dict(enumerate(experiment.widths))
    for rows in ({"alone"}, set(table["rows"]) - {"alone"}):
        for layer in 1, 2, 3:
            for direction, width in ("forward", widths[layer]), ("backward", widths[layer - 1]):
                those = table[
                    table["rows"].isin(rows) & (table["layer"] == str(layer)) & (table["direction"] == direction)
                ]
                known("columns" in table and those["columns"].notna().all(), str(those["order"].tolist()))
                cells = [
                    (row, column)
                    for _, group in those.iterrows()
                    for row in ([0] if rows == {"alone"} else numbers(group["rows"]))
                    for column in numbers(group["columns"])
                ]
                count = 1 if rows == {"alone"} else 8
                assert sorted(cells) == [(row, column) for row in range(count) for column in range(width)]
                terms = widths[layer - 1] + 1 if direction == "forward" else widths[layer]
                for order in those["order"]:
                    leaves = order.translate(dict.fromkeys(map(ord, "()·~"), " ")).split()
                    assert sorted(map(int, leaves)) == list(range(terms))


def numbers(text: str) -> list[int]:
    """The numbers of runs such as 0–3, 5."""
    found = []
    for run in text.split(", "):
        first, _, last = run.partition("–")
        found += range(int(first), int(last or first) + 1)
    return found
