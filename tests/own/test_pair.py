"""What remains of a difference: component by component, and where a dtype has no range for it."""

import pytest
import torch

from lib.own import compare


def test_a_function_beyond_float32_is_undecided():
    ways = (lambda x: 1e60 * (x * 3 * x), lambda x: (x * x) * 1e60 * 3)
    report = compare(ways=ways, x=torch.tensor([0.1, 0.7], dtype=torch.float64))
    assert report.kind == "undecided" and "has no range" in str(report)


def test_a_network_that_overflows_in_float16_is_undecided():
    weight = torch.tensor([[1.0, 0.7, 0.3], [0.2, 1.0, 0.9], [0.5, 0.4, 1.1]]).half()
    report = compare(lambda x: (x @ weight).mul(8).exp(), torch.tensor([3.0, 3.1, 2.9]).half())
    assert report.kind == "undecided"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_small_component_that_differs_is_not_hidden_by_a_large_one(dtype):
    ways = (lambda x: torch.softmax(x, -1), lambda x: torch.softmax(x, -1) + 1e-12)
    values, gradient = compare(ways=ways, x=torch.tensor([0.0, 30.0, 40.0], dtype=dtype)).parts
    assert values.verdict.kind == "not rounding" and gradient.verdict.kind != "not rounding"


def test_an_infinity_against_nan_is_told_as_such_and_zeros_of_both_signs_are_equal():
    ways = (lambda x: x / 0, lambda x: x * 0 / 0)
    report = compare(ways=ways, x=torch.ones(2))
    assert "one side alone" not in str(report) and report.kind == "not rounding"
    zeros = compare(ways=(lambda x: x * 0, lambda x: x * -0.0), x=torch.ones(2))
    assert "same bits" not in str(zeros)


@pytest.mark.parametrize("name", ["difference", "float64", "index"])
def test_a_function_may_have_the_name_of_a_column(name):
    def other(x):
        return x.sin() * 1.001

    other.__name__ = name
    report = compare(ways=(torch.sin, other), x=torch.ones(3))
    assert f"{name} (2)" in str(report) and f"{name} (2)" in report.table


def test_a_mean_by_weights_or_of_nothing_is_not_told_as_one_of_so_many_terms():
    x, loss = torch.tensor([[0.1, 0.7], [0.3, 0.2]]), torch.nn.functional.cross_entropy
    weighted = compare(lambda x: loss(x, torch.tensor([0, 1]), weight=torch.tensor([1.0, 9.0])), x)
    ignored = compare(lambda x: loss(x, torch.tensor([-100, -100])), x)
    assert weighted.mean is None and ignored.mean is None


def test_complex_parameters_are_refused():
    net = torch.nn.Linear(3, 3, dtype=torch.complex64)
    with pytest.raises(TypeError, match="complex parameters"):
        compare(lambda x: net(x + 0j).real, torch.ones(3))
