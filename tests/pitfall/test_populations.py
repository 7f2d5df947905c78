"""The two populations: every entry is in a bar, medians are those by hand, the axis holds still."""

from math import log2

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.populations import axis_ends, medians, populations
from lib.pitfall.study import Pitfall, PitfallTally, keys
from lib.run.stream import Stream
from lib.run.tally import Extreme, Histogram, Place
from tests.oracles import PLAIN, closed_form_jacobian
from tests.sentences import read


def finish(query: str) -> tuple[PitfallTally, Experiment]:
    experiment = Experiment.parse(query)
    return Stream(Pitfall(experiment)).finish(), experiment


def errors_by_hand(experiment: Experiment) -> list[np.ndarray]:
    """The errors of the right rows and of the single call, against the closed form in float64."""
    net = network.build(experiment)
    errors: list[list[float]] = [[], []]
    for x in sampling.block(experiment, 0)[: experiment.samples]:
        exact = torch.from_numpy(closed_form_jacobian(net, list(experiment.activations), x))
        for method, of_method in zip(("functional", "single-call"), errors, strict=True):
            of_method += (PLAIN[method](net, x).double() - exact).abs().flatten().tolist()
    return [np.array(of_method) for of_method in errors]


@pytest.mark.parametrize("query", ["samples=40", "samples=40&dtype=bfloat16&outputs=3"])
def test_bars_and_medians_are_those_by_hand(query):
    tally, experiment = finish(query)
    bars = populations(tally, experiment)
    low, high = axis_ends(tally, experiment)
    right, single = errors_by_hand(experiment)
    for errors, name in ((right, "right rows"), (single, "wrong rows")):
        rows = bars[bars["rows"] == name]
        assert rows["entries"].sum() == len(errors)
        assert rows["share"].sum() == pytest.approx(1)
        assert rows["low"].min() >= low and rows["high"].max() <= high
        # The last bits decide about an error that is near a power of two.
        clear = np.array([e for e in errors if e and abs(e - 2.0 ** round(log2(e))) > 1e-6 * e])
        unclear = len(errors) - len(clear)
        for bar in rows[rows["error"].str.contains(" to ")].itertuples():
            sure = int(((10**bar.low <= clear) & (clear < 10**bar.high)).sum())
            assert sure <= bar.entries <= sure + unclear
    by_hand = [np.median(right), np.median(single[single > 10 * right.max()])]
    *texts, factor = medians(tally, experiment).split("; ")
    for text, (typical, digits), median in zip(texts, tally.typical, by_hand, strict=True):
        assert typical == pytest.approx(median, rel=2**-8)
        assert read(text.partition("median ")[2]) == float(f"{median:.{digits - 1}e}")
    times = float(f"{by_hand[1] / by_hand[0]:.0e}")
    assert factor.startswith("about ") and read(factor[6:].removesuffix(" times larger")) == times


def counts(*errors: float) -> Histogram:
    return Histogram.of(keys(np.array(errors)))


def test_what_is_beyond_the_axis_is_in_its_first_and_last_bar():
    tally = PitfallTally(
        worst=Extreme(0.5, Place(0, 0, 0)),
        right_errors=counts(0, 1e-30, 1e-9),
        single_errors=counts(1e-9, 0.9, 7, 1e9),
    )
    bars = populations(tally, Experiment())
    assert bars["entries"].tolist() == [2, 1, 1, 3]
    assert bars["error"].tolist()[::3] == ["0 or below 2.8 × 10⁻¹⁴", "0.50 and above"]
    assert axis_ends(tally, Experiment()) == (-14, 0)
    assert axis_ends(PitfallTally(worst=Extreme(1.5)), Experiment(dtype="float64")) == (-16, 4)


@pytest.mark.parametrize(("single", "name"), [(9.9e-3, "one call"), (1.1e-2, "wrong rows")])
def test_only_rows_that_are_far_off_are_called_wrong(single, name):
    tally = PitfallTally(right_errors=counts(1e-4, 1e-3), single_errors=counts(1e-3, single))
    assert set(populations(tally, Experiment())["rows"]) == {"right rows", name}
    assert (f"{name}: median " in medians(tally, Experiment())) and (
        "times" in medians(tally, Experiment())
    ) == (name == "wrong rows")


def test_with_one_output_there_is_one_population_and_of_nothing_none():
    tally, experiment = finish("samples=20&outputs=1")
    assert set(populations(tally, experiment)["rows"]) == {"right rows"}
    assert medians(tally, experiment).count("median") == 1
    assert populations(Pitfall.empty, Experiment()).empty
    assert medians(Pitfall.empty, Experiment()) == ""


def test_where_the_right_rows_are_exact_no_factor_is_shown():
    tally, experiment = finish("samples=5&hidden=&output_activation=identity")
    assert medians(tally, experiment).startswith("right rows: median 0; wrong rows: median ")
    assert "times larger" not in medians(tally, experiment)
