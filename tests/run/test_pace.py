"""How often pages draw and are declared anew; on a clock that stands still."""

import pytest

from lib.run.pace import Pace, stay


@pytest.mark.parametrize(
    ("viewers", "drawing", "period"),
    [(1, 0.07, 0.3), (2, 0.07, 0.3), (4, 0.07, 0.6), (9, 0.07, 1.0), (100, 0.004, 1.5), (900, 0.07, 9.0)],
)
def test_the_more_drawings_cost_the_less_often_pages_draw(clock, viewers, drawing, period):
    pace = Pace()
    for viewer in range(viewers):
        period_now = pace.period(str(viewer), drawing)
    assert period_now == period
    clock.now += 60  # all of them left
    assert pace.period("alone", 0.02) == 0.3


def test_the_period_hesitates_to_get_shorter(clock):
    pace = Pace()
    assert [pace.period("one", drawing) for drawing in (0.23, 0.2, 0.191, 0.1)] == [0.6, 0.6, 0.6, 0.3]


def test_a_viewer_counts_as_gone_when_they_have_missed_two_drawings_and_three_seconds(clock):
    pace = Pace()
    pace.period("gone", 0.6)  # alone, its drawings take nine periods out of ten
    assert pace.period("here", 0.0) == 1.0
    clock.now += stay(1.0) - 0.01
    assert pace.period("here", 0.0) == 1.0
    clock.now += 0.02
    assert pace.period("here", 0.0) == 0.3
    assert stay(1.0) == 5.5 and stay(0.0) == 3.0


@pytest.mark.parametrize("period", [0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 9.0])
def test_drawings_may_take_three_quarters_of_the_processor(clock, period):
    assert Pace().period("one", 0.75 * period - 0.006) == period
    assert period == 9.0 or Pace().period("one", 0.75 * period - 0.004) > period


def test_who_left_long_ago_is_gone(clock):
    pace = Pace()
    pace.period("gone", 0.6)
    clock.now += clock.now + 1
    assert pace.period("here", 0.0) == 0.3
