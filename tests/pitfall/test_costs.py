"""What a Jacobian costs: turns and sizes, quartiles, who is said to be fastest, and what is drawn of it."""

from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall import costs
from lib.pitfall.costs import (
    ROUNDS,
    Costs,
    CostTally,
    readable,
    rivals,
    sizes,
    subject,
    summary,
    times,
)
from lib.run.stream import Stream

SMALL = Experiment(inputs=2, hidden=(), outputs=2)
ROWS = [name for name, method in METHODS.items() if method.gives == "rows"]


@pytest.fixture
def quick(monkeypatch):
    """Two rounds, of the sizes 1 and 2 alone."""
    monkeypatch.setattr(costs, "ROUNDS", 2)
    monkeypatch.setattr(costs, "sizes", lambda experiment: [1, 2])


def test_the_sizes_are_powers_of_two_and_the_experiments_own_up_to_the_bound():
    assert sizes(Experiment()) == [1, 2, 4, 8, 16, 32, 64]
    assert sizes(Experiment(outputs=5)) == [1, 2, 4, 5, 8, 16, 32, 64]
    assert sizes(Experiment(inputs=64, hidden=(256,) * 6, outputs=17)) == [1, 2, 4, 8, 16, 17]


def test_every_method_is_timed_in_every_round_at_every_size_a_turn_at_a_time(quick):
    stream = Stream(Costs(SMALL))
    for turns in (1, 2, 3):
        stream.advance(0.0)
        assert stream.tally.samples == turns
    tally = stream.finish()
    cells = [(method, outputs) for outputs in (1, 2) for method in METHODS]
    assert [timing[:2] for timing in tally.timings] == 2 * cells
    assert tally.samples == Costs.total(SMALL) == 2 * len(cells)
    assert all(seconds > 0 for *_, seconds in tally.timings)


def test_turns_are_given_up_when_the_time_is_over(quick, monkeypatch):
    monkeypatch.setattr(costs, "MOST_SECONDS", 0.0)
    stream = Stream(Costs(SMALL))
    tally = stream.finish()
    assert stream.complete and tally.samples == Costs.total(SMALL) and len(tally.timings) == 1


def test_experiments_that_differ_in_their_samples_alone_share_their_costs():
    one = Experiment(
        outputs=3, dtype="float64", method="jacfwd", samples=7, seed=2, distribution="normal"
    )
    other = Experiment(outputs=3, dtype="float64", evaluation="batched")
    assert subject(one) == subject(other) == Experiment(outputs=3, dtype="float64")
    assert subject(Experiment(hidden=(3,))) != subject(Experiment(hidden=(4,)))


def tally_of(*cells: tuple[str, int, float]) -> CostTally:
    return CostTally(len(cells), cells)


@given(st.lists(st.floats(1e-6, 1), min_size=2, max_size=ROUNDS))
def test_the_summary_has_the_quartiles(seconds):
    found = summary(tally_of(*(("rows", 4, one) for one in seconds), ("jacrev", 1, 0.5)))
    assert found[["method", "outputs"]].to_numpy().tolist() == [["rows", 4], ["jacrev", 1]]
    expected = quantiles(seconds, n=4, method="inclusive")
    assert found.loc[0, ["low", "median", "high"]].tolist() == pytest.approx(expected)
    assert summary(CostTally()).empty and readable(summary(CostTally())).empty


def test_the_fastest_gives_the_rows_themselves_and_is_known_when_all_that_do_were_timed():
    seconds = dict.fromkeys(METHODS, 4.0) | {"rows": 3.0, "single-call": 1.0, "summed-output": 1.0}
    timed = [(method, 2, one) for method, one in seconds.items()]
    found = rivals(summary(tally_of(*timed)), 2)
    assert found["method"].iloc[0] == "rows" and sorted(found["method"]) == sorted(ROWS)
    for absent in ROWS:
        assert rivals(summary(tally_of(*(one for one in timed if one[0] != absent))), 2).empty


def test_what_is_drawn_and_read_is_in_microseconds():
    found = summary(tally_of(("rows", 1, 8.5e-5), ("rows", 2, 1.2e-2), ("single-call", 1, 2e-5)))
    assert readable(found).to_dict("index") == {
        "rows": {"1": "85 µs", "2": "12,000 µs"},
        "single-call": {"1": "20 µs", "2": "–"},
    }
    drawn = times(found, 1)
    assert drawn["method"].tolist() == ["single-call", "rows"] and drawn[
        "median"
    ].tolist() == pytest.approx([20, 85])
    assert drawn["gives"].tolist() == ["not exact rows", "the rows"]
