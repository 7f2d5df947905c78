"""Tallies of the discrepancy made without a network being computed, with the raw figures that they are made from."""

from dataclasses import dataclass, replace

import numpy as np

from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.verdict import _PAIR, VerdictTally
from lib.reference.balls import VERDICTS
from lib.run.tally import Constant, Extreme, Histogram, Place


@dataclass(frozen=True)
class Found:
    """What was counted: components by what became of them, and of the judged ones who was closer.

    `won` has for each kind of sample how many components backward won there, how many the Jacobian won, and how many
    samples (or networks, where there is one for each block) are of it.
    """

    samples: int = 100
    equal: int = 0
    different: int = 0
    nonfinite: int = 0
    largest: float = 0.0
    units: float = 0.0
    bound: float | None = 14.0
    over: int = 0
    backward: int = 0
    jacobian: int = 0
    tie: int = 0
    undecided: int = 0
    won: tuple[tuple[int, int, int], ...] = ()
    networks: int = 0

    @property
    def finite(self) -> int:
        return self.equal + self.different

    @property
    def judged(self) -> int:
        return self.backward + self.jacobian + self.tie + self.undecided

    @property
    def referenced(self) -> bool:
        """Whether the samples have references: nothing is judged of them where no component is finite."""
        return bool(self.judged) or self.finite == 0 < self.nonfinite

    def tally(self) -> DiscrepancyTally:
        place = Place(0, 3, 1)
        return DiscrepancyTally(
            ulps=counted({0: self.equal, 2: self.different}),
            samples=self.samples,
            nonfinite=self.nonfinite,
            max_abs=Extreme(self.largest, place if self.largest else None),
            max_ulps=Extreme(2 if self.different else 0, place if self.different else None),
            verdict=self.verdict(),
        )

    def verdict(self) -> VerdictTally:
        counts = {name: getattr(self, name) for name in VERDICTS}
        each = bool(self.networks)
        blocks = [(b, j) for b, j, count in self.won for _ in range(count)]
        return VerdictTally(
            referenced=self.samples if self.referenced else 0,
            certified=self.samples if self.referenced else 0,
            verdicts=counted({number: counts[name] for number, name in enumerate(VERDICTS)}),
            leans=counted({b * _PAIR + j: count for b, j, count in self.won}),
            backward_wins=counted({place: b for place, (b, _) in enumerate(blocks)}) if each else Histogram(),
            jacobian_wins=counted({place: j for place, (_, j) in enumerate(blocks)}) if each else Histogram(),
            networks=self.networks,
            max_units=Extreme(self.units, Place(0, 3, 1) if self.units else None),
            over_bound=self.over,
            bound_units=Constant(self.bound),
        )


def counted(counts: dict[int, int]) -> Histogram:
    """A histogram with these counts by key."""
    keys = [key for key, count in counts.items() if count]
    return Histogram.of(np.array(keys, np.int64), np.array([counts[key] for key in keys], np.int64))


_APART = Found(
    equal=200,
    different=300,
    largest=1.1176e-08,
    units=3.1,
    backward=150,
    jacobian=100,
    tie=250,
    won=((3, 1, 40), (1, 2, 30), (0, 0, 30)),
)
FOUND = {
    "nothing yet": Found(samples=0, bound=None),
    "not judged yet": replace(_APART, backward=0, jacobian=0, tie=0, won=()),
    "none finite": Found(nonfinite=500),
    "some not finite": replace(_APART, equal=150, nonfinite=50, tie=200),
    "equal": Found(equal=500, tie=500),
    "equal, some not finite": Found(equal=450, nonfinite=50, tie=450),
    "apart": _APART,
    "apart, all ties": replace(_APART, backward=0, jacobian=0, tie=500, won=((0, 0, 100),)),
    "apart, none decided": replace(_APART, backward=0, jacobian=0, tie=0, undecided=500, won=((0, 0, 100),)),
    "apart, some undecided": replace(_APART, tie=200, undecided=50),
    "few decided": replace(_APART, backward=3, jacobian=1, tie=496, won=((1, 0, 3), (0, 1, 1), (0, 0, 96))),
    "above the bound": replace(_APART, units=66.7, over=130),
    "no bound": replace(_APART, bound=None),
}
"""By what is special about it, of one network."""

OF_NETWORKS = {
    "one": replace(_APART, networks=1, won=((150, 100, 1),)),
    "two that differ": replace(_APART, networks=2, won=((100, 20, 1), (50, 80, 1))),
    "two alike": replace(_APART, networks=2, won=((75, 50, 2),)),
    "many": replace(_APART, networks=64, won=((150, 100, 30), (140, 110, 34))),
    "many of which none decides": replace(_APART, backward=0, jacobian=0, tie=500, networks=64, won=((0, 0, 64),)),
}
"""Likewise, of a network for each block."""
