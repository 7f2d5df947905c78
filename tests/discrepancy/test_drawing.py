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

from lib.discrepancy.component import KINK, Component
from lib.discrepancy.drawing import component_drawing, drawing_of
from lib.discrepancy.drift import MOST_POINTS, Drift
from lib.discrepancy.paths import STRONGEST
from lib.discrepancy.picks import first_component
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from tests.cases import EVERY_DTYPE, SHAPES
from tests.sentences import read

WIDE = Experiment(inputs=64, hidden=(256, 256), outputs=16)
STATES = {
    **{dtype: Experiment(dtype=dtype) for dtype in EVERY_DTYPE},
    **{f"shape {number}": shape for number, shape in enumerate(SHAPES)},
    "wide": WIDE,
    "deep": Experiment(inputs=64, hidden=(64,) * 6, outputs=64),
    "one layer": Experiment(hidden=(), outputs=64, inputs=64, dtype="bfloat16"),
    "one output": Experiment(outputs=1),
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
    number = torch.tensor(float(text.replace("−", "-")), dtype=torch.float64)
    return number.to(getattr(torch, dtype)).item()


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
    assert results["heading"] == f"{results['lead']}: {apart}"
    texts = [side["text"] for side in results["sides"]]
    assert all(text in results["label"] for text in (*texts, apart))
    assert [rounded(text, experiment.dtype) for text in texts] == list(component.values)


def test_each_running_sum_ends_where_its_result_is(state):
    _, component, drawn = state
    drift = drawn["drift"]
    ends = {end["kind"]: end for end in drift["ends"]}
    assert ends["exact"]["at"] == 0
    for kind, value in zip(("first", "second"), component.values, strict=True):
        at = float((Fraction(value) - component.exact) / component.ulp)
        assert ends[kind]["at"] == pytest.approx(at, rel=1e-7)
        assert ends[kind]["shared"] == (component.backward == component.jacobian)
        assert drift["low"] < at < drift["high"]
    sides = drift["sides"]
    assert bool(sides) == bool(component.drift.backward)
    assert sum(len(side["points"]) for side in sides) <= MOST_POINTS
    for side in sides:
        at = side["points"][-1][0]
        assert at == pytest.approx(ends[side["kind"]]["at"], rel=1e-3, abs=1e-3)
        starts = [phase["start"] for phase in side["phases"]]
        assert starts[0] == 0 and starts == sorted(starts) and starts[-1] < 1


def test_the_steps_are_marked_that_bring_in_the_first_divergence(state):
    """In the backward sum it is one step; in the Jacobian's, one of each row or the addition that
    differs."""
    _, component, drawn = state
    layer, number = component.first_divergence or (None, None)
    first = drawn["network"]["first"]
    assert bool(first) == bool(component.drift.backward and component.first_divergence)
    if first:
        assert (first["layer"], first["number"]) == (layer, number)
    for side in drawn["drift"]["sides"]:
        marked = [side["points"][place][1] for place in side["marked"]]
        if layer == 1:
            assert set(marked) == {number} and (side["kind"] == "second" or len(marked) == 1)
        else:
            assert len(marked) <= (layer == 0)


STEP = r"(?P<step>[\d,]+)/(?P<count>[\d,]+): "
NOW = r"(?P<rounding>.+) rounded: (?P<drift>.+?)(?: ulps)? (?P<where>above|below|from) exact"
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
    for side, operations in zip(drawn["drift"]["sides"], sides, strict=False):
        for operation, point in zip(operations, side["points"], strict=True):
            at, unit, row, kind, filling = point
            assert (unit, row, kind) == (operation.unit, operation.output, operation.kind)
            told = re.fullmatch(PATTERNS[kind], side["texts"][kind].format(*filling))
            assert read(told["step"]) == operation.place + 1
            assert read(told["count"]) == component.drift.operations[side["kind"] == "second"]
            figures = {"rounding": operation.rounded}
            if kind == "term":
                figures |= {"left": operation.step.left, "right": operation.step.right}
                figures |= {"inherited": operation.inherited}
            for name, figure in figures.items():
                tolerance = 0 if name in ("left", "right") else 0.0051
                assert read(told[name]) == pytest.approx(figure, rel=0.005, abs=tolerance)
            signed = read(told["drift"]) * (-1 if told["where"] == "below" else 1)
            assert signed == pytest.approx(at, rel=0.005, abs=0.0051)
            assert at == pytest.approx(operation.drift, rel=1e-3)


def test_ticks_are_floats_and_the_nearest_is_named_where_no_result_is(state):
    experiment, component, drawn = state
    drift = drawn["drift"]
    for tick in drift["ticks"]:
        value = Fraction(rounded(tick["text"], experiment.dtype))
        at = float((value - component.exact) / component.ulp)
        assert tick["at"] == pytest.approx(at, rel=1e-6)
        assert tick["text"].endswith(tick["short"].removeprefix("…"))
    each = drift["unit"] == f"each tick: one {experiment.dtype}"
    named = [tick["at"] for tick in drift["ticks"] if "name" in tick]
    distances = [abs(tick["at"]) for tick in drift["ticks"]]
    of_results = min(map(abs, component.errors))
    assert bool(named) == (each and min(distances) < of_results * (1 - 1e-6))
    assert not named or abs(named[0]) == min(distances)


def test_the_network_has_a_digit_for_each_line(state):
    experiment, component, drawn = state
    network = drawn["network"]
    assert len(network["layers"]) == len(experiment.widths)
    for layer, width in zip(network["layers"], experiment.widths, strict=True):
        left_out = int(layer["more"][1][1:].replace(",", "")) if layer["more"] else 0
        assert len(layer["units"]) + left_out == width
        assert set(layer["off"]) <= set(layer["units"])
    for digits, layer, (before, after) in zip(
        network["flows"], component.layers[1:], pairwise(network["layers"]), strict=True
    ):
        lines = [*product(before["units"], after["units"])]
        strongest = max(lines, key=lambda line, flows=layer.flows: flows.get(line, 0))
        assert digits[lines.index(strongest)] == max(digits)
        assert len(digits) == len(lines)
    assert network["component"] == component.number in network["layers"][0]["units"]
    assert ("Dashed units" in network["note"]) == any(layer["off"] for layer in network["layers"])
    condition = re.search(r"Condition number S/\|g\|: (\S+)\.", network["note"])[1]
    assert float(condition.replace("∞", "inf").replace(",", "")) == pytest.approx(
        component.condition, rel=0.005
    )


def test_of_many_lines_the_strongest_are_drawn_and_the_strongest_of_the_marked_unit():
    component, drawn = component_drawing(WIDE, 0, 1)
    layers = drawn["network"]["layers"]
    of_marked = 0
    for place in 1, 2, 3:
        lines = [*product(layers[place - 1]["units"], layers[place]["units"])]
        digits = drawn["network"]["flows"][place - 1]
        shown = {line for line, digit in zip(lines, digits, strict=True) if digit != "0"}
        assert max(digits) == "4"  # thinner than few lines
        flows = component.layers[place].flows
        strongest = set(sorted(filter(flows.get, flows), key=flows.get)[-STRONGEST:])
        assert strongest <= shown and len(shown - strongest) <= 1
        marked = {
            line
            for line in shown
            if component.first_divergence in ((place - 1, line[0]), (place, line[1]))
        }
        assert shown - strongest <= marked
        of_marked += len(marked)
    assert of_marked >= 2, "a line leads to the marked unit, and one on from it"


PHASES = {
    1: ["row y₀"],
    4: ["row y₀", "row y₁", "row y₂", "row y₃", "sum of rows"],
    5: ["rows y₀ to y₄", "sum of rows"],
}


@pytest.mark.parametrize("outputs", PHASES)
def test_rows_are_named_one_by_one_if_they_are_few(outputs):
    _, drawn = component_drawing(Experiment(outputs=outputs, activation="tanh"), 0, 1)
    first, second = drawn["drift"]["sides"]
    assert [phase["text"] for phase in first["phases"]] == ["one sum"]
    assert [phase["text"] for phase in second["phases"]] == PHASES[outputs]


def test_the_note_says_what_decides():
    def note(**changes: object) -> str:
        _, drawn = component_drawing(Experiment(**changes), 0, 1)
        return drawn["drift"]["note"]

    added = "Terms are added in float32, and sums are rounded to {}."
    for dtype in EVERY_DTYPE:
        assert (added.format(dtype) in note(dtype=dtype)) == (dtype in ("bfloat16", "float16"))
    component, drawn = component_drawing(Experiment(), 0, 1)
    fused = replace(component.replay, dot_order="left to right, fused")
    plain = replace(component.replay, dot_order="left to right")
    notes = [drawing_of(replace(component, replay=of))["drift"]["note"] for of in (fused, plain)]
    assert ["FMA" in text for text in notes] == [True, False]
    assert "jacrev is not replayed here." in note(method="jacrev")


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


def test_zeros_of_both_signs_are_equal_but_for_a_bit(post):
    results = drawing_of(replace(post, backward=0.0, jacobian=-0.0, ulps=0))["results"]
    assert [side["text"] for side in results["sides"]] == ["0", "−0"]
    assert results["heading"].endswith("0 floats apart, 1 of 32 bits different")


def test_an_unknown_exact_value_is_not_drawn(post):
    drawn = drawing_of(replace(post, exact=None, drift=Drift(reason=KINK)))["drift"]
    apart = (Fraction(post.jacobian) - Fraction(post.backward)) / post.ulp
    assert [end["at"] for end in drawn["ends"]] == [0, pytest.approx(float(apart))]
    assert drawn["above"] == drawn["below"] == "" and KINK in drawn["note"]


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
    texts = [text for side in drift["sides"] for text in side["texts"].values()]
    assert all(" ulps " in text and "floats" not in text for text in (drift["label"], *texts))


def test_the_data_are_small(state):
    assert len(json.dumps(state[2], allow_nan=False)) <= 10_000
