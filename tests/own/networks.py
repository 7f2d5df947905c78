"""Networks that people bring, with an input each: in float32 on the CPU, from their own seed."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

WIDTH = 6


def seeded(build: Callable[[], nn.Module]) -> nn.Module:
    """Build a module without a trace in the random numbers of the tests."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        return build()


class Square(torch.autograd.Function):
    """x² with a derivative that is wrong by a relative error."""

    @staticmethod
    def forward(ctx, x, error):
        ctx.save_for_backward(x)
        ctx.error = error
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x * (1 + ctx.error), None


class Wrong(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return Square.apply(self.linear(x), -0.5)


class Right(Wrong):
    def forward(self, x: Tensor) -> Tensor:
        return Square.apply(self.linear(x), 0.0)


class Detached(Wrong):
    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        return y * torch.sigmoid(y).detach()


class Data(Wrong):
    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        return y * torch.sigmoid(y.data)


class NoGrad(Wrong):
    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        with torch.no_grad():
            gate = torch.sigmoid(y)
        return y * gate


class Writes(Wrong):
    """Writes into its parameters and lists its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        self.calls.append(1)
        self.linear.weight.data.clamp_(max=0.1)
        return self.linear(x).tanh()


class Conv(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(4, 3, 3),
            nn.Flatten(),
            nn.Linear(48, 3),
            nn.Tanh(),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(WIDTH, 3, num_layers=2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0]


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x)[0]


def normed() -> nn.Module:
    return nn.Sequential(
        nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU(), nn.Linear(WIDTH, 3)
    )


def batch_normed() -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 3))


def dropped() -> nn.Module:
    return nn.Sequential(nn.Linear(WIDTH, 16), nn.Tanh(), nn.Dropout(0.5), nn.Linear(16, 3))


BATCH, STEPS, IMAGES = (5, WIDTH), (2, 4, WIDTH), (2, 2, 6, 6)

SOUND = {
    "conv": (Conv, IMAGES),
    "layer norm": (normed, BATCH),
    "batch norm in training": (batch_normed, BATCH),
    "batch norm in evaluation": (lambda: batch_normed().eval(), BATCH),
    "lstm": (Recurrent, STEPS),
    "attention": (Attention, STEPS),
    "dropout in training": (dropped, BATCH),
    "right backward": (Right, BATCH),
    "one sample": (normed, (WIDTH,)),
}
"""Networks whose gradients are their own: a difference can only come from rounding."""

UNSOUND = {
    "wrong backward": (Wrong, BATCH, "Square.backward"),
    "detach": (Detached, BATCH, "detach() at networks.py:"),
    "data": (Data, BATCH, ".data at networks.py:"),
    "no_grad": (NoGrad, BATCH, "no_grad() at networks.py:"),
}
"""Networks that lose a part of their gradient: with an input's shape and the cause."""


def network(
    build: Callable[[], nn.Module], shape: tuple[int, ...], dtype: torch.dtype
) -> tuple[nn.Module, Tensor]:
    x = torch.randn(shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return seeded(build).to(dtype), x.to(dtype)
