"""A stream measures every sample once and in order, whatever the slices."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.sampled_from([None, [], [range(5, 40), range(90, 403)]]), st.lists(st.integers(1, 12)))
def test_every_sample_is_measured_once_in_order_and_handed_to_the_sink(parts, cuts):
    numbers = [n for part in parts or [] for n in part] if parts is not None else [*range(403)]
    handed = []
    stream = Stream(Cut(403, cuts), handed.extend, parts)
    while stream.left:
        assert [*stream.tally.seen, *(n for part in stream.left for n in part)] == numbers
        stream.advance(0)
    assert stream.tally.seen == tuple(handed) == tuple(numbers)


def test_a_slice_that_fails_leaves_the_stream_where_it_was(monkeypatch):
    monkeypatch.setattr(Cut, "tally", lambda study, measured: 1 / (measured.start < 10))
    monkeypatch.setattr(Cut, "empty", 0)
    stream = Stream(Cut(30, []))
    with pytest.raises(ZeroDivisionError):
        stream.finish()
    assert stream.tally == 1 and stream.left == (range(10, 30),)


@pytest.mark.parametrize(("seconds", "measured"), [(0, 1), (1, 1), (2.5, 3), (3, 3)])
def test_a_slice_ends_with_the_first_measurement_that_reaches_its_time(
    monkeypatch, seconds, measured
):
    clock = count()  # each measurement takes a second
    monkeypatch.setattr("lib.run.stream.perf_counter", lambda: next(clock))
    stream = Stream(Cut(50, [1] * 50))
    stream.advance(seconds)
    assert stream.tally.samples == measured
