"""The tables of batches hold what the tally counts, and the orders cover every sum once."""

import pytest

from lib.batch.arrangements import CONDITIONS, QUANTITIES
from lib.batch.findings import closer, conditions, orders
from lib.batch.study import Batch, BatchTally
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE
from tests.known_orders import known

EXPERIMENT = Experiment(inputs=64, hidden=(64,), outputs=8, samples=100)
SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]


@pytest.fixture(scope="module")
def tally() -> BatchTally:
    return Stream(Batch(EXPERIMENT)).finish()


def test_who_is_closer_and_what_else_matters_by_size(tally):
    of_sizes, counted = closer(tally), tally.figures()["sizes"]
    assert of_sizes["size"].tolist() == list(map(str, SIZES))
    for verdict in ("alone", "batch", "tie", "undecided"):
        counts = [sum(size[quantity]["closer"][verdict] for quantity in QUANTITIES) for size in counted]
        totals = [sum(sum(size[quantity]["closer"].values()) for quantity in QUANTITIES) for size in counted]
        assert of_sizes[verdict].tolist() == list(map(percent, counts, totals))
    varied = conditions(tally)
    assert varied["size"].tolist() == list(map(str, SIZES))
    for name, label in CONDITIONS.items():
        for cell, size in zip(varied[label], counted, strict=True):
            both = [found[quantity] for found in [size["conditions"].get(name)] if found for quantity in QUANTITIES]
            shares = [percent(one["components"] - one["equal"], one["components"]) for one in both]
            assert cell == (", ".join(shares) or "–, –")


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
