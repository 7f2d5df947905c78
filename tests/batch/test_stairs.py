"""The staircase against the counts of a plain tally."""

from fractions import Fraction

import pytest

from lib.batch.stairs import shares, stairs
from tests.batch.contract import SIZES, Batched

STEEP = Batched(outputs={2: 1, 4: 10, 8: 33, 256: 199}, gradient={1: 4, 4: 50, 16: 120, 256: 30})
FLAT = Batched(outputs={8: 1})


@pytest.mark.parametrize("of", [STEEP, FLAT], ids=["steep", "flat"])
def test_the_shares_are_changed_over_compared(of):
    found = shares(of.tally())
    assert list(found) == ["output", "gradient"]
    for quantity, of_sizes in found.items():
        assert len(of_sizes) == len(SIZES)
        for size, share in zip(SIZES, of_sizes, strict=True):
            expected = Fraction((of.outputs if quantity == "output" else of.gradient).get(size, 0), of.components)
            assert share == pytest.approx(float(expected), rel=1e-4)


def test_nothing_is_drawn_or_told_before_it_is_measured():
    data = stairs(Batched(components=0).tally(), 4)
    assert [curve["shares"] for curve in data["curves"]] == [[], []]
    assert {size["told"] for size in data["sizes"]} == {f"batch of {size}: not measured yet" for size in SIZES}


def test_the_text_of_a_size_is_its_percentages():
    told = {size["size"]: size["told"] for size in stairs(STEEP.tally(), 4)["sizes"]}
    assert list(told) == list(SIZES)
    assert told[4] == "batch of 4: 5% of outputs and 25% of the gradient's components change"
    assert told[1] == "batch of 1: 0% of outputs and 2% of the gradient's components change"


@pytest.mark.parametrize("of", [STEEP, FLAT, Batched(components=0)], ids=["steep", "flat", "empty"])
def test_all_that_is_drawn_lies_between_the_axis_and_the_top(of):
    data = stairs(of.tally(), 8)
    highest = max((share for curve in data["curves"] for share in curve["shares"]), default=0)
    assert data["top"] >= highest and data["picked"] == 8 and data["ghost"] is None
    assert [curve["name"] for curve in data["curves"]] == ["outputs", "gradient"]
    lines = data["lines"]
    assert 2 <= len(lines) <= 5 and lines[0] == {"share": 0, "text": "0%"}
    assert all(line["share"] <= data["top"] for line in lines)
    for line in lines:
        assert float(line["text"].removesuffix("%")) / 100 == pytest.approx(line["share"])


def test_the_former_experiment_is_drawn_to_the_same_scale():
    former = "float32", shares(STEEP.tally())
    data = stairs(FLAT.tally(), 4, former)
    assert data["ghost"] == {"name": "before: float32", "shares": list(former[1].values())}
    assert data["top"] >= max(map(max, former[1].values()))
