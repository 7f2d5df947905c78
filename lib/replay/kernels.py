"""The kernels of PyTorch that add, as functions of vectors and a matrix: linear layers and sums of
rows.

The weights carry what is to be added, so a kernel is handed ones and zeros where a network has its
samples or gradients. Every tensor is a new one, as in a network: where in memory a row lies may
change the order.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lib.network.jacobians import METHODS, summed_jacobian

Product = Callable[[Tensor, Tensor], Tensor]
"""A kernel as a function of vectors, shape (rows, terms), and a matrix, shape (terms, columns):
their product, as a new tensor of shape (rows, columns). Terms that are values, the last ones, have
ones in the vectors. A kernel may use its vectors several times, one after the other: then its
product has a multiple of their rows."""


def forward(rows: int | None) -> Product:
    """Return the forward pass of a linear layer on a batch of samples, or on one sample alone if
    `rows` is None.

    The last term is the bias.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        x = _new(vectors[:, :-1])
        return linear(x if rows else x[0], _new(matrix[:-1].T), _new(matrix[-1])).view(len(x), -1)

    return product


def backward(rows: int | None) -> Product:
    """Return the pass of `backward()` through a linear layer for a batch of samples, or one alone
    if `rows` is None."""

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        shape = (len(vectors), matrix.shape[1]) if rows else matrix.shape[1:]
        x = torch.zeros(shape, dtype=matrix.dtype, requires_grad=True)
        y = linear(x, _new(matrix), matrix.new_zeros(len(matrix)))
        return torch.autograd.grad(y, x, _new(vectors).view(y.shape))[0].view(len(vectors), -1)

    return product


def by_method(method: str, rows: int | None) -> Product:
    """Return the pass of a Jacobian method in reverse mode through a linear layer; `rows` is as in
    `backward`.

    The vectors are the gradients of the layer's outputs, one for each output of the network, and
    the product has them for each sample. They are the weights of a layer behind, whose outputs the
    method differentiates: between the two is a ReLU where its slope is 1, since the weights are
    multiplied with zeros and the bias is 1.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        layer, behind = _layer(matrix, 1.0), _layer(vectors, 0.0)
        x = matrix.new_zeros((rows, matrix.shape[1]) if rows else matrix.shape[1:])
        return (
            METHODS[method](nn.Sequential(layer, nn.ReLU(), behind), x)
            .detach()
            .reshape(-1, matrix.shape[1])
        )

    return product


def sum_by_method(method: str, rows: int | None) -> Product:
    """Return the sum over the rows of the Jacobian of a method, for each sample; the vectors are
    ones.

    For one sample alone, if `rows` is None, it is that of any matrix of its own.
    """
    if rows is None:
        return lambda vectors, matrix: _new(matrix).sum(0)[None]

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        x = matrix.new_zeros((rows, matrix.shape[1]))
        return (
            summed_jacobian(method, nn.Sequential(_layer(matrix, 0.0)), x)
            .detach()
            .reshape(-1, matrix.shape[1])
        )

    return product


def _layer(weight: Tensor, bias: float) -> nn.Linear:
    layer = nn.utils.skip_init(
        nn.Linear, weight.shape[1], weight.shape[0], dtype=weight.dtype, device="cpu"
    )
    layer.requires_grad_(False)
    layer.weight.copy_(weight)
    layer.bias.fill_(bias)
    return layer


def _new(x: Tensor) -> Tensor:
    """Return a copy of x in new memory, without gaps."""
    return torch.empty(x.shape, dtype=x.dtype).copy_(x)
