"""The backward gradient, and the Jacobian methods by name: one short function each.

Every method takes a network and x, and gives the Jacobian by the PyTorch function that the table in `choices` names.
For one sample, shape (inputs,), the Jacobian has shape (outputs, inputs), and each function does just what a reader
would write for one point. For a block of samples, shape (samples, inputs), it has shape (samples, outputs, inputs). One
function serves for both, because samples are independent of each other:

NOTE [summing samples]: the derivative of the *sum* of all samples' outputs with respect to one sample is that sample's
own Jacobian, since the others contribute nothing. So reverse mode differentiates `net(X).sum(0)`: one backward pass per
output serves all samples.

NOTE [shifting samples]: a shift d that is added to *all* samples moves each sample's outputs by its own Jacobian. So
forward mode differentiates `net(X + d)` at d = 0: one tangent per input serves all samples.

Forward mode keeps the level of its nesting in a global variable of PyTorch: only one thread may run it at a time.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.autograd import functional as autograd_functional
from torch.autograd import grad

from lib.experiment import choices
from lib.experiment.rows import complete
from lib.network.network import linear_layers

Function = Callable[[Tensor], Tensor]
Method = Callable[..., Tensor]
"""Takes a network and x, and by name the options that the method's row in `choices` lists."""

_FROM_RESULT = tuple(getattr(nn, row.module) for row in choices.OUTPUT_ACTIVATIONS.values() if row.saves == "result")


def backward_gradient(net: nn.Sequential, x: Tensor) -> Tensor:
    """The vector–Jacobian product with a cotangent of ones, by a real `backward()`; of the shape of x.

    Reverse mode: one pass back through the network, at a small multiple of the cost of evaluating it, however many
    inputs there are (A. Griewank and A. Walther, "Evaluating Derivatives", 2nd edition, SIAM 2008, chapters 3 and 4).
    """
    return backward_and_saved(net, x)[0]


def backward_and_saved(net: nn.Sequential, x: Tensor) -> tuple[Tensor, Tensor]:
    """The backward gradient, of the shape of x, and the saved activations, shape (..., neurons).

    For each activation these are what its backward pass computes the slope from, its result or its input, side by side
    in the order of the layers.
    """
    x = _leaf(x)
    y, saved = x, []
    for layer in net:
        before, y = y, layer(y)
        if not isinstance(layer, nn.Linear):
            saved.append((y if isinstance(layer, _FROM_RESULT) else before).detach())
    y.backward(torch.ones_like(y))
    return x.grad, torch.cat(saved, -1)


def summed_jacobian(method: str, net: nn.Module, x: Tensor, **options: object) -> Tensor:
    """The Jacobian by the method, summed over its rows; of the shape of x.

    In exact arithmetic that is the backward gradient, if the method gives a Jacobian. `options` are those of an
    experiment.
    """
    return METHODS[method](net, x, **options).sum(-2)


def functional(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, a backward pass for each output in a loop; shape (..., outputs, inputs)."""
    return autograd_functional.jacobian(_summing(net, x), x).movedim(0, -2)


def functional_vectorized(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, the backward passes of all outputs in one by vmap; shape (..., outputs, inputs)."""
    return autograd_functional.jacobian(_summing(net, x), x, vectorize=True).movedim(0, -2)


def functional_forward(net: nn.Module, x: Tensor) -> Tensor:
    """Forward mode, the tangents of all inputs in one pass by vmap; shape (..., outputs, inputs)."""
    f, at = _shifting(net, x)
    return autograd_functional.jacobian(f, at, vectorize=True, strategy="forward-mode")


def jacrev(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode as a function transform, with a vmap over the outputs; shape (..., outputs, inputs)."""
    return torch.func.jacrev(_summing(net, x))(x).movedim(0, -2)


def jacfwd(net: nn.Module, x: Tensor) -> Tensor:
    """Forward mode as a function transform, with a vmap over the inputs; shape (..., outputs, inputs)."""
    f, at = _shifting(net, x)
    return torch.func.jacfwd(f)(at)


def rows(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, a call of grad for each output on one graph; shape (..., outputs, inputs)."""
    x = _leaf(x)
    y = _summing(net, x)(x)
    return torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))], -2)


