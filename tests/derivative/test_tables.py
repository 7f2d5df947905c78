"""The derivative's tables have the figures of the tally and of one x."""

import torch

from lib.derivative.explanation import POSTS_X, explain
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, explained
from lib.experiment.query import Experiment
from lib.floats.quantities import percent, significant
from lib.floats.ulps import shortest
from lib.run.stream import Stream


def test_the_comparison_has_the_figures_of_the_tally():
    experiment = Experiment(function="sigmoid", x_from="uniform", samples=400)
    tally = Stream(Derivative(experiment)).finish()
    table = comparison(tally, torch.float32).set_index("derivative")
    for name, series in tally.series.tallies.items():
        worst = series.worst.largest
        assert table.loc[name].tolist() == [
            percent(series.equal.total, 400),
            percent(series.correct.total, 400),
            significant(series.mean),
            significant(worst.value),
            shortest(worst.place.x, torch.float32),
            str(series.nonfinite.total),
            str(series.zero.total),
        ]
    empty = comparison(Derivative.empty + Derivative.empty, torch.float32)
    assert len(empty) == 0 and tally.formulas["y*(1-y)"].zero.total > 0


def test_the_posts_x_formula_by_formula():
    table = explained(explain("reciprocal", POSTS_X, "float32")).set_index("derivative")
    columns = ["value", "floats off", "correctly rounded"]
    assert table.loc["exact", "value"].startswith("-0.907449648")
    assert table.loc["autograd", columns].tolist() == ["-0.9074496", "0.768", "✗"]
    assert table.loc["-1/x**2", columns].tolist() == ["-0.90744966", "0.232", "✓"]
    values = [float.fromhex(text) for text in table.loc[["autograd", "-1/x**2"], "hexadecimal"]]
    assert values[0] - values[1] == 2.0**-24
    assert set(explained(explain("log", -1.0, "float32"))["correctly rounded"]) == {"–"}
