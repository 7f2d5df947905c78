"""`compare` on real networks: its verdict is right, and nothing of the caller's is changed."""

import copy
import warnings
from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from lib.own import assert_same, compare
from lib.own.difference import Difference
from lib.own.slope import Slope
from lib.own.watch import Seen
from tests.own.cases import FAULTY, FLAT, OPEN, REFUSED, RIGHT, Change, only_in
from tests.own.networks import BATCH, SOUND, UNSOUND, Square, Writes, network

PARTS = pytest.mark.parametrize(
    ("of", "dtype"), [("input", torch.float32), ("parameters", torch.bfloat16)]
)


@PARTS
@pytest.mark.parametrize("name", SOUND)
def test_a_sound_network_differs_by_rounding_alone(name, of, dtype):
    net, x = network(*SOUND[name], dtype)
    assert_same(net, x, of=of)


@PARTS
@pytest.mark.parametrize("name", UNSOUND)
def test_what_loses_a_part_of_the_gradient_is_found_and_named(name, of, dtype):
    build, shape, cause = UNSOUND[name]
    net, x = network(build, shape, dtype)
    report = compare(net, x, of=of)
    assert report.kind == "not rounding", report
    assert cause in str(report), report
    with pytest.raises(AssertionError, match="not rounding"):
        assert_same(net, x, of=of)


def test_the_values_are_those_that_a_reader_would_compute():
    net, x = network(*SOUND["layer norm"], torch.float32)
    leaf = x.clone().requires_grad_()
    y = net(leaf)
    y.backward(torch.ones_like(y))
    table = compare(net, x).table
    far = table["ulps"].tolist()
    assert far == sorted(far, reverse=True) and far[0] > 0
    table = table.sort_values("index")
    assert table["first"].tolist() == leaf.grad.double().flatten().tolist()
    rows = torch.autograd.functional.jacobian(net, x).reshape(-1, *x.shape).sum(0)
    assert table["second"].tolist() == rows.double().flatten().tolist()
    wide = copy.deepcopy(net).double()
    leaf = x.double().requires_grad_()
    wide(leaf).sum().backward()
    assert np.allclose(table["float64"], leaf.grad.flatten(), rtol=1e-12)
    assert table["index"].tolist() == [(i, j) for i in range(5) for j in range(6)]
    first, second = (
        table[name].astype(np.float32).to_numpy().view(np.int32) for name in ("first", "second")
    )
    assert np.abs(first.astype(np.int64) - second).tolist() == table["ulps"].tolist()


def state(net, x):
    tensors = [x, *net.parameters(), *net.buffers()]
    return (
        [part.detach().clone().view(-1).view(torch.uint8).tolist() for part in tensors],
        [None if part.grad is None else part.grad.tolist() for part in tensors],
        [(part.requires_grad, id(part)) for part in tensors],
        [(module.training, [*getattr(module, "calls", [])]) for module in net.modules()],
        torch.get_rng_state().tolist(),
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
    )


CAUSES = {
    "batch norm in training": "batch_norm in training mode",
    "dropout in training": "dropout in training mode",
    "wrong backward": "Square.backward",
    "writes": ".data at networks.py:",
}


@pytest.mark.parametrize("name", CAUSES)
def test_the_caller_s_network_is_left_as_it_was_however_it_is_reached(name):
    build, shape, *_ = (SOUND | UNSOUND | {"writes": (Writes, BATCH)})[name]
    net, x = network(build, shape, torch.float32)
    net(x).sum().backward()
    x.requires_grad_().grad = torch.full_like(x, 3.0)
    held = SimpleNamespace(net=net)
    before = state(net, x)

    def broken(x):
        raise RuntimeError(f"broken {net(x).shape} {torch.rand(1)}")

    def doubled(x):
        weights = {name: 2 * part for name, part in net.named_parameters()}
        return torch.func.functional_call(net, weights, (x,))

    assert any(CAUSES[name] in cause for cause in compare(net, x).parts[0].seen.causes)
    compare(net, x, of="parameters")
    compare(lambda x: held.net(x), x)
    compare(doubled, x)
    compare(ways=(net, lambda x: net(x) * 2), x=x, of="parameters")
    with pytest.raises(ValueError, match="broken"):
        compare(broken, x)
    assert state(net, x) == before


W = torch.rand(5, 4, generator=torch.Generator().manual_seed(1))
with warnings.catch_warnings(action="ignore"):  # of its end; what it made of networks stays
    TRACED = torch.jit.trace(
        lambda x: (x.float() @ W).softmax(-1)[:, :3].double(), torch.ones(6, 5).double()
    )


