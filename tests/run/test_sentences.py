"""The progress of a run in words."""

import pytest

from lib.run.sentences import progress


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ((0, 2000, "samples", 0, False, False), "0 of 2,000 samples · starting"),
        ((500, 2000, "samples", 250, False, False), "500 of 2,000 samples · 250/s\xa0·\xa06\xa0s\xa0left"),
        ((500, 2000, "samples", 250, True, True), "500 of 2,000 samples · paused"),
        ((0, 2000, "samples", 0, False, True), "0 of 2,000 samples · server full: this page keeps asking"),
        ((2000, 2000, "turns", 250, False, True), "2,000 of 2,000 turns"),
        ((1, 1, "samples", 250, False, False), "1 of 1 sample"),
    ],
)
def test_progress_says_how_far_a_run_is_and_why_it_waits(figures, said):
    assert progress(*figures) == said
