"""What is said of the condition number, against the components themselves: only what holds of those that were seen."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from lib.discrepancy.condition_sentences import condition_claim, line_claim, reading
from lib.discrepancy.study import Discrepancy, DiscrepancyTally, Gradients
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import Histogram

CASES = [
    Experiment(samples=400, evaluation="batched"),
    Experiment(samples=200, evaluation="batched", dtype="bfloat16", outputs=8),
    Experiment(samples=50, method="single-call"),
    Experiment(samples=50, method="finite-difference"),
    Experiment(samples=50, output_activation="softmax"),
    Experiment(samples=50, output_activation="softmax", method="finite-difference"),
    Experiment(samples=100, activation="identity", method="finite-difference", dtype="bfloat16", evaluation="batched"),
    Experiment(samples=200, inputs=1, hidden=(1,), distribution="normal"),
]


def measured(experiment: Experiment) -> tuple[DiscrepancyTally, np.ndarray, np.ndarray]:
    """The tally, the condition numbers and the ulps of all components."""
    parts: list[Gradients] = []
    tally = Stream(Discrepancy(experiment), parts.append).finish()
    columns = ([part.judged.condition for part in parts], [part.ulps for part in parts])
    return tally, *(np.concatenate([part.ravel() for part in column]) for column in columns)


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query)
def test_the_claim_counts_components_on_the_line_and_below(experiment):
    """One by one: a cell that the line crosses holds some on either side of it."""
    tally, condition, ulps = measured(experiment)
    some = list(zip(condition[condition > 0].tolist(), ulps[condition > 0].tolist(), strict=True))
    known = [(size, distance) for size, distance in some if size < inf]
    if not known:
        assert line_claim(tally) == f"S/|g| is infinite for all {len(some)} components."
        return
    share = sum(distance <= size for size, distance in known) / len(known)
    shown = "more than 99%" if 0.995 <= share < 1 else "less than 1%" if 0 < share < 0.005 else f"{share:.0%}"
    among = f"{len(known):,} components" + (" with a finite S/|g|" if len(known) < len(some) else "")
    assert line_claim(tally) == f"In {shown} of {among} the two values are at most S/|g| floats apart."


def test_those_with_an_infinite_condition_number_are_no_part_of_the_share():
    pairs = Histogram.of(np.array([3 * 64, 3 * 64, 1024 * 64 + 30]))
    only = replace(Discrepancy.empty, pairs=Histogram.of(np.array([1024 * 64])))
    assert line_claim(only) == "S/|g| is infinite for the only component."
    one = replace(Discrepancy.empty, pairs=pairs, within=1)
    assert line_claim(one) == (
        "In 50% of 2 components with a finite S/|g| the two values are at most S/|g| floats apart."
    )


def test_without_components_nothing_is_counted():
    assert line_claim(Discrepancy.empty) == "No component has a condition number."


def test_components_without_a_condition_number_are_counted_apart():
    experiment = Experiment(inputs=1, hidden=(1,), samples=300, distribution="normal")
    tally, condition, _ = measured(experiment)
    without = int((condition == 0).sum())
    assert 0 < without < 300
    assert f"S is 0 for {without:,}, which have no condition number" in condition_claim(tally, experiment)
    assert "no condition number" not in condition_claim(*measured(CASES[0])[:1], CASES[0])


@pytest.mark.parametrize(
    ("dtype", "limit", "power"),
    [("float64", 2.0**53, "2⁵³"), ("float32", 2.0**24, "2²⁴"), ("bfloat16", 256, "2⁸"), ("float16", 2048, "2¹¹")],
)
def test_it_counts_where_rounding_alone_can_leave_no_digit_right(dtype, limit, power):
    experiment = Experiment(16, (64, 64), 2, samples=60, evaluation="batched", dtype=dtype)
    tally, condition, _ = measured(experiment)
    beyond = int((condition >= limit).sum())
    assert (beyond > 0) == (dtype in ("bfloat16", "float16"))
    said = f"In {beyond:,} the condition number is 1/u = {power} or more"
    assert (said in condition_claim(tally, experiment)) == (beyond > 0)
    softmax = replace(Experiment(samples=5, output_activation="softmax"), dtype=dtype)
    assert f"In 25 the condition number is 1/u = {power}" in condition_claim(measured(softmax)[0], softmax)


def test_equal_components_are_not_explained_by_an_error():
    zeros = Histogram.of(np.zeros(5, int))
    equal = DiscrepancyTally(ulps=zeros, pairs=zeros, arrived=Histogram.of(np.array([0])))
    assert reading(equal, Experiment(outputs=1)) == (
        "Every difference is zero, so every cell is in the grey row at the bottom."
    )
    different = DiscrepancyTally(ulps=Histogram.of(np.array([0, 1])), arrived=Histogram.of(np.array([0])))
    assert "a line of slope one" in reading(different, Experiment()) and reading(DiscrepancyTally(), Experiment()) == ""


def test_no_cell_is_spoken_of_where_there_is_none():
    """The only neuron is off in every sample, or in some: S is 0 there."""
    off = Experiment(inputs=1, hidden=(1,), seed=3, samples=50)
    tally, condition, _ = measured(off)
    assert not condition.any() and tally.equal == tally.finite
    assert reading(tally, off) == (
        "Every difference is zero, and S is 0 for every component: none has a condition number or a cell."
    )
    sometimes = Experiment(inputs=1, hidden=(1,), outputs=1, distribution="normal", samples=50)
    tally, condition, _ = measured(sometimes)
    without = int((condition == 0).sum())
    assert 0 < without < 50 and tally.equal == tally.finite
    assert f"S is 0 for {without}, which have no condition number and are in no cell." in reading(tally, sometimes)


def test_evenly_spaced_floats_lie_below_what_the_rounding_units_say():
    """In deep networks of sigmoids the gradients of float16 are subnormal: there, t of NOTE [the line] is below 1."""
    deep = Experiment(hidden=(10,) * 6, activation="sigmoid", dtype="float16", evaluation="batched", samples=200)
    parts: list[Gradients] = []
    tally = Stream(Discrepancy(deep), parts.append).finish()
    (part,) = parts
    assert (np.abs(part.judged.exact) < 2.0**-14).all()
    differ = part.ulps > 0
    assert differ.any() and (part.ulps < part.judged.condition * part.judged.units / 2)[differ].all()
    assert "evenly spaced" in reading(tally, deep)
    assert "evenly spaced" not in reading(measured(CASES[1])[0], CASES[1])
