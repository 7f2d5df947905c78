"""How a stream ends a slice; `tests/test_tallies` has what it measures, whatever the slices."""

from itertools import count

import pytest

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.stepwise import Counting


class Cut(Counting):
    """Samples are measured a few at a time as `cuts` says, in blocks of ten."""

    def __init__(self, samples: int, cuts: list[int]) -> None:
        super().__init__(Experiment(samples=samples))
        self._cuts = iter(cuts)

    def measure(self, number: int, deadline: float) -> range:
        end = min(number - number % 10 + 10, self.experiment.samples)
        return range(number, min(end, number + next(self._cuts, 10)))


def test_a_slice_that_fails_leaves_the_stream_where_it_was(monkeypatch):
    monkeypatch.setattr(Cut, "tally", lambda study, measured: 1 / (measured.start < 10))
    monkeypatch.setattr(Cut, "empty", 0)
    stream = Stream(Cut(30, []), parts=[range(10), range(20, 30)])
    with pytest.raises(ZeroDivisionError):
        stream.finish()
    assert stream.tally == 1 and stream.left == (range(20, 30),)


@pytest.mark.parametrize(("seconds", "measured"), [(0, 1), (1, 1), (2.5, 3), (3, 3)])
def test_a_slice_ends_with_the_first_measurement_that_reaches_its_time(
    monkeypatch, seconds, measured
):
    clock = count()  # each measurement takes a second
    monkeypatch.setattr("lib.run.stream.perf_counter", lambda: next(clock))
    stream = Stream(Cut(50, [1] * 50))
    stream.advance(seconds)
    assert stream.tally.samples == measured
