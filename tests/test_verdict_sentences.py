"""What is said of the verdict is what was counted; every oracle counts anew."""

import re
from dataclasses import replace

import numpy as np
import pytest

from lib.experiment import Experiment
from lib.floats import ZERO_BINADE
from lib.quantities import percent, significant
from lib.stream import Stream
from lib.studies.discrepancy import Discrepancy
from lib.studies.verdict import VerdictTally
from lib.studies.verdict_tables import LABELS, SERIES, tables
from lib.tally import Constant, Extreme, Histogram, Place
from lib.verdict_sentences import bound_claim, lean_claim, reference_conditions, shared_error, verdict_claim

POST = Experiment(samples=300)


def verdict(experiment: Experiment) -> VerdictTally:
    return Stream(Discrepancy(experiment)).finish().verdict


def test_the_claim_has_the_counts():
    tally = verdict(POST)
    closer = tally.figures()["closer"]
    text = verdict_claim(tally)
    for name in ("backward", "jacobian", "tie"):
        assert percent(closer[name], 1500) in text
    assert "of 1,500 components" in text and "undecided" not in text


@pytest.mark.parametrize(
    ("experiment", "words"),
    [(replace(POST, outputs=1), "as near in all 1,500 components"), (None, "on their way")],
)
def test_other_claims(experiment, words):
    assert words in verdict_claim(verdict(experiment) if experiment else VerdictTally())


def test_the_lean_has_its_interval_and_its_population():
    tally = verdict(POST)
    lean, error = tally.lean()
    numbers = [float(number) for number in re.findall(r"([+-][0-9.]+)%", lean_claim(tally))]
    assert numbers == pytest.approx([100 * lean, 100 * (lean - 1.96 * error), 100 * (lean + 1.96 * error)], abs=0.051)
    assert "counting 300 samples" in lean_claim(tally) and "one network" in lean_claim(tally)
    many = verdict(replace(POST, networks="each-block"))
    assert f"counting {many.networks:,} networks" in lean_claim(many)
    assert "Too few" in lean_claim(VerdictTally())


def test_the_shared_error_is_compared_at_the_median():
    tally = verdict(POST)
    text = shared_error(tally)
    medians = []
    for histogram in (tally.backward_errors, tally.discrepancies):
        every = np.repeat(histogram.keys, histogram.counts)
        medians.append(int(np.sort(every)[(every.size - 1) // 2]))
    if ZERO_BINADE in medians:
        assert "rounding units" not in text
    elif medians[0] == medians[1]:
        assert "about as large as the discrepancy" in text
    else:
        assert f"about {significant(2.0 ** (medians[0] - medians[1]))} times the discrepancy" in text


def test_the_bound_is_the_proof_or_what_is_above_it_is_named():
    tally = verdict(POST)
    assert tally.over_bound == 0 and "no component is above" in bound_claim(tally, POST)
    above = replace(tally, over_bound=3, over_bound_at_kinks=2)
    assert "3 components are above" in bound_claim(above, POST) and "in 2 of them" in bound_claim(above, POST)
    assert "slopes of `jacfwd`" in bound_claim(above, replace(POST, method="jacfwd"))
    assert "computed with TF32" in bound_claim(above, replace(POST, device="cuda", matmul="tf32", method="jacfwd"))
    assert "TF32" not in bound_claim(above, replace(POST, matmul="tf32"))
    unbounded = replace(tally, bound_units=Constant(None))
    assert "There is no bound" in bound_claim(unbounded, replace(POST, dtype="bfloat16"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_it_is_said_which_reference_decided(dtype):
    tally = verdict(replace(POST, dtype=dtype))
    assert f"{tally.referenced:,} samples have a reference: {tally.certified:,} by ball" in reference_conditions(tally)
    assert (tally.certified == tally.referenced) == (dtype == "float64")


def test_the_tables_have_every_component():
    tally = verdict(POST)
    made = tables(tally)
    assert made["closer"].set_index("verdict")["components"].to_dict() == {
        LABELS[name]: count for name, count in tally.closer.items()
    }
    assert made["closer"]["share"].sum() == pytest.approx(1)
    histograms = tally.backward_errors, tally.jacobian_errors, tally.discrepancies
    for name, histogram in zip(SERIES, histograms, strict=True):
        part = made["units"][made["units"]["series"] == name]
        assert part["share"].sum() == pytest.approx(1, rel=1e-5)
        assert part["share"].iloc[0] == pytest.approx(histogram[ZERO_BINADE] / histogram.total)
        in_unit = part[part["x"] == -1]["share"].item()
        assert in_unit == pytest.approx(histogram[-1] / histogram.total)
    assert 2 ** made["bound"]["x"].item() == pytest.approx(tally.bound_units.value, rel=1e-5)


def test_sizes_beyond_the_axis_are_in_its_end_columns():
    sizes = Histogram.of(np.array([-60, -8, 9, 10, 200]))
    tally = VerdictTally(backward_errors=sizes, max_units=Extreme(1.0, Place(0, 0, 0)))
    part = tables(tally)["units"].query("series == @SERIES[0]").set_index("x")["share"]
    assert part[-8] == pytest.approx(0.4) and part[9] == pytest.approx(0.6) and part[10] == 0
    assert len(tables(VerdictTally())["bound"]) == 0
