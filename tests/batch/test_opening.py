"""The opening picture against the example that it shows."""

import json
import re
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
import torch

from lib.batch.arrangements import Pick
from lib.batch.example import Ends, Example, example
from lib.batch.find_example import another, first_example
from lib.batch.opening import SIDES, opening, shares, stairs, walks
from lib.batch.study import Batch, BatchTally
from lib.discrepancy.variants import ComparisonTally
from lib.experiment.query import Experiment
from lib.floats.picture import float_line
from lib.floats.quantities import counted, percent
from lib.run.stream import Stream
from lib.run.tally import ByName
from tests.known_orders import known

STEP = Fraction(1, 2**24)  # from float to float in float32, from 0.5 to 1
HALF = Fraction(1, 2)


def drawn(exact: Fraction, alone: int, batch: int) -> dict:
    """The line around an exact value from 0.5 on, and results so many floats from there."""
    ends = float(HALF + alone * STEP), float(HALF + batch * STEP)
    return walks(Ends("Both", "float32", *ends, HALF + exact), [None, None])


@pytest.mark.parametrize(("exact", "alone", "batch"), [(STEP / 4, 0, 1), (3 * STEP / 4, 1, 0), (7 * STEP / 4, 90, 3)])
def test_each_way_begins_at_the_exact_value_and_ends_on_its_float(exact, alone, batch):
    line = drawn(exact, alone, batch)
    base = exact // STEP
    for way, end in zip(line["ways"], (alone, batch), strict=True):
        (step,) = way["steps"]
        assert (step["from"], step["to"]) == (line["exact"], way["at"]) == (float(exact / STEP - base), end - base)
        assert float(way["same"] + way["rest"]) == pytest.approx(float(HALF + end * STEP), rel=1e-9)
        assert line["low"] < way["at"] < line["high"]
    assert line["ways"][0]["same"] == line["ways"][1]["same"]
    assert line["apart"] == ("1 float apart" if abs(alone - batch) == 1 else f"{abs(alone - batch)} floats apart")
    assert len(line["ticks"]) <= 26 and all(line["low"] <= tick <= line["high"] for tick in line["ticks"])
    assert line["how"].endswith("each tick is a float.") == (line["ticks"][1] - line["ticks"][0] == 1)


EXPERIMENTS = [Experiment(samples=40), Experiment(samples=40, dtype="bfloat16"), Experiment(samples=40, hidden=(70,))]


def shown(experiment: Experiment, one: Example | None) -> dict:
    tally = Stream(Batch(experiment)).finish()
    data = json.loads(json.dumps(opening(tally, 4, one), allow_nan=False))
    assert data["stairs"].items() >= json.loads(json.dumps(stairs(tally, 4))).items()
    return data


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_both_walks_end_on_the_results_of_the_sum(experiment):
    one = example(experiment, first_example(experiment, 4))
    known(one.orders, one.reason)
    data = shown(experiment, one)["example"]
    assert [side["kind"] for side in data["sides"]] == ["first", "second"]
    assert f"row {one.row + 1} of 4 in a batch" in data["sides"][1]["heading"]
    ends = dict(zip(SIDES, (one.shown.alone, one.shown.batch), strict=True))
    line = float_line(one.shown.exact, experiment.dtype, ends)
    at = {name: mark["at"] for mark in line["marks"] for name in mark["names"]}
    for way, name in zip(data["line"]["ways"], SIDES, strict=True):
        places = [line["exact"], *(step["to"] for step in way["steps"])]
        assert places[:-1] == [step["from"] for step in way["steps"]]
        assert places[-1] == way["at"] == at[name]
    pairs = list(zip(*(order.values[: order.tree.terms] for order in one.orders), strict=True))
    assert one.zeros == pairs.count((0, 0))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=["default", "bfloat16", "wide"])
