"""Functions that are right and functions with a fault: `compare` must judge none falsely.

A case has one function or two ways, an input of float32 unless it says another, and what the
gradient is of. By hand it is known whether a difference can only come from rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from tests.own import networks
from tests.own.networks import BATCH, STEPS, WIDTH, Square, seeded

DOUBLE, HALF, BFLOAT = torch.float64, torch.float16, torch.bfloat16
DRAWN = torch.Generator()


@dataclass(frozen=True)
class Case:
    """`brought` makes one function or a tuple of two; `x` is a list, or the shape of random x."""

    brought: Callable[[], object]
    x: tuple[int, ...] | list = BATCH
    dtype: torch.dtype = torch.float32
    of: str = "input"

    @property
    def arguments(self) -> dict[str, object]:
        brought = self.brought()
        if isinstance(brought, nn.Module):
            brought = brought.to(self.dtype)
        x = (
            torch.tensor(self.x, dtype=self.dtype)
            if isinstance(self.x, list)
            else drawn(self.x).to(self.dtype)
        )
        what = {"ways": brought} if isinstance(brought, tuple) else {"net": brought}
        return {**what, "x": x, "of": self.of}


def drawn(shape: tuple[int, ...]) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3), dtype=DOUBLE)


W = drawn((WIDTH, WIDTH)).float()


def mlp(act=nn.GELU) -> nn.Module:
    return seeded(lambda: nn.Sequential(nn.Linear(WIDTH, 16), act(), nn.Linear(16, 3)))


class StraightThrough(torch.autograd.Function):
    """x, rounded, with the gradient of x."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Change(torch.autograd.Function):
    """x, with a backward that changes what comes in."""

    @staticmethod
    def forward(ctx, x, change):
        ctx.change = change
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return ctx.change(grad), None


def changed(change, net=None, dtype=torch.float32):
    net = (net or mlp()).to(dtype)
    return lambda x: net(Change.apply(x, change))


def only_in(dtype, error):
    return lambda g: g * (1 + error * (g.dtype == dtype))


def hooked(name: str, hook, of=None):
    net = mlp()
    getattr(of(net) if of else net, name)(hook)
    return net


def on_tensor(hook):
    net = mlp()

    def function(x):
        y = net(x)
        if y.requires_grad:
            y.register_hook(hook)
        return y.tanh()

    return function


def on_node(hook, name="register_hook"):
    net = mlp()

    def function(x):
        y = net(x)
        if y.requires_grad:
            getattr(y.grad_fn, name)(hook)
        return y.tanh()

    return function


def nothing(*args):
    return None


def magnify(parameter):
    parameter.grad.mul_(1.1)


def more(g):
    return g * 1.1


@torch.library.custom_op("last_bit_tests::right_cube", mutates_args=())
def right_cube(x: Tensor) -> Tensor:
    return x**3


@torch.library.custom_op("last_bit_tests::wrong_cube", mutates_args=())
def wrong_cube(x: Tensor) -> Tensor:
    return x**3


for operation, times in ((right_cube, 3), (wrong_cube, 2)):
    operation.register_autograd(
        lambda ctx, g, times=times: g * times * ctx.saved_tensors[0] ** 2,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )


def scripted(code: str):
    unit = torch.jit.CompilationUnit(f"def f(x):\n    return {code}\n")
    return unit.f


def checkpointed(net):
    return lambda x: checkpoint(net, x, use_reentrant=False)


def autocast(net):
    return lambda x: torch.autocast("cpu", dtype=BFLOAT)(net)(x).float()


def functional(net, scale=1):
    weights = {name: scale * part.detach() for name, part in net.named_parameters()}
    return lambda x: torch.func.functional_call(net, weights, (x,))


def noisy(x):
    return (x + 0.1 * torch.randn_like(x)).tanh() * torch.rand_like(x)


def compiled(net, wrong=False):
    def backend(graph, inputs):
        return (lambda *given: tuple(1.01 * y for y in graph(*given))) if wrong else graph

    return torch.compile(net, backend=backend)


