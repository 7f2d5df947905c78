"""The progress of a run in words."""

from lib.run.progress_sentences import progress


def test_progress_says_rate_and_time_left_while_it_is_going_on():
    assert progress(0, 2000, "samples", 0, False) == "0 of 2,000 samples · starting"
    assert progress(500, 2000, "samples", 250, False) == "500 of 2,000 samples · 250/s\xa0·\xa06\xa0s\xa0left"
    assert progress(500, 2000, "samples", 250, False, 1).endswith("6\xa0s\xa0left · taking turns with 1 other run")
    assert (
        progress(0, 2000, "samples", 0, False, 12) == "0 of 2,000 samples · starting · taking turns with 12 other runs"
    )
    assert progress(500, 2000, "samples", 250, True) == "500 of 2,000 samples · paused"
    assert progress(2000, 2000, "turns", 250, False) == "2,000 of 2,000 turns"
    assert progress(1, 1, "samples", 250, False) == "1 of 1 sample"
