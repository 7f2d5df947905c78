"""The drawing of one component against bits by `struct` and the component that it is made from."""

import json
import re
import struct
from fractions import Fraction
from itertools import product
from math import copysign, inf, nan

import pytest
import torch

from lib.discrepancy.component import Component, component_of
from lib.discrepancy.drawing import component_drawing, drawing_of
from lib.discrepancy.drift_picture import MOST_POINTS
from lib.discrepancy.paths import STRONGEST
from lib.discrepancy.picks import first_component
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.quantities import distance
from tests.cases import EVERY_DTYPE, SHAPES
from tests.sentences import read

WIDE = Experiment(inputs=64, hidden=(256, 256), outputs=16)
DEEP = Experiment(inputs=64, hidden=(64,) * 6, outputs=64)
STATES = {
    **{dtype: Experiment(dtype=dtype) for dtype in EVERY_DTYPE},
    **{f"shape {number}": shape for number, shape in enumerate(SHAPES)},
    "wide": WIDE,
    "deep": DEEP,
    "one layer": Experiment(hidden=(), outputs=64, inputs=64),
    "one output": Experiment(outputs=1),
    "batched": Experiment(evaluation="batched"),
    "other method": Experiment(method="jacrev"),
    "sums": Experiment(method="single-call"),
    "differences": Experiment(method="finite-difference"),
    "softmax": Experiment(output_activation="softmax"),
}


def picture(experiment: Experiment, sample: int, component: int) -> tuple[Component, dict]:
    return component_drawing(experiment, sample, component)


@pytest.fixture(scope="module", params=STATES.values(), ids=STATES)
def state(request) -> tuple[Experiment, Component, dict]:
    found, drawn = picture(request.param, *first_component(request.param))
    return request.param, found, drawn


def bits(value: float, dtype: str) -> str:
    """The bits by `struct`, which knows three of the dtypes; a bfloat16 is the upper half of a float32."""
    letter, cut = {
        "float64": ("d", 64),
        "float32": ("f", 32),
        "bfloat16": ("f", 16),
        "float16": ("e", 16),
    }[dtype]
    return "".join(f"{byte:08b}" for byte in struct.pack(f">{letter}", value))[:cut]


def test_the_bits_and_the_digits_are_those_of_the_values(state):
    experiment, found, drawn = state
    results, values = drawn["results"], (found.backward, found.jacobian)
    one, other = (side["bits"] for side in results["sides"])
    assert [one, other] == [bits(value, experiment.dtype) for value in values]
    assert sum(field["bits"] for field in results["fields"]) == results["width"] == len(one)
    assert 2 ** (results["fields"][1]["bits"] - 1) - 1 == DTYPES[experiment.dtype].largest_exponent
    differ = sum(a != b for a, b in zip(one, other, strict=True))
    apart = f"{distance(abs(found.ulps))} apart, {differ} of {len(one)} bits different"
    assert results["heading"].endswith(apart)
    for side, value in zip(results["sides"], values, strict=True):
        text = (side["share"] + side["rest"]).replace("−", "-")
        assert (
            torch.tensor(float(text), dtype=torch.float64)
            .to(getattr(torch, experiment.dtype))
            .item()
            == value
        )
    one, other = (side["rest"] for side in results["sides"])
    assert one[:1] != other[:1] or one == other == ""


def test_the_ends_lie_where_the_results_are(state):
    _, found, drawn = state
    ends = {end["kind"]: end for end in drawn["drift"]["ends"]}
    assert ends["exact"]["at"] == 0
    for kind, value in (("first", found.backward), ("second", found.jacobian)):
        assert ends[kind]["at"] == pytest.approx(
            float((Fraction(value) - found.exact) / found.ulp), rel=1e-7
        )
        assert ends[kind]["shared"] == (found.backward == found.jacobian)
        assert drawn["drift"]["low"] < ends[kind]["at"] < drawn["drift"]["high"]


