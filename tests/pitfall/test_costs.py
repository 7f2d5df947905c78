"""What a Jacobian costs: each method is timed, and the table has the shortest times."""

import pytest

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import timing
from lib.pitfall.costs import measure


def test_every_method_is_timed_by_turns(monkeypatch):
    """Each call takes longer than the last; `copies` takes least."""
    turns = []
    seconds = {}

    def timed(call):
        assert call().shape[-1] == 2
        name = [*METHODS][len(seconds)]
        seconds[name] = []

        def clock():
            turns.append(name)
            seconds[name].append((1e-9 if name == "copies" else 1e-6) * len(turns) ** 2)
            return seconds[name][-1]

        return clock

    monkeypatch.setattr(timing, "timed", timed)
    table = measure(Experiment(inputs=2, hidden=(), outputs=2)).set_index("method")
    assert turns == [*METHODS] * 9
    assert [*table.index] == ["copies", *(name for name in METHODS if name != "copies")]
    for name, times in seconds.items():
        assert table.loc[name, "shortest"] == pytest.approx(1e6 * min(times))
    gives = table.loc[["rows", "single-call"], "gives"].tolist()
    assert gives == ["the rows", "a sum or an approximation"]
    seconds.clear()
    assert set(
        measure(Experiment(hidden=(), outputs=1, inputs=2)).query("method != 'finite-difference'")[
            "gives"
        ]
    ) == {"the rows"}