def attention(q):
    return F.scaled_dot_product_attention(q, q.flip(-2), q.sin())


def by_hand(q):
    weights = (q @ q.flip(-2).transpose(-2, -1) / WIDTH**0.5).softmax(-1)
    return weights @ q.sin()


def masked(q):
    scores = q @ q.transpose(1, 2)
    mask = torch.ones(4, 4, dtype=torch.bool).triu(1)
    return scores.masked_fill(mask, -torch.inf).softmax(-1) @ q


def safe_sqrt(x):
    return torch.where(x > 0, torch.where(x > 0, x, 1).sqrt(), 0)


def unsafe_sqrt(x):
    return torch.where(x > 0, x.sqrt(), 0)


def complex_linear(x):
    z = torch.complex(x, x.cos()) @ torch.complex(W, W.T)
    return z.abs() + z.angle()


def complex_module():
    net = seeded(lambda: nn.Linear(WIDTH, 3, dtype=torch.cfloat))
    return lambda x: net(x.cfloat()).abs()


def gru():
    net = seeded(lambda: nn.GRU(WIDTH, 5, batch_first=True))
    return lambda x: net(x)[0]


def summed_loop(x):
    total = x[:, 0] * 0
    for k in range(x.shape[1]):
        total = total + x[:, k].exp()
    return total


def rounded_down(x):
    return x + (x.round() - x).detach()


class Turn(torch.autograd.Function):
    """A complex tensor times 2 + 3i; the backward is right with the conjugate factor."""

    @staticmethod
    def forward(ctx, z, factor):
        ctx.factor = factor
        return z * (2 + 3j)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def turned(factor):
    return lambda x: Turn.apply(torch.complex(x, x.cos()), factor).real.tanh()


def beside_infinity(x):
    return torch.logsumexp(torch.cat([x, x.new_full((5, 1), -torch.inf)], 1), 1)


def many_steps(x):
    state = x
    for _ in range(40):
        state = (2 * state @ W + x).tanh()
    return state


