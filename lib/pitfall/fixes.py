"""The pitfall and its fixes, tried on one sample: the matrix that each attempt returns, and how many passes it takes.

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

from lib.floats.tables import text_table
from lib.network.jacobians import METHODS


@dataclass(frozen=True)
class Outcome:
    """The result of the attempt of this name: the matrix, shape (outputs, inputs), or None if PyTorch refused.

    `right` says whether the matrix is the Jacobian up to rounding. `bits` is a letter that equal matrices share; A is
    the letter of the first attempt's matrix. Passes were counted as they ran: a forward pass may take several `points`
    at once, and a backward pass several cotangents.
    """

    attempt: str
    matrix: Tensor | None
    right: bool
    bits: str
    points: tuple[int, ...]
    backward_passes: int

    @property
    def gives(self) -> str:
        """What the attempt gives, in words."""
        return (
            "✗ an error"
            if self.matrix is None
            else "✓ the rows"
            if self.right
            else "✗ the sum in each row"
        )

    @property
    def forward_passes(self) -> str:
        passes, points = len(self.points), sum(self.points)
        return f"{passes}" if points == passes else f"{passes}, of {points} copies"


ATTEMPTS = {
    "functional.jacobian, to compare with": "J = torch.autograd.functional.jacobian(net, x)",
    "one call, inputs repeated: the pitfall": "y = net(x)\nJ = torch.stack(grad(list(y), [x] * len(y)))",
    "copies of the outputs": "y = net(x)\nJ = torch.stack(grad([y_i.clone() for y_i in y], [x] * len(y)))",
    "copies of the input, made after the forward pass": (
        "y = net(x)\nJ = torch.stack(grad(list(y), [x.clone() for _ in y]))"
    ),
    "copies of the input, made before the forward pass": (
        "xs = x.repeat(outputs, 1).requires_grad_()\nJ = grad(net(xs), xs, torch.eye(outputs).to(x))[0]"
    ),
    "one call per row": (
        "y = net(x)\nJ = torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])"
    ),
    "one call, cotangents as a batch": (
        "y = net(x)\nJ = grad(y, x, torch.eye(len(y)).to(x), is_grads_batched=True)[0]"
    ),
    "torch.func.jacrev": "J = torch.func.jacrev(net)(x)",
}
"""All ways to ask for the rows, as code that is run as it is shown; the others are compared with the first."""


def try_all(net: nn.Module, x: Tensor) -> list[Outcome]:
    """Try every attempt on one sample, x of shape (inputs,)."""
    jacobian = METHODS["functional"](net, x)
    letters: dict[str, Tensor] = {}
    return [_try(name, net, x, jacobian, letters) for name in ATTEMPTS]


def fix_rows(outcomes: list[Outcome]) -> pd.DataFrame:
    """The attempts as a table to read, one row each; equal matrices share a letter, and the first attempt has A."""
    return text_table(
        {
            "attempt": outcome.attempt,
            "gives": outcome.gives,
            "values": outcome.bits or None,
            "forward passes": outcome.forward_passes,
            "backward passes": str(outcome.backward_passes),
        }
        for outcome in outcomes
    )


def _try(
    attempt: str, net: nn.Module, x: Tensor, jacobian: Tensor, letters: dict[str, Tensor]
) -> Outcome:
    """Try one attempt. `letters` has the matrices that the letters stand for; a new matrix is added."""
    points: list[int] = []
    backward: list[None] = []

    def note(module: nn.Module, inputs: tuple[Tensor, ...], y: Tensor) -> None:
        points.append(y[..., 0].numel())
        if y.requires_grad:
            y.register_hook(lambda cotangent: backward.append(None))

    matrix, right, letter = None, False, ""
    leaf = x.detach().requires_grad_()
    names: dict[str, Any] = {
        "torch": torch,
        "grad": grad,
        "net": net,
        "x": leaf,
        "outputs": len(jacobian),
    }
    with net.register_forward_hook(note), suppress(RuntimeError):
        exec(ATTEMPTS[attempt], names)  # of our table, never a visitor's
        matrix = names["J"].detach()
    if matrix is not None:
        right, letter = _close(matrix, jacobian), _letter(matrix, letters)
    return Outcome(attempt, matrix, right, letter, tuple(points), len(backward))


def _close(matrix: Tensor, jacobian: Tensor) -> bool:
    """Whether a matrix equals the Jacobian up to rounding: the tolerance is far above rounding errors and far below the
    other rows, unless they are all 0."""
    largest = jacobian.nan_to_num(0, 0, 0).abs().max().item()
    tolerance = torch.finfo(jacobian.dtype).eps ** 0.5 * largest
    return torch.allclose(
        matrix.double(), jacobian.double(), rtol=0, atol=tolerance, equal_nan=True
    )


def _letter(matrix: Tensor, letters: dict[str, Tensor]) -> str:
    """The letter of a matrix: A, B, … for the first, second, … distinct one. +0 equals −0, and every NaN equals every
    other."""
    known = (
        letter
        for letter, other in letters.items()
        if torch.allclose(matrix, other, 0, 0, equal_nan=True)
    )
    letter = next(known, ascii_uppercase[len(letters)])
    letters.setdefault(letter, matrix)
    return letter


def post_function(q: Tensor) -> Tensor:
    """The function of the second post: 2q and 4q², concatenated."""
    return torch.cat([2 * q, 4 * q * q])


POST_POINT = (1, 2)


def post_matrices(point: tuple[int, int] = POST_POINT) -> dict[str, list[list[float]]]:
    """The second post's two matrices, at its point or another: from a single call, and row by row."""
    q = torch.tensor(point, dtype=torch.float32)
    methods = {"single": "single-call", "rows": "rows"}
    return {name: METHODS[method](post_function, q).tolist() for name, method in methods.items()}
