"""A stream measures every sample once and in order, whatever the slices; shown on a study that only counts."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.stepwise import Counting, Numbers


class Cut(Counting):
    """Samples are measured a few at a time as `cuts` says, in blocks of ten."""

    def __init__(self, samples: int, cuts: list[int]) -> None:
        super().__init__(Experiment(samples=samples))
        self._cuts = iter(cuts)

    def measure(self, number: int, deadline: float) -> range:
        end = min(number - number % 10 + 10, self.experiment.samples)
        return range(number, min(end, number + next(self._cuts, 10)))


@given(st.integers(1, 60), st.lists(st.integers(1, 12), max_size=80))
def test_every_sample_is_measured_once_in_order_and_handed_to_the_sink(samples, cuts):
    handed = []
    stream = Stream(Cut(samples, cuts), handed.extend)
    while not stream.complete:
        stream.advance(0)
    assert stream.tally.seen == tuple(handed) == tuple(range(samples))
    assert stream.tally.samples == samples


@given(
    st.lists(st.tuples(st.integers(0, 49), st.integers(5, 9)), max_size=4),
    st.lists(st.integers(1, 12)),
)
def test_of_parts_their_samples_are_measured_and_no_others(ends, cuts):
    parts = [
        range(100 * k + start, 100 * k + 10 * blocks) for k, (start, blocks) in enumerate(ends)
    ]
    stream = Stream(Cut(1000, cuts), parts=parts)
    while not stream.complete:
        done, left = stream.tally.seen, [n for part in stream.left for n in part]
        assert [*done, *left] == [n for part in parts for n in part]
        stream.advance(0)
    assert stream.tally.seen == tuple(n for part in parts for n in part)


def test_a_slice_measures_at_least_once_and_no_more_when_its_time_is_over():
    stream = Stream(Cut(30, [3, 4, 5]))
    for expected in (3, 7, 10):
        stream.advance(0)
        assert stream.tally.samples == expected


def test_a_slice_that_fails_leaves_the_stream_where_it_was():
    class Failing(Cut):
        def tally(self, measured: range) -> Numbers:
            if measured.start == 10:
                raise RuntimeError("no")
            return super().tally(measured)

    stream = Stream(Failing(30, []))
    with pytest.raises(RuntimeError):
        stream.finish()
    assert stream.tally.samples == 10 and stream.tally.seen == tuple(range(10))


@pytest.mark.parametrize(("seconds", "measured"), [(0, 1), (1, 1), (2.5, 3), (3, 3)])
def test_a_slice_ends_with_the_first_measurement_that_reaches_its_time(
    monkeypatch, seconds, measured
):
    clock = count()
    monkeypatch.setattr(
        "lib.run.stream.perf_counter", lambda: next(clock)
    )  # so that each takes a second
    stream = Stream(Cut(50, [1] * 50))
    stream.advance(seconds)
    assert stream.tally.samples == measured
