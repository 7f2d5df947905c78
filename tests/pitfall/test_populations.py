"""The two populations as a picture: every entry is in a bar, bars are in their places, and the axis holds still."""

from math import floor, log2, log10

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.floats.line import ZERO_BINADE
from lib.network import network, sampling
from lib.pitfall.populations import axis_end, bars, decades_of, picture
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


def populations(tally: PitfallTally, experiment: Experiment) -> dict:
    return picture(tally, experiment)["errors"]


def errors_by_hand(experiment: Experiment) -> dict[str, list[float]]:
    """The errors of all entries against the closed form in float64, which is exact enough for narrower dtypes."""
    net, found = network.build(experiment), {"right": [], "single": []}
    for x in sampling.block(experiment, 0)[: experiment.samples]:
        exact = torch.from_numpy(closed_form_jacobian(net, list(experiment.activations), x))
        for kind, method in (("right", "functional"), ("single", "single-call")):
            found[kind] += (PLAIN[method](net, x).double() - exact).abs().flatten().tolist()
    return found


@pytest.mark.parametrize("query", ["samples=40", "samples=40&dtype=bfloat16&outputs=3", "samples=20&dtype=float16"])
def test_every_error_is_in_the_bar_of_its_octave(query):
    tally, experiment = finish(query)
    expected = errors_by_hand(experiment)
    for kind, errors in expected.items():
        counted = {bar.octave: bar.entries for bar in bars(tally, experiment) if bar.kind == kind}
        assert sum(counted.values()) == len(errors)
        clear = [e for e in errors if e and abs(e - 2.0 ** round(log2(e))) > 1e-6 * e]  # of which the last bits decide
        assert all(counted[floor(log2(error))] for error in clear)
        for octave, count in counted.items():
            if octave != ZERO_BINADE:
                sure = sum(floor(log2(e)) == octave for e in clear)
                assert sure <= count <= sure + len(errors) - len(clear)


@pytest.mark.parametrize("query", ["samples=40", "samples=40&dtype=bfloat16&outputs=3"])
def test_the_medians_are_those_by_hand_in_as_many_digits_as_hold(query):
    tally, experiment = finish(query)
    drawn, top = populations(tally, experiment), axis_end(tally)
    right, single = map(np.array, errors_by_hand(experiment).values())
    by_hand = [np.median(right), np.median(single[single > 10 * right.max()])]
    for name, (typical, digits), median in zip(drawn["names"], tally.typical, by_hand, strict=True):
        assert typical == pytest.approx(median, rel=2**-8)
        assert name["at"] == pytest.approx((log10(typical) - top) / decades_of(experiment) + 1, abs=1e-3)
        assert read(name["lines"][1].removeprefix("median ")) == float(f"{median:.{digits - 1}e}")
    factor = tally.typical[1][0] / tally.typical[0][0]
    assert read(drawn["factor"].removeprefix("about ").removesuffix(" times larger")) == float(f"{factor:.0e}")


def test_only_rows_that_are_far_off_are_called_wrong():
    right, single = (Histogram.of(keys(np.array([error]))) for error in (1e-3, 9e-3))
    near = PitfallTally(right_errors=right, single_errors=single)
    for tally, experiment, called in ((*finish("samples=9"), "wrong rows"), (near, Experiment(), "one call")):
        right, single = populations(tally, experiment)["names"]
        assert right["lines"][0] == "right rows" and single["lines"][0] == called


@pytest.mark.parametrize(
    "query", ["samples=30", "samples=30&dtype=float64", "samples=5&hidden=&output_activation=identity"]
)
def test_all_is_drawn_between_the_ends_of_the_axis(query):
    tally, experiment = finish(query)
    drawn = populations(tally, experiment)
    for bar in drawn["bars"]:
        assert 0 <= bar["at"] <= 1 - drawn["wide"] + 1e-4 and 0 < bar["tall"] <= 1
    assert max(bar["tall"] for bar in drawn["bars"]) == 1
    assert all(0 <= place["at"] <= 1 for place in (*drawn["ticks"], *drawn["names"]))
    zero = any(histogram.keys[0] < 0 for histogram in (tally.right_errors, tally.single_errors))
    assert (drawn["ticks"][0]["text"] == "0") == zero


def test_the_axis_is_the_same_for_every_dtype_and_stays_while_samples_arrive():
    ends = {axis_end(finish(f"samples=9&dtype={dtype}")[0]) for dtype in ("float64", "float32", "bfloat16", "float16")}
    assert len(ends) == 1
    few, experiment = finish("samples=5")
    many, _ = finish("samples=300")
    assert populations(few, experiment)["ticks"] == populations(many, experiment)["ticks"]


def test_with_one_output_there_is_one_population():
    tally, experiment = finish("samples=20&outputs=1")
    drawn = populations(tally, experiment)
    assert {bar["kind"] for bar in drawn["bars"]} == {"right"} and len(drawn["names"]) == 1
    assert not drawn["factor"]


def test_where_the_right_rows_are_exact_no_factor_is_drawn():
    tally, experiment = finish(f"samples=5&{LINEAR}")
    assert tally.typical[0][0] == 0 < tally.typical[1][0]
    assert not populations(tally, experiment)["factor"]


def test_where_another_row_adds_nothing_an_entry_of_one_call_is_not_wrong():
    tally, experiment = finish("samples=100&layers=2+1+2&output_activation=relu")
    _, single = populations(tally, experiment)["names"]
    assert single["lines"][0] == "wrong rows" and tally.wrong.total < tally.single_errors.total
    assert tally.typical[1][0] > 0.1


def test_nothing_is_drawn_of_nothing():
    drawn = populations(Pitfall.empty, Experiment())
    assert drawn["bars"] == drawn["ghost"] == drawn["names"] == [] and not drawn["factor"]


def test_the_experiment_before_is_outlined_on_the_axis_of_this_one():
    before, wide = finish("samples=20&dtype=float64")  # on a longer axis of its own
    tally, experiment = finish("samples=20")
    drawn = picture(tally, experiment, ("float64", bars(before, wide)))["errors"]
    assert drawn["ghost_name"] == "before: float64"
    assert drawn["ghost"] == populations(before, experiment)["bars"] != populations(before, wide)["bars"]
    assert drawn["bars"] == populations(tally, experiment)["bars"]
