"""Independent oracles: each method as one would write it down for one point, rounding in fractions,
derivatives and whole networks in mpmath."""

import math
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import mpmath
import numpy as np
import torch
from torch import nn

from lib.experiment.methods import METHODS


def _leaf(x):
    return x.detach().clone().requires_grad_()


def backward(net, x):
    """The backward gradient of one point or of a batch, as the post has it."""
    x = _leaf(x)
    y = net(x)
    y.backward(torch.ones_like(y))
    return x.grad


def as_shown(code, net, x):
    """What a method's code on the page gives at one point; the page has it for a reader to copy."""
    relative = torch.finfo(x.dtype).eps ** (1 / 3)
    x = _leaf(x)
    y = net(x)
    return eval(
        code,
        vars(torch)
        | vars(torch.func)
        | vars(torch.autograd)
        | {
            "jacobian": torch.autograd.functional.jacobian,
            "range": range,
            "net": net,
            "x": x,
            "y": y,
            "eye": torch.eye(len(y)).to(x),
            "copies": _leaf(torch.stack([x.detach()] * len(y))),
            "h": relative * x.detach().abs().clamp(min=1),
        },
    ).detach()


def _plain(method, net, x):
    return torch.atleast_2d(as_shown(METHODS[method].call, net, x))


PLAIN = {
    name: partial(_plain, name) for name, row in METHODS.items() if row.gives != "approximation"
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


def rounded(value, dtype):
    """The float of the dtype that is nearest to a fraction, ties to even, by the definition of IEEE
    754."""
    _, lowest, overflow = FORMATS[dtype]
    quantum = Fraction(2) ** ulp_exponent(value, dtype) if value else Fraction(2) ** lowest
    nearest = round(value / quantum) * quantum
    if abs(nearest) >= Fraction(2) ** overflow:
        return math.inf if value > 0 else -math.inf
    return float(nearest)


def ulp_exponent(value, dtype):
    """The exponent of one ulp at a real number: the step of the binade that it lies in."""
    bits, lowest, _ = FORMATS[dtype]
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    return max(exponent - bits + 1, lowest)


def ulps_off(value, exact, dtype):
    """How far a value is off, in ulps of the exact value's correct rounding."""
    nearest = Fraction(rounded(exact, dtype)) or Fraction(2) ** -9999
    return abs(value - exact) / Fraction(2) ** ulp_exponent(nearest, dtype)


def place_of(value, dtype):
    """Where a float is on the float line, by its bits; both zeros are at one place."""
    width = {"float64": torch.int64, "float32": torch.int32}.get(dtype, torch.int16)
    magnitude = torch.tensor(abs(value), dtype=getattr(torch, dtype)).view(width).item()
    return -magnitude if value < 0 else magnitude


def as_fraction(value):
    """The same number: an mpf is a whole number times a power of two."""
    sign, mantissa, exponent, _ = value._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


DERIVATIVES = {
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


POSITIVE = ("sqrt", "log")
NOT_AT_0 = ("reciprocal", "ones-over-x", "abs", "relu")


def exact_derivative(function, x):
    """A derivative to 400 bits, or None where there is none."""
    if function in POSITIVE and x <= 0 or function in NOT_AT_0 and x == 0:
        return None
    with mpmath.workprec(400):
        return as_fraction(mpmath.mpf(DERIVATIVES[function](mpmath.mpf(x))))


def _above(z):
    assert z != 0, "no derivative exists at a kink"
    return z > 0


SMOOTH = {
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


def in_mpmath(activation, dtype=torch.float64):
    """An activation; kernels of narrower dtypes round the slope of leaky ReLU to float32."""
    below = torch.tensor(0.01, dtype=torch.promote_types(dtype, torch.float32)).item()
    return SMOOTH.get(activation) or (lambda z: z if _above(z) else below * z)


def exact_outputs(net, x):
    """The outputs in the precision of the moment."""
    for linear, activation in zip(net[::2], net[1::2], strict=True):
        weight, bias = linear.weight.double().tolist(), linear.bias.double().tolist()
        z = [mpmath.fdot(zip(row, x, strict=True)) + b for row, b in zip(weight, bias, strict=True)]
        if isinstance(activation, nn.Softmax):
            powers = [mpmath.exp(value) for value in z]
            x = [power / mpmath.fsum(powers) for power in powers]
        else:
            name = type(activation).__name__.lower()
            x = [in_mpmath(name, linear.weight.dtype)(value) for value in z]
    return x


def exact_rows(net, x):
    """The Jacobian in 110 digits, or exact where the network is piecewise linear.

    These are difference quotients of the whole network with a step of 2**-200 in 300 digits, which
    know no derivative and no chain rule.
    """
    columns = []
    with mpmath.workdps(300):
        step = mpmath.mpf(2) ** -200
        for place in range(len(x)):
            above, under = (
                exact_outputs(net, [value + side * (i == place) for i, value in enumerate(x)])
                for side in (step, -step)
            )
            columns.append([(a - b) / (2 * step) for a, b in zip(above, under, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def exact_gradient(net, x):
    """The gradient of the sum of the outputs, as exact as the Jacobian."""
    with mpmath.workdps(300):
        return [mpmath.fsum(column) for column in zip(*exact_rows(net, x), strict=True)]


def rational_gradient(net, x):
    """The same in fractions."""
    return [as_fraction(value) for value in exact_gradient(net, x)]


def exact_jacobian(net, x):
    """∂y/∂x rounded to float64, shape (outputs, inputs)."""
    return np.array(exact_rows(net, x.tolist()), float)


def first_deltas(net, x):
    """δ of the first layer's units in each row of the Jacobian: the slopes in one more input of
    each unit."""
    weight, bias = net[0].weight, net[0].bias
    wider = SimpleNamespace(weight=torch.cat([weight, torch.eye(len(bias))], 1), bias=bias)
    rows = exact_rows([wider, *net[1:]], [*x, *[0.0] * len(bias)])
    return [list(map(as_fraction, row[len(x) :])) for row in rows]
