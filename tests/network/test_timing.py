"""A timing is the mean over as many calls as last long enough: of a slow call over one, after two to warm up."""

from time import sleep

import pytest

from lib.network.timing import timed


@pytest.mark.parametrize(("seconds", "most_calls"), [(0.0, 100_000), (0.0005, 6), (0.004, 3)])
def test_a_call_is_repeated_for_two_milliseconds_after_two_to_warm_up(seconds, most_calls):
    calls = []

    def call() -> None:
        sleep(seconds)
        calls.append(None)

    timing = timed(call)
    assert len(calls) == 1
    found = timing()
    repeats = len(calls) - 1
    assert 1 <= repeats <= most_calls
    assert seconds <= found
    timing()
    assert len(calls) == 1 + 2 * repeats
