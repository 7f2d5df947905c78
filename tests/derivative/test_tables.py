"""The derivative's tables have the figures of the tally and of one x."""

import numpy as np
import pytest
import torch

from lib.derivative.explanation import POSTS_X, explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, explained
from lib.experiment.query import Experiment
from lib.run.stream import Stream


def test_the_comparison_has_the_figures_of_the_tally():
    experiment = Experiment(function="sigmoid", x_from="uniform", samples=400)
    figures = Stream(Derivative(experiment)).finish()
    rows = comparison(figures, torch.float32).set_index("derivative")
    figures = figures.figures()
    for name, row in {AUTOGRAD: figures["autograd"], **figures["formulas"]}.items():
        (rounded, equal, mean, largest, at, nonfinite, zero) = rows.loc[name][
            ["correctly rounded", "equal to autograd", "mean error", "largest error", "at x"]
            + ["infinite, NaN or finite by mistake", "0 by mistake"]
        ]
        assert float(rounded.rstrip("%")) == pytest.approx(row["correctly_rounded"] / 4, abs=0.51)
        assert float(equal.rstrip("%")) == pytest.approx(row["equal"] / 4, abs=0.51)
        assert float(mean.replace(",", "")) == pytest.approx(row["mean_ulps"], rel=0.006)
        assert float(largest.replace(",", "")) == pytest.approx(row["max_ulps"], rel=0.006)
        assert float(np.float32(at)) == row["max_ulps_at"]["x"]
        assert (int(nonfinite), int(zero)) == (row["nonfinite"], row["zero"])


def test_a_comparison_outside_the_domain_has_no_errors():
    tally = Stream(Derivative(Experiment(function="log", samples=1))).finish()
    assert tally.outside == 1
    assert set(comparison(tally, torch.float32)["mean error"]) == {"–"}


def test_the_posts_x_formula_by_formula():
    table = explained(explain("reciprocal", POSTS_X, "float32")).set_index("derivative")
    columns = ["value", "floats off", "correctly rounded"]
    assert table.loc["exact", "value"].startswith("-0.907449648")
    assert table.loc["autograd", columns].tolist() == ["-0.9074496", "0.768", "✗"]
    assert table.loc["-1/x**2", columns].tolist() == ["-0.90744966", "0.232", "✓"]
    values = [float.fromhex(text) for text in table.loc[["autograd", "-1/x**2"], "hexadecimal"]]
    assert values[0] - values[1] == 2.0**-24
    assert set(explained(explain("log", -1.0, "float32"))["correctly rounded"]) == {"–"}
