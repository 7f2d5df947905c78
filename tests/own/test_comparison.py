"""`compare` on real networks: its verdict is right, and nothing of the caller's is changed."""

import warnings
from collections import OrderedDict
from copy import deepcopy
from math import inf, nan

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from lib.own import assert_same, compare
from lib.own.difference import Difference
from lib.own.evidence import Evidence
from lib.own.sentences import describe
from lib.own.slope import Slope
from lib.own.watch import Seen
from tests.own.cases import FAULTY, OPEN, RIGHT, W, drawn, mlp, own


@pytest.mark.parametrize("name", RIGHT)
def test_no_function_that_is_right_is_judged_falsely(name):
    report = compare(**RIGHT[name])
    assert report.same and str(report).startswith(("Equal. ", "Rounding. ")), report
    # PyTorch sees it
    assert "float()" not in str(report)


@pytest.mark.parametrize("name", FAULTY)
def test_no_function_with_a_fault_is_judged_falsely(name):
    arguments = dict(FAULTY[name])
    words = arguments.pop("says", "")
    with pytest.raises(AssertionError, match="^not rounding\n") as caught:
        assert_same(**arguments)
    assert "Not rounding. " in str(caught.value) and words in str(caught.value)


@pytest.mark.parametrize("name", OPEN)
def test_what_cannot_be_told_is_open(name):
    arguments = dict(OPEN[name])
    words = arguments.pop("says")
    report = compare(**arguments)
    assert report.kind == "undecided" and words in str(report), report


def test_a_gradient_of_steps_is_remarked_on():
    straight_through = own(torch.round, lambda g, x: g)
    assert "The values hardly change" in str(compare(straight_through, drawn((5, 6))))
    assert "hardly" not in str(compare(lambda x: 30 + x.relu(), -torch.ones(3)))


SCALES = torch.tensor([1.0, 1e6, 1.0, 1.0, 1.0, 1.0])
FAST = {
    "saw": (lambda x: (1e5 * x).frac(), 1),
    "columns": (lambda x: torch.tanh(x / SCALES @ W.double() - 1), SCALES),
}


@pytest.mark.parametrize("name", FAST)
def test_a_function_may_vary_within_a_step(name):
    """Then its slope is not known."""
    function, scale = FAST[name]
    for seed in range(6):
        assert_same(function, drawn((8, 6), seed) * scale)


def test_values_are_those_a_reader_would_compute():
    net, x = mlp(), drawn((5, 6)).float()
    leaf = x.clone().requires_grad_()
    net(leaf).sum().backward()
    rows = torch.autograd.functional.jacobian(net, x).reshape(-1, *x.shape).sum(0)
    report = compare(net, x)
    (part,) = report.parts
    assert part.what == "Gradient of the input"
    assert [side[0].tolist() for side in part.own] == [leaf.grad.tolist(), rows.tolist()]
    spacings = np.spacing(np.abs(rows.numpy().reshape(x.shape)))
    far = ((leaf.grad - rows).abs().numpy() / spacings).round()
    i, j = divmod(int(part.ulps.argmax()), 6)
    values = f"{leaf.grad[i, j].item()} and {rows[i, j].item()}."
    assert f"The worst component is x[{i}, {j}]: {values}" in str(report)
    assert far[i, j] >= far.max() / 2 > 0
    leaf = x.double().requires_grad_()
    net.double()(leaf).sum().backward()
    assert np.allclose(part.wide, leaf.grad.flatten(), rtol=1e-12)


class Writes(nn.Module):
    """It writes into parameters and buffers, and draws random numbers."""

    def __init__(self):
        super().__init__()
        self.layers = mlp(nn.BatchNorm1d(16), nn.Dropout())

    def forward(self, x):
        self.layers[0].weight.data.clamp_(max=0.1)
        return self.layers(x)


def state(net, x):
    tensors = [x, *net.parameters(), *net.buffers()]
    return (
        [(id(part), part.tolist()) for part in tensors],
        [None if part.grad is None else part.grad.tolist() for part in tensors],
        torch.get_rng_state().tolist(),
    )


def test_the_callers_network_is_left_as_it_was():
    """However it is reached."""
    net, x = Writes(), drawn((5, 6)).float()
    net(x).sum().backward()
    x.requires_grad_().grad = torch.full_like(x, 3.0)
    before = state(net, x)

    def broken(x):
        raise RuntimeError(f"broken {net(x).shape} {torch.rand(1)}")

    def doubled(x):
        weights = {name: 2 * part for name, part in net.named_parameters()}
        return torch.func.functional_call(net, weights, (x,))

    compare(net, x)
    compare(net, x, of="parameters")
    compare(doubled, x)
    compare(ways=(net, lambda x: net(x) * 2), x=x, of="parameters")
    with pytest.raises(ValueError, match="broken"):
        compare(broken, x)
    assert state(net, x) == before


