"""The studies of variants against plain calls of PyTorch, and what their tables and claims say."""

import copy
import re
from dataclasses import replace
from fractions import Fraction
from math import inf, nan

import pytest
import torch

from lib.discrepancy import agreement, ladder, remedies
from lib.discrepancy.ladder import LadderTally
from lib.discrepancy.study import Discrepancy
from lib.discrepancy.variants import ComparisonTally, VariantsTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import PLAIN
from lib.run.tally import ByName
from tests import oracles
from tests.cases import EVERY_DTYPE, SHAPES, every_dtype, finish
from tests.discrepancy.test_study import gradients_of
from tests.oracles import backward
from tests.sentences import read


def test_methods_agree_where_their_values_are_equal():
    """Each is compared with itself, too. What methods give is compared in `network`."""
    experiment = Experiment(samples=20, outputs=9, dtype="bfloat16")
    measured = dict(agreement.Agreement(experiment).measure(0, inf).by_variant[0])
    given = {name: measured[agreement.pair(name, name)].first for name in agreement.NAMES}
    tally = finish(agreement.Agreement, experiment)
    figures = tally.figures()
    assert figures["components"] == 100 and sum(map(sum, figures["nonfinite"])) == 0
    assert figures["equal"] == [
        [int((first == second).sum()) for second in given.values()] for first in given.values()
    ]
    for members in tally.classes():
        for name in members:
            assert {*members} == {other for other in given if given[name].equal(given[other])}
        assert ", ".join(f"`{name}`" for name in members) in re.split(
            "[:;.] ?", agreement.claim(tally)
        )


@pytest.mark.parametrize("query", ["samples=30&outputs=9&method=jacrev", "evaluation=batched"])
def test_each_rung_is_the_study_of_its_dtype(query):
    experiment = Experiment.parse(query)
    tally = finish(ladder.Ladder, experiment)
    rungs = tally.figures()["ladder"]
    assert [rung["dtype"] for rung in rungs] == EVERY_DTYPE
    table = ladder.table(tally).set_index("computed in")
    for rung in rungs:
        dtype = rung["dtype"]
        figures = finish(Discrepancy, replace(experiment, dtype=dtype)).figures()
        assert all(rung[name] == figures[name] for name in ("components", "equal", "max_abs_at"))
        eps = torch.finfo(getattr(torch, dtype)).eps
        shown = table.loc[dtype, ["eps", "largest difference / eps"]].map(read).tolist()
        assert shown == pytest.approx([eps, figures["max_abs"] / eps], rel=0.005)
        assert f"{rung['max_abs']:.3g} in {dtype}" in ladder.claim(tally)


@every_dtype
@pytest.mark.parametrize("shape", SHAPES)
def test_remedies_are_those_of_plain_loops(shape, dtype):
    """On both sides."""
    experiment = replace(shape, dtype=dtype, samples=2)
    tried = dict(remedies.Remedies(experiment).measure(0, inf).by_variant[0])
    net = network.build(experiment)
    wide = copy.deepcopy(net).double()
    for i, point in enumerate(tried[PLAIN].x):
        at_once = backward(net, point)
        by_rows = point.clone().requires_grad_()
        for k in range(experiment.outputs):
            net(by_rows)[k].backward()
        rows = oracles.PLAIN["rows"](net, point)
        functional = oracles.PLAIN["functional"]
        in_float64 = backward(wide, point.double()), functional(wide, point.double()).sum(0)
        expected = {
            PLAIN: (at_once, functional(net, point).sum(0)),
            "summed-output": (at_once, oracles.PLAIN["summed-output"](net, point)[0]),
            "rows-in-order": (by_rows.grad, sum(rows)),
            "rows-summed": (by_rows.grad, rows.sum(0)),
        }
        for name, sides in expected.items():
            for side, plain in zip((tried[name].first, tried[name].second), sides, strict=True):
                assert torch.equal(side[i], plain), name
        for side, wide_side in zip(tried["float64"].values, in_float64, strict=True):
            once = [oracles.rounded(Fraction(value), dtype) for value in wide_side.tolist()]
            assert side[i].tolist() == once
    assert tried.keys() == {*expected, "float64"}


def test_the_table_of_remedies_has_what_each_leaves():
    experiment = Experiment(samples=60, outputs=8)
    tally = finish(remedies.Remedies, experiment)
    table = remedies.table(tally)
    # In eight rows of different size `J.sum(0)` rounds otherwise than a sum in order.
    assert [text == "100%" for text in table["equal"]] == [False, True, True, False, True]
    assert remedies.claim(tally) == "Remedies that leave no difference: 3 of 4."


def test_a_table_has_a_dash_for_what_is_not_known():
    """No claim is made of it."""
    some = {"some": [(1, 1), (2, 1.5), (1, 1.25), (inf, 1)], "lost": [(nan, 1), (inf, 1)]}
    tallies = {name: ComparisonTally.of(gradients_of(pairs)) for name, pairs in some.items()}
    rows = {"some": {}, "lost": {}, "nothing yet": {}}
    tally = VariantsTally(ByName(tallies), 2)
    assert tally.table(rows).values.tolist() == [["33%", "0.5", "1"], ["–", "–", "2"], ["–"] * 3]
    tried = VariantsTally(ByName({"float64": tallies["some"], "rows-summed": tallies["lost"]}), 2)
    assert remedies.claim(tried) == "Remedies that leave no difference: 0 of 1."
    rungs = LadderTally(ByName({"float64": tallies["some"], "float16": tallies["lost"]}), 2)
    assert ladder.claim(rungs) == (
        "On the same network and points, the largest difference of finite results is "
        "0.5 in float64."
    )
    lost = VariantsTally(ByName({"lost": tallies["lost"]}), 1)
    assert lost.why_no_claim and VariantsTally().why_no_claim
