"""Independent oracles: each method as one would write it down for one point, rounding in fractions,
derivatives and whole networks in mpmath."""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import grad
from torch.autograd.functional import jacobian

from lib.experiment.choices import OUTPUT_ACTIVATIONS


def _leaf(x: Tensor) -> Tensor:
    return x.clone().requires_grad_()


def backward(net: nn.Module, x: Tensor) -> Tensor:
    """The backward gradient of one point or of a batch, as the post has it."""
    x = _leaf(x)
    y = net(x)
    y.backward(torch.ones_like(y))
    return x.grad


def _rows(net: nn.Module, x: Tensor) -> Tensor:
    x = _leaf(x)
    y = net(x)
    return torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])


def _batched_grad(net: nn.Module, x: Tensor) -> Tensor:
    x = _leaf(x)
    y = net(x)
    return grad(y, x, torch.eye(len(y), dtype=y.dtype), is_grads_batched=True)[0]


def _copies(net: nn.Module, x: Tensor) -> Tensor:
    outputs = len(net(x))
    copies = _leaf(torch.stack([x] * outputs))
    return grad(net(copies), copies, torch.eye(outputs, dtype=x.dtype))[0]


def _single_call(net: nn.Module, x: Tensor) -> Tensor:
    x = _leaf(x)
    y = net(x)
    return torch.stack(grad([y[i] for i in range(len(y))], [x for _ in range(len(y))]))


PLAIN: dict[str, Callable[[nn.Module, Tensor], Tensor]] = {
    "functional": lambda net, x: jacobian(net, x),
    "functional-vectorized": lambda net, x: jacobian(net, x, vectorize=True),
    "functional-forward": lambda net, x: jacobian(net, x, vectorize=True, strategy="forward-mode"),
    "jacrev": lambda net, x: torch.func.jacrev(net)(x),
    "jacfwd": lambda net, x: torch.func.jacfwd(net)(x),
    "rows": _rows,
    "batched-grad": _batched_grad,
    "copies": _copies,
    "summed-output": lambda net, x: jacobian(lambda x: net(x).sum(), x)[None],
    "single-call": _single_call,
}
"""Every exact method for one point, shape (outputs, inputs), as its PyTorch function is called by
hand."""


FORMATS = {
    "float64": (53, -1074, 1024),
    "float32": (24, -149, 128),
    "bfloat16": (8, -133, 128),
    "float16": (11, -24, 16),
}
"""Significant bits, exponent of the smallest subnormal, and exponent of the first power of two that
is too large."""


def rounded(value: Fraction, dtype: str) -> float:
    """The float of the dtype that is nearest to a fraction, ties to even, by the definition of IEEE
    754."""
    _, lowest, overflow = FORMATS[dtype]
    quantum = Fraction(2) ** ulp_exponent(value, dtype) if value else Fraction(2) ** lowest
    nearest = round(value / quantum) * quantum
    if abs(nearest) >= Fraction(2) ** overflow:
        return math.inf if value > 0 else -math.inf
    return float(nearest)


def ulp_exponent(value: Fraction, dtype: str) -> int:
    """The exponent of one ulp at a real number: the step of the binade that it lies in."""
    bits, lowest, _ = FORMATS[dtype]
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    return max(exponent - bits + 1, lowest)


def ulps_off(value: Fraction, exact: Fraction, dtype: str) -> Fraction:
    """How far a value is off, in ulps of the exact value's correct rounding."""
    nearest = Fraction(rounded(exact, dtype)) or Fraction(2) ** -9999
    return abs(value - exact) / Fraction(2) ** ulp_exponent(nearest, dtype)


def place_of(value: float, dtype: str) -> int:
    """Where a float is on the float line, by its bits; both zeros are at one place."""
    width = {"float64": torch.int64, "float32": torch.int32}.get(dtype, torch.int16)
    magnitude = torch.tensor(abs(value), dtype=getattr(torch, dtype)).view(width).item()
    return -magnitude if value < 0 else magnitude


def spacing(x: Tensor) -> np.ndarray:
    """One ulp at each float: the gap to the next one away from zero."""
    return (
        torch.nextafter(x.abs(), torch.full_like(x, torch.inf)).double() - x.abs().double()
    ).numpy()


