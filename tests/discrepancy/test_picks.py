"""What can be chosen from: cells by name, and the components of the first samples as they were measured."""

import numpy as np
import pytest
import torch

from lib.discrepancy.picks import WORST, cells, first_components
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.discrepancy.tables import first_of_cell, tables
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_gradient, summed_jacobian
from lib.run.stream import Stream
from tests.cases import EVERY_DTYPE


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_first_components_are_those_of_the_first_samples(dtype):
    experiment = Experiment(samples=20, dtype=dtype)
    table = first_components(Stream(Discrepancy(experiment)).finish(), experiment)
    assert table["component"].tolist() == [*range(5)] * 5 and table["sample"].tolist() == [i // 5 for i in range(25)]
    net, x = network.build(experiment), sampling.block(experiment, 0)
    for row in table.itertuples():
        values = backward_gradient(net, x[row.sample]), summed_jacobian("functional", net, x[row.sample])
        one, other = (value[row.component] for value in values)
        read = [
            torch.tensor(float(text.replace("−", "-")), dtype=torch.float64) for text in (row.backward, row.jacobian)
        ]
        assert [number.to(one.dtype) for number in read] == [one, other]
        step, steps = one.clone(), 0
        while step != other and steps < 10**4:
            step, steps = torch.nextafter(step, other), steps + 1
        assert row[5] == f"{steps:,}"


def test_before_the_first_samples_there_is_no_row_but_every_column():
    empty = first_components(DiscrepancyTally(), Experiment(method="finite-difference"))
    assert list(empty.columns) == ["sample", "component", "backward", "differences", "floats apart"] and empty.empty


def test_what_is_not_finite_has_no_distance():
    experiment = Experiment(samples=3, dtype="float16", method="finite-difference", step=-60)
    table = first_components(Stream(Discrepancy(experiment)).finish(), experiment)
    assert set(table["differences"]) == {"nan"} and set(table["floats apart"]) == {"–"}


def test_every_cell_has_a_name_and_a_first_component():
    experiment = Experiment(samples=200)
    tally = Stream(Discrepancy(experiment)).finish()
    table = tables(tally, experiment)["cells"]
    names = cells(table)
    assert len(names) == len(table) == len(set(names.values()))
    assert [*names] == sorted(names)
    assert all(first_of_cell(tally, experiment, *cell) for cell in names)


def test_the_worst_by_each_measure_are_places_of_the_tally():
    tally = Stream(Discrepancy(Experiment(samples=50))).finish()
    assert [np.isfinite(extreme(tally).value) and extreme(tally).place is not None for extreme in WORST.values()] == [
        True
    ] * 3
