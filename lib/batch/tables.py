"""A tally of batches as tables to read: who is closer and what matters, by batch size; and the orders."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import pandas as pd

from lib.batch.arrangements import CONDITIONS, QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.floats.tables import text_table
from lib.replay.orders import layer_orders


def closer(tally: BatchTally) -> pd.DataFrame:
    """Which side is closer to the exact value, by batch size, as a table; no column is 0 throughout."""
    counts = {
        size: sum((Counter(tally.at(quantity, size).closer) for quantity in QUANTITIES), Counter()) for size in SIZES
    }
    sides = [side for side in tally.at("output", 1).closer if any(count[side] for count in counts.values())]
    return text_table(
        {"size": str(size)} | {side: percent(count[side], count.total()) for side in sides}
        for size, count in counts.items()
    )


def conditions(tally: BatchTally) -> pd.DataFrame:
    """The share of components that change under each condition, by batch size, as a table to read."""
    return text_table(
        {"size": str(size)}
        | {
            label: ", ".join(tally.at(quantity, size, name).share for quantity in QUANTITIES)
            for name, label in CONDITIONS.items()
        }
        for size in SIZES
    )


def orders(experiment: Experiment, size: int) -> pd.DataFrame:
    """The orders in which all layers add, alone and in a batch of this size, as a table to read."""
    rows: list[dict[str, str | None]] = []
    for batch in (None, size):
        for (direction, layer), order in layer_orders(experiment, batch).items():
            at = {"rows": None if batch else "alone", "layer": str(layer), "direction": direction}
            for group in order.groups:
                places = {"rows": _ranges(group.rows)} if batch else {}
                rows.append(at | places | {"columns": _ranges(group.columns), "order": str(group.tree)})
            if not order.groups:
                rows.append(at | {"order": order.reason})
    return text_table(rows, ["rows", "layer", "direction", "columns", "order"])


def _ranges(numbers: Sequence[int]) -> str:
    """Write increasing numbers, with runs of them as their ends."""
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda at: at[1] - at[0])]
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
