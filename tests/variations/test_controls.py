"""The controls: they hold, and they are what they say, by plain calls."""

from dataclasses import replace

import pytest
import torch

from lib.experiment.choices import ACTIVATIONS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.stream import Stream
from lib.run.tally import ByName
from lib.variations import whole_numbers
from lib.variations.controls import CONTROLS, MOST_SAMPLES, Controls, ControlsTally, point_name, readable
from lib.variations.equality import EqualityTally
from tests import cases
from tests.oracles import PLAIN

NEVER, AT_ONCE = float("inf"), 0.0


def finish(experiment: Experiment) -> ControlsTally:
    return Stream(Controls(experiment)).finish()


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("dtype", cases.EVERY_DTYPE)
def test_every_control_holds(dtype, evaluation):
    for shape in cases.SHAPES:
        figures = finish(replace(shape, dtype=dtype, evaluation=evaluation, samples=8)).figures()
        for control in figures["controls"]:
            assert control["holds"] and control["samples"] == 8
            for row in control["methods"]:
                assert row["nonfinite"] == 0 and row["components"] == 8 * shape.inputs
                if row["certain"]:
                    assert row["equal"] == row["components"], (control["control"], row["method"], shape)


def test_the_methods_of_the_controls():
    methods = {name: set(control.methods) for name, control in CONTROLS.items()}
    assert methods["one-output"] == {*cases.REVERSE_MODE, "summed-output", "single-call"}
    assert set(CONTROLS["one-output"].besides) == {"functional-vectorized", "jacrev", "batched-grad", "copies"}
    assert not CONTROLS["whole-numbers"].besides and not CONTROLS["summed-output"].besides
    assert methods["whole-numbers"] == set(cases.EVERY_METHOD) - {"single-call", "finite-difference"}
    assert methods["summed-output"] == {"summed-output"}


@pytest.mark.parametrize("name", CONTROLS)
def test_what_is_compared_is_by_plain_calls(name):
    experiment = Experiment(outputs=3, samples=4)
    found = dict(Controls(experiment).measure(4 * list(CONTROLS).index(name), NEVER))
    of = replace(experiment, outputs=1) if name == "one-output" else experiment
    module = whole_numbers if name == "whole-numbers" else network
    net = module.build(of)
    points = (whole_numbers if name == "whole-numbers" else sampling).block(of, 0)[:4]
    assert list(found) == [point_name(name, method) for method in CONTROLS[name].methods]
    for method, gradients in zip(CONTROLS[name].methods, found.values(), strict=True):
        assert torch.equal(gradients.x, points)
        for point, backward, summed in zip(points, gradients.backward, gradients.jacobian, strict=True):
            x = point.clone().requires_grad_()
            net(x).sum().backward()
            assert torch.equal(backward, x.grad)
            assert torch.equal(summed, PLAIN[method](net, point.clone()).sum(0)), method


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_one_output_is_a_control_whatever_the_activation(activation):
    experiment = Experiment(activation=activation, output_activation=activation, samples=20)
    assert finish(experiment).figures()["controls"][0]["holds"]


@pytest.mark.parametrize("query", ["inputs=1&hidden=64,64&activation=sigmoid&seed=72", "activation=silu", "hidden="])
@pytest.mark.parametrize("dtype", cases.EVERY_DTYPE)
def test_one_output_is_a_control_where_other_kernels_show(query, dtype):
    assert finish(replace(Experiment.parse(query), dtype=dtype, samples=12)).figures()["controls"][0]["holds"]


def test_jacrev_rounds_a_linear_layer_twice_in_sixteen_bits_where_a_plain_call_rounds_once():
    experiment = Experiment(dtype="bfloat16", outputs=1)
    linear = network.build(experiment)[0]
    weight, bias = linear.weight, linear.bias
    once = twice = differ = 0
    for x in sampling.block(experiment, 0)[:100]:
        x = x.clone()
        plain, transformed = linear(x), torch.func.vjp(linear, x)[0]
        once += torch.equal(plain, (weight.float() @ x.float() + bias.float()).bfloat16())
        twice += torch.equal(transformed, weight @ x + bias)
        differ += not torch.equal(plain, transformed)
    assert min(once, twice) >= 90 and differ > 50  # of 100, whatever the order in which a kernel adds


def test_jacrev_differentiates_silu_by_another_formula():
    z = torch.linspace(-3, 3, 1000, requires_grad=True)
    silu = torch.nn.functional.silu
    plain, twice = (torch.autograd.grad(silu(z).sum(), z, create_graph=again)[0] for again in (False, True))
    transformed = torch.func.vjp(silu, z.detach())[1](torch.ones(1000))[0]
    assert torch.equal(transformed, twice.detach()) and not torch.equal(transformed, plain)


def test_controls_take_few_samples():
    assert Controls.total(Experiment(samples=10**9)) == 3 * MOST_SAMPLES
    assert Controls.total(Experiment(samples=7)) == 21


@pytest.mark.parametrize("query", ["samples=6", "samples=3000&evaluation=batched&outputs=64"])
def test_the_tally_does_not_depend_on_the_slicing(query):
    experiment = Experiment.parse(query)
    sliced = Stream(Controls(experiment))
    while not sliced.complete:
        sliced.advance(AT_ONCE)
    assert sliced.tally == finish(experiment)
    assert sliced.samples == sliced.tally.samples == Controls.total(experiment)


def test_the_table_has_a_row_for_each_control_and_method():
    table = readable(finish(Experiment(samples=5)))
    assert len(table) == sum(len(control.methods) for control in CONTROLS.values())
    assert set(table["equal"]) == {"25 of 25"} and set(table["verdict"]) == {"✓ all"}
    empty = readable(Controls.empty)
    assert (empty.dtypes == table.dtypes).all() and set(empty["equal"]) == set(empty["verdict"]) == {"–"}


def test_a_control_that_does_not_hold_says_so():
    first, second, *_ = CONTROLS["one-output"].methods
    equal, different = EqualityTally(1, 1, 1), EqualityTally(1, 1, 0, apart=1)
    found = {point_name("one-output", first): different, point_name("one-output", second): equal}
    tally = ControlsTally(ByName(found), 1)
    assert not tally.figures()["controls"][0]["holds"]
    assert readable(tally)["verdict"][:2].tolist() == ["✗ not all", "✓ all"]


def test_a_control_holds_whatever_other_kernels_give():
    methods = CONTROLS["one-output"].methods
    found = {point_name("one-output", method): EqualityTally(1, 1, method != "jacrev") for method in methods}
    tally = ControlsTally(ByName(found), 1)
    assert tally.figures()["controls"][0]["holds"]
    assert readable(tally)["verdict"][methods.index("jacrev")] == "not all: other kernels"
