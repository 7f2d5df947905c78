"""The first samples number by number, against PyTorch itself."""

import pytest
import torch
from torch.autograd.functional import jacobian

from lib.discrepancy.rows import first_rows
from lib.experiment.query import Experiment
from lib.network.comparison import BY_METHOD, PLAIN
from lib.reference.compared import Comparisons, Variant


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
def test_each_row_has_the_values_of_both_ways(evaluation):
    experiment = Experiment(samples=7, evaluation=evaluation)
    rows = first_rows(experiment, 3)
    assert rows["sample"].tolist() == [
        sample for sample in range(3) for _ in range(experiment.inputs)
    ]
    assert rows["component"].tolist() == [*range(experiment.inputs)] * 3
    first = [float(text) for text in rows["backward()"]]
    second = [float(text) for text in rows["Jacobian"]]
    assert rows["equal"].tolist() == [
        one == other for one, other in zip(first, second, strict=True)
    ]
    assert rows["floats apart"].eq(0).tolist() == rows["equal"].tolist()


def test_the_values_are_those_of_pytorch():
    experiment = Experiment(samples=1, inputs=3, hidden=(4,), outputs=2)
    study = Comparisons(Variant(experiment, {PLAIN: BY_METHOD}))
    x = study.measure(0, 0.0).under(PLAIN).x[0].clone().requires_grad_()
    study.net(x).sum().backward()
    rows = first_rows(experiment)
    found = torch.tensor(
        [[float(text) for text in rows[name]] for name in ("backward()", "Jacobian")]
    )
    assert torch.equal(found[0], x.grad)
    assert torch.equal(found[1], jacobian(study.net, x).sum(0))