def as_fraction(value: mpmath.mpf) -> Fraction:
    """The same number: an mpf is a whole number times a power of two."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


DERIVATIVES: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    "reciprocal": lambda x: -(x**-2),
    "ones-over-x": lambda x: -(x**-2),
    "sqrt": lambda x: x ** mpmath.mpf("-0.5") / 2,
    "exp": mpmath.exp,
    "log": lambda x: x**-1,
    "tanh": lambda x: mpmath.sech(x) ** 2,
    "sigmoid": lambda x: mpmath.sech(x / 2) ** 2 / 4,
    "softplus": lambda x: mpmath.exp(-mpmath.log1p(mpmath.exp(-x))),
    "gelu": lambda x: mpmath.ncdf(x) + x * mpmath.npdf(x),
    "abs": mpmath.sign,
    "relu": lambda x: mpmath.mpf(x > 0),
    "square": lambda x: 2 * x,
}
"""Derivatives in mpmath, which shares no code with python-flint."""


def _above(z: mpmath.mpf) -> bool:
    assert z != 0, "no derivative exists at a kink"
    return z > 0


SMOOTH: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    "identity": lambda z: z,
    "relu": lambda z: z if _above(z) else mpmath.mpf(0),
    "elu": lambda z: z if z > 0 else mpmath.expm1(z),
    "gelu": lambda z: z * mpmath.ncdf(z),
    "silu": lambda z: z / (1 + mpmath.exp(-z)),
    "softplus": lambda z: mpmath.log1p(mpmath.exp(z)),
    "tanh": mpmath.tanh,
    "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
}
"""The activations in mpmath; leaky ReLU apart, since its slope is a number of the dtype."""


def in_mpmath(activation: str, below: float = 0.01) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """An activation; `below` is the slope of leaky ReLU below 0."""
    return SMOOTH.get(activation) or (lambda z: z if _above(z) else mpmath.mpf(below) * z)


def exact_outputs(net: nn.Sequential, x: list[mpmath.mpf], below: float = 0.01) -> list[mpmath.mpf]:
    """The outputs in the precision of the moment. `below` is the slope of leaky ReLU below 0."""
    for linear, activation in zip(net[::2], net[1::2], strict=True):
        weight, bias = linear.weight.double().tolist(), linear.bias.double().tolist()
        z = [mpmath.fdot(zip(row, x, strict=True)) + b for row, b in zip(weight, bias, strict=True)]
        if isinstance(activation, nn.Softmax):
            powers = [mpmath.exp(value) for value in z]
            x = [power / mpmath.fsum(powers) for power in powers]
        else:
            name = next(
                name
                for name, row in OUTPUT_ACTIVATIONS.items()
                if row.module == type(activation).__name__
            )
            x = [in_mpmath(name, below)(value) for value in z]
    return x


def exact_rows(net: nn.Sequential, x: list[float], below: float = 0.01) -> list[list[mpmath.mpf]]:
    """The Jacobian in 80 digits: difference quotients of the whole network with a step of 1e-60 in
    200 digits, which know no derivative and no chain rule."""
    columns = []
    with mpmath.workdps(200):
        step = mpmath.mpf(10) ** -60
        for place in range(len(x)):
            moved = [
                [mpmath.mpf(value) + step * sign * (i == place) for i, value in enumerate(x)]
                for sign in (1, -1)
            ]
            above, under = (exact_outputs(net, point, below) for point in moved)
            columns.append([(a - b) / (2 * step) for a, b in zip(above, under, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def exact_gradient(net: nn.Sequential, x: list[float], below: float = 0.01) -> list[mpmath.mpf]:
    """The gradient of the sum of the outputs in 80 digits."""
    with mpmath.workdps(200):
        return [mpmath.fsum(column) for column in zip(*exact_rows(net, x, below), strict=True)]


def exact_jacobian(net: nn.Sequential, x: Tensor) -> np.ndarray:
    """∂y/∂x rounded to float64, shape (outputs, inputs)."""
    return np.array(exact_rows(net, x.tolist()), float)
