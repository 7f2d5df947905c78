"""The contract of what is said of the costs."""

from typing import NamedTuple

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.costs import COSTS, facts, times
from tests.sentences import Contract, when


class Timed(NamedTuple):
    """Timings in which `best` took 100 µs, `rival` hardly more, and all others ten times as long.

    What returns no rows takes no time.
    """

    best: str
    rival: str = ""
    outputs: int = 2

    def facts(self) -> object:
        seconds = {
            name: 1e-3 if method.gives == "rows" else 1e-9 for name, method in METHODS.items()
        }
        seconds[self.best] = 1e-4
        if self.rival:
            seconds[self.rival] = 1.05e-4
        rounds = [{name: t * share for name, t in seconds.items()} for share in (0.9, 1, 1.1)]
        return facts(times(rounds), Experiment(outputs=self.outputs))


ORACLES = [
    lambda s: when(
        True, outputs=f"{s.outputs} output{'s' * (s.outputs > 1)}", best=s.best, time="100 µs"
    ),
    lambda s: when(s.rival, rivals=f"`{s.rival}`"),
]
STATES = [Timed("rows"), Timed("jacrev", "copies"), Timed("jacfwd", outputs=1)]

CONTRACTS = [Contract(COSTS, Timed.facts, lambda: STATES, ORACLES)]