class InNumPy(torch.autograd.Function):
    """x @ W in float32, where PyTorch does not see it."""

    @staticmethod
    def forward(ctx, x):
        return torch.from_numpy(x.detach().numpy().astype(np.float32) @ W.numpy()).to(x.dtype)

    @staticmethod
    def backward(ctx, grad):
        return torch.from_numpy(grad.numpy().astype(np.float32) @ W.numpy().T).to(grad.dtype)


def written(x):
    held = torch.zeros(6, 5)
    return (held.copy_(x) @ W).softmax(-1)[:, :3].double()


FIXED = {
    "float": lambda x: (x.float() @ W).softmax(-1)[:, :3].double(),
    "complex": lambda x: (x.cfloat() @ W.cfloat()).real.softmax(-1)[:, :3].double(),
    "trace": TRACED,
    "written": written,
    "kept": lambda x: (Change.apply(x, lambda g: g.bfloat16().to(g)) @ W.double()).softmax(-1)[
        :, :3
    ],
    "numpy": lambda x: InNumPy.apply(x).softmax(-1)[:, :3],
}


@pytest.mark.parametrize("name", FIXED)
def test_a_network_that_fixes_a_dtype_inside_rounds_as_that_dtype_does(name):
    x = torch.rand(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    report = compare(FIXED[name], x)
    (part,) = report.parts
    assert report.kind == ("undecided" if name == "numpy" else "rounding"), report
    assert np.ptp(part.values, 0).max() > 1e-9 or name == "kept"
    if name == "numpy":
        assert "except in numpy() at test_comparison.py:" in str(report)
    else:
        assert np.ptp(part.exact, 0).max() < 1e-15 and not part.wrong


@pytest.mark.parametrize("error", [1e-2, 3e-4])
def test_what_is_wrong_in_the_network_s_dtype_alone_is_no_rounding(error):
    net, x = network(*SOUND["layer norm"], torch.float32)
    assert compare(lambda x: net(Change.apply(x, lambda g: g)), x).same
    narrow = compare(lambda x: net(Change.apply(x, only_in(torch.float32, error))), x)
    assert narrow.kind == "not rounding"


SCALES = torch.tensor([1.0, 1e6, 1.0, 1.0, 1.0])
FAST = {
    "sine": (lambda x: torch.sin(1e6 * x), 1),
    "saw": (lambda x: (1e5 * x).frac(), 1),
    "columns": (lambda x: torch.tanh(x / SCALES @ W.double() - 1), SCALES),
}


@pytest.mark.parametrize("name", FAST)
def test_no_slope_is_known_of_a_function_that_varies_within_a_step(name):
    function, scale = FAST[name]
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(8, 5, dtype=torch.float64, generator=generator) * scale
        report = compare(function, x)
        assert report.same, report


def test_no_warning_reaches_the_caller(recwarn):
    def warns(x):
        warnings.warn("of another library", stacklevel=1)
        return x.sin()

    compare(warns, torch.ones(3))
    assert not recwarn


@pytest.mark.parametrize("error", [1e-2, 1e-3, 0])
def test_a_slope_contradicts_a_gradient_that_is_off_and_no_other(error):
    """One of ten networks saturates, so that differences tell little."""
    contradicted = 0
    for seed in range(10):
        random = torch.Generator().manual_seed(seed)
        weights = torch.randn(8, 6, dtype=torch.float64, generator=random)
        x = torch.randn(8, dtype=torch.float64, generator=random)
        report = compare(lambda x, w=weights: (Square.apply(x, error) @ w).tanh().sum(), x)
        contradicted += report.parts[0].wrong is not None
        assert (report.kind == "not rounding") == (report.parts[0].wrong is not None)
    assert contradicted >= 9 if error else contradicted == 0


def test_noise_is_named():
    noise = torch.Generator()
    ways = (lambda x: x, lambda x: x * torch.rand(1, generator=noise))
    report = compare(ways=ways, x=torch.ones(4))
    assert [part.what for part in report.parts] == ["Values", "Gradient of the input"]
    assert report.kind == "not rounding" and "another result each time" in str(report)


def test_a_nan_on_one_side_alone_is_counted_and_comes_first():
    report = compare(**FAULTY["NaN behind a mask, and a safe way"].arguments)
    values, gradient = report.parts
    assert (values.kind, gradient.kind, gradient.differing) == ("equal", "not rounding", 1)
    assert gradient.table["index"].tolist()[0] == (1,)
    assert "NaN or infinite: 0 of 3 in the first, 1 in the second" in str(report)


UP = float(np.nextafter(np.float32(1), np.float32(2)))
WRONG = Slope(2.0, 1e-8, 1.0)
KINK = Slope(2.0, inf, 1.0)
STATES = [
    ([1, 2], [1, 2], ([1, 2], [1, 2]), {"slopes": [KINK]}, "equal", "f and g are equal."),
    ([0, 2], [0, 2], ([1e-9, 2], [1e-9, 2]), {}, "equal", "f and g are equal."),
    ([1, 2], [UP, 2], ([1.00000002, 2], [1.00000002, 2]), {}, "rounding", "differ in 1 of 2"),
    ([1, 2], [UP, 2], ([1 + 1e-9, 2], [1, 2]), {}, "undecided", "0.0084 of a difference"),
    ([1, 2], [UP, 2], None, {}, "undecided", "up to 1 ulp. A network that runs"),
    ([1, nan], [1, nan], ([1, nan], [1, nan]), {}, "not rounding", "1 of these remain. It begins."),
    ([1, inf], [1, 2], ([1, 2], [1, 2]), {}, "undecided", "1 of 2 in f, 0 in g. In float64"),
    ([1, inf], [1, 2], None, {}, "undecided", "1 of 2 in f, 0 in g. It begins."),
    ([1, inf], [1, 2], ([1, 2], [1, 2]), {"spread": nan}, "not rounding", "overflow, or underflow"),
    ([1, inf], [1, 2], ([1, inf], [1, 2]), {}, "not rounding", "throughout 1 of these remain"),
    ([1, 2], [16, 32], ([1, 2], [16, 32]), {}, "not rounding", "g is 16 times f, to half"),
    ([1, 2], [1, 2], ([1, 2], [1, 2]), {"slopes": [WRONG]}, "not rounding", "2 ± 1e-08, not 1."),
    ([1, 2], [1, 3], ([1, 2], [1, 3]), {"causes": "detach()"}, "not rounding", "use: detach()."),
    ([1, 2], [1, 3], ([1, 2], [1, 3]), {"unseen": "numpy()"}, "not rounding", "except in numpy()"),
    ([1, 2], [UP, 2], ([1, 2], [UP, 2]), {"unseen": "numpy()"}, "undecided", "except in numpy()"),
    ([3, 4], [3, 4], ([3, 4.05], [3, 4.05]), {"spread": 0.01}, "not rounding", "off by 0.0099 of"),
]


@pytest.mark.parametrize(("first", "second", "exact", "more", "kind", "words"), STATES)
def test_made_up_numbers_have_their_kind_and_sentence(first, second, exact, more, kind, words):
    def both(sides, dtype):
        return [[torch.tensor(side, dtype=dtype)] for side in sides]

    seen = Seen(*(dict.fromkeys(filter(None, [more.get(key)])) for key in ("causes", "unseen")))
    seen.begins = "It begins."
    spread = np.full((2, 2), more["spread"]) if "spread" in more else None
    own = both((first, second), torch.float32)
    wide = both(exact, torch.float64) if exact else ()
    slopes = more.get("slopes", ())
    part = Difference("Gradient", "f", "g", ["x"], own, wide, lambda: spread, slopes, seen)
    assert part.kind == kind and words in part.sentence, part.sentence


@pytest.mark.parametrize("name", RIGHT)
def test_no_function_that_is_right_is_judged_falsely(name):
    report = compare(**RIGHT[name].arguments)
    assert report.kind in ("equal", "rounding"), report
    assert str(report).startswith(("Equal. ", "Rounding. "))


@pytest.mark.parametrize("name", FAULTY)
def test_no_function_with_a_fault_is_judged_falsely(name):
    report = compare(**FAULTY[name].arguments)
    assert report.kind == "not rounding" and "Not rounding. " in str(report), report


@pytest.mark.parametrize("name", OPEN)
def test_what_rounding_may_change_by_a_large_part_is_open(name):
    report = compare(**OPEN[name].arguments)
    assert report.kind == "undecided" and "rounding, which moves it by" in str(report), report


@pytest.mark.parametrize("name", FLAT)
def test_a_gradient_of_steps_is_remarked_on(name):
    assert "Values hardly change" in str(compare(**FLAT[name].arguments))
    assert "hardly" not in str(compare(lambda x: 30 + x.relu(), -torch.ones(3)))


def test_a_line_of_pytorch_is_no_cause():
    net, x = network(lambda: nn.utils.spectral_norm(nn.Linear(6, 3)), BATCH, torch.float32)
    causes = compare(net, x).parts[0].seen.causes
    assert "no_grad()" in causes and not any(" at " in cause for cause in causes)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_complex_outside_is_refused(name):
    with pytest.raises(ValueError, match="complex64"):
        compare(**REFUSED[name].arguments)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "NaN behind a mask",
            [
                "begins in the backward pass, in LogBackward0, where the gradient 0 comes in",
                "Use `where` twice",
            ],
        ),
        ("sqrt at 0", ["begins in the backward pass, in SqrtBackward0", "1 of 2 in backward()"]),
        ("normalised 0", ["The first NaN is the result of div() at cases.py:"]),
        (
            "overflow in float16",
            ["0 of these remain", "overflow", "The first infinity is the result of mul()"],
        ),
        ("infinite weights", ["is the result of matmul()"]),
        ("module hook", ["BackwardHookFunction.backward"]),
        ("library backward", ["GeneratedBackwardFor"]),
    ],
)
def test_where_it_begins_or_what_was_seen_is_said(name, words):
    report = str(compare(**FAULTY[name].arguments))
    assert all(word in report for word in words), report


