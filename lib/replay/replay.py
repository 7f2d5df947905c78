"""A replay of one component of one sample, which shows where the two gradients diverge.

Both evaluations go backwards through the network. In each linear layer, the gradient of an input is
a dot product Σ w·δ over the layer's units, where δ is the gradient of a unit. `backward()` does
that once, with the δ of all outputs combined; a Jacobian does it once per output, and the rows are
summed at the end.

NOTE [replay]: `passes` takes the gradients between the layers from PyTorch. Every dot product of
every layer and the sum over rows are then computed again, in the orders revealed on this machine.
If a single value differs from PyTorch's, or if an order is not known, nothing is replayed. The
results of the activations' own kernels are taken from PyTorch, including the sums in softmax.
"""

from dataclasses import dataclass, replace

from torch import Tensor, nn

from lib.experiment.field_kinds import not_allowed
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, Subject, Way, by
from lib.network.machine import matmul_flags
from lib.replay.first_divergence import FirstDivergence, find_first_divergence, first_step_apart
from lib.replay.passes import Pass, pass_of, why_not_verified
from lib.replay.steps import Step, in_steps


@dataclass(frozen=True)
class Replay:
    """Both evaluations of one component.

    Attributes:
        sample, component: their numbers, counted from 0.
        dtype: the name of the dtype.
        method, method_result: the method of the experiment, and its result, summed over the rows.
        jacobian_method, jacobian_result: the same for the method that is replayed.
        backward_result: the result of `backward()`.
        reason: why nothing is replayed, or "" if the replay is verified.
        dot_order, sum_order: the orders of the dot products in `backward` and `jacobian`, and of
            the sum of rows, as texts.
        backward: the steps of the last dot product of `backward()`.
        jacobian: the steps of the last dot product of each row in turn, then of the sum of rows.
        row_lengths: the number of steps of each row in `jacobian`.
        backward_diverges_at, jacobian_diverges_at: where these sums diverge: the index of the first
            such step in `backward`, and in `jacobian`. Both are None if they do not diverge. If
            they diverge within the rows, `jacobian_diverges_at` is in the last row. If they diverge
            only in the sum of rows, `backward_diverges_at` is None.
        first_divergence: the first divergence in any layer, None if there is none. It may lie in a
            layer closer to the outputs.
    """

    sample: int
    component: int
    dtype: str
    method: str
    backward_result: float
    jacobian_result: float
    method_result: float
    reason: str = ""
    dot_order: str = ""
    sum_order: str = ""
    backward: tuple[Step, ...] = ()
    jacobian: tuple[Step, ...] = ()
    row_lengths: tuple[int, ...] = ()
    backward_diverges_at: int | None = None
    jacobian_diverges_at: int | None = None
    first_divergence: FirstDivergence | None = None
    jacobian_method: str = "functional"

    @property
    def verified(self) -> bool:
        return not self.reason

    @property
    def discrepancy(self) -> float:
        """`backward_result` − `jacobian_result`, in float64."""
        return self.backward_result - self.jacobian_result


def replay(experiment: Experiment, sample: int, component: int) -> Replay:
    """Replay a component by `backward()`, and by the method that `method_replayed` returns.

    Args:
        experiment: the experiment, which determines the network and the samples.
        sample: the number of the sample, counted from 0.
        component: the number of the component, counted from 0.

    Returns:
        The replay. If it is not verified, it has both results and a `reason`, but no steps.

    Raises:
        Refusal: a `ValueError`, if the experiment has no such sample or component.
    """
    refuse_missing(experiment, sample, component)
    block, place = divmod(sample, sampling.block_size(experiment))
    net = network.build(experiment, block)
    x = sampling.block(experiment, block)
    if experiment.evaluation != "batched":
        x = x[place].clone()
        place = 0
    with matmul_flags(experiment):
        return _replay(experiment, net, x, sample, component, place)


