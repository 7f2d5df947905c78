"""The paths that merge, drawn: the post's numbers worked out by hand, and code that gives what is drawn."""

import re

import pytest
import torch
from torch.autograd import grad

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import post_function
from lib.pitfall.merging import MOST_INPUTS, MOST_OUTPUTS, Both, drawings, post_example
from lib.pitfall.study import first_sample
from tests.oracles import PLAIN

# y = [2·x[0], 2·x[1], 4·x[0]², 4·x[1]²] at x = [1, 2]: each row is the gradient of one y, by hand.
BY_HAND = (2, 0), (0, 2), (8, 0), (0, 16)
THEIR_SUM = 2 + 8, 2 + 16


def test_the_posts_example_is_worked_out_by_hand():
    both = post_example()
    assert both.rows == BY_HAND and both.single == (THEIR_SUM,) * 4
    (drawing,) = drawings(Both(), Experiment())["drawings"]
    assert drawing["about"] == "y = [2·x[0], 2·x[1], 4·x[0]², 4·x[1]²]" and drawing["x"] == [1, 2]
    assert drawing["outputs"] == ["y[0]", "y[1]", "y[2]", "y[3]"]
    assert (
        drawing["right"]["matrix"]
        == drawing["rows"]
        == [["2", "0"], ["0", "2"], ["8", "0"], ["0", "16"]]
    )
    assert drawing["wrong"]["matrix"] == [["10", "18"]] * 4
    assert list(map("".join, drawing["sums"])) == ["2 + 0 + 8 + 0 = 10", "0 + 2 + 0 + 16 = 18"]
    assert all(len(parts) == 5 for parts in drawing["sums"])
    assert drawing["sizes"] == [2 / 28, 2 / 28, 8 / 28, 16 / 28] and drawing["total"] == 1.0
    assert (
        drawing["wrong"]["way"] == "Wrong: one call"
        and drawing["right"]["way"] == "Right: one call per row"
    )
    assert (
        drawing["right"]["label"] == "One call per row returns [2, 0], [0, 2], [8, 0] and [0, 16]."
    )


def small_network(query: str) -> tuple[dict, torch.Tensor, torch.Tensor]:
    """The drawing of the network, and its right rows and the single call at the first sample by plain calls."""
    experiment = Experiment.parse(query)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    _, drawing = drawings(first_sample(experiment), experiment)["drawings"]
    return drawing, PLAIN["functional"](net, x), PLAIN["single-call"](net, x)


@pytest.mark.parametrize(
    "query", ["samples=3", "samples=3&outputs=6&inputs=1", "samples=3&outputs=3&dtype=bfloat16"]
)
def test_the_visitors_network_is_drawn_at_its_first_sample(query):
    drawing, rows, single = small_network(query)
    assert drawing["about"].startswith("y = net(x): 5 → 10 → ") or "inputs=1" in query
    assert drawing["name"] == "The network" and "rounded" in drawing["about"]
    raised = re.search("× 10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", drawing["about"])
    scale = (
        10.0 ** int(raised[1].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
        if raised
        else 1.0
    )
    for way, matrix in (("right", rows), ("wrong", single)):
        shown = torch.tensor(
            [[float(text.replace("−", "-")) for text in row] for row in drawing[way]["matrix"]]
        )
        assert (shown.double() - matrix.double() / scale).abs().max() < 0.00501
        assert shown.abs().max() < 10


def test_a_sum_of_rounded_numbers_is_said_to_be_approximate():
    drawing, *_ = small_network("samples=3")
    for line in drawing["sums"]:
        terms, total = "".join(line).replace("−", "-").split(" ≈ ")
        assert abs(eval(terms) - float(total)) < 0.0151  # of three roundings to a hundredth


@pytest.mark.parametrize("query", ["inputs=6&samples=2", "outputs=7&samples=2"])
def test_a_larger_network_is_not_drawn(query):
    experiment = Experiment.parse(query)
    assert experiment.inputs > MOST_INPUTS or experiment.outputs > MOST_OUTPUTS
    assert len(drawings(first_sample(experiment), experiment)["drawings"]) == 1


def test_with_one_output_both_ways_are_the_same():
    drawing, rows, _ = small_network("samples=3&outputs=1")
    assert not drawing["merges"] and not drawing["sums"] and len(rows) == 1
    assert drawing["wrong"]["matrix"] == drawing["right"]["matrix"]
    assert drawing["wrong"]["way"] == "One call" and drawing["right"]["way"] == "One call per row"


@pytest.mark.parametrize("outputs", range(1, MOST_OUTPUTS + 1))
def test_the_code_that_is_drawn_gives_what_is_drawn(outputs):
    experiment = Experiment(outputs=outputs, samples=1)
    both = first_sample(experiment)
    x = sampling.block(experiment, 0)[0].clone().requires_grad_()
    y = network.build(experiment)(x)
    _, drawing = drawings(both, experiment)["drawings"]
    for way, matrix in (("right", both.rows), ("wrong", both.single)):
        known = {
            "torch": torch,
            "grad": lambda *a, **k: grad(*a, **(k | {"retain_graph": True})),
            "x": x,
            "y": y,
        }
        assert torch.equal(
            eval(drawing[way]["code"], known).double(), torch.tensor(matrix, dtype=torch.float64)
        )


def test_the_code_of_the_post_gives_its_matrices():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    known = {"torch": torch, "grad": grad, "x": x, "y": post_function(x)}
    (drawing,) = drawings(Both(), Experiment())["drawings"]
    assert eval(drawing["right"]["code"], known).tolist() == [list(row) for row in BY_HAND]
    assert eval(drawing["wrong"]["code"], known).tolist() == [list(THEIR_SUM)] * 4


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (-0.0, "0"),
        (1e-320, "0.00"),
        (-3e-200, "−3.00"),
    ],
)
def test_every_float_has_a_short_text(value, text):
    _, drawing = drawings(Both(((value,),), ((value,),)), Experiment(inputs=1, outputs=1))[
        "drawings"
    ]
    assert drawing["rows"] == [[text]]


@pytest.mark.parametrize("x", [(0, 0), (-9, 9), (3, -1)])
def test_the_example_is_drawn_at_the_x_that_is_chosen(x):
    rows = (2, 0), (0, 2), (8 * x[0], 0), (0, 8 * x[1])
    both = post_example(x)
    assert both.rows == rows and both.single == ((2 + 8 * x[0], 2 + 8 * x[1]),) * 4
    (drawing,) = drawings(Both(), Experiment(), x)["drawings"]
    assert drawing["rows"] == [[str(number).replace("-", "−") for number in row] for row in rows]
    assert drawing["x"] == list(x)
