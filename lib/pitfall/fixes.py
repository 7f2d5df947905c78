"""The pitfall and its fixes, tried on one sample: what each returns.

The small example is here too. Its matrices can be checked by hand.
"""

from contextlib import suppress
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import grad

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import JACOBIANS
from lib.network.machine import matmul_flags

ATTEMPTS = {
    "functional.jacobian, to compare with": "J = torch.autograd.functional.jacobian(net, x)",
    "one call, the same x repeated": "y = net(x)\nJ = torch.stack(grad(list(y), [x] * len(y)))",
    "copies of the outputs": (
        "y = net(x)\nJ = torch.stack(grad([y_i.clone() for y_i in y], [x] * len(y)))"
    ),
    "copies of the input, made after the forward pass": (
        "y = net(x)\nJ = torch.stack(grad(list(y), [x.clone() for _ in y]))"
    ),
    "copies of the input, made before the forward pass": (
        "xs = x.repeat(len(net(x)), 1).detach().requires_grad_()\n"
        "J = grad(net(xs), xs, torch.eye(len(xs)).to(x))[0]"
    ),
    "one call per row": (
        "y = net(x)\nJ = torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])"
    ),
    "one call, grad_outputs as a batch": (
        "y = net(x)\nJ = grad(y, x, torch.eye(len(y)).to(x), is_grads_batched=True)[0]"
    ),
    "torch.func.jacrev": "J = torch.func.jacrev(net)(x)",
}
"""Ways to ask for the rows, as code that is run as it is shown. The others are compared with the
first, which is right."""


def attempts(experiment: Experiment) -> dict[str, Tensor | None]:
    """Make every attempt on the experiment's first sample.

    Returns:
        The matrix of each attempt, shape (outputs, inputs); None if PyTorch refused.
    """
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[0]
    with matmul_flags(experiment):
        return {attempt: _run(code, net, x) for attempt, code in ATTEMPTS.items()}


def _run(code: str, net: nn.Module, x: Tensor) -> Tensor | None:
    leaf = x.clone().requires_grad_()
    names: dict[str, Any] = {"torch": torch, "grad": grad, "net": net, "x": leaf}
    with suppress(RuntimeError):
        # The code is from our table, never from a visitor.
        exec(code, names)
        return names["J"].detach().cpu()
    return None


def with_results(matrices: dict[str, Tensor | None]) -> str:
    """Return the code of the attempts, with what each gave in a comment above it."""
    jacobian, *_ = matrices.values()
    return "\n\n".join(
        f"# {attempt}: {_gives(matrix, jacobian)}\n{ATTEMPTS[attempt]}"
        for attempt, matrix in matrices.items()
    )


def _gives(matrix: Tensor | None, jacobian: Tensor) -> str:
    if matrix is None:
        return "✗ an error"
    is_rows = is_close(matrix, jacobian, jacobian.abs())
    # The rounding errors of a sum grow with its terms, even where these cancel.
    is_sum = is_close(matrix, jacobian.sum(0).expand_as(matrix), jacobian.abs().sum(0))
    if is_rows and is_sum:
        return "? the rows or their sum, which are the same here, up to rounding"
    if is_rows:
        return "✓ the rows"
    if is_sum:
        return "✗ the sum in each row"
    # For example, rounding may flip a ReLU.
    return "? neither the rows to compare with nor their sum"


def is_close(matrix: Tensor, expected: Tensor, sizes: Tensor) -> bool:
    """Return whether a matrix equals the expected one up to rounding.

    The tolerance is √eps times the largest finite size, plus a few roundings of subnormal numbers.
    That is far more than rounding errors. It is far less than the difference between a row and the
    sum of all rows, unless the other rows add up to nearly 0.

    Args:
        matrix: the matrix.
        expected: the matrix to compare with, of the same shape.
        sizes: what the rounding errors of `expected` are proportional to.
    """
    largest = sizes.nan_to_num(0, 0, 0).max().item()
    info = torch.finfo(expected.dtype)
    tolerance = info.eps**0.5 * largest + 4 * info.eps * info.tiny
    return torch.allclose(
        matrix.double(), expected.double(), rtol=0, atol=tolerance, equal_nan=True
    )


EXAMPLE_X = (1, 2)
"""The x of the small example, unless the visitor chooses another."""


def example_function(q: Tensor) -> Tensor:
    """Return the value of the small example's function at q: 2q and 4q², concatenated."""
    return torch.cat([2 * q, 4 * q * q])


def example_matrices(point: tuple[int, int] = EXAMPLE_X) -> dict[str, list[list[float]]]:
    """Return the two matrices of the small example: from a single call, and row by row."""
    q = torch.tensor(point, dtype=torch.float32)
    return {
        "single": JACOBIANS["single-call"](example_function, q).tolist(),
        "rows": JACOBIANS["rows"](example_function, q).tolist(),
    }