def gradient_penalty():
    net = mlp(nn.Tanh)

    def function(x):
        (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
        return slope.square().sum(-1)

    return function


def within_jacrev():
    net = mlp(nn.Tanh)
    return lambda x: torch.func.vmap(torch.func.jacrev(lambda sample: net(sample)))(x)


def sparse_embedding():
    embedding = seeded(lambda: nn.Embedding(5, 3, sparse=True))
    return lambda x: embedding(torch.tensor([0, 4, 4])).tanh() * x[0, 0]


RIGHT = {
    "mlp": Case(mlp),
    "mlp of its parameters": Case(mlp, of="parameters"),
    "mlp in bfloat16": Case(mlp, dtype=BFLOAT),
    "mlp in float16": Case(mlp, dtype=HALF),
    "relu": Case(lambda: mlp(nn.ReLU)),
    "gru": Case(gru, STEPS),
    "masked attention": Case(lambda: masked, STEPS),
    "attention, fused and by hand": Case(lambda: (attention, by_hand), STEPS),
    "noise": Case(lambda: noisy),
    "library backward": Case(lambda: lambda x: right_cube(x @ W)),
    "script": Case(lambda: scripted("x.tanh() * x.exp()")),
    "checkpoint": Case(lambda: checkpointed(mlp())),
    "functional_call": Case(lambda: functional(mlp())),
    "autocast": Case(lambda: autocast(mlp())),
    "half inside": Case(lambda: lambda x: (x.half() @ W.half()).float().tanh()),
    "complex inside": Case(lambda: complex_linear),
    "hook that changes nothing": Case(lambda: on_tensor(lambda g: g * 1)),
    "compiled": Case(lambda: (mlp(), compiled(mlp()))),
    "safe where": Case(lambda: safe_sqrt, [0.0, 1.0, 4.0, -1.0]),
    "infinite values on both sides": Case(
        lambda: (
            lambda x: torch.where(x > 0, x, -torch.inf),
            lambda x: x.masked_fill(x <= 0, -torch.inf),
        ),
        [1.0, 0.0],
    ),
    "log(1 + x) of small x": Case(
        lambda: (lambda x: torch.log(1 + x), torch.log1p), [1e-9, 1e-5, 1e-3, 1.0]
    ),
    "a loop and a sum": Case(lambda: (summed_loop, lambda x: x.exp().sum(-1)), BATCH, BFLOAT),
    "cumsum": Case(lambda: (lambda x: x.cumsum(0)[-1], lambda x: x.sum(0)), (20_000, 1)),
    "identical ways": Case(lambda: (mlp(), mlp())),
    "inverse": Case(
        lambda: (lambda x: torch.linalg.inv(x) @ x[:, 0], lambda x: torch.linalg.solve(x, x[:, 0])),
        (6, 6),
    ),
    "embedding": Case(lambda: lambda x: F.embedding(torch.tensor([0, 2, 2]), x).tanh()),
    "numpy outside of the gradient": Case(
        lambda: lambda x: x.tanh() * float(x.detach().sign().sum() > 100)
    ),
    "complex backward": Case(lambda: turned(2 - 3j)),
    "bfloat16 inside a log of a softmax": Case(
        lambda: lambda x: (x.bfloat16() @ W.bfloat16()).float().log_softmax(-1)
    ),
    "logsumexp beside an infinity": Case(lambda: beside_infinity),
    "40 steps": Case(lambda: many_steps),
    "gradient penalty": Case(gradient_penalty),
    "random leaky relu": Case(nn.RReLU),
    "module first met within jacrev": Case(within_jacrev),
    "sparse gradient": Case(sparse_embedding, of="parameters"),
    "subnormal gradient in float16": Case(
        lambda: lambda x: (x * x).sum() * 1e-6, [0.1, 0.3, 1.0], HALF
    ),
    "subnormal values in float16": Case(
        lambda: (lambda x: x * 1e-6 * 1e4, lambda x: x * 1e4 * 1e-6), [0.1, 0.3, 1.0], HALF
    ),
    "subnormal gradient": Case(lambda: lambda x: (-x * x / 2).exp(), [14.0, 13.9]),
    "underflow to 0": Case(lambda: torch.sigmoid, [-100.0, -101.0]),
}
"""Right: a difference can only come from rounding."""

FAULTY = {
    "item": Case(lambda: lambda x: x * x.sum().item()),
    "detach in a script": Case(lambda: scripted("x * x.exp().detach()")),
    "custom backward off by 1e-3": Case(lambda: lambda x: Square.apply(x @ W, 1e-3)),
    "custom backward off by 1e-5": Case(lambda: lambda x: Square.apply(x @ W, 1e-5)),
    "wrong in bfloat16 alone": Case(
        lambda: changed(only_in(BFLOAT, 0.1), dtype=BFLOAT), dtype=BFLOAT
    ),
    "wrong in float32 alone": Case(lambda: changed(only_in(torch.float32, 1e-4))),
    "one component wrong in float32 alone": Case(
        lambda: changed(lambda g: g + 0.01 * (g == g.max()) * (g.dtype == torch.float32))
    ),
    "value wrong in bfloat16 alone": Case(
        lambda: (lambda x: x.exp(), lambda x: x.exp() * (1 + 0.1 * (x.dtype == BFLOAT))),
        dtype=BFLOAT,
    ),
    "library backward": Case(lambda: lambda x: wrong_cube(x @ W)),
    "module hook": Case(
        lambda: hooked(
            "register_full_backward_hook", lambda module, g, out: (g[0] * 1.1,), lambda net: net[1]
        )
    ),
    "tensor hook": Case(lambda: on_tensor(more)),
    "hook of grad_fn": Case(
        lambda: on_node(lambda made, given: tuple(g if g is None else g * 1.1 for g in made))
    ),
    "parameter hook": Case(
        lambda: hooked("register_hook", more, lambda net: net[0].weight), of="parameters"
    ),
    "parameter hook after accumulation": Case(
        lambda: hooked("register_post_accumulate_grad_hook", magnify, lambda net: net[0].weight),
        of="parameters",
    ),
    "straight-through estimator": Case(lambda: lambda x: (rounded_down(x) * x).tanh()),
    "checkpoint of a detach": Case(lambda: checkpointed(seeded(networks.Detached))),
    "NaN behind a mask": Case(lambda: lambda x: torch.where(x > 1, x.log(), x), [0.0, 2.0]),
    "NaN behind a mask, and a safe way": Case(lambda: (safe_sqrt, unsafe_sqrt), [4.0, -1.0, 9.0]),
    "sqrt at 0": Case(lambda: torch.sqrt, [0.0, 1.0]),
    "normalised 0": Case(lambda: lambda x: x / x.norm(), [0.0, 0.0]),
    "log of a softmax": Case(lambda: lambda x: x.softmax(0).log(), [1000.0, 0.0]),
    "overflow in float16": Case(lambda: lambda x: (x * x).sum() / 1000, [300.0, 3.0], HALF),
    "overflow in float16, and a gradient of 0": Case(
        lambda: lambda x: (300 * x).square().sum().sqrt(), [1.0, 1.0], HALF
    ),
    "overflow in float32": Case(
        lambda: (lambda x: x.exp() / (1 + x.exp()), torch.sigmoid), [100.0, 1.0]
    ),
    "infinite weights": Case(lambda: lambda x: x @ torch.full((WIDTH, 3), torch.inf)),
    "transposed": Case(lambda: (lambda x: x @ W, lambda x: x @ W.T)),
    "off by 1e-3": Case(lambda: (torch.exp, lambda x: x.exp() * 1.001)),
    "off by 1e-9 in float64": Case(
        lambda: (torch.exp, lambda x: x.exp() * (1 + 1e-9)), dtype=DOUBLE
    ),
    "one small component off": Case(
        lambda: (
            lambda x: x * torch.tensor([1.0, 1e-6]),
            lambda x: x * torch.tensor([1.0, 1.1e-6]),
        ),
        [1.0, 1.0],
    ),
    "training and evaluation": Case(
        lambda: (seeded(networks.dropped), seeded(networks.dropped).eval())
    ),
    "another eps": Case(
        lambda: (lambda x: F.layer_norm(x, (WIDTH,)), lambda x: F.layer_norm(x, (WIDTH,), eps=1e-3))
    ),
    "conventions at a tie": Case(
        lambda: (lambda x: x.max(0).values, lambda x: x.amax(0)), [1.0, 1.0]
    ),
    "compiled wrongly": Case(lambda: (mlp(), compiled(mlp(), wrong=True))),
    "no mask": Case(lambda: (masked, lambda q: (q @ q.transpose(1, 2)).softmax(-1) @ q), STEPS),
    "complex backward without its conjugate": Case(lambda: turned(2 + 3j)),
    "overflow in the backward alone": Case(lambda: lambda x: x**-1 * 1e-20, [1e-25, 1.0]),
}
"""With a fault, or a gradient that no rounding explains."""

FLAT = {
    "straight through": Case(lambda: StraightThrough.apply),
    "fake quantization": Case(
        lambda: lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)
    ),
}
"""Values of steps, with a gradient that is not 0."""

OPEN = {
    "solve of a Hilbert matrix": Case(
        lambda: lambda x: torch.linalg.solve(x, torch.ones(8, dtype=x.dtype)).sum(),
        [[1 / (i + j + 1) for i in range(8)] for j in range(8)],
    )
}
"""Right, but imitated rounding moves the gradient by a large part of its size."""

REFUSED = {
    "complex out": Case(lambda: lambda x: torch.complex(x, x)),
    "complex parameters": Case(complex_module, of="parameters"),
}
