"""How a stream ends a slice; `tests/test_tallies` has what it measures, whatever the slices."""

from itertools import count

import pytest

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.stepwise import Counting


class Failing(Counting):
    """It can tally only its first ten samples."""

    def tally(self, measured):
        assert measured.start < 10
        return super().tally(measured)


def test_a_slice_that_fails_leaves_the_stream():
    """Where it was."""
    stream = Stream(Failing(Experiment(samples=30)), parts=[range(8, 10), range(20, 30)])
    with pytest.raises(AssertionError):
        stream.finish()
    assert stream.tally.samples == 2 and stream.left == (range(20, 30),)


@pytest.mark.parametrize("seconds, measured", [(0, 1), (1, 1), (2.5, 3), (3, 3)])
def test_a_slice_ends_with_the_measurement_at_its_end(monkeypatch, seconds, measured):
    # each measurement takes a second
    clock = count()
    monkeypatch.setattr("lib.run.stream.perf_counter", lambda: next(clock))
    stream = Stream(Counting(Experiment(samples=50)))
    stream.advance(seconds)
    assert stream.tally.samples == measured
