"""What each study depends on: its figures are the same for every value of the other fields."""

import pytest

from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES, TAB_STUDIES
from lib.takeaway.study_table import CLASSES
from tests.cases import finish

OTHER = Experiment.parse(
    "inputs=3&hidden=4&outputs=3&activation=tanh&output_activation=identity&dtype=float64"
    "&method=finite-difference&evaluation=batched&distribution=normal&samples=7&seed=3"
    "&function=tanh&x_from=uniform&networks=each-block&matmul=tf32&step=-9&gradient=method"
    "&f=x*tanh(x)&df=1"
)
"""An experiment with no field at its default but the device, of which the tests have only one."""


@pytest.mark.parametrize("name", TAB_STUDIES)
def test_figures_depend_on_nothing_else(name):
    chosen, without = (
        finish(CLASSES[name], experiment).figures()
        for experiment in (OTHER, STUDIES[name].of(OTHER))
    )
    assert chosen == without
