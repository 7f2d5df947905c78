"""The two populations: every entry is in a bar, medians are those by hand, and the axis holds still."""

from math import log2

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.populations import axis_ends, medians, populations
from lib.pitfall.study import Pitfall, PitfallTally, keys
from lib.run.stream import Stream
from lib.run.tally import Histogram
from tests.oracles import PLAIN, closed_form_jacobian
from tests.sentences import read

LINEAR = "hidden=&output_activation=identity"
"""Its rows are its weights, without rounding."""


def finish(query: str) -> tuple[PitfallTally, Experiment]:
    experiment = Experiment.parse(query)
    return Stream(Pitfall(experiment)).finish(), experiment


def errors_by_hand(experiment: Experiment) -> dict[str, list[float]]:
    """The errors of all entries against the closed form in float64, which is exact enough for narrower dtypes."""
    net, found = network.build(experiment), {"right": [], "single": []}
    for x in sampling.block(experiment, 0)[: experiment.samples]:
        exact = torch.from_numpy(closed_form_jacobian(net, list(experiment.activations), x))
        for kind, method in (("right", "functional"), ("single", "single-call")):
            found[kind] += (PLAIN[method](net, x).double() - exact).abs().flatten().tolist()
    return found


@pytest.mark.parametrize(
    "query", ["samples=40", "samples=40&dtype=bfloat16&outputs=3", "samples=20&dtype=float16"]
)
def test_every_error_is_in_one_bar(query):
    tally, experiment = finish(query)
    rows = populations(tally, experiment)
    ends = axis_ends(tally, experiment)
    for errors, name in zip(
        errors_by_hand(experiment).values(), ("right rows", "wrong rows"), strict=True
    ):
        bars = rows[rows["rows"] == name]
        assert bars["entries"].sum() == len(errors)
        assert bars["share"].sum() == pytest.approx(1)
        assert bars["low"].min() >= ends[0] and bars["high"].max() <= ends[1] + 0.31
        clear = np.array([e for e in errors if e and abs(e - 2.0 ** round(log2(e))) > 1e-6 * e])
        unclear = len(errors) - len(clear)  # of which the last bits decide
        for bar in bars[(bars["error"] != "0") & bars["error"].str.contains(" to ")].itertuples():
            sure = int(((10**bar.low <= clear) & (clear < 10**bar.high)).sum())
            assert sure <= bar.entries <= sure + unclear


@pytest.mark.parametrize("query", ["samples=40", "samples=40&dtype=bfloat16&outputs=3"])
def test_the_medians_are_those_by_hand_in_as_many_digits_as_hold(query):
    tally, experiment = finish(query)
    right, single = map(np.array, errors_by_hand(experiment).values())
    by_hand = [np.median(right), np.median(single[single > 10 * right.max()])]
    *texts, factor = medians(tally, experiment).split("; ")
    for text, (typical, digits), median in zip(texts, tally.typical, by_hand, strict=True):
        assert typical == pytest.approx(median, rel=2**-8)
        assert read(text.partition("median ")[2]) == float(f"{median:.{digits - 1}e}")
    times = tally.typical[1][0] / tally.typical[0][0]
    assert read(factor.removeprefix("about ").removesuffix(" times larger")) == float(
        f"{times:.0e}"
    )


def test_only_rows_that_are_far_off_are_called_wrong():
    right, single = (Histogram.of(keys(np.array([error]))) for error in (1e-3, 9e-3))
    near = PitfallTally(right_errors=right, single_errors=single)
    for tally, experiment, called in (
        (*finish("samples=9"), "wrong rows"),
        (near, Experiment(), "one call"),
    ):
        assert set(populations(tally, experiment)["rows"]) == {"right rows", called}
        assert medians(tally, experiment).startswith("right rows: median ")


def test_the_axis_is_the_same_for_every_dtype_and_stays_while_samples_arrive():
    ends = {
        axis_ends(*finish(f"samples=9&dtype={dtype}"))[1]
        for dtype in ("float64", "float32", "bfloat16", "float16")
    }
    assert len(ends) == 1
    assert axis_ends(*finish("samples=5")) == axis_ends(*finish("samples=300"))


def test_with_one_output_there_is_one_population():
    tally, experiment = finish("samples=20&outputs=1")
    assert set(populations(tally, experiment)["rows"]) == {"right rows"}
    assert "times larger" not in medians(tally, experiment)


def test_where_the_right_rows_are_exact_their_zeros_stand_apart_and_no_factor_is_told():
    tally, experiment = finish(f"samples=5&{LINEAR}")
    assert tally.typical[0][0] == 0 < tally.typical[1][0]
    rows = populations(tally, experiment)
    assert rows.loc[rows["rows"] == "right rows", "error"].tolist() == ["0"]
    assert "times larger" not in medians(tally, experiment)


def test_nothing_is_drawn_of_nothing():
    assert populations(Pitfall.empty, Experiment()).empty
    assert medians(Pitfall.empty, Experiment()) == ""
