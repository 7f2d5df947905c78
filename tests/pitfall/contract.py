"""The contract of what is said of the pitfall and of the costs."""

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall import costs, sentences
from lib.pitfall.costs import CostTally, summary
from lib.pitfall.study import PitfallTally, keys
from lib.run.tally import Histogram
from tests.sentences import Contract, read, share, when
from tests.states import counted


@dataclass(frozen=True)
class Entries:
    """`differing` samples have rows that differ. Of the entries `compared` with the exact ones, all are off by `right`,
    and those of the single call by `single`."""

    samples: int = 100
    entries: int = 1000
    differing: int = 0
    compared: int = 1000
    right: float = 1e-9
    single: float = 1.9e-2

    def tally(self) -> PitfallTally:
        return PitfallTally(
            samples=self.samples,
            alike=self.samples - self.differing,
            against_rows=counted({7: self.entries}),
            right_errors=Histogram.of(keys(np.full(self.compared, self.right))),
            single_errors=Histogram.of(keys(np.full(self.compared, self.single))),
        )


ENTRIES = [
    Entries(0, 0, compared=0, right=0, single=0),  # nothing yet
    Entries(entries=0, compared=0, right=0, single=0),  # none finite
    Entries(),  # far off
    Entries(right=0.0, single=0.0),  # all zero
    Entries(right=0.0),  # right rows that are exact
    Entries(right=1e-3, single=2e-3),  # rows that add little
    Entries(right=2e-18),  # right rows in float64
    Entries(compared=0, right=0, single=0),  # none compared
    Entries(differing=3),  # rows that differ
]


class State(NamedTuple):
    experiment: Experiment
    found: Entries

    @property
    def several(self) -> bool:
        return self.experiment.outputs > 1

    @property
    def far(self) -> bool:
        """Whether the single call is off by at least ten times what the right rows are."""
        return self.several and self.found.single > 0 and self.found.single >= 10 * self.found.right


def states() -> list[State]:
    experiments = [Experiment(outputs=outputs, method=method) for outputs in (1, 2, 7) for method in METHODS]
    return [State(*pair) for pair in product(experiments, ENTRIES)]


def near(size: float):
    return lambda text: abs(read(text) - size) <= 0.0051 * size


def errors(s: State) -> dict[str, object]:
    return {"single": near(s.found.single), "right": near(s.found.right)}


OF_ROWS = {
    sentences.HEADLINE: [
        lambda s: when(not s.several),
        lambda s: when(s.several and not s.found.entries),
        lambda s: when(s.several and s.found.entries and not s.found.differing),
        lambda s: when(s.several and s.found.differing, tally__samples="100", tally__differing=f"{s.found.differing}"),
    ],
    sentences.REASON: [lambda s: {}],
    sentences.ROUNDING: [
        lambda s: when(s.far, **errors(s)),
        lambda s: when(s.found.compared and s.several and not s.far, **errors(s)),
    ],
    sentences.FIX: [lambda s: when(s.several)],
    sentences.NOTICE: [
        lambda s: when(
            s.several and s.found.samples,
            alike=share(s.found.samples - s.found.differing, s.found.samples),
            tally__samples=f"{s.found.samples:,}",
        ),
        lambda s: when(s.several),
        lambda s: when(not s.several),
    ],
}


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
                {method: 1e-3 for method in METHODS} | {best: 1e-4} | ({self.rival: 1.05e-4} if self.rival else {})
            )
            found += [(method, outputs, share * t) for method, t in seconds.items() for share in (0.9, 1, 1.1)]
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
    *(
        Contract(rows, lambda s: sentences.facts(s.found.tally(), s.experiment), states, oracles)
        for rows, oracles in OF_ROWS.items()
    ),
    *(
        Contract(rows, lambda s: costs.findings(s.costs(), Experiment(outputs=s.outputs)), lambda: TIMED, oracles)
        for rows, oracles in OF_COSTS.items()
    ),
]
