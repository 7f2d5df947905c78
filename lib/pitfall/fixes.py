"""The pitfall and its fixes, tried on one sample: what each returns, and in how many passes.

The forum post's own example is here too; its matrices are small enough to check by hand.
"""

from contextlib import suppress
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.autograd import grad

from lib.experiment.query import Experiment
from lib.floats.tables import text_table
from lib.network import network, sampling
from lib.network.jacobians import METHODS
from lib.network.machine import matmul_flags

ATTEMPTS = {
    "functional.jacobian, to compare with": "J = torch.autograd.functional.jacobian(net, x)",
    "one call, inputs repeated: the pitfall": (
        "y = net(x)\nJ = torch.stack(grad(list(y), [x] * len(y)))"
    ),
    "copies of the outputs": (
        "y = net(x)\nJ = torch.stack(grad([y_i.clone() for y_i in y], [x] * len(y)))"
    ),
    "copies of the input, made after the forward pass": (
        "y = net(x)\nJ = torch.stack(grad(list(y), [x.clone() for _ in y]))"
    ),
    "copies of the input, made before the forward pass": (
        "xs = x.repeat(outputs, 1).requires_grad_()\n"
        "J = grad(net(xs), xs, torch.eye(outputs).to(x))[0]"
    ),
    "one call per row": (
        "y = net(x)\nJ = torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])"
    ),
    "one call, cotangents as a batch": (
        "y = net(x)\nJ = grad(y, x, torch.eye(len(y)).to(x), is_grads_batched=True)[0]"
    ),
    "torch.func.jacrev": "J = torch.func.jacrev(net)(x)",
}
"""All ways to ask for the rows, as code that is run as it is shown. The first is right."""


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt.

    `matrix` has shape (outputs, inputs), or is None if PyTorch refused. `points` has the number of
    inputs that each forward pass took. The passes were counted as they ran.
    """

    attempt: str
    matrix: Tensor | None
    points: tuple[int, ...]
    backward_passes: int

    @property
    def forward_passes(self) -> str:
        """How many forward passes there were, and of how many copies of the input."""
        passes = str(len(self.points))
        copies = sum(self.points)
        return passes if copies == len(self.points) else f"{passes}, of {copies} copies"


def attempts(experiment: Experiment) -> list[Outcome]:
    """Make every attempt on the experiment's first sample."""
    net = network.build(experiment)
    x = sampling.block(experiment, 0)[0].clone()
    with matmul_flags(experiment):
        return try_all(net, x)


def try_all(net: nn.Module, x: Tensor) -> list[Outcome]:
    """Make every attempt on one sample, x of shape (inputs,)."""
    outputs = len(net(x))
    return [_try(attempt, net, x, outputs) for attempt in ATTEMPTS]


def fix_rows(outcomes: list[Outcome]) -> pd.DataFrame:
    """Return the attempts as a table to read; equal matrices share a letter, from A on."""
    jacobian = outcomes[0].matrix
    distinct: list[Tensor] = []
    return text_table(
        {
            "attempt": outcome.attempt,
            "gives": _gives(outcome.matrix, jacobian),
            "values": _letter(outcome.matrix, distinct),
            "forward passes": outcome.forward_passes,
            "backward passes": str(outcome.backward_passes),
        }
        for outcome in outcomes
    )


def _try(attempt: str, net: nn.Module, x: Tensor, outputs: int) -> Outcome:
    points: list[int] = []
    backward: list[None] = []

    def count(module: nn.Module, inputs: tuple[Tensor, ...], y: Tensor) -> None:
        points.append(y[..., 0].numel())
        if y.requires_grad:
            y.register_hook(lambda cotangent: backward.append(None))

    leaf = x.detach().requires_grad_()
    names: dict[str, Any] = {"torch": torch, "grad": grad, "net": net, "x": leaf}
    names["outputs"] = outputs
    matrix = None
    with net.register_forward_hook(count), suppress(RuntimeError):
        exec(ATTEMPTS[attempt], names)  # of our table, never a visitor's
        matrix = names["J"].detach()
    return Outcome(attempt, matrix, tuple(points), len(backward))


def _gives(matrix: Tensor | None, jacobian: Tensor) -> str:
    if matrix is None:
        return "✗ an error"
    return "✓ the rows" if is_close(matrix, jacobian) else "✗ the sum in each row"


def is_close(matrix: Tensor, jacobian: Tensor) -> bool:
    """Return whether a matrix equals the Jacobian up to rounding.

    The tolerance is far above rounding errors, and far below the other rows unless all are 0.
    """
    largest = jacobian.nan_to_num(0, 0, 0).abs().max().item()
    tolerance = torch.finfo(jacobian.dtype).eps ** 0.5 * largest
    return torch.allclose(
        matrix.double(), jacobian.double(), rtol=0, atol=tolerance, equal_nan=True
    )


def _letter(matrix: Tensor | None, distinct: list[Tensor]) -> str | None:
    """Return the letter of a matrix; `distinct` has those that have one, and gets a new one.

    +0 equals −0, and every NaN equals every other.
    """
    if matrix is None:
        return None
    for letter, known in zip(ascii_uppercase, distinct, strict=False):
        if torch.allclose(matrix, known, 0, 0, equal_nan=True):
            return letter
    distinct.append(matrix)
    return ascii_uppercase[len(distinct) - 1]


POST_POINT = (1, 2)


def post_function(q: Tensor) -> Tensor:
    """Return the function of the second post: 2q and 4q², concatenated."""
    return torch.cat([2 * q, 4 * q * q])


def post_matrices(point: tuple[int, int] = POST_POINT) -> dict[str, list[list[float]]]:
    """Return the second post's two matrices: from a single call, and row by row."""
    q = torch.tensor(point, dtype=torch.float32)
    return {
        "single": METHODS["single-call"](post_function, q).tolist(),
        "rows": METHODS["rows"](post_function, q).tolist(),
    }
