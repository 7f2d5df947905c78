"""Functions that are right and functions with a fault: `compare` must judge none falsely.

By hand it is known whether a difference can only come from rounding.
"""

import warnings
from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

DOUBLE, FLOAT, HALF, BFLOAT = torch.float64, torch.float32, torch.float16, torch.bfloat16
BATCH, STEPS = (5, 6), (2, 4, 6)


def case(net, x=BATCH, dtype=FLOAT, of="input", **says):
    """Return the arguments of `compare`: `net` may be two ways, `x` a shape or numbers."""
    x = drawn(x) if isinstance(x, tuple) else torch.tensor(x)
    if isinstance(net, nn.Module):
        net = net.to(dtype)
    return {"ways" if isinstance(net, tuple) else "net": net, "x": x.to(dtype), "of": of, **says}


def drawn(shape, seed=3):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


W = drawn((6, 6)).float()


def under_ones(scale, x):
    """The mask is 1, as no rounding would change it."""
    return torch.where(torch.ones_like(x).detach() == 1, scale * x.sin(), 0)


def mlp(*between):
    return nn.Sequential(nn.Linear(6, 16), *(between or [nn.GELU()]), nn.Linear(16, 3))


class Own(torch.autograd.Function):
    """`value` of x, and a `backward` of the gradient that comes in and of x."""

    @staticmethod
    def forward(ctx, x, value, back):
        ctx.save_for_backward(x)
        ctx.back = back
        return value(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient, *ctx.saved_tensors), None, None


ZERO = torch.arange(5000) == 0
FIRST = torch.arange(30).view(5, 6) == 0
"""The first component of `BATCH`."""


def own(value, back):
    return lambda x: Own.apply(x, value, back)


def after(function, net=None):
    """Return the function after a linear layer, so that there are parameters as well."""
    return nn.Sequential(net or nn.Linear(6, 6), Called(function))


class Called(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def only_float32(x):
    if x.dtype == DOUBLE:
        raise ValueError("no float64")
    return x.sin()


def square(error):
    return own(torch.square, lambda g, x: g * 2 * x * (1 + error))


def hooked(hook):
    net = mlp()
    net[1].register_full_backward_hook(hook)
    return net


def on_result(hook):
    def function(y):
        if y.requires_grad:
            y.register_hook(hook)
        return y.tanh()

    return after(function)


def scripted(code):
    return torch.jit.CompilationUnit(f"def f(x):\n    return {code}\n").f


def checkpointed(net):
    return lambda x: checkpoint(net, x, use_reentrant=False)


def compiled(factor):
    def backend(graph, inputs):
        return lambda *given: tuple(factor * y for y in graph(*given))

    return torch.compile(NET, backend=backend)


def no_grad(x):
    with torch.no_grad():
        gate = x.sigmoid()
    return x * gate


def by_hand(q):
    return (q @ q.flip(-2).mT / 6**0.5).softmax(-1) @ q.sin()


def by_rows(x):
    result = torch.zeros_like(x)
    for k in range(len(x)):
        result[k] = x[k] + 1e8 - 1e8
    return result


def safe_sqrt(x):
    return torch.where(x > 0, torch.where(x > 0, x, 1).sqrt(), 0)


def turned(factor):
    """A complex number times 2 + 3i; the backward is right with the conjugate factor."""
    turn = own(lambda z: z * (2 + 3j), lambda g, z: g * factor)
    return lambda x: turn(torch.complex(x, x.cos())).real.tanh()


def in_float32(x):
    assert x.dtype == FLOAT
    return x * x.detach()


def angle(x):
    return (x / x.norm()).square().sum().acos()


class Gated(nn.Module):
    """A product of two layers, the one computed before the other."""

    def __init__(self, first):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 3), nn.Linear(6, 3)])
        for k, layer in enumerate(self.layers):
            layer.weight.data = W[3 * k : 3 * k + 3].clone()
            layer.bias.data.fill_(0.5)
        self.first = first

    def forward(self, x):
        parts = {k: self.layers[k](x) for k in (self.first, 1 - self.first)}
        return parts[0].tanh() * parts[1]


def gradient_penalty(x):
    (slope,) = torch.autograd.grad((x @ W).tanh().sum(), x, create_graph=True)
    return slope.square().sum(-1)


