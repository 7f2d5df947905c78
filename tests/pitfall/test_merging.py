"""The paths that merge: the post's numbers by hand, and code that gives what is drawn."""

import re
from dataclasses import replace
from math import inf, nan

import pytest
import torch
from torch.autograd import grad

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import example_function
from lib.pitfall.merging import BothWays, drawings, first_sample
from tests.oracles import PLAIN
from tests.sentences import read


def run(code, x, y):
    """What a drawing's code returns; the graph is kept for the code of the other way."""

    def keeping(*arguments, **options):
        return grad(*arguments, **options | {"retain_graph": True})

    return eval(code, {"torch": torch, "grad": keeping, "x": x, "y": y})


@pytest.mark.parametrize("point", [(1, 2), (0, 0), (-9, 9)])
def test_the_posts_example_is_worked_out_by_hand(point):
    """y = [2·x[0], 2·x[1], 4·x[0]², 4·x[1]²]: each row is the gradient of one y."""
    a, b = point
    rows = [[2, 0], [0, 2], [8 * a, 0], [0, 8 * b]]
    total = [2 + 8 * a, 2 + 8 * b]
    (drawing,) = drawings(None, Experiment(), point)["drawings"]
    assert drawing["x"] == [a, b] and drawing["merges"]
    x = torch.tensor(point, dtype=torch.float32, requires_grad=True)
    for way, matrix in (("right", rows), ("wrong", [total] * 4)):
        assert [[read(text) for text in row] for row in drawing[way]["matrix"]] == matrix
        assert run(drawing[way]["code"], x, example_function(x)).tolist() == matrix
    for terms, result in zip(drawing["sums"], total, strict=True):
        left, right = "".join(terms).replace("−", "-").split(" = ")
        assert len(terms) == 5 and eval(left) == float(right) == result
    sizes = [sum(map(abs, row)) for row in (*rows, total)]
    assert [*drawing["sizes"], drawing["total"]] == [size / max(sizes) for size in sizes]


@pytest.mark.parametrize("query", ["outputs=6&inputs=1", "outputs=3&dtype=bfloat16", "outputs=1"])
def test_the_visitors_network_is_drawn(query):
    """At its first sample."""
    experiment = Experiment.parse(query)
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[0].clone().requires_grad_()
    _, drawing = drawings(first_sample(experiment), experiment)["drawings"]
    power = re.search("numbers × 10⁻([¹²³])", drawing["about"])
    scale = 10.0 ** -"⁰¹²³".index(power[1]) if power else 1.0
    for way, method in (("right", "functional"), ("wrong", "single-call")):
        matrix = PLAIN[method](net, x.detach())
        shown = torch.tensor([[read(text) for text in row] for row in drawing[way]["matrix"]])
        assert (shown.double() - matrix.double() / scale).abs().max() < 0.00501
        assert torch.equal(run(drawing[way]["code"], x, net(x)), matrix)
    assert bool(drawing["sums"]) == drawing["merges"] == (experiment.outputs > 1)
    assert first_sample(replace(experiment, outputs=7)) is None


def test_every_float_has_a_short_text():
    texts = {inf: "inf", nan: "nan", -0.0: "0", 1e-320: "0.00", -3e-200: "−3.00"}
    for value, text in texts.items():
        both = BothWays([[value]], [[value]])
        drawing = drawings(both, Experiment(inputs=1, outputs=1))["drawings"][1]
        assert drawing["right"]["matrix"] == [[text]]
