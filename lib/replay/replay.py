"""A replay of one component of one sample, which shows where the backward gradient and the summed Jacobian diverge.

Both evaluations go backwards through the network. In each linear layer, the gradient of an input is a dot product
Σ w·δ over the layer's units, where δ is the gradient of a unit. `backward()` does that once, with the δ of all outputs
combined; `functional.jacobian` does it once per output, and the rows are summed at the end.

NOTE [replay]: hooks record PyTorch's own gradients between the layers. Every dot product of every layer and the sum
over rows are then computed again, in the order that `kernels` found for this machine. If a single bit differs from
PyTorch's, or if the order is not known, nothing is replayed.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.autograd import functional

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.jacobians import backward_gradient, summed_jacobian
from lib.network.machine import matmul_flags
from lib.replay.first_divergence import FirstDivergence, divergence_in, find_first_divergence
from lib.replay.named import dot_order, sum_order
from lib.replay.orders import add_up
from lib.replay.steps import Step, add_up_in_steps, dot_in_steps


@dataclass(frozen=True)
class Replay:
    """Both evaluations of one component: `backward` and `jacobian` are their last dot products, step by step.

    The Jacobian's steps are those of each row in turn, then those of the sum of rows. If the replay is not verified,
    there are no steps, and `reason` says why.

    `backward_diverges_at` and `jacobian_diverges_at` are the first steps at which these sums diverge, or None if they
    never do. If they diverge within the rows, the Jacobian's step is that of the last row; if they agree up to the sum
    of rows, no backward step diverges. `first_divergence` may lie in a layer that the backward pass reaches earlier.

    The Jacobian is computed by `functional.jacobian`; `method_result` is the result of the experiment's own `method`.
    """

    sample: int
    component: int
    dtype: str
    method: str
    backward_result: float
    jacobian_result: float
    method_result: float
    backward_verified: bool = False
    jacobian_verified: bool = False
    reason: str = ""
    dot_order: str = ""
    sum_order: str = ""
    backward: tuple[Step, ...] = ()
    jacobian: tuple[Step, ...] = ()
    backward_diverges_at: int | None = None
    jacobian_diverges_at: int | None = None
    first_divergence: FirstDivergence | None = None

    @property
    def verified(self) -> bool:
        return self.backward_verified and self.jacobian_verified

    @property
    def discrepancy(self) -> float:
        """backward − jacobian, in float64."""
        return self.backward_result - self.jacobian_result

    def first_steps(self, most: int) -> "Replay":
        """Return the same replay with at most the first `most` steps of each evaluation."""
        return replace(self, backward=self.backward[:most], jacobian=self.jacobian[:most])


def replay(experiment: Experiment, number: int, component: int) -> Replay:
    """Replay a component of sample `number`, both counted from 0, by `backward()` and `functional.jacobian`.

    Raise `ValueError` if the experiment has no such sample or component.
    """
    refuse_missing(experiment, number, component)
    block, index = divmod(number, sampling.block_size(experiment))
    net, x = network.build(experiment, block), sampling.block(experiment, block)[index].clone()
    with matmul_flags(experiment):
        return trace(experiment, net, x, number, component)


def refuse_missing(experiment: Experiment, number: int, component: int) -> None:
    """Raise `ValueError` if the experiment has no sample of this number, or its samples no such component."""
    for name, value, count in (("sample", number, experiment.samples), ("component", component, experiment.inputs)):
        if not 0 <= value < count:
            raise ValueError(f"{name} = {value} is not allowed: it must be a whole number from 0 to {count - 1:,}.")


def never_replayed(experiment: Experiment) -> str:
    """Say why no sample of the experiment can be replayed, or return ""."""
    if experiment.evaluation == "batched":
        return "Only per-sample evaluation is replayed: batches go through other kernels."
    if experiment.device != "cpu":
        return "Only what the CPU computes is replayed, not what a graphics card does."
    return ""


def can_be_replayed(net: nn.Sequential, x: Tensor) -> bool:
    """Return whether this machine's orders give PyTorch's own bits for the sample x, shape (inputs,), on the CPU."""
    passes = _watch_backward(net, x), _watch_jacobian(net, x)
    results = backward_gradient(net, x), summed_jacobian("functional", net, x)
    return not any(_differs(net, gradients, result) for gradients, result in zip(passes, results, strict=True))


def trace(experiment: Experiment, net: nn.Sequential, x: Tensor, number: int, component: int) -> Replay:
    """Replay a component for any network of the experiment's shape and any sample x of shape (inputs,)."""
    backward, summed = backward_gradient(net, x), summed_jacobian("functional", net, x)
    by_method = summed_jacobian(experiment.method, net, x, **experiment.options)
    results = Replay(
        sample=number,
        component=component,
        dtype=experiment.dtype,
        method=experiment.method,
        backward_result=backward[component].item(),
        jacobian_result=summed[component].item(),
        method_result=by_method[component].item(),
    )
    if reason := never_replayed(experiment):
        return replace(results, reason=reason)
    gradients, rows = _watch_backward(net, x), _watch_jacobian(net, x)
    reasons = _differs(net, gradients, backward), _differs(net, rows, summed)
    results = replace(results, backward_verified=not reasons[0], jacobian_verified=not reasons[1])
    if any(reasons):
        return replace(results, reason=next(filter(None, reasons)))
    return _with_steps(results, experiment, net, gradients, rows)