def test_title_line_and_ends_speak_of_the_same_sum(experiment):
    place = first_example(experiment, 8)
    for _ in range(6):
        place = another(experiment, place)
        one = example(experiment, place)
        drawn = opening(BatchTally(), 8, one)["example"]
        assert drawn["title"].startswith(f"{one.shown.name}, sample {place.sample}: ")
        assert drawn["line"]["said"].startswith(one.shown.name)
        for way, value in zip(drawn["line"]["ways"], (one.shown.alone, one.shown.batch), strict=True):
            text = (way["same"] + way["rest"]).replace("−", "-")
            assert torch.tensor(float(text)).to(getattr(torch, experiment.dtype)).item() == value
        steps = abs(drawn["line"]["ways"][0]["at"] - drawn["line"]["ways"][1]["at"])
        assert drawn["line"]["apart"] == (f"{counted(steps, 'float')} apart" if steps else "on the same float")


def test_an_example_without_a_sum_says_why():
    experiment = Experiment(samples=40, gradient="method")
    data = shown(experiment, example(experiment, Pick(4, 1, "gradient", 2)))["example"]
    assert [side["tree"] for side in data["sides"]] == [None, None]
    assert "are not followed here" in data["about"] and data["line"]
    assert shown(experiment, None)["example"] is None


SIZES = 1, 2, 3, 4, 8, 16, 32, 64, 128, 256


@dataclass(frozen=True)
class Batched:
    """How many of `components` outputs and of as many components of the gradient change, by batch size."""

    components: int = 200
    outputs: dict[int, int] = field(default_factory=dict)
    gradient: dict[int, int] = field(default_factory=dict)

    def tally(self) -> BatchTally:
        both, all_ = {"output": self.outputs, "gradient": self.gradient}, self.components
        pairs = {
            f"{quantity} {size}": ComparisonTally(finite=all_, apart=changed.get(size, 0))
            for quantity, changed in both.items()
            for size in SIZES
        }
        return BatchTally(all_ // 2, ByName(pairs if all_ else {}))


STEEP = Batched(outputs={2: 1, 4: 10, 8: 33, 256: 199}, gradient={1: 4, 4: 50, 16: 120, 256: 30})
FLAT = Batched(outputs={8: 1})


@pytest.mark.parametrize("of", [STEEP, FLAT, Batched(components=0)], ids=["steep", "flat", "nothing yet"])
def test_the_stairs_are_what_changed_of_what_was_compared(of):
    data = stairs(of.tally(), 8)
    assert data["picked"] == 8 and data["ghost"] is None
    assert [curve["name"] for curve in data["curves"]] == ["outputs", "gradient"]
    assert [curve["shares"] for curve in data["curves"]] == list(shares(of.tally()).values())
    for curve, changed in zip(data["curves"], (of.outputs, of.gradient), strict=True):
        expected = [changed.get(size, 0) / of.components for size in SIZES] if of.components else []
        assert curve["shares"] == pytest.approx(expected, rel=1e-4)
        assert data["top"] >= max(curve["shares"], default=0)
    for size, told in zip(SIZES, data["sizes"], strict=True):
        percents = [percent(changed.get(size, 0), of.components) for changed in (of.outputs, of.gradient)]
        assert told["size"] == size and told["told"].startswith(f"batch of {size}: ")
        assert re.findall(r"(?:less|more) than \d+%|\d+%", told["told"]) == (percents if of.components else [])
    lines = data["lines"]
    assert 2 <= len(lines) <= 5 and lines[0] == {"share": 0, "text": "0%"}
    for line in lines:
        assert line["share"] <= data["top"]
        assert float(line["text"].removesuffix("%")) / 100 == pytest.approx(line["share"])


def test_the_former_experiment_is_drawn_to_the_same_scale():
    ghost = "float32", shares(STEEP.tally())
    data = stairs(FLAT.tally(), 4, ghost)
    assert data["ghost"] == {"name": "before: float32", "shares": list(ghost[1].values())}
    assert data["top"] >= max(map(max, ghost[1].values()))