def _replay(
    experiment: Experiment, net: nn.Sequential, x: Tensor, sample: int, component: int, place: int
) -> Replay:
    method = method_replayed(experiment)

    def component_by(way: Way) -> float:
        gradients = way(Subject(experiment, net), x).view(-1, experiment.inputs)
        return gradients[place, component].item()

    results = Replay(
        sample=sample,
        component=component,
        dtype=experiment.dtype,
        method=experiment.method,
        backward_result=component_by(BACKWARD),
        jacobian_result=component_by(by(method)),
        method_result=component_by(JACOBIAN),
        jacobian_method=method,
    )
    if experiment.device != "cpu":
        return replace(
            results, reason="Only operations of the CPU are replayed, not of a graphics card."
        )
    first = pass_of(None, net, x, place)
    second = pass_of(method, net, x, place)
    if reason := why_not_verified(net, first) or why_not_verified(net, second):
        return replace(results, reason=reason)
    return _with_steps(results, experiment, net, first, second)


def refuse_missing(experiment: Experiment, sample: int, component: int) -> None:
    """Raise `Refusal`, a `ValueError`, if the experiment has no such sample or component."""
    for name, value, count in (
        ("sample", sample, experiment.samples),
        ("component", component, experiment.inputs),
    ):
        if not 0 <= value < count:
            raise not_allowed(name, value, f"it must be a whole number from 0 to {count - 1:,}")


def method_replayed(experiment: Experiment) -> str:
    """Return the method whose operations are replayed: the experiment's own, or `functional`.

    Its own can be replayed if it returns rows in reverse mode and its forward pass makes the same
    calls as that of `backward()`. `Method.bounded` lists the evaluations in which it makes them.
    """
    row = METHODS[experiment.method]
    has_calls_of_backward = experiment.evaluation in row.bounded
    if row.gives == "rows" and row.mode == "reverse" and has_calls_of_backward:
        return experiment.method
    return "functional"


def _with_steps(
    results: Replay, experiment: Experiment, net: nn.Sequential, first: Pass, second: Pass
) -> Replay:
    """Return the verified results together with the steps that lead to them."""
    component = results.component
    names = unit_names(experiment)
    units, outputs = names[1], names[-1]
    weight = net.get_parameter("0.weight")
    (backward,) = first.steps(0, weight, component, [units])
    labels = [[f"{output}, {unit}" for unit in units] for output in outputs]
    rows = second.steps(0, weight, component, labels)
    values = second.gradients[0][:, component].tolist()
    sum_tree = second.sum_orders.tree(second.sum_row, component)
    terms = [(f"row {y}", None, value) for y, value in zip(outputs, values, strict=True)]
    sum_of_rows = in_steps(sum_tree, terms, weight.dtype)

    lengths = tuple(map(len, rows))
    diverges_at = first_step_apart([backward, *rows])
    rounded_at = next((place for place, step in enumerate(sum_of_rows) if step.error), None)
    in_jacobian = None
    if diverges_at is not None:
        in_jacobian = sum(lengths[:-1]) + diverges_at
    elif rounded_at is not None:
        in_jacobian = sum(lengths) + rounded_at
    divergence = find_first_divergence(net, names, first, second, component)
    if divergence is None and rounded_at is not None:
        divergence = FirstDivergence(
            "sum of rows",
            names[0][component],
            results.backward_result,
            tuple(values),
            sum_of_rows[rounded_at],
        )
    trees = [way.orders[0].tree(row, component) for way in (first, second) for row in way.rows]
    return replace(
        results,
        dot_order=" or ".join(dict.fromkeys(tree.label for tree in trees)),
        sum_order=sum_tree.label,
        backward=backward,
        jacobian=sum(rows, ()) + sum_of_rows,
        row_lengths=lengths,
        backward_diverges_at=diverges_at,
        jacobian_diverges_at=in_jacobian,
        first_divergence=divergence,
    )


def unit_names(experiment: Experiment) -> list[list[str]]:
    """Return the names of the units by layer.

    They are x0, x1, … for the inputs, h0, h1, … for the hidden units, and y0, y1, … for the
    outputs. With several hidden layers, the hidden units are h1.0, h1.1, …, h2.0, ….
    """
    layers = len(experiment.hidden)
    hidden = ["h"] if layers == 1 else [f"h{layer}." for layer in range(1, layers + 1)]
    letters = zip(["x", *hidden, "y"], experiment.widths, strict=True)
    return [[f"{letter}{unit}" for unit in range(width)] for letter, width in letters]
