"""What a Jacobian costs: each method is timed, and the table has the quartiles."""

from statistics import quantiles

import pytest

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import timing
from lib.pitfall.costs import ROUNDS, measure, times


def test_every_method_is_timed_in_every_round_by_turns(monkeypatch):
    turns = []

    def timed(call):
        assert call().shape[-1] == 2
        return lambda: turns.append(call.func) or 1e-6 * len(turns)

    monkeypatch.setattr(timing, "timed", timed)
    table = measure(Experiment(inputs=2, hidden=(), outputs=2))
    count = len(METHODS)
    assert turns == turns[:count] * ROUNDS and len(set(turns)) == count
    assert table["median"].tolist() == pytest.approx([4 * count + i + 1 for i in range(count)])


def test_the_table_has_the_quartiles_in_microseconds_and_the_fastest_first():
    seconds = {
        "rows": [8.5e-5, 8.4e-5, 9e-5, 2e-4],
        "single-call": [2e-5] * 4,
        "jacrev": [1.2e-2] * 4,
    }
    table = times([{name: of[i] for name, of in seconds.items()} for i in range(4)])
    assert table["method"].tolist() == ["single-call", "rows", "jacrev"]
    assert table["gives"].tolist() == ["not exact rows", "the rows", "the rows"]
    assert table["time"].tolist() == ["20 µs", "88 µs", "12,000 µs"]
    expected = [1e6 * t for t in quantiles(seconds["rows"], n=4, method="inclusive")]
    assert table.loc[1, ["low", "median", "high"]].tolist() == pytest.approx(expected)