def test_each_running_sum_ends_on_its_result_and_keeps_its_extremes(state):
    _, found, drawn = state
    sides = drawn["drift"]["sides"]
    assert bool(sides) == bool(found.drift.backward)
    assert sum(len(side["points"]) for side in sides) <= MOST_POINTS
    ends = {end["kind"]: end["at"] for end in drawn["drift"]["ends"]}
    for side, operations in zip(sides, (found.drift.backward, found.drift.jacobian), strict=False):
        drawn_at, all_at = (
            [point[0] for point in side["points"]],
            [operation.drift for operation in operations],
        )
        assert drawn_at[-1] == pytest.approx(ends[side["kind"]], rel=1e-3, abs=1e-3)
        assert min(drawn_at) == pytest.approx(min(all_at), rel=1e-3)
        assert max(drawn_at) == pytest.approx(max(all_at), rel=1e-3)


def test_the_steps_are_marked_that_bring_in_the_first_divergence(state):
    """In the backward sum it is one step; in the Jacobian's, one of each row or the addition that differs."""
    _, found, drawn = state
    for side in drawn["drift"]["sides"]:
        marked = [side["points"][place] for place in side["marked"]]
        if found.first_divergence is None or found.first_divergence[0] > 1:
            assert marked == []
        elif found.first_divergence[0] == 1:
            assert {point[1] for point in marked} <= {found.first_divergence[1]}
            assert bool(marked) and (side["kind"] == "second" or len(marked) == 1)
        else:
            assert len(marked) <= 1


STEP = r"(?P<step>[\d,]+)/(?P<count>[\d,]+): "
NOW = r"(?P<rounding>.+) rounded: (?P<drift>.+?)(?: ulps)? (?P<where>above|below|from) exact"
PATTERNS = {
    "term": STEP
    + r"(?P<left>\S+) × (?P<right>\S+) \((?P<unit>[hy]\S+)\), (?P<inherited>.+) inherited, "
    + NOW,
    "accumulators": STEP + "two parts of the sum, " + NOW,
    "row": STEP + r"row (?P<unit>y\S+), " + NOW,
    "rounding": STEP + "to 16 bits, " + NOW,
}
"""What is told of an operation, by its kind."""


def test_what_is_told_of_an_operation_is_what_its_step_did(state):
    """The rounding is found here from the step's own numbers: what came out, less what went in exactly."""
    _, found, drawn = state
    for side, operations in zip(
        drawn["drift"]["sides"], (found.drift.backward, found.drift.jacobian), strict=False
    ):
        by_step = {f"{operation.place + 1:,}": operation for operation in operations}
        for at, _, _, kind, filling in side["points"]:
            told = re.fullmatch(PATTERNS[kind], side["texts"][kind].format(*filling))
            assert told, side["texts"][kind]
            operation = by_step[told["step"]]
            step, exactly = operation.step, Fraction(operation.step.exact)
            if kind == "term":
                exactly = Fraction(step.before) + Fraction(step.left) * Fraction(step.right)
                assert read(told["left"]) == pytest.approx(step.left, rel=0.005)
                assert read(told["right"]) == pytest.approx(step.right, rel=0.005)
                assert read(told["inherited"]) == pytest.approx(
                    operation.inherited, rel=0.005, abs=0.0051
                )
            rounding = float((Fraction(step.after) - exactly) / found.ulp)
            assert read(told["rounding"]) == pytest.approx(rounding, rel=0.005, abs=0.0051)
            signed = read(told["drift"]) * (-1 if told["where"] == "below" else 1)
            assert signed == pytest.approx(at, rel=0.005, abs=0.0051)


def test_every_kind_of_operation_is_told():
    kinds = set()
    for experiment in (
        STATES["float32"],
        WIDE,
        Experiment(inputs=64, hidden=(64,), dtype="bfloat16"),
    ):
        _, drawn = picture(experiment, *first_component(experiment))
        kinds |= {point[3] for side in drawn["drift"]["sides"] for point in side["points"]}
    assert kinds == set(PATTERNS)


