"""The backward gradient, and the Jacobian methods by name: one short function each.

Every method takes a network and x, and all but two return the Jacobian: `summed_output` returns the
sum of its rows as the only row, and `single_call` returns this sum in every row. All but
`finite_difference`, which approximates the Jacobian, use the PyTorch function that the table in
`methods` names. For one sample, shape (inputs,), the Jacobian has shape (outputs, inputs), and each
function does what a reader would write for one point. For a block of samples, shape
(samples, inputs), it has shape (samples, outputs, inputs).

The same function handles one sample and a block, because samples are independent of each other:

NOTE [summing samples]: the derivative of the *sum* of all samples' outputs with respect to one
sample is that sample's own Jacobian, since the other samples contribute nothing. So reverse mode
differentiates `net(X).sum(0)`, and one backward pass per output is enough for all samples.

NOTE [shifting samples]: adding a shift d to *all* samples changes each sample's outputs by that
sample's own Jacobian times d, to first order. So forward mode differentiates `net(X + d)` at d = 0,
and one tangent per input is enough for all samples.

NOTE [forward mode]: PyTorch keeps the levels of forward-mode differentiation for the whole process.
If several threads are in forward mode at once (PyTorch 2.13), some get a RuntimeError, some get
zeros, and some crash the process. So a thread holds `FORWARD_MODE` while it is in forward mode.
"""

from collections.abc import Callable
from threading import RLock

import torch
from torch import Tensor, nn
from torch.autograd import functional as autograd_functional
from torch.autograd import grad

from lib.experiment import choices, methods
from lib.experiment.choices import complete
from lib.network.network import linear_layers

Method = Callable[..., Tensor]
"""A function of a network, x and, by keyword, the options that the method lists in `methods`."""

FORWARD_MODE = RLock()
"""Held by the one thread that may be in forward mode: NOTE [forward mode]."""

FROM_RESULT = tuple(
    getattr(nn, row.module) for row in choices.OUTPUT_ACTIVATIONS.values() if row.saves == "result"
)
"""The activations whose backward pass computes the slope from the result, not from the input."""


def backward_gradient(net: nn.Sequential, x: Tensor) -> Tensor:
    """Return the vector–Jacobian product with a cotangent of ones, by `backward()`; shape of x.

    Reverse mode takes one pass back through the network, at a small multiple of the cost of
    evaluating it, however many inputs there are (A. Griewank and A. Walther, "Evaluating
    Derivatives", 2nd edition, SIAM 2008, chapters 3 and 4).
    """
    return backward_and_saved(net, x)[0]


