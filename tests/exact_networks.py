"""The exact gradient of small networks in plain fractions and decimals, an oracle that shares
nothing with Arb.

ReLU, leaky ReLU and identity are exact in fractions. Tanh, sigmoid and softmax are taken in
`DIGITS` decimal digits.
"""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from typing import TypeAlias

import torch
from torch import nn

DIGITS = 120
Exact: TypeAlias = Fraction


def _decimal_exp(x: Exact) -> Exact:
    with localcontext() as context:
        context.prec = DIGITS
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())


def _short(x: Exact) -> Exact:
    """The same to `DIGITS` digits behind the point, so that fractions stay short."""
    return Fraction(round(x * 10**DIGITS), 10**DIGITS)


def _sigmoid(z: Exact) -> Exact:
    return _short(1 / (1 + _decimal_exp(-z)))


def value_and_slope(name: str, z: Exact, dtype: torch.dtype) -> tuple[Exact, Exact]:
    if name == "tanh":
        y = 2 * _sigmoid(2 * z) - 1
        return y, _short(1 - y * y)
    if name == "sigmoid":
        y = _sigmoid(z)
        return y, _short(y * (1 - y))
    leaky = torch.tensor(
        0.01, dtype=torch.promote_types(dtype, torch.float32)
    ).item()  # as PyTorch's kernel rounds it
    below = {"relu": Fraction(), "leaky_relu": Fraction(leaky), "identity": Fraction(1)}[name]
    assert z or name == "identity", "no derivative exists at a kink"
    slope = Fraction(1) if z > 0 else below
    return slope * z, slope


def first_deltas(
    net: nn.Sequential, activations: tuple[str, ...], x: list[float]
) -> list[list[Exact]]:
    """δ of the first layer's units in each row of the Jacobian, shape (outputs, units)."""
    layers = [layer for layer in net if isinstance(layer, nn.Linear)]
    h, slopes, rows = [Fraction(v) for v in x], [], []
    for layer, name in zip(layers, activations, strict=True):
        z = [
            sum((Fraction(w) * v for w, v in zip(row, h, strict=True)), Fraction(b))
            for row, b in zip(layer.weight.tolist(), layer.bias.tolist(), strict=True)
        ]
        if name == "softmax":
            powers = [_decimal_exp(v) for v in z]
            y = [_short(power / sum(powers)) for power in powers]
            rows = [[y[o] * ((o == k) - y[k]) for k in range(len(y))] for o in range(len(y))]
        else:
            h, of_layer = zip(
                *(value_and_slope(name, v, layer.weight.dtype) for v in z), strict=True
            )
            slopes.append(of_layer)
    if not rows:
        last = slopes.pop()
        rows = [
            [last[o] if o == k else Fraction() for k in range(len(last))] for o in range(len(last))
        ]
    for layer, of_layer in zip(reversed(layers[1:]), reversed(slopes), strict=True):
        weight = [[Fraction(w) for w in row] for row in layer.weight.tolist()]
        rows = [
            [
                slope * sum((d * w[unit] for d, w in zip(row, weight, strict=True)), Fraction())
                for unit, slope in enumerate(of_layer)
            ]
            for row in rows
        ]
    return rows


def over_paths(weights: list, slopes: list) -> Iterator[tuple[tuple[int, ...], Exact | float]]:
    """Every path of units through a network, from an input to an output, and the product of what is
    along it."""
    for path in product(*map(range, [len(weights[0][0]), *map(len, weights)])):
        edges = zip(weights, slopes, pairwise(path), strict=True)
        yield (
            path,
            prod(weight[after][before] * slope[after] for weight, slope, (before, after) in edges),
        )


def exact_component(
    net: nn.Sequential, activations: tuple[str, ...], x: list[float], component: int
) -> Exact:
    return _component(net, first_deltas(net, activations, x), component)


def rational_gradient(net: nn.Sequential, x: list[float]) -> list[Exact]:
    """The gradient of a network of identities and ReLUs."""
    activations = tuple(
        "relu" if isinstance(module, nn.ReLU) else "identity" for module in net[1::2]
    )
    rows = first_deltas(net, activations, x)
    return [_component(net, rows, component) for component in range(len(x))]


def _component(net: nn.Sequential, rows: list[list[Exact]], component: int) -> Exact:
    weights = net[0].weight[:, component].tolist()
    return sum(
        (Fraction(w) * d for row in rows for w, d in zip(weights, row, strict=True)), Fraction()
    )