def test_ticks_are_floats_and_as_far_apart_as_is_said(state):
    experiment, found, drawn = state
    drift = drawn["drift"]
    dtype = getattr(torch, experiment.dtype)
    for tick in drift["ticks"]:
        value = float(tick["text"].replace("−", "-"))
        there = torch.tensor(value, dtype=torch.float64).to(dtype).item()
        assert tick["at"] == pytest.approx(
            float((Fraction(there) - found.exact) / found.ulp), rel=1e-6
        )
    named = [tick["name"] for tick in drift["ticks"] if tick.get("name")]
    assert named in ([], ["nearest float"])
    assert not named or found.hit == "none"
    if found.hit == "none" and drift["unit"].startswith("each "):
        assert named
    if drift["unit"].startswith("each "):
        gaps = [
            after["at"] - tick["at"]
            for tick, after in zip(drift["ticks"], drift["ticks"][1:], strict=False)
        ]
        assert all(gap in (0.5, 1, 2) or gap == pytest.approx(1) for gap in gaps)


def test_the_network_has_a_digit_for_each_line(state):
    experiment, found, drawn = state
    network = drawn["network"]
    assert len(network["layers"]) == len(experiment.widths)
    for place, (layer, width) in enumerate(zip(network["layers"], experiment.widths, strict=True)):
        left = int(layer["more"][1][1:].replace(",", "")) if layer["more"] else 0
        assert len(layer["units"]) + left == width and layer["units"] == sorted(layer["units"])
        assert set(layer["off"]) <= set(layer["units"])
        if place:
            before = network["layers"][place - 1]["units"]
            assert len(network["flows"][place - 1]) == len(before) * len(layer["units"])
            assert set(network["flows"][place - 1]) <= set("0123456789")
            flows = found.layers[place].flows
            strongest = max(
                product(before, layer["units"]), key=lambda line, flows=flows: flows.get(line, 0)
            )
            widest = before.index(strongest[0]) * len(layer["units"]) + layer["units"].index(
                strongest[1]
            )
            assert network["flows"][place - 1][widest] == max(network["flows"][place - 1])
    assert network["component"] == found.component in network["layers"][0]["units"]


def test_of_many_lines_the_strongest_are_drawn_and_the_strongest_of_the_marked_unit():
    found, drawn = picture(WIDE, 0, 1)
    network = drawn["network"]
    marked = network["first"]["layer"], network["first"]["number"]
    of_marked = 0
    for place in 1, 2, 3:
        before, after = (network["layers"][number]["units"] for number in (place - 1, place))
        share = {line: share for line, share in found.layers[place].flows.items() if share}
        lines = [(one, other) for one in before for other in after]
        shown = {
            line
            for line, digit in zip(lines, network["flows"][place - 1], strict=True)
            if digit != "0"
        }
        strongest = set(sorted(share, key=share.get)[-STRONGEST:])
        assert strongest <= shown
        added = shown - strongest
        assert (
            all(marked in ((place - 1, one), (place, other)) for one, other in added)
            and len(added) <= 1
        )
        of_marked += sum(marked in ((place - 1, one), (place, other)) for one, other in shown)
    assert of_marked >= 2, "a line leads to the marked unit, and one on from it"


def test_the_first_divergence_is_marked_only_where_the_steps_are_those_of_the_results(state):
    _, found, drawn = state
    first = drawn["network"]["first"]
    if first:
        assert (first["layer"], first["number"]) == found.first_divergence
        assert first["number"] in drawn["network"]["layers"][first["layer"]]["units"]
    assert bool(first) == bool(found.drift.backward and found.first_divergence)


def test_without_steps_it_is_said_why():
    for experiment in (
        Experiment(evaluation="batched", method="copies"),
        Experiment(method="jacrev"),
    ):
        found, drawn = picture(experiment, 0, 1)
        assert drawn["drift"]["sides"] == [] and found.drift.reason in drawn["drift"]["note"]
        assert len(drawn["drift"]["ends"]) == 3


def changed(found: Component, **values: object) -> Component:
    """An example with other values, which is all that the picture looks at."""
    return type(found)(**{**found.__dict__, **values})


