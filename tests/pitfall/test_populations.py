"""The two populations: every error is in its bar, medians are in words, the axis holds still."""

from collections import Counter
from math import floor, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.experiment.query import Experiment
from lib.pitfall.populations import axis_ends, medians, populations
from lib.pitfall.study import PitfallTally, keys
from lib.run.tally import Extreme, Histogram

ERROR = st.floats(2.0**-1000, 1e3) | st.just(0.0) | st.floats(1e-12, 0.1)


def tally_of(right, single):
    both = (Histogram.of(keys(np.array(errors))) for errors in (right, single))
    return PitfallTally(0, 0, 0, 0, 0, Histogram(), Extreme(0.5), Extreme(), *both)


@settings(max_examples=40)
@given(st.lists(st.tuples(ERROR, ERROR), min_size=1), st.sampled_from(["float32", "float64"]))
def test_every_error_that_is_drawn_is_in_its_bar(entries, dtype):
    """The axis ends at 1 here; what is beyond an end is in the bar at it."""
    right, single = zip(*entries, strict=True)
    bars = populations(tally_of(right, single), Experiment(dtype=dtype))
    lowest = -66 if dtype == "float64" else -46
    for errors, rows in ((right, "right rows"), (single, "one call")):
        binades = [min(max(floor(log2(e)), lowest), -1) if e else lowest for e in errors]
        of_rows = bars[bars["rows"] == rows]
        drawn = zip(np.rint(of_rows["low"] / np.log10(2)), of_rows["entries"], strict=True)
        assert dict(drawn) == Counter(binades)
        assert of_rows["share"].sum() == pytest.approx(len(errors) / len(entries))
    assert (bars["high"] - bars["low"]).tolist() == pytest.approx([np.log10(2)] * len(bars))


def test_medians_in_words():
    tally = tally_of([0, 1e-9, 1.1e-9], [1e-9, 0.3, 0.7])
    right = "right rows: median 1.0 × 10⁻⁹"
    assert medians(tally, Experiment()) == (
        f"{right}; one call: median 0.30; about 300 million times larger"
    )
    assert medians(tally, Experiment(outputs=1)) == right
    close = medians(tally_of([0.1], [0.15]), Experiment())
    assert close == "right rows: median 0.10; one call: median 0.15"
    assert medians(PitfallTally(), Experiment()) == ""
    assert not populations(PitfallTally(), Experiment())["entries"].any()


def test_the_axis_ends_above_all_errors():
    for worst, high in ((0.0, 0), (1.0, 0), (1.5, 4), (1e-5, -4)):
        tally = PitfallTally(worst=Extreme(worst))
        assert axis_ends(tally, Experiment()) == (high - 14, high)
