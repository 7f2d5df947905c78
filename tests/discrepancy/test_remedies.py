"""The remedies against plain loops and exact rounding."""

import copy
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from lib.discrepancy.remedies import REMEDIES, Remedies, relative_costs, table
from lib.discrepancy.variants import VariantsTally
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import PLAIN
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE, SHAPES
from tests.oracles import PLAIN as METHODS
from tests.oracles import backward, rounded


def finish(experiment: Experiment) -> VariantsTally:
    return Stream(Remedies(experiment)).finish()


def equal(tally: VariantsTally) -> dict[str, int]:
    return {name: of.equal for name, of in tally.known.items()}


def one_after_the_other(rows: torch.Tensor) -> torch.Tensor:
    total = rows[0]
    for row in rows[1:]:
        total = total + row
    return total


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda e: e.query or "post")
def test_both_sides_of_every_remedy_are_those_of_plain_loops(shape, dtype):
    experiment = replace(shape, dtype=dtype, samples=6)
    tried = dict(Remedies(experiment).measure(0, float("inf")))
    net = network.build(experiment)
    wide = copy.deepcopy(net).double()
    for i, point in enumerate(tried[PLAIN].x):
        at_once = backward(net, point)
        x_rows = point.clone().requires_grad_()
        for k in range(experiment.outputs):
            net(x_rows)[k].backward()
        rows = METHODS["rows"](net, point.clone())
        once = [backward(wide, point.double()), METHODS["functional"](wide, point.double()).sum(0)]
        expected = {
            "none": (at_once, METHODS["functional"](net, point.clone()).sum(0)),
            "summed-output": (at_once, METHODS["summed-output"](net, point.clone())[0]),
            "rows-in-order": (x_rows.grad, one_after_the_other(rows)),
            "rows-summed": (x_rows.grad, rows.sum(0)),
            "float64": tuple(
                torch.tensor(
                    [rounded(Fraction(v), dtype) for v in side.tolist()], dtype=torch.float64
                )
                for side in once
            ),
        }
        for name, sides in expected.items():
            found = tried[name].backward[i], tried[name].jacobian[i]
            assert all(
                torch.equal(a.double(), b.double()) for a, b in zip(found, sides, strict=True)
            ), name


@pytest.mark.parametrize(
    "query", ["samples=60&outputs=8", "samples=8192&outputs=8&evaluation=batched"]
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_three_remedies_make_all_components_equal(query, dtype):
    tally = finish(replace(Experiment.parse(query), dtype=dtype))
    every = tally.samples * 5
    counts = equal(tally)
    # In eight rows of different size `J.sum(0)` rounds otherwise than a sum in order, and nothing equals backward.
    assert counts.pop(PLAIN) < 0.7 * every and counts.pop("rows-summed") < every
    assert counts == dict.fromkeys(counts, every)


def test_where_the_gradient_is_zero_but_for_rounding_float64_has_nothing_to_round_either():
    tally = finish(
        Experiment(outputs=4, output_activation="softmax", samples=50)
    )  # the outputs add up to 1
    counts = equal(tally)
    assert counts["float64"] < 250 == counts["summed-output"] == counts["rows-in-order"]
    assert tally["float64"].max_abs.value < 1e-15 < tally[PLAIN].max_abs.value


# What the page shows.


def test_costs_are_multiples_of_no_remedy():
    for evaluation in ("per-sample", "batched"):
        costs = relative_costs(Experiment(evaluation=evaluation))
        assert costs[PLAIN] == 1 and set(costs) == set(REMEDIES) and min(costs.values()) > 0


def test_the_tables_say_what_was_found():
    tally = finish(Experiment(samples=30, outputs=4))
    shown = table(tally, {PLAIN: 1.0, "float64": 1.2345})
    assert shown["remedy"].tolist() == [remedy.label for remedy in REMEDIES.values()]
    assert shown["equal"][1] == shown["equal"][2] == shown["equal"][4] == "100%"
    assert shown["largest difference"][0] == f"{tally[PLAIN].max_abs.value:.3g}"
    assert shown["time"].tolist() == ["× 1.0", "–", "–", "–", "× 1.2"]
