"""The contract of what is said of an example."""

from dataclasses import dataclass
from math import inf, isfinite, nan

from lib.batch.arrangements import Pick
from lib.batch.example import Ends, Example, Node
from lib.batch.findings import KEY
from tests.sentences import Contract, when


def ends(name: str, floats: float) -> Ends:
    """A number that is 1 alone, and so many floats above it in the batch."""
    return Ends(name, "float32", 1.0, 1 + floats * 2.0**-23 if isfinite(floats) else floats)


@dataclass(frozen=True)
class Shown:
    """An output or, if `node` is the gradient's own, a component of the gradient.

    Its sum ends `floats` apart, and itself `of_component` floats.
    """

    floats: float = 1
    of_component: float = 7
    node: Node | None = Node("forward", 1, 3)

    def example(self) -> Example:
        both = ends("The sum for h₃", self.floats), ends("Output 1", self.of_component)
        orders = self.node and ("first", "second")
        return Example(Pick(4, 9, "output", 1), 1, *reversed(both), self.node, orders, "")


def text(floats: float) -> str:
    return "1 float" if floats == 1 else f"{floats} floats"


STATES = [Shown(floats, of) for floats in (0, 1, 12, inf) for of in (0, 1, nan)]
STATES += [Shown(node=node) for node in (None, Node("backward", 0, 1), Node("backward", 0, 2))]

ORACLES = [
    lambda s: {},
    lambda s: when(
        s.node not in (None, ("backward", 0, 1))
        and 0 < s.floats < inf
        and isfinite(s.of_component),
        shown__name="The sum for h₃",
        shown__apart=text(s.floats),
        component__name="Output 1",
        component__apart=text(s.of_component),
    ),
]

CONTRACTS = [Contract(KEY, Shown.example, lambda: STATES, ORACLES)]
