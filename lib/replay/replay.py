"""A replay of one component of one sample, which shows where the backward gradient and the summed
Jacobian diverge.

Both evaluations go backwards through the network. In each linear layer, the gradient of an input is
a dot product Σ w·δ over the layer's units, where δ is the gradient of a unit. `backward()` does
that once, with the δ of all outputs combined; a Jacobian does it once per output, and the rows are
summed at the end.

NOTE [replay]: PyTorch's own gradients between the layers are those of `passes`. Every dot product
of every layer and the sum over rows are then computed again, in the orders revealed on this
machine. If a single bit differs from PyTorch's, or if an order is not known, nothing is replayed.
The activations between the layers have kernels of their own; they add nothing up, and their results
are taken as they are.
"""

from dataclasses import dataclass, replace

from torch import Tensor, nn

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject, by
from lib.network.machine import matmul_flags
from lib.replay.first_divergence import (
    FirstDivergence,
    Pass,
    differs,
    find_first_divergence,
    first_step_apart,
    pass_of,
)
from lib.replay.steps import Step, in_steps


@dataclass(frozen=True)
class Replay:
    """Both evaluations of one component: `backward` and `jacobian` are their last dot products,
    step by step.

    The Jacobian's steps are those of each row in turn, then those of the sum of rows. If the replay
    is not verified, there are no steps, and `reason` says why.

    `backward_diverges_at` and `jacobian_diverges_at` are the first steps at which these sums
    diverge, or None if they never do. If they diverge within the rows, the Jacobian's step is that
    of the last row; if they agree up to the sum of rows, no backward step diverges.
    `first_divergence` may lie in a layer that the backward pass reaches earlier.

    The Jacobian is computed by the method `replayed`; `method_result` is the result of the
    experiment's own `method`. `row_lengths` are the numbers of steps of the rows.
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
    row_lengths: tuple[int, ...] = ()
    backward_diverges_at: int | None = None
    jacobian_diverges_at: int | None = None
    first_divergence: FirstDivergence | None = None
    replayed: str = "functional"

    @property
    def verified(self) -> bool:
        return self.backward_verified and self.jacobian_verified

    @property
    def discrepancy(self) -> float:
        """backward − jacobian, in float64."""
        return self.backward_result - self.jacobian_result


def replay(experiment: Experiment, number: int, component: int) -> Replay:
    """Replay a component of sample `number`, both counted from 0, by `backward()` and by the method
    `method_replayed`.

    Raise `ValueError` if the experiment has no such sample or component.
    """
    refuse_missing(experiment, number, component)
    number_of_block, place = divmod(number, sampling.block_size(experiment))
    net, block = (
        network.build(experiment, number_of_block),
        sampling.block(experiment, number_of_block),
    )
    with matmul_flags(experiment):
        if experiment.evaluation == "batched":
            return trace(experiment, net, block, number, component, place)
        return trace(experiment, net, block[place].clone(), number, component)


def refuse_missing(experiment: Experiment, number: int, component: int) -> None:
    """Raise `ValueError` if the experiment has no sample of this number, or its samples no such
    component."""
    for name, value, count in (
        ("sample", number, experiment.samples),
        ("component", component, experiment.inputs),
    ):
        if not 0 <= value < count:
            raise ValueError(
                f"{name} = {value} is not allowed: it must be a whole number from 0 to {count - 1:,}."
            )


def method_replayed(experiment: Experiment) -> str:
    """Return the method whose operations are replayed: the experiment's own, or else `functional`.

    Its own can be replayed if it returns rows in reverse mode, after a forward pass with the calls
    of `backward()`'s.
    """
    row = METHODS[experiment.method]
    own = row.gives == "rows" and row.mode == "reverse" and experiment.evaluation in row.bounded
    return experiment.method if own else "functional"


def trace(
    experiment: Experiment,
    net: nn.Sequential,
    x: Tensor,
    number: int,
    component: int,
    place: int = 0,
) -> Replay:
    """Replay a component for any network of the experiment's shape.

    x is any sample, shape (inputs,), or a block of them, and `place` that of the sample in the
    block. The sample's number is only noted.
    """
    method = method_replayed(experiment)
    found = (way(Subject(experiment, net), x) for way in (BACKWARD, by(method), JACOBIAN))
    backward, jacobian, by_method = (
        result.view(-1, experiment.inputs)[place, component].item() for result in found
    )
    named = number, component, experiment.dtype, experiment.method
    results = Replay(*named, backward, jacobian, by_method, replayed=method)
    if experiment.device != "cpu":
        return replace(
            results, reason="Only what the CPU computes is replayed, not what a graphics card does."
        )
    one, other = pass_of(None, net, x, place), pass_of(method, net, x, place)
    reasons = differs(net, one), differs(net, other)
    results = replace(
        results,
        backward_verified=not reasons[0],
        jacobian_verified=not reasons[1],
        reason=reasons[0] or reasons[1],
    )
    return _with_steps(results, experiment, net, one, other) if results.verified else results


def _with_steps(
    results: Replay, experiment: Experiment, net: nn.Sequential, one: Pass, other: Pass
) -> Replay:
    """Return the verified results together with the steps that lead to them."""
    names, component = unit_names(experiment), results.component
    units, outputs, weight = names[1], names[-1], net.get_parameter("0.weight")
    (backward,) = one.steps(0, weight, component, [units])
    of_rows = other.steps(
        0, weight, component, [[f"{y}, {unit}" for unit in units] for y in outputs]
    )
    values = other.gradients[0][:, component].tolist()
    sum_order = other.sum_orders.tree(other.place, component)
    sum_of_rows = in_steps(
        sum_order,
        [(f"row {y}", None, value) for y, value in zip(outputs, values, strict=True)],
        weight.dtype,
    )

    lengths = tuple(map(len, of_rows))
    diverges_at = first_step_apart([backward, *of_rows])
    rounded_at = next((place for place, step in enumerate(sum_of_rows) if step.error), None)
    in_jacobian = None if rounded_at is None else sum(lengths) + rounded_at
    if diverges_at is not None:
        in_jacobian = sum(lengths[:-1]) + min(diverges_at, lengths[-1] - 1)
    divergence = find_first_divergence(net, names, one, other, component)
    if divergence is None and rounded_at is not None:
        numbers = [results.backward_result, *values]
        divergence = FirstDivergence.of(
            "sum of rows", names[0][component], numbers, sum_of_rows[rounded_at]
        )
    dot_orders = [
        side.orders[0].tree(row, component).label for side in (one, other) for row in side.rows
    ]
    return replace(
        results,
        dot_order=" or ".join(dict.fromkeys(dot_orders)),
        sum_order=sum_order.label,
        backward=backward,
        jacobian=tuple(step for steps in (*of_rows, sum_of_rows) for step in steps),
        row_lengths=lengths,
        backward_diverges_at=diverges_at,
        jacobian_diverges_at=in_jacobian,
        first_divergence=divergence,
    )


def unit_names(experiment: Experiment) -> list[list[str]]:
    """Return the units' names by layer: x for inputs, y for outputs, h for hidden units, with the
    layer if several."""
    hidden = [
        f"h{layer}." if len(experiment.hidden) > 1 else "h"
        for layer in range(1, len(experiment.hidden) + 1)
    ]
    letters = ["x", *hidden, "y"]
    return [
        [f"{letter}{unit}" for unit in range(width)]
        for letter, width in zip(letters, experiment.widths, strict=True)
    ]
