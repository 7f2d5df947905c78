"""The drawing of one component against bits by `struct` and the component that it is made from."""

import json
import re
import struct
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import inf, nan

import pytest
import torch

from lib.discrepancy.component import Component
from lib.discrepancy.drawing import component_drawing, drawing_of
from lib.discrepancy.drift import MOST_POINTS, Drift
from lib.discrepancy.paths import STRONGEST
from lib.discrepancy.picks import first_component
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from tests.cases import EVERY_DTYPE, SHAPES
from tests.sentences import read

STATES = {
    **{dtype: Experiment(dtype=dtype) for dtype in EVERY_DTYPE},
    **{f"shape {number}": shape for number, shape in enumerate(SHAPES)},
    "wide": Experiment(inputs=64, hidden=(256,), outputs=16),
    "one layer": Experiment(hidden=(), outputs=20, inputs=4, dtype="bfloat16"),
    "other method": Experiment(method="jacrev"),
    "sums": Experiment(method="single-call"),
    "softmax": Experiment(output_activation="softmax"),
}


@pytest.fixture(scope="module", params=STATES.values(), ids=STATES)
def state(request) -> tuple[Experiment, Component, dict]:
    return request.param, *component_drawing(request.param, *first_component(request.param))


@pytest.fixture(scope="module")
def post() -> Component:
    return component_drawing(Experiment(), 0, 1)[0]


def stored(value: float, dtype: str) -> str:
    """The bits by `struct`; a bfloat16 is the upper half of a float32."""
    letter = {"float64": "d", "float16": "e"}.get(dtype, "f")
    bits = "".join(f"{byte:08b}" for byte in struct.pack(f">{letter}", value))
    return bits[: DTYPES[dtype].bits]


def rounded(text: str, dtype: str) -> float:
    """The float of the dtype that a text is."""
    return torch.tensor(read(text), dtype=torch.float64).to(getattr(torch, dtype)).item()


def test_the_bits_and_the_digits_are_those_of_the_values(state):
    experiment, component, drawn = state
    results = drawn["results"]
    bits = [stored(value, experiment.dtype) for value in component.values]
    assert [side["bits"] for side in results["sides"]] == bits
    widths = [field["bits"] for field in results["fields"]]
    assert sum(widths) == results["width"] == len(bits[0])
    assert 2 ** (widths[1] - 1) - 1 == DTYPES[experiment.dtype].largest_exponent
    differ = sum(first != second for first, second in zip(*bits, strict=True))
    apart = f"{component.apart}, {differ} of {len(bits[0])} bits different"
    assert results["heading"] == f"{results['lead']}: {apart}" and apart in results["label"]
    texts = [side["text"] for side in results["sides"]]
    assert [rounded(text, experiment.dtype) for text in texts] == list(component.values)


def place(value: Fraction, component: Component) -> object:
    return pytest.approx(float((value - component.exact) / component.ulp), rel=1e-6)


def test_the_results_and_the_ticks_are_on_the_float_line(state):
    experiment, component, drawn = state
    drift = drawn["drift"]
    ends = {end["kind"]: end for end in drift["ends"]}
    assert ends["exact"]["at"] == 0
    for kind, value in zip(("first", "second"), component.values, strict=True):
        assert ends[kind]["at"] == place(Fraction(value), component)
        assert ends[kind]["shared"] == (component.backward == component.jacobian)
        assert drift["low"] < ends[kind]["at"] < drift["high"]
    for tick in drift["ticks"]:
        assert tick["at"] == place(Fraction(rounded(tick["text"], experiment.dtype)), component)
        assert tick["text"].endswith(tick["short"].removeprefix("…"))
    for side in drift["sides"]:
        end = ends[side["kind"]]["at"]
        assert side["points"][-1][0] == pytest.approx(end, rel=1e-3, abs=1e-3)


STEP = r"(?P<step>[\d,]+)/(?P<count>[\d,]+): "
NOW = r"(?P<rounding>.+) rounded: (?:(?P<drift>\S.*) (?:floats|ulps) (?P<where>above|below)|on) "
NOW += "the exact sum"
FACTORS = r"(?P<left>\S+) × (?P<right>\S+) \((?P<unit>[hy]\S+)\), (?P<inherited>.+) inherited, "
PATTERNS = {
    "term": STEP + FACTORS + NOW,
    "accumulators": STEP + "two parts of the sum, " + NOW,
    "row": STEP + r"row (?P<unit>y\S+), " + NOW,
    "rounding": STEP + "to 16 bits, " + NOW,
}
"""What is told of an operation, by its kind."""


def test_what_is_told_of_an_operation_is_what_it_did(state):
    _, component, drawn = state
    sides = component.drift.backward, component.drift.jacobian
    assert bool(drawn["drift"]["sides"]) == bool(sides[0]) and sum(map(len, sides)) <= MOST_POINTS
    for side, operations in zip(drawn["drift"]["sides"], sides, strict=False):
        for operation, point in zip(operations, side["points"], strict=True):
            at, unit, row, text = point
            assert (unit, row) == (operation.unit, operation.output)
            told = re.fullmatch(PATTERNS[operation.kind], text)
            assert read(told["step"]) == operation.place + 1
            assert read(told["count"]) == component.drift.operations[side["kind"] == "second"]
            figures = {"rounding": operation.rounded, "drift": abs(operation.drift)}
            if operation.kind == "term":
                figures |= {"left": operation.step.left, "right": operation.step.right}
                figures |= {"inherited": operation.inherited}
            for name, figure in figures.items():
                tolerance = 0 if name in ("left", "right") else 0.0051
                shown = read(told[name] or "0")
                assert shown == pytest.approx(figure, rel=0.005, abs=tolerance)
            assert at == pytest.approx(operation.drift, rel=1e-3)
            assert (told["where"] == "below") == (at < 0) and bool(told["where"]) == (at != 0)


