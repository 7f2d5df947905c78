"""The drawing of one component against bits by `struct` and the component that it is made from."""

import json
import re
import struct
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import inf, log10, nan
from operator import ne

import numpy as np
import pytest
import torch

from lib.discrepancy.bits import result_text
from lib.discrepancy.drawing import component_and_drawing, drawing_of
from lib.discrepancy.picks import first_component
from lib.discrepancy.running_sums import Drift
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import distance
from tests.cases import EVERY_DTYPE, SHAPES
from tests.sentences import read

STATES = [
    *(Experiment(dtype=dtype) for dtype in EVERY_DTYPE),
    *SHAPES[1:],
    Experiment(inputs=64, hidden=(256,), outputs=16),
    Experiment(hidden=(), outputs=20, inputs=4, dtype="bfloat16"),
    Experiment(method="single-call"),
]


@pytest.fixture(scope="module", params=STATES)
def state(request):
    return request.param, *component_and_drawing(request.param, *first_component(request.param))


@pytest.fixture(scope="module")
def post():
    return component_and_drawing(Experiment(), 0, 1)[0]


def stored(value, dtype):
    """The bits by `struct`; a bfloat16 is the upper half of a float32."""
    letter = {"float64": "d", "float16": "e"}.get(dtype, "f")
    return "".join(f"{byte:08b}" for byte in struct.pack(f">{letter}", value))[: DTYPES[dtype].bits]


def rounded(text, dtype):
    """The float of the dtype that a text is."""
    return torch.tensor(read(text), dtype=torch.float64).to(getattr(torch, dtype)).item()


def test_bits_and_digits_are_of_the_values(state):
    experiment, component, drawn = state
    results = drawn["results"]
    bits = [stored(value, experiment.dtype) for value in component.values]
    assert [side["bits"] for side in results["sides"]] == bits
    sign, exponent, fraction = (field["bits"] for field in results["fields"])
    assert sign + exponent + fraction == results["width"] == len(bits[0])
    assert 2 ** (exponent - 1) - 1 == DTYPES[experiment.dtype].largest_exponent
    differ = sum(map(ne, *bits))
    apart = f"{distance(abs(component.ulps))} apart, {differ} of {len(bits[0])} bits different"
    assert apart in results["heading"]
    texts = [side["text"] for side in results["sides"]]
    assert [rounded(text, experiment.dtype) for text in texts] == list(component.values)


def test_results_and_ticks_are_on_the_float_line(state):
    """And the sums end there."""
    experiment, component, drawn = state
    drift = drawn["drift"]

    def place(value):
        apart = Fraction(value) - component.exact
        return pytest.approx(float(apart / component.ulp), rel=1e-6)

    ends = {end["kind"]: end["at"] for end in drift["ends"]}
    first, second = map(place, component.values)
    assert ends == {"first": first, "second": second, "exact": 0}
    assert [end["shared"] for end in drift["ends"]] == [first == second] * 2 + [False]
    assert drift["low"] < min(ends.values()) and max(ends.values()) < drift["high"]
    for tick in drift["ticks"]:
        assert tick["at"] == place(rounded(tick["text"], experiment.dtype))
        assert tick["text"].endswith(tick["short"].removeprefix("…"))
    for side in drift["sides"]:
        end = ends[side["kind"]]
        assert side["points"][-1][0] == pytest.approx(end, rel=1e-3, abs=1e-3)


def test_the_note_says_what_an_ulp_is(state):
    _, component, drawn = state
    raised, place = re.search(
        r"An ulp is 2(\S+), the spacing of \S+ at the (\S+) value", drawn["drift"]["note"]
    ).groups()
    assert (place == "exact") == bool(component.exact)
    assert 2 ** Fraction(round(log10(read(f"10{raised}")))) == component.ulp


NUMBER = r"(\S.*?)"
OPERATION = re.compile(
    rf"{NUMBER}/{NUMBER}: (?:.+, {NUMBER} inherited|.+), {NUMBER} rounded, so "
    rf"(?:{NUMBER} ulps (above|below)|on) the exact sum"
)


