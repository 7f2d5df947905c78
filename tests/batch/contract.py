"""The contract of what is said of an example."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from lib.batch.arrangements import Pick
from lib.batch.example import Ends, Example, Node
from lib.batch.findings import KEY
from tests.sentences import Contract, when


@dataclass(frozen=True)
class Shown:
    """A number whose values are 1 and `floats` floats above it. `of` says what the number is: the component, a sum
    before it, or the sum that is the component of the gradient."""

    floats: float = 1
    of: str = "sum"
    of_component: float = 7
    zeros: int = 0

    def example(self) -> Example:
        def value(floats: float) -> float:
            return 1 + floats * 2.0**-23 if np.isfinite(floats) else floats

        shown = Ends("The sum for h₃", "float32", 1.0, value(self.floats))
        component = Ends("Output 1", "float32", 1.0, value(self.of_component))
        node = {
            "sum": Node("forward", 1, 3),
            "component": None,
            "gradient": Node("backward", 0, 1),
        }[self.of]
        order = SimpleNamespace(
            values=[0.0] * self.zeros + [1.0, 2.0], tree=SimpleNamespace(terms=self.zeros + 1)
        )
        orders = None if self.of == "component" else (order, order)
        component = component if self.of == "sum" else shown
        return Example(Pick(4, 9, "output", 1), 1, component, shown, node, orders, "")


def shown_states() -> Iterator[Shown]:
    for of in ("sum", "component", "gradient"):
        yield from (
            Shown(of=of),
            Shown(floats=0, of=of),
            Shown(floats=float("inf"), of=of),
            Shown(floats=12, of=of),
        )
    yield from (replace(Shown(), of_component=floats) for floats in (0, 1, float("nan")))
    yield from (Shown(zeros=zeros) for zeros in (1, 2, 6))


OF_EXAMPLES = [
    lambda s: {},
    lambda s: when(s.of != "component" and s.zeros, zeros=str(s.zeros)),
    lambda s: when(
        s.of == "sum" and 0 < s.floats < np.inf and np.isfinite(s.of_component),
        shown__name="The sum for h₃",
        shown__apart=f"{s.floats:.0f} float{'s' * (s.floats != 1)}",
        component__name="Output 1",
        component__apart=f"{s.of_component:.0f} float{'s' * (s.of_component != 1)}",
    ),
]

CONTRACTS = [Contract(KEY, Shown.example, shown_states, OF_EXAMPLES)]