def test_the_steps_are_marked_that_bring_in_the_first_divergence(state):
    """In the backward sum it is one step; in the Jacobian's, one of each row or the addition that
    differs."""
    _, component, drawn = state
    layer, number = component.first_divergence or (None, None)
    first = drawn["network"]["first"]
    assert bool(first) == bool(component.drift.backward and component.first_divergence)
    if first:
        assert (first["layer"], first["number"]) == (layer, number)
        assert number in drawn["network"]["layers"][layer]["units"]
    for side in drawn["drift"]["sides"]:
        marked = [side["points"][place][1] for place in side["marked"]]
        if layer == 1:
            assert set(marked) == {number} and (side["kind"] == "second" or len(marked) == 1)
        else:
            assert len(marked) <= (layer == 0)


def test_the_network_has_a_digit_for_each_line(state):
    """Of many lines only the strongest are drawn, and thinner."""
    experiment, component, drawn = state
    network = drawn["network"]
    for layer, width in zip(network["layers"], experiment.widths, strict=True):
        left_out = int(layer["more"][1][1:].replace(",", "")) if layer["more"] else 0
        assert len(layer["units"]) + left_out == width
        assert set(layer["off"]) <= set(layer["units"])
    for digits, layer, (before, after) in zip(
        network["flows"], component.layers[1:], pairwise(network["layers"]), strict=True
    ):
        lines = [*product(before["units"], after["units"])]
        flows = [layer.flows[line] for line in lines]
        many = len(lines) > 60
        widths = [max(1, round((4 if many else 9) * f / (max(flows) or 1))) for f in flows]
        strongest = sorted(flows)[-STRONGEST:]
        for digit, width, flow in zip(digits, widths, flows, strict=True):
            assert int(digit) == (width if not many or flow and flow in strongest else 0)
    assert network["component"] == component.number in network["layers"][0]["units"]
    assert ("Dashed units" in network["note"]) == any(layer["off"] for layer in network["layers"])
    condition = re.search(r"Condition number: (\S+),", network["note"])[1]
    condition = float(condition.replace("∞", "inf").replace(",", ""))
    assert condition == pytest.approx(component.condition, rel=0.005)
    assert len(json.dumps(drawn, allow_nan=False)) <= 12_000


def test_rows_are_named_one_by_one_if_they_are_few():
    phases = {
        4: ["row y₀", "row y₁", "row y₂", "row y₃", "sum of rows"],
        5: ["rows y₀ to y₄", "sum of rows"],
    }
    for outputs, expected in phases.items():
        _, drawn = component_drawing(Experiment(outputs=outputs, activation="tanh"), 0, 1)
        first, second = drawn["drift"]["sides"]
        assert [phase["text"] for phase in first["phases"]] == ["one sum"]
        assert [phase["text"] for phase in second["phases"]] == expected
        starts = [phase["start"] * len(second["points"]) for phase in second["phases"]]
        rows = [row for _, _, row, _ in second["points"]]
        assert starts[0] == 0 and rows[round(starts[-1]) - 1] == outputs - 1


def test_the_note_says_what_decides(post):
    fused = replace(post.replay, dot_order="left to right, fused")
    plain = replace(post.replay, dot_order="left to right")
    notes = [drawing_of(replace(post, replay=of))["drift"]["note"] for of in (fused, plain)]
    assert ["FMA" in text for text in notes] == [True, False]
    narrow = component_drawing(Experiment(dtype="bfloat16"), 0, 1)[1]["drift"]["note"]
    added = "Terms are added in float32"
    assert added in narrow and added not in notes[1]


@pytest.mark.parametrize("values", [(inf, 1.0), (nan, 1.0), (nan, inf), (-inf, nan)])
def test_a_result_that_is_no_finite_number_is_written_and_not_placed(post, values):
    backward, jacobian = values
    lost = replace(post, backward=backward, jacobian=jacobian, ulps=None, drift=Drift())
    drawn = drawing_of(lost)
    placed = [end["kind"] for end in drawn["drift"]["ends"] if end["kind"] != "exact"]
    assert placed == (["second"] if jacobian == 1.0 else [])
    texts = [side["text"] for side in drawn["results"]["sides"]]
    assert [text in ("NaN", "∞", "−∞") for text in texts] == [True, jacobian != 1.0]
    json.dumps(drawn, allow_nan=False)


def test_thousands_of_floats_are_not_a_tick_each(post):
    far = replace(post, jacobian=post.jacobian - 24_000 * float(post.ulp), ulps=24_002)
    drawn = drawing_of(far)["drift"]
    gaps = [after["at"] - tick["at"] for tick, after in pairwise(drawn["ticks"])]
    assert 0 < len(gaps) < 12 and gaps == pytest.approx([4096] * len(gaps))
    assert drawn["unit"] == "4,096 floats from tick to tick"


@pytest.mark.parametrize("exact", [None, Fraction(0)])
def test_over_floats_of_many_sizes_the_unit_is_an_ulp(post, exact):
    """From one side of 0 to the other there are two billion floats."""
    exact = post.exact if exact is None else exact
    far = replace(post, jacobian=-1.5 * post.backward, ulps=-(10**9), exact=exact)
    drift = drawing_of(far)["drift"]
    assert drift["ticks"] == []
    height = re.fullmatch(r"([\d.]+) million ulps high", drift["unit"])
    assert float(height[1]) == pytest.approx((drift["high"] - drift["low"]) / 1e6, rel=0.01)
    texts = [point[-1] for side in drift["sides"] for point in side["points"]]
    assert all("floats" not in text for text in (drift["label"], *texts))