def test_parameters_are_paired_only_if_it_is_certain():
    numbers = torch.rand(2, 3, 3)
    x = torch.rand(2, 3)

    def way(first, second):
        return lambda x: (x @ first).tanh() @ second

    ways = [way(*map(nn.Parameter, numbers.clone())) for _ in range(2)]
    layers = [nn.Linear(3, 3) for _ in range(12)]
    copies = nn.Sequential(
        OrderedDict((f"l{k}", layer) for k, layer in enumerate(deepcopy(layers)))
    )
    for given in (ways, (nn.Sequential(*layers), copies)):
        assert compare(ways=tuple(given), x=x).same
        with pytest.raises(ValueError, match="names do not tell"):
            compare(ways=tuple(given), x=x, of="parameters")
    assert compare(ways=(copies, deepcopy(copies)), x=x, of="parameters").kind == "equal"


def test_no_warning_reaches_the_caller(recwarn):
    def warns(x):
        warnings.warn("of another library", stacklevel=1)
        return x.sin()

    compare(warns, torch.ones(3))
    assert not recwarn


def test_a_failure_is_not_blamed_on_the_network(monkeypatch):
    """One of its own."""

    def fails(*given):
        raise RuntimeError("of its own")

    monkeypatch.setattr("lib.own.function.cast", fails)
    with pytest.raises(RuntimeError, match="^of its own"):
        compare(nn.Linear(3, 2), torch.ones(3))


UP = float(np.nextafter(np.float32(1), np.float32(2)))
KINK = Slope(2.0, inf, 1.0)
KNOWN = Slope(1.001, 0.0009, 1.0)
SEEN = {"causes": dict.fromkeys(["detach()"]), "unreached": dict.fromkeys(["numpy()"])}
STATES = [
    ([1, 2], [1, 2], ([1, 2], [1, 2]), [KINK], "undecided", "equal. Seen in use: detach()."),
    ([0, 2], [0, 2], ([1e-9, 2], [1e-9, 2]), [KNOWN], "equal", "f and g are equal."),
    ([1, 2], [UP, 2], ([1.00000002, 2], [1.00000002, 2]), [KNOWN], "rounding", "differ in 1 of 2"),
    ([1, 2], [UP, 2], ([1 + 1e-9, 2], [1, 2]), [], "undecided", "0.84% of a difference"),
    ([1, 2], [UP, 2], None, [], "undecided", "Seen in use: detach()."),
    ([1, inf], [1, 2], ([1, 2], [1, 2]), [], "undecided", "1 of 2 in f, 0 in g. In float64"),
    ([1, 2], [UP, 2], ([1, 2], [UP, 2]), [], "undecided", "Seen in use: detach()."),
]


@pytest.mark.parametrize("first, second, exact, slopes, kind, words", STATES)
def test_made_up_numbers_have_a_sentence(first, second, exact, slopes, kind, words):
    """Of their kind."""

    def both(sides, dtype):
        return [[torch.empty(0), torch.tensor(side, dtype=dtype)] for side in sides]

    own = both((first, second), torch.float32)
    wide = both(exact, torch.float64) if exact else ()
    seen = Seen(**SEEN)
    evidence = Evidence(("f", "g"), ["result", "x"], own, wide, tuple, slopes, seen)
    part = Difference("Gradient", evidence)
    assert part.kind == kind and words in describe(part), describe(part)


ONES = torch.ones(3)
RANDOM = torch.Generator()
HELD = torch.ones(3, requires_grad=True)
COMPLEX = nn.Linear(3, 3, dtype=torch.cfloat)
ARGUMENTS = [
    ({"net": torch.exp, "x": torch.arange(3)}, "x is int64"),
    ({"net": torch.exp, "x": ()}, "x is empty"),
    ({"net": torch.exp, "x": torch.tensor([1.0, nan])}, "finite numbers"),
    ({"net": torch.exp, "x": ONES.to_sparse()}, "reading x failed"),
    ({"ways": (torch.exp,)}, "compare(ways=(f, g), x=x)"),
    ({"net": torch.exp, "of": "weights"}, "of='weights'"),
    ({"net": lambda x: x * HELD, "of": "parameters"}, "from the parameters"),
    ({"net": lambda x: x.detach()}, "No gradient path"),
    ({"net": torch.argmax}, "returns int64"),
    ({"net": lambda x: torch.complex(x, x)}, "returns complex64"),
    ({"net": lambda x: COMPLEX(x.cfloat()).abs(), "of": "parameters"}, "is complex64"),
    ({"net": lambda x: checkpoint(torch.exp, x, use_reentrant=True)}, "compare()'s backward"),
    ({"net": nn.LazyLinear(2)}, "no shape yet"),
    ({"net": lambda x: x * torch.rand(1, generator=RANDOM)}, "another result each time"),
    ({"net": torch.jit.script(nn.Linear(3, 2))}, "ScriptModule"),
    ({"net": nn.Linear(4, 2)}, "The network failed with RuntimeError: mat1 and mat2"),
    ({"net": lambda x: x.sum().expand(2**26)}, "201,326,592 entries"),
    ({"ways": (torch.exp, torch.sum)}, "differ in shape or dtype"),
]


@pytest.mark.parametrize("arguments, words", ARGUMENTS)
def test_it_is_refused_in_one_sentence(arguments, words):
    with pytest.raises(ValueError) as caught:
        compare(**{"x": ONES, **arguments})
    message = str(caught.value)
    assert words in message and "\n" not in message and len(message) < 400
