"""The costs as tables: powers of ten, and names that are clear of each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.methods import METHODS
from lib.pitfall.cost_tables import FAMILIES, _spread_out, readable, tables
from lib.pitfall.costs import Cost

COSTS = [
    Cost(method, outputs, 1e-4 * outputs, 2e-4 * outputs, 3e-4 * outputs, 100 * outputs)
    for outputs in (1, 2, 4)
    for method in METHODS
]


def test_every_method_is_of_one_family():
    assert sorted(method for methods in FAMILIES.values() for method in methods) == sorted(METHODS)


def test_the_curves_are_the_costs_as_powers():
    curves = tables(COSTS)["costs"]
    assert len(curves) == len(COSTS)
    for row, cost in zip(curves.itertuples(), COSTS, strict=True):
        assert (row.method, row.outputs) == (cost.method, cost.outputs)
        assert [2**row.x, 10**row.low, 10**row.seconds, 10**row.high] == pytest.approx(
            [cost.outputs, cost.low, cost.seconds, cost.high], rel=1e-5
        )


def test_all_times_are_in_one_unit():
    costs = [Cost("rows", n, seconds, seconds, seconds, 1) for n, seconds in ((1, 8.5e-5), (2, 1.2e-2), (4, 1.5))]
    assert readable(costs).loc["rows"].tolist() == ["85 µs, 1 B", "12,000 µs, 1 B", "1.5e+06 µs, 1 B"]
    assert tables(costs)["costs"]["time"].tolist() == ["85 µs", "12,000 µs", "1.5e+06 µs"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=11))
def test_names_are_clear_of_each_other_and_keep_their_order(places):
    moved = _spread_out(np.array(places), 0.05, 1.0)
    in_order = moved[np.argsort(places, kind="stable")]
    assert (np.diff(in_order) >= 0.05 - 1e-12).all()
    assert moved.max() <= 1.0


def test_names_that_are_clear_stay():
    assert _spread_out(np.array([0.1, 0.9, 0.5]), 0.05, 1.0).tolist() == [0.1, 0.9, 0.5]


def test_the_table_to_read_has_a_row_for_each_method_and_a_column_for_each_size():
    table = readable(COSTS)
    assert list(table.index) == list(METHODS) and list(table.columns) == ["1", "2", "4"]
    assert (table["4"] == "800 µs, 400 B").all()
