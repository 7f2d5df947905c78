"""The remedies against plain loops and exact rounding."""

import copy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import accumulate

import pytest
import torch

from lib.discrepancy.remedies import REMEDIES, Remedies, claim, relative_costs, table
from lib.experiment.query import Experiment
from lib.network import network, timing
from lib.network.comparison import PLAIN
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN as METHODS
from tests.oracles import backward, rounded


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_both_sides_of_every_remedy_are_those_of_plain_loops(shape, dtype):
    experiment = replace(shape, dtype=dtype, samples=4)
    tried = dict(Remedies(experiment).measure(0, float("inf")))
    net = network.build(experiment)
    wide = copy.deepcopy(net).double()
    for i, point in enumerate(tried[PLAIN].x):
        at_once = backward(net, point)
        by_rows = point.clone().requires_grad_()
        for k in range(experiment.outputs):
            net(by_rows)[k].backward()
        rows = METHODS["rows"](net, point.clone())
        *_, in_order = accumulate(rows)
        in_float64 = [backward(wide, point.double())]
        in_float64 += [METHODS["functional"](wide, point.double()).sum(0)]
        once = [[rounded(Fraction(v), dtype) for v in side.tolist()] for side in in_float64]
        expected = {
            PLAIN: (at_once, METHODS["functional"](net, point.clone()).sum(0)),
            "summed-output": (at_once, METHODS["summed-output"](net, point.clone())[0]),
            "rows-in-order": (by_rows.grad, in_order),
            "rows-summed": (by_rows.grad, rows.sum(0)),
            "float64": [torch.tensor(side, dtype=torch.float64) for side in once],
        }
        assert expected.keys() == tried.keys()
        for name, (first, second) in expected.items():
            assert torch.equal(tried[name].first[i].double(), first.double()), name
            assert torch.equal(tried[name].second[i].double(), second.double()), name


def test_a_cost_is_that_of_a_remedy_over_that_of_none(monkeypatch):
    seconds = iter([1.0, 2.0, 4.0, 8.0, 16.0])
    monkeypatch.setattr(timing, "timed", lambda call: partial(float, next(seconds)))
    assert list(relative_costs(Experiment()).values()) == [1.0, 2.0, 4.0, 8.0, 16.0]


def test_the_table_and_the_claim_say_which_remedies_leave_no_difference():
    tally = Stream(Remedies(Experiment(samples=60, outputs=8))).finish()
    shown = table(tally, dict(zip(REMEDIES, (1.0, 2.0, 3.0, 4.0, 1.2345), strict=True)))
    assert shown["remedy"].tolist() == [remedy.label for remedy in REMEDIES.values()]
    # In eight rows of different size `J.sum(0)` rounds otherwise than a sum in order.
    assert [text == "100%" for text in shown["equal"]] == [False, True, True, False, True]
    assert claim(tally) == "Remedies that leave no difference: 3 of 4."
    assert shown["largest difference"][0] == f"{tally[PLAIN].max_abs.value:.3g}"
    assert shown["time"].tolist() == ["× 1.0", "× 2.0", "× 3.0", "× 4.0", "× 1.2"]