def batched_grad(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one call of grad with the unit vectors as a batch of cotangents; shape (..., outputs, inputs)."""
    x = _leaf(x)
    y = _summing(net, x)(x)
    return grad(y, x, _identity(y), is_grads_batched=True)[0].movedim(0, -2)


def copies(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one call of grad on a copy of x for each output; shape (..., outputs, inputs).

    The copies are the rows of one tensor, of the same shape; the cotangent of copy i is that of output i alone.
    """
    x = _leaf(x.unsqueeze(-2).repeat_interleave(_outputs(net), -2))
    y = net(x)
    return grad(y, x, _identity(y).expand_as(y))[0]


def summed_output(net: nn.Module, x: Tensor) -> Tensor:
    """Reverse mode, one backward pass from the sum of the outputs; shape (..., 1, inputs)."""
    return autograd_functional.jacobian(lambda x: net(x).sum(), x).unsqueeze(-2)


def single_call(net: nn.Module, x: Tensor) -> Tensor:
    """The pitfall; shape (..., outputs, inputs), and every row is the sum of the rows of the Jacobian.

    All outputs send their gradients back into one leaf, so each of the repeated inputs is given the whole sum.
    """
    x = _leaf(x)
    y = _summing(net, x)(x)
    return torch.stack(grad(list(y), [x] * len(y)), -2)


def finite_difference(net: nn.Module, x: Tensor, step: int | None = None) -> Tensor:
    """Central differences, without differentiation; shape (..., outputs, inputs).

    They are divided by the step that x ± h really took in floats, and are 0/0 where that is none.

    h is 2**step·max(1, abs(x)), by default eps**(1/3)·max(1, abs(x)), which balances the truncation, about h**2, with
    the rounding, about eps/h (Press et al., "Numerical Recipes", section 5.7).
    """
    steps = relative_step(x.dtype, step) * x.abs().clamp(min=1)
    above, below = (x.unsqueeze(-2) + sign * torch.diag_embed(steps) for sign in (1, -1))  # (..., inputs, inputs)
    taken = (above - below).diagonal(dim1=-2, dim2=-1)
    return ((net(above) - net(below)) / taken.unsqueeze(-1)).mT


def relative_step(dtype: torch.dtype, step: int | None) -> float:
    """The step of finite differences as a multiple of max(1, abs(x)): 2**step, or by default eps**(1/3)."""
    return torch.finfo(dtype).eps ** (1 / 3) if step is None else 2.0**step


METHODS: dict[str, Method] = complete(
    "Jacobian method",
    choices.METHODS,
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
"""By the names in `choices`: one function for each row there."""


def _outputs(net: nn.Module) -> int:
    """Taken from the last linear layer: a forward pass would tell too, but costs time."""
    return linear_layers(net)[-1].out_features


def _leaf(x: Tensor) -> Tensor:
    return x.detach().requires_grad_()


def _summing(net: nn.Module, x: Tensor) -> Function:
    """The function from x to (outputs,) that reverse mode differentiates: NOTE [summing samples]."""
    return net if x.dim() == 1 else lambda samples: net(samples).sum(0)


def _shifting(net: nn.Module, x: Tensor) -> tuple[Function, Tensor]:
    """The function of an (inputs,) that forward mode differentiates, and where: NOTE [shifting samples]."""
    if x.dim() == 1:
        return net, x
    return lambda shift: net(x + shift), torch.zeros_like(x[0])


def _identity(y: Tensor) -> Tensor:
    return torch.eye(y.shape[-1], dtype=y.dtype, device=y.device)
