"""A timing is the mean over as many calls as last long enough, after two to warm up."""

from lib.network.timing import timed


def test_a_call_is_repeated_as_often_as_the_first_one_was_quick():
    calls = []
    timing = timed(lambda: calls.append(None))
    assert len(calls) == 1
    assert 0 < timing() < 1
    repeats = len(calls) - 1
    timing()
    assert len(calls) == 1 + 2 * repeats > 3
