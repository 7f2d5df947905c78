"""Where two passes begin to differ on the way to a component.

From the component the way goes back to what it was computed from, as long as something there differs. Where it ends,
the operands are equal and the results are not.

NOTE [values]: the values on the way are those of the pass itself: the modules are called one after the other with the
tensors of a whole batch, and a row of these is looked at.
"""

from math import inf, isnan
from typing import NamedTuple

import torch
from torch import Tensor, nn

Values = dict[str, list[Tensor]]
"""The values of one sample on the CPU, each of shape (width,): "forward" has what goes into each module, and at its end
what comes out of the network; "backward" has the gradients of the sum of the outputs with respect to these."""


def values(net: nn.Sequential, x: Tensor, row: int | None = None) -> Values:
    """Return the values of one sample, x of shape (inputs,), or of a row of a batch of shape (samples, inputs)."""
    forward = [x.detach().clone().requires_grad_()]
    for module in net:
        forward.append(module(forward[-1]))
    backward = torch.autograd.grad(forward[-1], forward, torch.ones_like(forward[-1]))
    place = ... if row is None else row
    both = {"forward": forward, "backward": backward}
    return {direction: [part[place].detach().cpu() for part in parts] for direction, parts in both.items()}


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


def first_divergence(net: nn.Sequential, sides: tuple[Values, Values], quantity: str, component: int) -> Node:
    """Return the number that differs in two passes though its operands are equal, on the way to a component.

    Of operands that differ the way takes the one that differs most. If nothing differs, this is the component's own
    sum.
    """
    node = Node("forward", len(net), component) if quantity == "output" else Node("backward", 0, component)
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
    if node.direction == "forward" and node.k == 0 or node.direction == "backward" and node.k == len(net):
        return []
    module, before = net[node.module], node.k - 1 if node.direction == "forward" else node.k + 1
    units = range(len(side[node.direction][before])) if isinstance(module, nn.Linear | nn.Softmax) else [node.unit]
    found = [Node(node.direction, before, unit) for unit in units]
    if node.direction == "backward" and not isinstance(module, nn.Linear):  # slopes are computed from the forward pass
        found += [Node("forward", k, unit) for k in (node.k, node.k + 1) for unit in units]
    return found
