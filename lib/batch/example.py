"""One component of a sample as an example: the first sum that differs alone and in a batch.

If no such sum can be shown, the example has the component itself, without a sum.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import torch
from torch import Tensor, nn

from lib.batch.arrangements import PASSES, Pick, block, block_size
from lib.batch.divergence import Node, Values, divergence, values
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance, lowered
from lib.network import network
from lib.network.comparison import Subject
from lib.network.machine import matmul_flags
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import fraction
from lib.replay.orders import layer_orders
from lib.replay.replay import unit_names
from lib.replay.steps import Term, TreeSum


@dataclass(frozen=True)
class Results:
    """A number as computed alone and in the batch. Both results may be infinite or NaN.

    Attributes:
        name: the name of the number.
        dtype: the name of its dtype.
        alone: the result alone.
        batch: the result in the batch.
        exact: for a sum, the exact sum of the same terms. For a component, its exact value to
            within 2**-80 of its size or, if that value is 0, a number near 0. None if it is not
            known.
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
    """What the page shows of a component.

    Attributes:
        pick: the component.
        row: the place of its sample in the batch, from 0.
        shown: the results of the sum, or of the component if no sum can be shown.
        orders: the orders of addition of the sum, alone and in the batch, if one can be shown.
        reason: why none can be shown, or "".
    """

    pick: Pick
    row: int
    shown: Results
    orders: tuple[TreeSum, TreeSum] | None
    reason: str


def example(experiment: Experiment, pick: Pick) -> Example:
    """Return what the page shows of a component: `arrangements.is_compared` has to be true."""
    number, index = divmod(pick.sample, block_size(experiment))
    net = network.build(experiment, number)
    samples = block(experiment, number)
    row = index % pick.size
    x = samples[index].clone()
    batch = samples[index - row : index - row + pick.size].clone()
    way = PASSES[experiment.gradient]
    column = pick.component + experiment.outputs * pick.of_gradient
    with matmul_flags(experiment):
        subject = Subject(experiment, net)
        alone = way(subject, x)[column].item()
        in_batch = way(subject, batch)[row, column].item()
        sides = values(net, x), values(net, batch, row)
    net = net.cpu()
    orders = None
    reason = f"The steps of {experiment.method} are not followed here."
    if not pick.of_gradient or experiment.gradient == "backward":
        node = divergence(net, sides, pick)
        orders, reason = _both_orders(experiment, net, sides, node, (pick.size, row))
    if orders:
        first, second = orders
        name = f"{_name(experiment, node)} from these terms"
        shown = Results(name, experiment.dtype, first.result, second.result, first.exact)
    else:
        exact = _exact(experiment, net, x, pick)
        shown = Results(pick.name, experiment.dtype, alone, in_batch, exact)
    return Example(pick, row, shown, orders, reason)


def _exact(experiment: Experiment, net: nn.Sequential, x: Tensor, pick: Pick) -> Fraction | None:
    balls = ArbNetwork(net, experiment)
    try:
        if pick.of_gradient:
            return balls.terms(x.tolist(), pick.component).component
        return fraction(balls.outputs(x.tolist())[pick.component].mid())
    except OnKink:
        return None


def _both_orders(
    experiment: Experiment,
    net: nn.Sequential,
    sides: tuple[Values, Values],
    node: Node,
    batch: tuple[int, int],
) -> tuple[tuple[TreeSum, TreeSum] | None, str]:
    """Return the orders in which a sum is added alone and in the batch, or None and the reason.

    `batch` is the batch size and the row of the sample.
    """
    if not isinstance(net[node.module], nn.Linear):
        activation = experiment.activations[node.module // 2]
        function = activation if node.is_forward else f"the slope of {activation}"
        return None, (
            f"The difference begins in {function}, whose kernel returns another value for the "
            "same input."
        )
    dtype = getattr(torch, experiment.dtype)
    traced = []
    for side, (size, row) in zip(sides, ((None, 0), batch), strict=True):
        result = node.value(side)
        if not isfinite(result):
            return None, "A sum on the way to this component is infinite or NaN."
        orders = layer_orders(experiment, size, node.direction, node.module // 2 + 1)
        if orders.reason:
            return None, orders.reason
        terms = _terms(experiment, net, side, node)
        traced.append(TreeSum.of(orders.tree(row, node.unit), terms, dtype))
        if traced[-1].result != result:
            return None, "The orders of addition found here do not give the same bits as PyTorch."
    return (traced[0], traced[1]), ""


def _terms(experiment: Experiment, net: nn.Sequential, side: Values, node: Node) -> list[Term]:
    """Return what a sum adds: weight times value, and the bias; backward, weight times gradient."""
    linear = net[node.module]
    assert isinstance(linear, nn.Linear)
    layer = node.module // 2
    numbers = side[node.direction][node.before]
    if node.is_forward:
        label = "w·{}"
        units = _names(experiment)[layer]
        weights = linear.weight[node.unit]
        bias: list[Term] = [("bias", None, linear.bias[node.unit].item())]
    else:
        label = "w·δ({})"
        units = _names(experiment)[layer + 1]
        weights = linear.weight[:, node.unit]
        bias = []
    factors = zip(units, weights.tolist(), numbers, strict=True)
    return [(label.format(unit), weight, number) for unit, weight, number in factors] + bias


def _name(experiment: Experiment, node: Node) -> str:
    """Return the name of a node's sum, such as "The sum for h₃"."""
    unit = _names(experiment)[node.module // 2 + node.is_forward][node.unit]
    return f"The sum for {unit}" if node.is_forward else f"The gradient with respect to {unit}"


def _names(experiment: Experiment) -> list[list[str]]:
    """Return the names of all units by layer, the inputs first, without capitals."""
    return [[lowered(name) for name in names] for names in unit_names(experiment)]
