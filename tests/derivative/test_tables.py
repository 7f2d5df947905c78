"""The derivative's tables: shares that add up, means that are those of the tally, axes that hold what is drawn."""

import numpy as np
import pytest
import torch

from lib.derivative.explanation import explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, explained
from lib.derivative.tally import DerivativeTally
from lib.experiment.query import Experiment
from lib.run.stream import Stream


def finish(experiment: Experiment) -> DerivativeTally:
    return Stream(Derivative(experiment)).finish()


def test_the_comparison_has_the_figures_of_the_tally():
    experiment = Experiment(samples=400)
    tally = finish(experiment)
    rows = comparison(tally, torch.float32).set_index("derivative")
    figures = tally.figures()
    for name, expected in {AUTOGRAD: figures["autograd"], **figures["formulas"]}.items():
        row = rows.loc[name]
        assert float(row["correctly rounded"].rstrip("%")) == pytest.approx(
            expected["correctly_rounded"] / 4, abs=0.51
        )
        assert float(row["equal to autograd"].rstrip("%")) == pytest.approx(
            expected["equal"] / 4, abs=0.51
        )
        assert float(row["mean error"]) == pytest.approx(expected["mean_ulps"], rel=0.006)
        assert float(row["largest error"]) == pytest.approx(expected["max_ulps"], rel=0.006)
        assert float(np.float32(row["at x"])) == expected["max_ulps_at"]["x"]


def test_a_comparison_outside_the_domain_has_no_errors():
    tally = finish(Experiment(function="log", samples=1))
    assert tally.outside == 1
    assert set(comparison(tally, torch.float32)["mean error"]) == {"–"}


def test_the_posts_x_formula_by_formula():
    table = explained(
        explain("reciprocal", 1.0497568845748901, "float32"), torch.float32
    ).set_index("derivative")
    assert table.loc["autograd", ["value", "correctly rounded"]].tolist() == ["-0.9074496", "✗"]
    assert table.loc["-1/x**2", ["value", "correctly rounded"]].tolist() == ["-0.90744966", "✓"]
    values = [float.fromhex(text) for text in table.loc[["autograd", "-1/x**2"], "hexadecimal"]]
    assert values[0] - values[1] == 2.0**-24
