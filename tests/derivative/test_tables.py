"""The derivative's tables have the figures of the tally and of one x."""

import torch

from lib.derivative.explanation import X_OF_RECIPROCAL, explain
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, explained
from lib.experiment.query import Experiment
from tests.cases import finish


def test_comparisons_have_the_tallys_figures():
    query = "f=exp(x/2)**2&df=exp(x)&x_from=log-uniform&samples=400"
    tally = finish(Derivative, Experiment.parse(query))
    row = comparison(tally, torch.float32).set_index("derivative").loc["autograd"]
    figures = tally.figures()["autograd"]
    assert row.iloc[0] == "100%" != row.iloc[1]
    assert abs(float(row["mean error"]) - figures["mean_ulps"]) <= 0.01 * figures["mean_ulps"]
    assert abs(float(row["largest error"]) - figures["max_ulps"]) <= 0.01 * figures["max_ulps"]
    assert torch.tensor(float(row["at x"])).item() == figures["max_ulps_at"]["x"]
    assert row.tolist()[-1] == str(figures["nonfinite"] + figures["zero"])


def test_the_example_of_1_over_x_formula_by_formula():
    table = explained(explain("reciprocal", X_OF_RECIPROCAL, "float32")).set_index("derivative")
    assert table.loc["exact", "value"].startswith("-0.907449648")
    assert not table.isna().any(axis=None)
    autograd, by_hand = table.loc[["autograd", "-1/x**2"]].to_numpy().tolist()
    assert [autograd[0], *autograd[2:]] == ["-0.9074496", "0.768", "✗"]
    assert [by_hand[0], *by_hand[2:]] == ["-0.90744966", "0.232", "✓"]
    assert float.fromhex(autograd[1]) - float.fromhex(by_hand[1]) == 2.0**-24
