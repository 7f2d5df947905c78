"""How often pages draw; on a clock that stands still."""

import pytest

from lib.run.pace import Pace


@pytest.mark.parametrize(
    ("viewers", "drawing", "period"), [(1, 0.07, 0.3), (4, 0.07, 0.4), (100, 0.004, 1.2), (900, 0.07, 9.0)]
)
def test_all_drawings_together_take_three_quarters_of_a_processor(clock, viewers, drawing, period):
    pace = Pace()
    for viewer in range(viewers):
        period_now = pace.period(str(viewer), drawing)
    assert period_now == pytest.approx(period)
    clock.now += 60  # all of them left
    assert pace.period("alone", 0.02) == 0.3


def test_a_viewer_counts_as_gone_when_they_have_missed_two_drawings_and_three_seconds(clock):
    pace = Pace()
    assert pace.period("gone", 0.745) == pytest.approx(1.0)
    clock.now += 3 + 2.5 - 0.01
    assert pace.period("here", 0.0) > 1.0
    clock.now += 0.05
    assert pace.period("here", 0.0) == 0.3