def _watch_backward(net: nn.Sequential, x: Tensor) -> list[Tensor]:
    """Return the gradients of x and of each module's output, shape (1, width), in a pass like `backward_gradient`."""
    x = x.detach().requires_grad_()
    y, seen = _watched(net, x)
    y.backward(torch.ones_like(y))
    return [x.grad[None], *map(torch.stack, seen)]


def _watch_jacobian(net: nn.Sequential, x: Tensor) -> list[Tensor]:
    """Return the same gradients for each output, of shape (outputs, width), as `functional.jacobian` computes them."""
    seen: list[list[Tensor]] = []

    def function(x: Tensor) -> Tensor:
        y, of_this_pass = _watched(net, x)
        seen.extend(of_this_pass)
        return y

    jacobian = functional.jacobian(function, x)
    return [jacobian, *map(torch.stack, seen)]


def _watched(net: nn.Sequential, x: Tensor) -> tuple[Tensor, list[list[Tensor]]]:
    """Return net(x) and, for each module, a list to which every backward pass appends the gradient of its output."""
    seen: list[list[Tensor]] = [[] for _ in net]
    for module, gradients in zip(net, seen, strict=True):
        x = module(x)
        x.register_hook(lambda gradient, gradients=gradients: gradients.append(gradient.clone()))
    return x, seen


def _differs(net: nn.Sequential, gradients: list[Tensor], result: Tensor) -> str:
    """Say why these gradients cannot be replayed, or return "" if they can: NOTE [replay].

    `result` is PyTorch's result without hooks.
    """
    if not all(gradient.isfinite().all() for gradient in [*gradients, result]):
        return "A gradient of this sample is infinite or NaN."
    checks = [
        (dot_order(module.weight.shape, module.weight.dtype), of_outputs, module.weight, of_inputs)
        for module, of_inputs, of_outputs in zip(net, gradients[:-1], gradients[1:], strict=True)
        if isinstance(module, nn.Linear)
    ]
    last = gradients[0]
    checks.append((sum_order(last.shape, last.dtype), torch.ones_like(last[:, :1].T), last, result[None]))
    for order, left, right, by_torch in checks:
        if order is None:
            terms, columns = right.shape
            return f"The order in which this machine adds {terms} terms in each of {columns} columns is not known."
        if not torch.equal(add_up(order, left, right), by_torch):
            return "On this machine, the replay does not reproduce PyTorch's own values."
    return ""


def _with_steps(
    results: Replay, experiment: Experiment, net: nn.Sequential, gradients: list[Tensor], rows: list[Tensor]
) -> Replay:
    """Return the verified results together with the steps that lead to them."""
    names, component = unit_names(experiment), results.component
    outputs, units, weight = names[-1], names[1], net.get_parameter("0.weight")
    backward = dot_in_steps(weight, component, gradients[1][0], units)
    of_rows = [
        dot_in_steps(weight, component, row, [f"{y}, {unit}" for unit in units])
        for y, row in zip(outputs, rows[1], strict=True)
    ]
    order = sum_order(rows[0].shape, rows[0].dtype)
    terms = [(f"row {y}", None, value) for y, value in zip(outputs, rows[0][:, component].tolist(), strict=True)]
    sum_of_rows = add_up_in_steps(order, terms, experiment.inputs, component, rows[0].dtype)

    diverges_at = next(
        (i for i, steps in enumerate(zip(backward, *of_rows, strict=True)) if divergence_in(steps)), None
    )
    rounded_at = next((i for i, step in enumerate(sum_of_rows) if step.error), None)
    in_jacobian = None
    if diverges_at is not None:
        in_jacobian = (len(of_rows) - 1) * len(backward) + diverges_at
    elif rounded_at is not None:
        in_jacobian = len(of_rows) * len(backward) + rounded_at
    divergence = find_first_divergence(net, names, gradients, rows, component)
    if divergence is None and rounded_at is not None:
        numbers = [backward[-1].after, *rows[0][:, component].tolist()]
        divergence = FirstDivergence.of("sum of rows", names[0][component], numbers, sum_of_rows[rounded_at])
    return replace(
        results,
        dot_order=dot_order(weight.shape, weight.dtype).name,
        sum_order=order.name,
        backward=backward,
        jacobian=(*(step for steps in of_rows for step in steps), *sum_of_rows),
        backward_diverges_at=diverges_at,
        jacobian_diverges_at=in_jacobian,
        first_divergence=divergence,
    )


def unit_names(experiment: Experiment) -> list[list[str]]:
    """Return the units' names by layer: x for inputs, y for outputs, h for hidden units, with the layer if several."""
    hidden = [f"h{layer}." if len(experiment.hidden) > 1 else "h" for layer in range(1, len(experiment.hidden) + 1)]
    letters = ["x", *hidden, "y"]
    return [
        [f"{letter}{unit}" for unit in range(width)] for letter, width in zip(letters, experiment.widths, strict=True)
    ]
