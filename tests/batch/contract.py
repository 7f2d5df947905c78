"""The contract of what is said of batches, and tallies made for it without a network being computed."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np

from lib.batch.arrangements import Pick
from lib.batch.example import Ends, Example, Node
from lib.batch.findings import KEY
from lib.batch.study import BatchTally
from lib.discrepancy.variants import ComparisonTally
from lib.run.tally import ByName, Constant, Extreme, Histogram
from tests.sentences import Contract, when

SIZES = 1, 2, 3, 4, 8, 16, 32, 64, 128, 256


@dataclass(frozen=True)
class Batched:
    """How many of `components` outputs and of as many components of the gradient change, by batch size, and how many of
    each are closer alone or in the batch. `moves` are the sizes at which the row's place matters, and `by_vmap` is how
    many outputs are others by `vmap`. No component of the quantity that is `lost` is finite."""

    size: int = 4
    components: int = 200
    outputs: dict[int, int] = field(default_factory=dict)
    gradient: dict[int, int] = field(default_factory=dict)
    closer: tuple[int, int] = (0, 0)
    moves: tuple[int, ...] = ()
    units: tuple[float, float] = (0.5, 0.25)
    bound: float | None = 24.0
    over: int = 0
    by_vmap: int = 0
    lost: str = ""

    def tally(self) -> BatchTally:
        pairs = {}
        verdicts = Histogram(np.arange(4), np.array([*self.closer, 5, 2]))
        parts = ("output", self.outputs, 0, self.bound, self.over), ("gradient", self.gradient, 1, None, 0)
        for quantity, changed, part, bound, over in parts if self.components else ():
            for size in SIZES:
                different, finite = changed.get(size, 0), self.components * (quantity != self.lost)
                pairs[f"{quantity} {size}"] = ComparisonTally(
                    finite=finite,
                    nonfinite=self.components - finite,
                    equal=max(finite - different, 0),
                    apart=different,
                    max_units=Extreme(self.units[part]),
                    bound_units=Constant(bound),
                    over_bound=over,
                    verdicts=verdicts,
                )
                pairs[f"{quantity} {size} place"] = ComparisonTally(apart=int(size in self.moves))
                pairs[f"{quantity} {size} vmap"] = ComparisonTally(
                    finite=self.components, apart=self.by_vmap * (1 - part)
                )
        return BatchTally(self.components // 2, ByName(pairs))

    def changed(self) -> tuple[int, int]:
        """How many outputs and components of the gradient change at the size."""
        return self.outputs.get(self.size, 0), self.gradient.get(self.size, 0)


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
        node = {"sum": Node("forward", 1, 3), "component": None, "gradient": Node("backward", 0, 1)}[self.of]
        order = SimpleNamespace(values=[0.0] * self.zeros + [1.0, 2.0], tree=SimpleNamespace(terms=self.zeros + 1))
        orders = None if self.of == "component" else (order, order)
        component = component if self.of == "sum" else shown
        return Example(Pick(4, 9, "output", 1), 1, component, shown, node, orders, "")


def shown_states() -> Iterator[Shown]:
    for of in ("sum", "component", "gradient"):
        yield from (Shown(of=of), Shown(floats=0, of=of), Shown(floats=float("inf"), of=of), Shown(floats=12, of=of))
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
