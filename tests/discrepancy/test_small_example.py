"""The small example against NumPy's float32, and the growth of a picture against tallies of fewer samples."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.discrepancy.opening import MOST_SAMPLES, STAGES, growth
from lib.discrepancy.small_example import small_example
from lib.discrepancy.study import BARS, Discrepancy
from lib.experiment.query import Experiment
from lib.floats.line import ulp_distance
from lib.run.stream import Stream

THREE, TENTH, OTHER = np.float32(3), np.float32(0.1), np.float32(0.7)
ADDED, SMALL, LARGE = TENTH + OTHER, THREE * TENTH, THREE * OTHER
EXPECTED = [
    (Fraction(float(TENTH)) + Fraction(float(OTHER)), ADDED),
    (3 * Fraction(float(ADDED)), THREE * ADDED),
    (3 * Fraction(float(TENTH)), SMALL),
    (3 * Fraction(float(OTHER)), LARGE),
    (Fraction(float(SMALL)) + Fraction(float(LARGE)), SMALL + LARGE),
]


@pytest.mark.parametrize(("step", "expected"), list(zip(small_example()["steps"], EXPECTED, strict=True)))
def test_each_operation_lands_where_numpy_rounds_it(step, expected):
    exact, rounded = expected
    assert np.float32(step["value"]) == rounded
    ulp = Fraction(float(np.spacing(rounded)))
    assert step["at"] - step["from"] == pytest.approx(float((Fraction(float(rounded)) - exact) / ulp), abs=1e-12)
    assert 0 < abs(step["at"] - step["from"]) < 0.5  # it moves, and from no tie


def test_both_ways_end_on_neighbouring_floats():
    first, second = THREE * ADDED, SMALL + LARGE
    assert np.nextafter(second, first) == first != second
    exact = 3 * (Fraction(float(TENTH)) + Fraction(float(OTHER)))
    assert small_example()["apart"].startswith("1 float apart; ◇ exact ")
    assert float(small_example()["apart"].split()[-1].rstrip("…")) == pytest.approx(float(exact), abs=1e-10)
    at = {step["kind"]: step["at"] for step in small_example()["steps"] if step["ruler"] == 3}
    assert at["first"] - at["second"] == 1  # on the ruler, too
    beyond = (exact - Fraction(float(second))) / Fraction(float(np.spacing(second)))
    assert small_example()["exact"] - at["second"] == pytest.approx(float(beyond), abs=1e-12)
    for side, end in zip(small_example()["results"]["sides"], (first, second), strict=True):
        assert int(side["bits"], 2) == end.view(np.uint32)


@pytest.mark.parametrize("query", ["samples=30", "samples=40&dtype=bfloat16&evaluation=batched", "networks=each-block"])
def test_a_picture_grows_by_the_first_samples(query):
    experiment, measured = Experiment.parse(query), []
    Stream(Discrepancy(experiment), sink=measured.append).finish()
    backward, jacobian = (torch.cat([getattr(part, side) for part in measured]) for side in ("backward", "jacobian"))
    signs = torch.sign(backward.double() - jacobian.double()).numpy()
    distances = (ulp_distance(backward, jacobian) * signs).clip(BARS[0], BARS[-1])
    stages = growth(experiment)
    assert len(stages) == sum(stage <= experiment.samples / 4 for stage in STAGES) > 2
    for stage, samples in zip(stages, STAGES, strict=False):
        assert f"{samples * experiment.inputs:,} component" in stage["heading"]
        assert stage["shares"] == pytest.approx([np.mean(distances[:samples] == bar) for bar in BARS], abs=1e-4)


@pytest.mark.parametrize("long", [Experiment(samples=MOST_SAMPLES + 1), Experiment.parse("hidden=999&outputs=20")])
def test_what_runs_for_long_is_not_measured_anew(long):
    assert growth(long) == []
