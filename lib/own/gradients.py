"""Gradients of the sum of all results, by `backward()` and by the Jacobian methods of the project's table.

`backward(ones)` adds up the derivatives of all results, whatever their shape: over samples, classes, positions. The
Jacobian of every result with respect to every point, summed over all results, is the same in exact arithmetic.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd import functional as autograd_functional
from torch.autograd import grad

from lib.experiment import methods
from lib.experiment.rows import complete
from lib.network.jacobians import FORWARD_MODE
from lib.own.function import Function
from lib.own.refused import METHODS_OF_ANY, MOST_ENTRIES, RefusedError, failed, no_path, too_large

Gradient = tuple[Tensor, ...]
"""One tensor for each of a function's points, of its shape."""


def backward_gradient(function: Function, look: Callable[[Tensor], object] = id) -> tuple[Gradient, Tensor]:
    """Return the gradient by a real `backward(ones)`, and the result with its graph gone.

    `look` is given the result while its graph is there still.
    """
    function.start()
    leaves, build = function.leaves()
    for leaf in leaves:
        leaf.grad = None
    y = function.with_path(build())
    look(y)
    try:
        y.backward(torch.ones_like(y))
    except Exception as error:
        raise failed("backward()", error) from error
    if all(leaf.grad is None for leaf in leaves):
        raise no_path(function.of)
    found = tuple(torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves)
    for leaf in leaves:
        leaf.grad = None
    return found, y.detach()


def summed_jacobian(function: Function, method: str, outputs: int) -> Gradient:
    """Return the Jacobian by the method, summed over all `outputs` results."""
    entries = outputs * sum(point.numel() for point in function.points)
    if methods.METHODS[method].gives != "sum" and entries > MOST_ENTRIES:
        raise too_large(outputs, entries // outputs)
    points = tuple(point.detach() for point in function.points)
    function.start()
    try:
        rows = _METHODS[method](function, points)
    except RefusedError:
        raise
    except Exception as error:
        raise failed(methods.METHODS[method].label, error) from error
    return tuple(row.detach().reshape(-1, *point.shape).sum(0) for row, point in zip(rows, points, strict=True))


def _functional(f: Function, points: Gradient) -> Gradient:
    return autograd_functional.jacobian(f, points)


def _vectorized(f: Function, points: Gradient) -> Gradient:
    return autograd_functional.jacobian(f, points, vectorize=True)


def _forward(f: Function, points: Gradient) -> Gradient:
    with FORWARD_MODE:
        return autograd_functional.jacobian(f, points, vectorize=True, strategy="forward-mode")


def _jacrev(f: Function, points: Gradient) -> Gradient:
    return torch.func.jacrev(f, argnums=tuple(range(len(points))))(*points)


def _jacfwd(f: Function, points: Gradient) -> Gradient:
    with FORWARD_MODE:
        return torch.func.jacfwd(f, argnums=tuple(range(len(points))), randomness="same")(*points)


def _summed_output(f: Function, points: Gradient) -> Gradient:
    return autograd_functional.jacobian(lambda *points: f(*points).sum(), points)


def _rows(f: Function, points: Gradient) -> Gradient:
    leaves, y = _graph(f, points)
    rows = [grad(one, leaves, retain_graph=True, materialize_grads=True) for one in y]
    return tuple(map(torch.stack, zip(*rows, strict=True)))


def _batched_grad(f: Function, points: Gradient) -> Gradient:
    leaves, y = _graph(f, points)
    eye = torch.eye(len(y), dtype=y.dtype, device=y.device)
    return grad(y, leaves, eye, is_grads_batched=True, materialize_grads=True)


def _single_call(f: Function, points: Gradient) -> Gradient:
    leaves, y = _graph(f, points)
    calls = (grad(list(y), [leaf] * len(y), retain_graph=True, materialize_grads=True) for leaf in leaves)
    return tuple(map(torch.stack, calls))


def _graph(f: Function, points: Gradient) -> tuple[Gradient, Tensor]:
    leaves = tuple(point.clone().requires_grad_() for point in points)
    return leaves, f.with_path(f(*leaves)).flatten()


_METHODS: dict[str, Callable[[Function, Gradient], Gradient]] = complete(
    "Jacobian method of any network",
    dict.fromkeys(METHODS_OF_ANY),
    {
        "functional": _functional,
        "functional-vectorized": _vectorized,
        "functional-forward": _forward,
        "jacrev": _jacrev,
        "jacfwd": _jacfwd,
        "rows": _rows,
        "batched-grad": _batched_grad,
        "summed-output": _summed_output,
        "single-call": _single_call,
    },
)