def backward_and_saved(net: nn.Sequential, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the backward gradient, shape of x, and the saved activations, shape (..., neurons).

    An activation saves its result or its input, from which its backward pass computes the slope.
    The saved values of all layers are concatenated in the order of the layers.
    """
    x = _leaf(x)
    y = x
    saved = []
    for layer in net:
        z = y
        y = layer(z)
        if not isinstance(layer, nn.Linear):
            saved.append((y if isinstance(layer, FROM_RESULT) else z).detach())
    y.backward(torch.ones_like(y))
    return x.grad, torch.cat(saved, -1)


def summed_jacobian(method: str, net: nn.Module, x: Tensor, **options: object) -> Tensor:
    """Return the Jacobian by the given method, summed over its rows; shape of x.

    In exact arithmetic this is the backward gradient, except by `single_call`, and by
    `finite_difference`, which approximates it. `options` are the fields of the experiment that the
    method takes.
    """
    return JACOBIANS[method](net, x, **options).sum(-2)


def functional(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one backward pass per output in a loop."""
    return autograd_functional.jacobian(_summing(net, x), x).movedim(0, -2)


def functional_vectorized(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, the backward passes of all outputs at once by vmap."""
    return autograd_functional.jacobian(_summing(net, x), x, vectorize=True).movedim(0, -2)


def functional_forward(net: nn.Module, x: Tensor) -> Tensor:
    """Forward mode, the tangents of all inputs at once by vmap."""
    f, point = _shifting(net, x)
    with FORWARD_MODE:
        return autograd_functional.jacobian(f, point, vectorize=True, strategy="forward-mode")


def jacrev(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode as a function transform, with vmap over the outputs."""
    return torch.func.jacrev(_summing(net, x))(x).movedim(0, -2)


def jacfwd(net: nn.Module, x: Tensor) -> Tensor:
    """Forward mode as a function transform, with vmap over the inputs."""
    f, point = _shifting(net, x)
    with FORWARD_MODE:
        return torch.func.jacfwd(f)(point)


def rows(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one call of grad per output on one graph."""
    x = _leaf(x)
    y = _summing(net, x)(x)
    return torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))], -2)


def batched_grad(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one call of grad with a batch of unit vectors."""
    x = _leaf(x)
    y = _summing(net, x)(x)
    return grad(y, x, _identity(y), is_grads_batched=True)[0].movedim(0, -2)


def copies(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one call of grad with one copy of x per output.

    The copies are the rows of one tensor of shape (..., outputs, inputs). The cotangent of copy i
    selects output i.
    """
    outputs = linear_layers(net)[-1].out_features
    x = _leaf(x.unsqueeze(-2).repeat_interleave(outputs, -2))
    y = net(x)
    return grad(y, x, _identity(y).expand_as(y))[0]


def summed_output(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one backward pass from the sum of the outputs; shape (..., 1, inputs)."""
    return autograd_functional.jacobian(lambda x: net(x).sum(), x).unsqueeze(-2)


def single_call(net: nn.Module, x: Tensor) -> Tensor:
    """The pitfall: every row is the sum of the rows of the Jacobian.

    All outputs send their gradients back to the same leaf, so each of the repeated inputs receives
    the whole sum.
    """
    x = _leaf(x)
    y = _summing(net, x)(x)
    return torch.stack(grad(list(y), [x] * len(y)), -2)


def finite_difference(net: nn.Module, x: Tensor, step: int | None = None) -> Tensor:
    """Central differences, without automatic differentiation.

    Each difference is divided by the distance between the rounded x + h and x − h. If both round to
    the same float, the quotient is 0/0.

    h is 2**step·max(1, abs(x)), or by default eps**(1/3)·max(1, abs(x)), which balances the
    truncation error, about h**2, against the rounding error, about eps/h (Press et al., "Numerical
    Recipes", section 5.7). Right digits of the gradient, medians of 32 samples of the default
    network with tanh (2026-11-24, torch 2.13.0): with the default step 9.8 in float64, 4.0 in
    float32, 1.5 in float16 and 0.9 in bfloat16; with the best power of two 10.5 (2**-15), 4.6
    (2**-5), 2.1 (2**-1) and 1.6 (2**0).
    """
    relative = torch.finfo(x.dtype).eps ** (1 / 3) if step is None else 2.0**step
    # Shape (..., inputs, inputs): one step per row.
    h = torch.diag_embed(relative * x.abs().clamp(min=1))
    above = x.unsqueeze(-2) + h
    below = x.unsqueeze(-2) - h
    distance = (above - below).diagonal(dim1=-2, dim2=-1)
    return ((net(above) - net(below)) / distance.unsqueeze(-1)).mT


JACOBIANS: dict[str, Method] = complete(
    "Jacobian method",
    methods.METHODS,
    {
        "functional": functional,
        "functional-vectorized": functional_vectorized,
        "functional-forward": functional_forward,
        "jacrev": jacrev,
        "jacfwd": jacfwd,
        "rows": rows,
        "batched-grad": batched_grad,
        "copies": copies,
        "summed-output": summed_output,
        "single-call": single_call,
        "finite-difference": finite_difference,
    },
)
"""The function of each method in the table of `methods`."""


def _leaf(x: Tensor) -> Tensor:
    return x.detach().requires_grad_()


def _summing(net: nn.Module, x: Tensor) -> Callable[[Tensor], Tensor]:
    """The function of x that reverse mode differentiates: NOTE [summing samples]."""
    return net if x.dim() == 1 else lambda samples: net(samples).sum(0)


def _shifting(net: nn.Module, x: Tensor) -> tuple[Callable[[Tensor], Tensor], Tensor]:
    """The function that forward mode differentiates, and the point: NOTE [shifting samples]."""
    if x.dim() == 1:
        return net, x
    return lambda shift: net(x + shift), torch.zeros_like(x[0])


def _identity(y: Tensor) -> Tensor:
    return torch.eye(y.shape[-1], dtype=y.dtype, device=y.device)
