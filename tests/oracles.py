"""Independent oracles: the Jacobian in closed form, and each method as one would write it down for one point."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import grad
from torch.autograd.functional import jacobian


def _gelu_slope(z: float) -> float:
    return 0.5 * (1 + math.erf(z / math.sqrt(2))) + z * math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def _sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


VALUE_AND_SLOPE: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "identity": (lambda z: z, lambda z: 1.0),
    "relu": (lambda z: max(z, 0.0), lambda z: float(z > 0)),
    "leaky_relu": (lambda z: z if z > 0 else 0.01 * z, lambda z: 1.0 if z > 0 else 0.01),
    "elu": (lambda z: z if z > 0 else math.expm1(z), lambda z: 1.0 if z > 0 else math.exp(z)),
    "gelu": (lambda z: z * 0.5 * (1 + math.erf(z / math.sqrt(2))), _gelu_slope),
    "silu": (lambda z: z * _sigmoid(z), lambda z: _sigmoid(z) * (1 + z * (1 - _sigmoid(z)))),
    "softplus": (lambda z: math.log1p(math.exp(z)), _sigmoid),
    "tanh": (math.tanh, lambda z: 1 - math.tanh(z) ** 2),
    "sigmoid": (_sigmoid, lambda z: _sigmoid(z) * (1 - _sigmoid(z))),
}


def closed_form_jacobian(net: nn.Sequential, activations: list[str], x: Tensor) -> np.ndarray:
    """∂y/∂x in float64, shape (outputs, inputs): the chain rule with the slopes of `VALUE_AND_SLOPE`."""
    value = x.double().numpy()
    jacobian = np.eye(len(value))
    linears = [layer for layer in net if isinstance(layer, nn.Linear)]
    for linear, name in zip(linears, activations, strict=True):
        weight, bias = linear.weight.double().numpy(), linear.bias.double().numpy()
        value, jacobian = weight @ value + bias, weight @ jacobian
        if name == "softmax":
            share = np.exp(value) / np.exp(value).sum()
            value, jacobian = share, (np.diag(share) - np.outer(share, share)) @ jacobian
        else:
            function, slope = VALUE_AND_SLOPE[name]
            jacobian = np.array([slope(z) for z in value])[:, None] * jacobian
            value = np.array([function(z) for z in value])
    return jacobian


def _leaf(x: Tensor) -> Tensor:
    return x.clone().requires_grad_()


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
"""Every exact method for one point, shape (outputs, inputs), as its PyTorch function is called by hand."""