def test_a_failure_of_its_own_is_not_blamed_on_the_network(monkeypatch):
    def fails(*given):
        raise RuntimeError("of its own")

    monkeypatch.setattr("lib.own.function.cast", fails)
    with pytest.raises(RuntimeError, match="of its own") as caught:
        compare(nn.Linear(3, 2), torch.ones(3))
    assert "network" not in str(caught.value)


ONES = torch.ones(3)
HELD = torch.ones(3, requires_grad=True)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((torch.exp, torch.arange(3)), {}, "x is int64"),
        ((torch.exp, torch.ones(0)), {}, "shape (0,)"),
        ((torch.exp, ()), {}, "x is empty"),
        ((torch.exp, torch.tensor([1.0, torch.nan])), {}, "finite real"),
        ((torch.exp, None), {}, "x is None"),
        ((torch.exp, ONES.to_sparse()), {}, "dense"),
        ((torch.exp, ONES.to("meta")), {}, "on the device meta"),
        ((3, ONES), {}, "not a int"),
        ((), {"ways": 3, "x": ONES}, "not a int"),
        ((), {"x": ONES}, "compare(net, x)"),
        ((torch.exp, ONES), {"ways": (torch.exp, torch.exp)}, "compare(net, x)"),
        ((), {"ways": (torch.exp,), "x": ONES}, "compare(ways=(f, g), x=x)"),
        ((torch.exp, ONES), {"of": "weights"}, "of='weights'"),
        ((torch.exp, ONES), {"of": "parameters"}, "from the parameters"),
        ((lambda x: x.detach(), ONES), {}, "No gradient path"),
        ((torch.argmax, ONES), {}, "returns int64"),
        ((torch.exp, ONES.cfloat()), {}, "finite real"),
        ((lambda x: x * HELD, ONES), {"of": "parameters"}, "from the parameters"),
        (
            (lambda x: checkpoint(torch.exp, x, use_reentrant=True), ONES),
            {},
            "compare()'s backward",
        ),
        ((lambda x: (x, x), ONES), {}, "returns a tuple"),
        ((lambda x: x.mul_(2) * 1.0, ONES), {}, "in-place operation"),
        ((nn.Linear(4, 2), ONES), {}, "The network failed with RuntimeError: mat1 and mat2"),
        ((lambda x: x.new_ones(20_000) * x.sum(), torch.ones(20_000)), {}, "400,000,000 entries"),
        ((), {"ways": (torch.exp, torch.sum), "x": ONES}, "differ in shape or dtype"),
    ],
)
def test_it_is_refused_in_one_sentence(arguments, options, words):
    with pytest.raises(ValueError) as caught:
        compare(*arguments, **options)
    said = str(caught.value)
    assert words in said and "\n" not in said and len(said) < 400
    assert ONES.tolist() == [1, 1, 1] and not ONES.requires_grad


def test_integers_are_passed_on_where_parameters_are_asked_for():
    net = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2))
    assert compare(net, torch.tensor([[0, 4], [1, 1]]), of="parameters").same


def test_parameters_are_found_however_they_are_used():
    linear = nn.Linear(6, 3)
    x = torch.rand(5, 6, generator=torch.Generator().manual_seed(0))

    def loss(x):
        return nn.functional.linear(x, linear.weight).square().mean()

    (expected,) = torch.autograd.grad(loss(x), linear.weight)
    report = compare(loss, x, of="parameters")
    assert report.same
    assert report.parts[0].values[0].tolist() == expected.double().flatten().tolist()