def narrow(product):
    """Return some results of a softmax of what is computed in float32."""
    return lambda x: product(x).softmax(-1)[:, :3].double()


def in_numpy(x, weights=W):
    """A product in float32, where PyTorch does not see it."""
    product = x.detach().numpy().astype(np.float32) @ weights.numpy()
    return torch.from_numpy(product.astype(np.float64))


with torch.random.fork_rng(devices=[]), warnings.catch_warnings(action="ignore"):
    torch.manual_seed(9)
    NET = mlp(nn.Tanh())
    LAYER = nn.Linear(6, 3)

    def added(x):
        bias = LAYER.bias * 1
        return x @ LAYER.weight.T + bias

    COSINE = next(x.tolist() for x in torch.randn(200, 5) if angle(x).isnan())

    RIGHT = {
        "large numbers that cancel": case(
            lambda x: (x + 1e8) - 1e8, [0.7576316, 0.27931088, 0.40306926, 0.73468447, 0.029281557]
        ),
        "mlp in float16": case(mlp(), dtype=HALF),
        "a masked softmax": case(
            lambda x: x.masked_fill(torch.arange(8) == 0, -torch.inf).softmax(0), (8,)
        ),
        "attention, fused and by hand": case(
            (lambda q: F.scaled_dot_product_attention(q, q.flip(-2), q.sin()), by_hand), STEPS
        ),
        "noise": case(lambda x: (x + 0.1 * torch.randn_like(x)).tanh() * torch.rand_like(x)),
        "script": case(scripted("x.tanh() * x.exp()")),
        "checkpoint": case(checkpointed(mlp())),
        "autocast": case(lambda x: torch.autocast("cpu", dtype=BFLOAT)(NET)(x).float()),
        "half inside": case(lambda x: (x.half() @ W.half()).float().tanh()),
        "float inside": case(narrow(lambda x: x.float() @ W), dtype=DOUBLE),
        "rows that are written in place": case((by_rows, lambda x: x * 1), [0.75, 0.25, 0.5]),
        "bfloat16 in a backward": case(
            narrow(lambda x: own(torch.clone, lambda g, x: g.bfloat16().to(g))(x) @ W.double()),
            dtype=DOUBLE,
        ),
        "hook that changes nothing": case(on_result(lambda g: g * 1)),
        "compiled": case((NET, compiled(1))),
        "infinite values on both sides": case(
            (
                lambda x: torch.where(x > 0, x, -torch.inf),
                lambda x: x.masked_fill(x <= 0, -torch.inf),
            ),
            [1.0, 0.0],
        ),
        "cumsum": case((lambda x: x.cumsum(0)[-1], lambda x: x.sum(0)), (20_000, 1)),
        "an added mask": case(lambda x: x * x.sin() + torch.zeros(()).where(x < 0, -torch.inf)),
        "a mask of infinities": case(lambda x: (x * x.sin()).masked_fill(x > 0, torch.inf)),
        "a hinge at its kink": case(lambda x: (1 - x).clamp(min=0).sum(1), [[1.0] * 5] * 3),
        "a gradient of 0": case(nn.LayerNorm(5), [[0.3] * 5] * 2),
        "embedding of integers": case(
            nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)), of="parameters"
        )
        | {"x": torch.tensor([[0, 4], [1, 1]])},
        "two inputs": {
            "net": lambda x, k: x[k].tanh(),
            "x": (drawn(BATCH), torch.tensor([0, 2, 2])),
        },
        "numpy outside of the gradient": case(
            lambda x: x.tanh() * float(torch.detach(input=x).sign().sum() > 100)
        ),
        "complex backward": case(turned(2 - 3j)),
        "logsumexp beside an infinity": case(
            lambda x: torch.cat([x, x.new_full((5, 1), -torch.inf)], 1).logsumexp(1)
        ),
        "gradient penalty": case(gradient_penalty),
        "module first met within jacrev": case(
            lambda x: torch.func.vmap(torch.func.jacrev(lambda sample: NET(sample)))(x)
        ),
        "parameters that are used in another order": case((Gated(0), Gated(1)), of="parameters"),
        "parameters without a module, in another order": case(
            (lambda x: F.linear(x, LAYER.weight, LAYER.bias), added), of="parameters"
        ),
        "sparse gradient": case(
            after(lambda y: y.tanh(), nn.Embedding(5, 3, sparse=True)), of="parameters"
        )
        | {"x": torch.tensor([0, 4, 4])},
        "spectral norm": case(nn.utils.spectral_norm(nn.Linear(6, 3))),
        "subnormal gradient in float16": case(
            lambda x: (x * x).sum() * 1e-6, [0.1, 0.3, 1.0], HALF
        ),
        "subnormal values in float16": case(
            (lambda x: x * 1e-6 * 1e4, lambda x: x * 1e4 * 1e-6), [0.1, 0.3, 1.0], HALF
        ),
    }
    """Right: a difference can only come from rounding."""

    FAULTY = {
        "item": case(lambda x: x * x.sum().item(), says="item() at cases.py:"),
        "detach beside a large number": case(
            lambda x: x * x.detach() + 1e8, says="central differences"
        ),
        "detach in a script, at a kink": case(
            lambda x: scripted("x * x.exp().detach()")(x.relu()), [0.0, 1.0, 2.0]
        ),
        "backward off by 1e-5": case(lambda x: square(1e-5)(x @ W), says="slope"),
        "detach in a script, beside infinities": case(
            scripted("(x * x.exp().detach()).masked_fill(x > 0, float('inf'))")
        )
        | {"x": drawn(BATCH).T},
        "backward off by a fifth in bfloat16": case(square(-0.2), dtype=BFLOAT, says="slope"),
        "scaled under a mask of ones": case(
            tuple(partial(under_ones, scale) for scale in (1.0, 1.00005)), says="remains"
        ),
        "backward of one way": case((torch.square, square(0.1)), says="Equal. Values"),
        "module hook": case(
            hooked(lambda net, g, out: (g[0] * 1.1,)), says="BackwardHookFunction.backward"
        ),
        "tensor hook": case(on_result(lambda g: g * 1.1), says="register_hook() at cases.py:"),
        "NaN behind a mask": case(
            lambda x: torch.where(x > 1, x.log(), x),
            [0.0, 2.0],
            says="of LogBackward0, which is given the gradient 0: 0 times ∞ or NaN is NaN. If",
        ),
        "NaN behind a mask, and a safe way": case(
            (safe_sqrt, lambda x: torch.where(x > 0, x.sqrt(), 0)),
            [4.0, -1.0, 9.0],
            says="NaN or infinite: 0 of 3 in the first, 1 in the second",
        ),
        "sqrt at 0 beside an infinity that is meant": case(
            lambda x: torch.cat([(x * 0).sqrt(), x.new_full((1,), -torch.inf)]),
            [1.0],
            says="the result of SqrtBackward0",
        ),
        "normalised 0": case(
            lambda x: x / x.norm(),
            [0.0, 0.0],
            says="The first NaN is the result of div() at cases.py:",
        ),
        "overflow in float16": case(
            lambda x: (x * x).sum() / 1000,
            [300.0, 3.0],
            HALF,
            says="The first infinity is the result of mul()",
        ),
        "transposed": case((lambda x: x @ W, lambda x: x @ W.T)),
        "off by 1e-9 in float64": case((torch.exp, lambda x: x.exp() * (1 + 1e-9)), dtype=DOUBLE),
        "one small component off": case(
            (lambda x: x * torch.tensor([1.0, 1e-6]), lambda x: x * torch.tensor([1.0, 1.1e-6])),
            [1.0, 1.0],
            says="differ in 1 of 2",
        ),
        "complex backward without its conjugate": case(turned(2 + 3j)),
        "overflow in the backward alone": case(lambda x: x**-1 * 1e-20, [1e-25, 1.0]),
    }
    """With a fault, or a gradient that no rounding explains, and some words that it `says`."""

    for of, dtype in (("input", FLOAT), ("parameters", BFLOAT)):
        sound = {
            "batch norm in training": (mlp(nn.Tanh(), nn.BatchNorm1d(16)),),
            "lstm": (after(lambda y: y[0], nn.LSTM(6, 3, 2, batch_first=True)), STEPS),
            "dropout in training": (mlp(nn.Tanh(), nn.Dropout()),),
        }
        RIGHT |= {f"{name}, {of}": case(*row, dtype=dtype, of=of) for name, row in sound.items()}
        lost = {
            "Own.backward": square(-0.5),
            "detach() at cases.py:": lambda x: x * x.sigmoid().detach(),
            ".data at cases.py:": lambda x: x * x.sigmoid().data,
            "no_grad() at cases.py:": no_grad,
        }
        for cause, function in lost.items():
            FAULTY[f"{cause} {of}"] = case(after(function), of=of, says=cause)

    OPEN = {
        "one component wrong in float32 alone": case(
            own(torch.square, lambda g, x: g * (2 * x + (g.dtype == FLOAT) * FIRST)),
            says="In its own dtype",
        ),
        "one of many components wrong in bfloat16 alone": case(
            own(torch.square, lambda g, x: g * (2 * x - 2 * x * ZERO * (g.dtype == BFLOAT))),
            torch.linspace(0.5, 1, 5000).bfloat16(),
            BFLOAT,
            says="In its own dtype",
        ),
        "a cut beside a large number": case(
            lambda x: torch.cat([x[:1] ** 2, x[1:].detach() * x[1:]]), [1e7, 1.0, 2.0], says="Seen"
        ),
        "a long sum in float64": case(
            (lambda x: x.cumsum(0)[-1:], lambda x: x.sum(0, keepdim=True)),
            torch.full((200_000,), 0.1, dtype=DOUBLE),
            DOUBLE,
            says="or a long sum",
        ),
        "a constant that depends on the dtype": case(
            (lambda x: x + torch.finfo(x.dtype).eps, lambda x: x + 2**-23),
            says="A rounded constant",
        ),
        "value wrong in bfloat16 alone": case(
            (torch.exp, lambda x: x.exp() * (1 + 0.1 * (x.dtype == BFLOAT))),
            dtype=BFLOAT,
            says="In its own dtype",
        ),
        "wrong in float16 alone, beside its largest number": case(
            (torch.clone, lambda x: (x * 1 * 1).where((x > 4e4) | (x.dtype != HALF), 1.1 * x)),
            [65504.0, 30000.0],
            HALF,
            says="Undecided. Values",
        ),
        "wrong at 0 alone": case(
            lambda x: x.relu() - (-x).relu(), [0.0, 1.0], says="at this x, but not nearby"
        ),
        "bfloat16 in the backward alone, at a kink": case(
            own(torch.abs, lambda g, x: 3 * (g / 3).bfloat16().to(g) * x.sign()),
            [0.0, 0.7, 0.3],
            DOUBLE,
            says="Seen in use: Own.backward",
        ),
        "no float64, and a cut that is not seen": case(
            lambda x: only_float32(x) * (x if x.requires_grad else 2), says="float64 failed"
        ),
        "conventions at a tie": case(
            (lambda x: x.max(0).values, lambda x: x.amax(0)), [1.0, 1.0], says="Equal. Values"
        ),
        "compiled wrongly": case((NET, compiled(1.01)), says="In its own dtype"),
        "eps of the dtype": case(
            nn.RMSNorm(8), [[1e-3, 2e-3, -1e-3, 3e-3, 0, 1e-3, -2e-3, 0]], says="In its own dtype"
        ),
        "off by 2e-13 in float64": case(
            (torch.exp, lambda x: x.exp() * (1 + 2e-13)), dtype=DOUBLE, says="or a long sum"
        ),
        "a constant that is rounded": case(
            (lambda x: x * torch.tensor(1 / 3), lambda x: x / 3), says="A rounded constant"
        ),
        "one tiny component off": case(
            (lambda x: x * torch.tensor([1e6, 1e-9]), lambda x: x * torch.tensor([1e6, 2e-9])),
            [1.0, 1.0],
            says="up to 100.00% of a difference remains",
        ),
        "detach in one dtype": case(in_float32, says="detach() at cases.py:"),
        "a cosine of 1": case(angle, COSINE, says="NaN or infinite"),
        "cancellation within an operation": case(nn.GELU(), [-8.0], says="In its own dtype"),
        "a loop that stops": case(
            (torch.sum, sum), [1.0] * 400, BFLOAT, says="Rounding is expected to cause"
        ),
        "float32 where PyTorch does not see it": case(
            narrow(own(in_numpy, lambda g, x: in_numpy(g, W.T))),
            dtype=DOUBLE,
            says="except for numpy() at cases.py:",
        ),
    }
    """Right, but that cannot be told."""
