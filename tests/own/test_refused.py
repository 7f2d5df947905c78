"""What cannot be compared is refused in one sentence, which names what was given and what is allowed."""

import pytest
import torch
from torch import nn

from lib.own import compare

ONES = torch.ones(3)


def doubled_in_place(x):
    return x.mul_(2) * 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "words"),
    [
        ((torch.exp, torch.arange(3)), {}, TypeError, "x has the dtype int64, which has no gradient"),
        ((torch.exp, ONES.to(torch.complex64)), {}, TypeError, "x has the dtype complex64"),
        ((torch.exp, torch.ones(0)), {}, ValueError, "x is empty: its shape is (0,)"),
        ((torch.exp, ()), {}, ValueError, "x is empty"),
        ((torch.exp, torch.tensor([1.0, torch.nan])), {}, ValueError, "1 of its 2 numbers"),
        ((torch.exp, torch.tensor([1.0, torch.inf])), {}, ValueError, "1 of its 2 numbers"),
        ((torch.exp, [1.0]), {}, TypeError, "x is a float"),
        ((torch.exp, None), {}, TypeError, "x is None"),
        ((torch.exp, ONES.to_sparse()), {}, TypeError, "torch.sparse_coo"),
        ((torch.exp, torch.nested.nested_tensor([ONES], layout=torch.jagged)), {}, TypeError, "x is a nested tensor"),
        ((torch.exp, ONES.to(torch.float8_e4m3fn)), {}, TypeError, "x has the dtype float8_e4m3fn"),
        ((torch.exp, ONES.to("meta")), {}, TypeError, "x is on the device meta"),
        ((nn.Linear(3, 2, device="meta"), ONES), {}, TypeError, "The network is on the device meta"),
        ((torch.exp, ONES), {"method": ["jacrev"]}, ValueError, "['jacrev'] is not known"),
        ((3, ONES), {}, TypeError, "a int cannot be called"),
        ((), {"x": ONES}, TypeError, "compare(net, x)"),
        ((torch.exp, ONES), {"ways": (torch.exp, torch.exp)}, TypeError, "compare(net, x)"),
        ((), {"ways": (torch.exp,), "x": ONES}, TypeError, "two callables"),
        ((torch.exp, ONES), {"of": "weights"}, ValueError, "of='weights'"),
        ((torch.exp, ONES), {"of": "parameters"}, ValueError, "no parameters"),
        ((torch.exp, ONES), {"method": "copies"}, ValueError, "an axis of samples"),
        ((torch.exp, ONES), {"method": "jacobian"}, ValueError, "'jacobian' is not known"),
        ((lambda x: x.detach(), ONES), {}, ValueError, "No gradient path"),
        ((lambda x: torch.ones(2), ONES), {}, ValueError, "No gradient path"),
        ((lambda x: torch.ones(2, requires_grad=True) * 2, ONES), {}, ValueError, "No gradient path"),
        ((torch.sign, torch.arange(3)), {"of": "parameters"}, ValueError, "no parameters"),
        ((torch.argmax, ONES), {}, TypeError, "returns the dtype int64"),
        ((lambda x: (x, x), ONES), {}, TypeError, "returns a tuple of 2"),
        ((lambda x: None, ONES), {}, TypeError, "returns None"),
        ((lambda x: x.sum().item(), ONES), {}, TypeError, "returns a float"),
        ((lambda x: x * 1j, ONES), {}, TypeError, "returns the dtype complex64"),
        ((lambda x: x[:0], ONES), {}, ValueError, "an empty tensor: its shape is (0,)"),
        ((doubled_in_place, ONES), {}, ValueError, "changes x in place"),
        ((nn.Linear(4, 2), ONES), {}, ValueError, "The network failed with RuntimeError: mat1 and mat2"),
        ((lambda x: x.new_ones(20_000) * x.sum(), torch.ones(20_000)), {}, ValueError, "20,000 × 20,000 entries"),
        ((), {"ways": (torch.exp, torch.sum), "x": ONES}, ValueError, "different kinds of results"),
    ],
)
def test_it_is_refused_in_one_sentence(arguments, options, kind, words):
    with pytest.raises(kind) as caught:
        compare(*arguments, **options)
    said = str(caught.value)
    assert words in said and "\n" not in said and len(said) < 400
    assert ONES.tolist() == [1, 1, 1] and not ONES.requires_grad


def test_an_input_of_integers_is_passed_on_where_parameters_are_asked_for():
    report = compare(
        nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)), torch.tensor([[0, 4], [1, 1]]), of="parameters"
    )
    assert report.same
