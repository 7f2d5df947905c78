"""Where two passes begin to differ: one of a sample alone, one of the same sample in a batch.

From a component the search goes back through what it was computed from, as long as something there
differs. Where it ends, the operands are equal and the results are not.

NOTE [values]: the values are those of the pass itself: the modules are called one after the other
with the tensors of the whole batch, and then one row of each tensor is read.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lib.batch.arrangements import Pick
from lib.network.jacobians import FROM_RESULT

Values = dict[str, list[list[float]]]
"""The values of one sample: lists of lists, one inner list for each tensor of a pass.

"forward" has the input of each module, and then the outputs of the network. "backward" has the
gradients of the sum of the outputs with respect to these.
"""


class Node(NamedTuple):
    """The place of a value in a pass: `direction` is a key of `Values`, `k` the index of the list
    there, and `unit` the index in this list."""

    direction: str
    k: int
    unit: int

    @property
    def is_forward(self) -> bool:
        return self.direction == "forward"

    @property
    def module(self) -> int:
        """The index of the module that computes the value."""
        return self.k - 1 if self.is_forward else self.k

    @property
    def before(self) -> int:
        """The `k` of the values from which the module computes it."""
        return self.k - 1 if self.is_forward else self.k + 1

    def value(self, values: Values) -> float:
        """Return the value in a pass."""
        return values[self.direction][self.k][self.unit]


def values(net: nn.Sequential, x: Tensor, row: int | None = None) -> Values:
    """Return the values of one sample.

    Args:
        net: the network.
        x: the sample, shape (inputs,), or a batch, shape (samples, inputs).
        row: the sample's row in the batch.
    """
    forward = [x.detach().clone().requires_grad_()]
    for module in net:
        forward.append(module(forward[-1]))
    backward = torch.autograd.grad(forward[-1], forward, torch.ones_like(forward[-1]))
    place = ... if row is None else row
    return {
        "forward": [part[place].tolist() for part in forward],
        "backward": [part[place].tolist() for part in backward],
    }


def divergence(net: nn.Sequential, sides: tuple[Values, Values], pick: Pick) -> Node:
    """Return the place of a value that differs in two passes although its operands are equal.

    If nothing differs, it is the place of the component's own sum.
    """
    if pick.of_gradient:
        node = Node("backward", 0, pick.component)
    else:
        node = Node("forward", len(net), pick.component)
        if not differs(sides, node):
            # The sum is computed by the linear layer, before the output activation.
            node = Node("forward", len(net) - 1, pick.component)
    while differing := [
        operand for operand in _operands(net, sides[0], node) if differs(sides, operand)
    ]:
        node = differing[0]
    return node


def differs(sides: tuple[Values, Values], node: Node) -> bool:
    """Return whether a value differs between two passes. Two NaN do not."""
    first, second = (node.value(side) for side in sides)
    are_nan = first != first and second != second
    return first != second and not are_nan


def _operands(net: nn.Sequential, side: Values, node: Node) -> list[Node]:
    """Return the places of what a value is computed from, apart from weights."""
    numbers = side[node.direction]
    if not 0 <= node.before < len(numbers):
        return []
    module = net[node.module]
    mixes = isinstance(module, nn.Linear | nn.Softmax)
    units = range(len(numbers[node.before])) if mixes else [node.unit]
    operands = [Node(node.direction, node.before, unit) for unit in units]
    if not node.is_forward and not isinstance(module, nn.Linear):
        # The slope is computed from the result of the module or from its input.
        k = node.k + isinstance(module, FROM_RESULT)
        operands += [Node("forward", k, unit) for unit in units]
    return operands
