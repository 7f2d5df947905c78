"""PyTorch's kernels that add, as functions of vectors and a matrix.

They are the kernels of linear layers and of sums of rows. The matrix stands for the weights of a
layer, the vectors for its samples or gradients. Every tensor is new, as in a network, since the
order may depend on where in memory a row lies.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lib.network.jacobians import JACOBIANS, summed_jacobian

Product = Callable[[Tensor, Tensor], Tensor]
"""A kernel as a function of vectors, shape (rows, terms), and a matrix, shape (terms, columns).

It returns their product as a new tensor of shape (rows, columns). The last terms may be values that
are added as they are, such as a bias: there, the vectors have ones. A kernel may use all vectors
once for each sample. Its product then has a row for each sample and vector, sample by sample."""


def forward(batch: int | None) -> Product:
    """Return the forward pass of a linear layer. The last term is the bias.

    Args:
        batch: the number of samples in the batch, or None for one sample alone.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        x = _new(vectors[:, :-1])
        y = linear(x if batch else x[0], _new(matrix[:-1].T), _new(matrix[-1]))
        return y.view(len(x), -1)

    return product


def backward(batch: int | None) -> Product:
    """Return the pass of `backward()` through a linear layer, with `batch` as in `forward`."""

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        shape = (len(vectors), matrix.shape[1]) if batch else matrix.shape[1:]
        x = torch.zeros(shape, dtype=matrix.dtype, requires_grad=True)
        y = linear(x, _new(matrix), matrix.new_zeros(len(matrix)))
        return torch.autograd.grad(y, x, _new(vectors).view(y.shape))[0].view(len(vectors), -1)

    return product


def by_method(method: str, batch: int | None) -> Product:
    """Return the pass of a Jacobian method in reverse mode through a linear layer.

    The method differentiates Linear(matrix, bias 1) → ReLU → Linear(vectors, bias 0) at x = 0.
    Every pre-activation is 1, so the slope of ReLU is 1 and the Jacobian is vectors @ matrix. The
    product has the rows of this Jacobian for each sample.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        net = nn.Sequential(_layer(matrix, 1.0), nn.ReLU(), _layer(vectors, 0.0))
        x = matrix.new_zeros((batch, matrix.shape[1]) if batch else matrix.shape[1:])
        return JACOBIANS[method](net, x).detach().reshape(-1, matrix.shape[1])

    return product


def sum_by_method(method: str, batch: int | None) -> Product:
    """Return the sum over the rows of the Jacobian of a method, for each sample.

    The vectors are not used. For one sample alone it is `matrix.sum(0)` of a new contiguous matrix,
    whatever the method.
    """

    def product(vectors: Tensor, matrix: Tensor) -> Tensor:
        if batch is None:
            return _new(matrix).sum(0)[None]
        x = matrix.new_zeros((batch, matrix.shape[1]))
        rows = summed_jacobian(method, nn.Sequential(_layer(matrix, 0.0)), x)
        return rows.detach().reshape(-1, matrix.shape[1])

    return product


def _layer(weight: Tensor, bias: float) -> nn.Linear:
    outputs, inputs = weight.shape
    layer = nn.utils.skip_init(nn.Linear, inputs, outputs, dtype=weight.dtype, device="cpu")
    layer.requires_grad_(False)
    layer.weight.copy_(weight)
    layer.bias.fill_(bias)
    return layer


def _new(x: Tensor) -> Tensor:
    """Return a copy of x in new memory, without gaps."""
    return torch.empty(x.shape, dtype=x.dtype).copy_(x)
