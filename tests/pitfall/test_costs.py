"""What a Jacobian costs: turns, sizes, memory of calls whose allocations are known, and who is said to be fastest."""

from statistics import quantiles

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall import costs
from lib.pitfall.costs import ROUNDS, Cost, Costs, CostTally, Memory, Timing, fastest, sizes, subject, summary
from lib.run.stream import Stream

SMALL = Experiment(inputs=2, hidden=(), outputs=2)


@pytest.fixture
def quick(monkeypatch):
    """One round, of the sizes 1 and 2 alone."""
    monkeypatch.setattr(costs, "ROUNDS", 1)
    monkeypatch.setattr(costs, "sizes", lambda experiment: [1, 2])


def test_the_sizes_are_powers_of_two_and_the_experiments_own():
    assert sizes(Experiment()) == [1, 2, 4, 8, 16, 32, 64]
    assert sizes(Experiment(outputs=5)) == [1, 2, 4, 5, 8, 16, 32, 64]


def test_no_network_grows_beyond_the_bound():
    wide = Experiment(inputs=64, hidden=(256,) * 6, outputs=17)
    assert sizes(wide) == [1, 2, 4, 8, 16, 17]


def test_every_method_is_timed_in_every_round_at_every_size(quick):
    stream = Stream(Costs(SMALL))
    tally = stream.finish()
    cells = {(method, outputs) for method in METHODS for outputs in (1, 2)}
    assert tally.turns == Costs.total(SMALL) == 2 * len(cells)
    assert {(memory.method, memory.outputs) for memory in tally.memories} == cells
    assert {(timing.method, timing.outputs) for timing in tally.timings} == cells
    assert len(tally.timings) == len(tally.memories) == len(cells)
    assert all(timing.seconds > 0 for timing in tally.timings)


def test_a_slice_of_no_time_takes_one_turn(quick):
    stream = Stream(Costs(SMALL))
    for turns in (1, 2, 3):
        stream.advance(0.0)
        assert stream.samples == turns


def test_turns_are_given_up_when_the_time_is_over(quick, monkeypatch):
    monkeypatch.setattr(costs, "MOST_SECONDS", 0.0)
    stream = Stream(Costs(SMALL))
    tally = stream.finish()
    assert stream.complete and tally.turns == Costs.total(SMALL)
    assert len(tally.memories) == 1 and not tally.timings and not summary(tally)


def test_experiments_that_differ_in_their_samples_alone_share_their_costs():
    one = Experiment(outputs=3, dtype="float64", method="jacfwd", samples=7, seed=2, distribution="normal")
    other = Experiment(outputs=3, dtype="float64", evaluation="batched")
    assert subject(one) == subject(other) == Experiment(outputs=3, dtype="float64")
    assert subject(Experiment(hidden=(3,))) != subject(Experiment(hidden=(4,)))


def halves() -> None:
    first = torch.empty(1000)  # 4,000 bytes
    second = torch.empty(500)  # 2,000 bytes
    del first
    third = torch.empty(250)  # 1,000 bytes: the first are gone
    del second, third


@pytest.mark.parametrize(
    ("call", "peak"),
    [
        (lambda: None, 0),
        (halves, 6000),
        (lambda: torch.empty(1000).relu(), 8000),
        (lambda: [torch.empty(10, dtype=torch.float64) for _ in range(5)], 400),
    ],
)
def test_the_peak_is_what_is_allocated_at_most_at_one_time(call, peak):
    assert costs._peak_memory(call) == peak


def test_the_memory_of_a_method_is_the_same_each_time(quick):
    first, second = (Stream(Costs(SMALL)).finish().memories for _ in range(2))
    assert first == second


def test_a_call_that_fails_leaves_no_profiler_behind():
    with pytest.raises(ZeroDivisionError):
        costs._peak_memory(lambda: 1 / 0)
    assert costs._peak_memory(lambda: torch.empty(10)) == 40


@given(st.lists(st.floats(1e-6, 1), min_size=2, max_size=ROUNDS))
def test_the_summary_has_the_quartiles(seconds):
    tally = CostTally(1, tuple(Timing("rows", 4, s) for s in seconds), (Memory("rows", 4, 77),))
    (cost,) = summary(tally)
    assert (cost.low, cost.seconds, cost.high) == pytest.approx(tuple(quantiles(seconds, n=4, method="inclusive")))
    assert (cost.method, cost.outputs, cost.peak) == ("rows", 4, 77)


def cost(method: str, outputs: int, seconds: float) -> Cost:
    return Cost(method, outputs, seconds * 0.9, seconds, seconds * 1.1, 1)


def test_the_fastest_gives_the_rows_themselves():
    seconds = dict.fromkeys(METHODS, 4.0) | {"rows": 3.0, "single-call": 1.0, "summed-output": 1.0}
    measured = [cost(method, 2, one) for method, one in seconds.items()]
    assert {outputs: best.method for outputs, best in fastest(measured).items()} == {2: "rows"}
    assert not fastest([cost("finite-difference", 2, 1.0)])


def test_nobody_is_the_fastest_where_a_rival_was_not_timed():
    rows = [name for name, method in METHODS.items() if method.gives == "rows"]
    for absent in rows:
        assert not fastest([cost(method, 2, 1.0) for method in rows if method != absent])