@pytest.mark.parametrize("backward, jacobian", [(inf, 1.0), (nan, 1.0), (nan, inf), (-inf, nan)])
def test_a_result_that_is_no_finite_number_is_written_and_not_placed(backward, jacobian):
    found = component_of(Experiment(), 0, 1)
    lost = changed(
        found,
        backward=backward,
        jacobian=jacobian,
        ulps=None,
        errors=(None, None),
        drift=type(found.drift)(),
    )
    drawn = drawing_of(lost)
    placed = [end["kind"] for end in drawn["drift"]["ends"] if end["kind"] != "exact"]
    assert placed == (["second"] if jacobian == 1.0 else [])
    texts = [side["share"] + side["rest"] for side in drawn["results"]["sides"]]
    assert [text in ("NaN", "∞", "−∞") for text in texts] == [True, jacobian != 1.0]
    json.dumps(drawn, allow_nan=False)


def test_zeros_of_both_signs_are_equal_but_for_a_bit():
    found = changed(component_of(Experiment(), 0, 1), backward=0.0, jacobian=-0.0, ulps=0)
    results = drawing_of(found)["results"]
    assert copysign(1, found.jacobian) == -1
    assert [side["share"] + side["rest"] for side in results["sides"]] == ["0", "−0"]
    assert results["heading"].endswith("0 floats apart, 1 of 32 bits different")


def test_an_unknown_exact_value_is_not_drawn():
    unknown = dict(exact=None, unknown="At a kink.", errors=(None, None), nearest=None, hit=None)
    found = component_of(Experiment(), 0, 1)
    drift = type(found.drift)(reason="At a kink.")
    drawn = drawing_of(changed(found, **unknown, drift=drift))["drift"]
    assert [end["kind"] for end in drawn["ends"]] == ["first", "second"]
    apart = (Fraction(found.jacobian) - Fraction(found.backward)) / Fraction(found.ulp)
    assert apart and [end["at"] for end in drawn["ends"]] == [0, pytest.approx(float(apart))]
    assert drawn["above"] == drawn["below"] == "" and "At a kink." in drawn["note"]


def test_thousands_of_floats_are_not_a_tick_each():
    found = component_of(Experiment(), 0, 1)
    far = changed(
        found, jacobian=found.jacobian - 24_000 * float(found.ulp), ulps=24_002, hit="none"
    )
    drawn = drawing_of(far)["drift"]
    assert 0 < len(drawn["ticks"]) <= 12 and drawn["unit"] == "4,096 floats from tick to tick"
    gaps = [
        after["at"] - tick["at"]
        for tick, after in zip(drawn["ticks"], drawn["ticks"][1:], strict=False)
    ]
    assert gaps == pytest.approx([4096] * len(gaps))


@pytest.mark.parametrize("exact", [None, Fraction(0)])
def test_over_floats_of_many_sizes_the_unit_is_an_ulp(exact):
    """From one side of 0 to the other there are two billion floats, and the ulps of the exact value are few."""
    found = component_of(Experiment(), 0, 1)
    far = changed(found, jacobian=-1.5 * found.backward, ulps=-(10**9), hit="none")
    far = far if exact is None else changed(far, exact=exact, nearest=exact)
    drift = drawing_of(far)["drift"]
    assert drift["ticks"] == []
    height = re.fullmatch(r"([\d.]+) million ulps high", drift["unit"])
    assert float(height[1]) == pytest.approx((drift["high"] - drift["low"]) / 1e6, rel=0.01)
    for text in (
        drift["label"],
        *(text for side in drift["sides"] for text in side["texts"].values()),
    ):
        assert " ulps " in text and "floats" not in text


@pytest.mark.parametrize(
    "experiment, most", [(Experiment(), 8_500), (WIDE, 12_500), (DEEP, 14_000)], ids=str
)
def test_the_data_are_small(experiment, most):
    _, drawn = component_drawing(experiment, *first_component(experiment))
    assert len(json.dumps(drawn, allow_nan=False)) <= most