def test_what_is_told_of_an_operation_is_what_it_did(state):
    _, component, drawn = state
    drift = component.drift
    sides = drift.backward, drift.jacobian
    assert bool(drawn["drift"]["sides"]) == bool(sides[0]) and sum(map(len, sides)) <= 40
    thinned = f"Drawn: {sum(map(len, sides))} of {sum(drift.operations):,} operations."
    is_thinned = bool(sides[0]) and sum(drift.operations) > 40
    assert (thinned in drawn["drift"]["note"]) == is_thinned
    few = len(component.names[-1]) <= 4
    for side, operations, count in zip(
        drawn["drift"]["sides"], sides, drift.operations, strict=False
    ):
        parts = [(step.part, few and step.part == "row" and step.output) for step in operations]
        starts = [round(phase["start"] * len(parts)) for phase in side["phases"]]
        assert starts == [parts.index(part) for part in dict.fromkeys(parts)]
        for operation, (at, unit, row, text) in zip(operations, side["points"], strict=True):
            assert (unit, row) == (operation.unit, operation.output)
            assert at == pytest.approx(operation.drift, rel=1e-3)
            *figures, where = OPERATION.fullmatch(text).groups()
            assert where == ("above" if at > 0 else "below" if at < 0 else None)
            rounding = operation.inherited, operation.rounded, abs(operation.drift)
            expected = [operation.place + 1, count, *rounding]
            shown = [read(figure or "0") for figure in figures]
            assert shown == pytest.approx(expected, rel=0.005, abs=0.0051)


def test_the_steps_of_the_first_divergence_are_marked(state):
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


def test_the_stronger_of_two_lines_is_wider(state):
    experiment, component, drawn = state
    network = drawn["network"]
    for layer, width in zip(network["layers"], experiment.widths, strict=True):
        left_out = read(layer["more"][1][1:]) if layer["more"] else 0
        assert len(layer["units"]) + left_out == width
    for digits, layer, (before, after) in zip(
        network["flows"], component.layers[1:], pairwise(network["layers"]), strict=True
    ):
        flows = [layer.flows[line] for line in product(before["units"], after["units"])]
        widths = [int(digit) for _, digit in sorted(zip(flows, digits, strict=True))]
        assert widths == sorted(widths)
        if len(flows) > 60:
            assert len(widths) - widths.count(0) == np.count_nonzero(sorted(flows)[-18:])
            assert widths[-1] == (4 if any(flows) else 0)
        else:
            assert widths[0] > 0 and widths[-1] == (9 if any(flows) else 1)
    condition = re.search(r"Condition number (\S+):", network["note"])[1].replace("∞", "inf")
    assert read(condition) == pytest.approx(component.condition, rel=0.005)
    assert len(json.dumps(drawn, allow_nan=False)) <= 12_000


def test_the_note_says_whether_products_are_rounded(post):
    for order, fused in (("left to right", False), ("left to right, fused", True)):
        drawn = drawing_of(replace(post, replay=replace(post.replay, dot_order=order)))
        assert ("FMA" in drawn["drift"]["note"]) == fused


@pytest.mark.parametrize("lost, text", [(inf, "∞"), (-inf, "−∞"), (nan, "NaN")])
def test_a_result_that_is_not_finite_has_no_place(post, lost, text):
    """It is written."""
    drawn = drawing_of(replace(post, backward=lost, ulps=None, drift=Drift()))
    json.dumps(drawn, allow_nan=False)
    assert [end["kind"] for end in drawn["drift"]["ends"]] == ["second", "exact"]
    assert drawn["results"]["sides"][0]["text"] == text
    assert "no distance" in drawn["results"]["heading"]


def test_thousands_of_floats_are_not_a_tick_each(post):
    far = replace(post, jacobian=post.jacobian - 24_000 * float(post.ulp), ulps=24_002)
    drawn = drawing_of(far)["drift"]
    gaps = [after["at"] - tick["at"] for tick, after in pairwise(drawn["ticks"])]
    assert 0 < len(gaps) < 12 and gaps == pytest.approx([4096] * len(gaps))
    assert drawn["unit"] == "4,096 floats from tick to tick"
    # From one side of 0 to the other there are two billion floats, of many sizes.
    drawn = drawing_of(replace(post, jacobian=-1.5 * post.backward, ulps=-(10**9)))["drift"]
    assert not drawn["ticks"] and "million ulps high" in drawn["unit"]


def test_few_floats_have_a_tick_each(post):
    """Also where their spacing changes."""
    eps = 2.0**-23
    at_one = replace(post, backward=1.0, jacobian=1 + eps, exact=Fraction(1), ulp=Fraction(eps))
    ticks = drawing_of(replace(at_one, ulps=-1, drift=Drift()))["drift"]["ticks"]
    assert {after["at"] - tick["at"] for tick, after in pairwise(ticks)} == {0.5, 1}


def test_a_zero_is_written_with_its_sign():
    assert [result_text(zero, "float32") for zero in (0.0, -0.0)] == ["0", "−0"]
