"""The contract of what is said of the costs."""

from typing import NamedTuple

import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall import costs
from lib.pitfall.costs import CostTally, summary
from tests.sentences import Contract, when


class Measured(NamedTuple):
    """Every method took ten times as long as `best`, at each number of outputs; a rival took hardly more."""

    outputs: int
    best: tuple[str, ...]
    rival: str = ""
    sizes: tuple[int, ...] = (1, 2, 64)

    def costs(self) -> pd.DataFrame:
        found = []
        for outputs, best in zip(self.sizes, self.best, strict=False):
            seconds = (
                {method: 1e-3 for method in METHODS}
                | {best: 1e-4}
                | ({self.rival: 1.05e-4} if self.rival else {})
            )
            found += [
                (method, outputs, share * t)
                for method, t in seconds.items()
                for share in (0.9, 1, 1.1)
            ]
        return summary(CostTally(len(found), tuple(found)))

    @property
    def timed(self) -> str:
        """The best method at the outputs that were chosen, "" if these were not timed."""
        return dict(zip(self.sizes, self.best, strict=False)).get(self.outputs, "")

    def beats_loop(self, method: str) -> str | None:
        """From how many outputs on a method beats the loop: those where it was the best, to the end."""
        start = None
        for outputs, best in reversed(list(zip(self.sizes, self.best, strict=False))):
            if best != method or self.rival == "rows":
                break
            start = outputs
        return start and ("1 output" if start == 1 else f"{start} outputs")


TIMED = [
    Measured(2, ()),
    Measured(2, ("rows",)),
    Measured(1, ("rows", "rows", "rows")),
    Measured(2, ("rows", "batched-grad", "batched-grad")),
    Measured(64, ("batched-grad", "batched-grad", "batched-grad")),
    Measured(2, ("rows", "jacrev", "rows"), rival="copies"),
    Measured(2, ("batched-grad", "batched-grad", "batched-grad"), rival="rows"),
    Measured(64, ("rows", "batched-grad", "jacfwd")),
    Measured(64, ("jacfwd", "jacfwd", "jacfwd")),
]


def outputs(s: Measured) -> str:
    return "1 output" if s.outputs == 1 else f"{s.outputs} outputs"


OF_COSTS = {
    costs.FASTEST: [
        lambda s: when(not s.timed, outputs=outputs(s)),
        lambda s: when(s.timed, outputs=outputs(s), best=s.timed, time="100 µs"),
    ],
    costs.COSTS: [
        lambda s: when(s.rival and s.timed, rivals=f"`{s.rival}`"),
        lambda s: when(s.beats_loop("batched-grad"), vmap=s.beats_loop("batched-grad")),
        lambda s: when(s.beats_loop("jacfwd"), forward=s.beats_loop("jacfwd"), inputs="5 inputs"),
    ],
}

CONTRACTS = [
    Contract(
        rows,
        lambda s: costs.findings(s.costs(), Experiment(outputs=s.outputs)),
        lambda: TIMED,
        oracles,
    )
    for rows, oracles in OF_COSTS.items()
]
