"""One component of a sample as an example: the sum in which alone and in a batch first differ, in both orders.

From the component the way goes back to what it was computed from, as long as something there differs. Where it ends,
the operands are equal and the results are not. Where no such sum can be shown, the component itself is, without trees.

NOTE [values]: the values on the way are those of the pass itself: the modules are called one after the other with the
tensors of a whole batch, and a row of these is looked at.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite, isnan
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lib.batch.arrangements import PASSES, Pick, block, block_size, is_compared
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance, lowered
from lib.network import network
from lib.network.comparison import Subject
from lib.network.machine import matmul_flags
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.balls import fraction
from lib.replay.orders import layer_orders
from lib.replay.replay import unit_names
from lib.replay.steps import Term, TreeSum

Values = dict[str, list[Tensor]]
"""The values of one sample on the CPU, each of shape (width,): "forward" has what goes into each module, and at its end
what comes out of the network; "backward" has the gradients of the sum of the outputs with respect to these."""


class Node(NamedTuple):
    """A number that a pass computes: unit `unit` of the k-th values of a direction, "forward" or "backward"."""

    direction: str
    k: int
    unit: int

    @property
    def module(self) -> int:
        """The number of the module that computes it."""
        return self.k - 1 if self.direction == "forward" else self.k

    def of(self, side: Values) -> float:
        """Return the number in a pass."""
        return side[self.direction][self.k][self.unit].item()


@dataclass(frozen=True)
class Ends:
    """A number of the pass, by its name, alone and in the batch; both may be infinite or NaN.

    `exact` is the exact value of a component, to within 2**-80 of its size, or of a sum of these terms, or None.
    """

    name: str
    dtype: str
    alone: float
    batch: float
    exact: Fraction | None = None

    @property
    def floats(self) -> int | None:
        """How many floats apart the two are, None if one of them is not finite."""
        if not (isfinite(self.alone) and isfinite(self.batch)):
            return None
        nearest = FORMATS[self.dtype].nearest
        return abs(nearest(Fraction(self.alone)) - nearest(Fraction(self.batch)))

    @property
    def apart(self) -> str:
        return distance(self.floats or 0)


@dataclass(frozen=True)
class Example:
    """What the page shows of a component. `row` is the sample's place in its batch.

    `orders` are the two orders, alone and in the batch, of the sum that is `shown`. If there are none, the component is
    shown, and `reason` is a sentence that says why. `node` is where the two passes first differ, None for a method.
    """

    place: Pick
    row: int
    component: Ends
    shown: Ends
    node: Node | None
    orders: tuple[TreeSum, TreeSum] | None
    reason: str

    @property
    def of_itself(self) -> bool:
        """Whether what is shown is the component."""
        return self.orders is None or self.node == Node("backward", 0, self.place.component)

    @property
    def zeros(self) -> int:
        """How many terms are 0 in both orders, which the picture leaves out."""
        values = zip(
            *(order.values[: order.tree.terms] for order in self.orders or ()), strict=True
        )
        return sum(not any(pair) for pair in values)


def example(experiment: Experiment, place: Pick) -> Example:
    """Return all about a component. Raise `ValueError` if it is not compared in batches of this size."""
    if not is_compared(experiment, place):
        raise ValueError(f"{place} is no component that is compared.")
    number, index = divmod(place.sample, block_size(experiment))
    net, samples = network.build(experiment, number), block(experiment, number)
    row = index % place.size
    x, batch = samples[index].clone(), samples[index - row :][: place.size].clone()
    way, column = (
        PASSES[experiment.gradient],
        place.component + experiment.outputs * place.of_gradient,
    )
    with matmul_flags(experiment):
        subject = Subject(experiment, net)
        ends = way(subject, x)[column].item(), way(subject, batch)[row, column].item()
        sides = values(net, x), values(net, batch, row)
    net = net.cpu()
    name = (
        f"Component {place.component} of the gradient"
        if place.of_gradient
        else f"Output {place.component}"
    )
    component = Ends(name, experiment.dtype, *ends)
    node, orders = None, None
    reason = f"The steps of {experiment.method} are not followed here."
    if not place.of_gradient or experiment.gradient == "backward":
        node = first_divergence(net, sides, place.quantity, place.component)
        orders, reason = _both_orders(experiment, net, sides, node, (place.size, row))
    if node and orders:
        one, other = orders
        shown = Ends(_name(experiment, node), experiment.dtype, one.result, other.result, one.exact)
    else:
        shown = component = replace(component, exact=_exact(experiment, net, x, place))
    return Example(place, row, component, shown, node, orders, reason)


def _exact(experiment: Experiment, net: nn.Sequential, x: Tensor, place: Pick) -> Fraction | None:
    balls = ArbNetwork(net, experiment)
    try:
        if place.of_gradient:
            return balls.terms(x.tolist(), place.component).component
        return fraction(balls.outputs(x.tolist())[place.component].mid())
    except Undecided:
        return None


def _both_orders(
    experiment: Experiment,
    net: nn.Sequential,
    sides: tuple[Values, Values],
    node: Node,
    batch: tuple[int, int],
) -> tuple[tuple[TreeSum, TreeSum] | None, str]:
    """Return a sum in the orders in which it is added alone and in the batch, or a sentence why it cannot be shown.

    `batch` is its size, and the sample's row in it.
    """
    if not isinstance(net[node.module], nn.Linear):
        kernel = experiment.activations[node.module // 2]
        return (
            None,
            f"The sums are equal. A kernel of {kernel} returns other bits for the same number.",
        )
    traced = []
    for side, (size, row) in zip(sides, ((None, 0), batch), strict=True):
        result = node.of(side)
        if not isfinite(result):
            return None, "A sum on the way to this component is infinite or NaN."
        orders = layer_orders(experiment, size, node.direction, node.module // 2 + 1)
        if orders.reason:
            return None, orders.reason
        terms = _terms(experiment, net, side, node)
        traced.append(
            TreeSum.of(orders.tree(row, node.unit), terms, getattr(torch, experiment.dtype))
        )
        if traced[-1].result != result:
            return None, "On this machine, the orders revealed do not give PyTorch's own bits here."
    return (traced[0], traced[1]), ""


def _terms(experiment: Experiment, net: nn.Sequential, side: Values, node: Node) -> list[Term]:
    """Return what a sum adds: the w·h of a unit and its bias, or the w·δ of the gradient of what goes into a layer."""
    linear, names, ahead = net[node.module], _names(experiment), node.direction == "forward"
    assert isinstance(linear, nn.Linear)
    label, weight = (
        ("w·{}", linear.weight[node.unit]) if ahead else ("w·δ({})", linear.weight[:, node.unit])
    )
    units = names[node.module // 2 + (not ahead)]
    factors = zip(
        units,
        weight.tolist(),
        side[node.direction][node.k + (-1 if ahead else 1)].tolist(),
        strict=True,
    )
    bias: list[Term] = [("bias", None, linear.bias[node.unit].item())] if ahead else []
    return [(label.format(unit), w, number) for unit, w, number in factors] + bias


def _name(experiment: Experiment, node: Node) -> str:
    """Name the sum of a node, such as "The sum for h₃"."""
    ahead = node.direction == "forward"
    unit = _names(experiment)[node.module // 2 + ahead][node.unit]
    return f"The sum for {unit}" if ahead else f"The gradient with respect to {unit}"


def _names(experiment: Experiment) -> list[list[str]]:
    return [[lowered(name) for name in names] for names in unit_names(experiment)]


def values(net: nn.Sequential, x: Tensor, row: int | None = None) -> Values:
    """Return the values of one sample, x of shape (inputs,), or of a row of a batch of shape (samples, inputs)."""
    forward = [x.detach().clone().requires_grad_()]
    for module in net:
        forward.append(module(forward[-1]))
    backward = torch.autograd.grad(forward[-1], forward, torch.ones_like(forward[-1]))
    place = ... if row is None else row
    both = {"forward": forward, "backward": backward}
    return {
        direction: [part[place].detach().cpu() for part in parts]
        for direction, parts in both.items()
    }


def first_divergence(
    net: nn.Sequential, sides: tuple[Values, Values], quantity: str, component: int
) -> Node:
    """Return the number that differs in two passes though its operands are equal, on the way to a component.

    Of operands that differ the way takes the one that differs most. If nothing differs, this is the component's own
    sum.
    """
    node = (
        Node("forward", len(net), component)
        if quantity == "output"
        else Node("backward", 0, component)
    )
    if quantity == "output" and not difference(sides, node):
        node = Node("forward", len(net) - 1, component)
    while differing := [one for one in _operands(net, sides[0], node) if difference(sides, one)]:
        node = max(differing, key=lambda operand: difference(sides, operand))
    return node


def difference(sides: tuple[Values, Values], node: Node) -> float:
    """Return by how much a number differs: 0 for two NaN or equal infinities, infinite if only one is finite."""
    one, other = (node.of(side) for side in sides)
    if one == other or isnan(one) and isnan(other):
        return 0.0
    apart = abs(one - other)
    return inf if isnan(apart) else apart


def _operands(net: nn.Sequential, side: Values, node: Node) -> list[Node]:
    """Return what a number is computed from, apart from weights."""
    if (
        node.direction == "forward"
        and node.k == 0
        or node.direction == "backward"
        and node.k == len(net)
    ):
        return []
    module, before = net[node.module], node.k - 1 if node.direction == "forward" else node.k + 1
    units = (
        range(len(side[node.direction][before]))
        if isinstance(module, nn.Linear | nn.Softmax)
        else [node.unit]
    )
    found = [Node(node.direction, before, unit) for unit in units]
    if node.direction == "backward" and not isinstance(
        module, nn.Linear
    ):  # slopes are computed from the forward pass
        found += [Node("forward", k, unit) for k in (node.k, node.k + 1) for unit in units]
    return found
