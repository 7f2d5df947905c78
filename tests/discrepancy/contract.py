"""The contract of what the first tab says, against the raw figures that its tallies are made from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from math import copysign, inf, isfinite, nan
from types import SimpleNamespace

import numpy as np

from lib.discrepancy.component import KINK, Component
from lib.discrepancy.intervals import of_networks, of_samples
from lib.discrepancy.rounding_units import RoundingUnitsTally
from lib.discrepancy.sentences import BOUND, ENDS, LEAN, REFERENCE, WITHIN, facts
from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.verdict import _PAIR, VerdictTally
from lib.experiment.query import Experiment
from lib.floats.sentences import Sentence
from lib.run.tally import Constant, Histogram
from tests.sentences import Contract, Expected, share, when


@dataclass(frozen=True)
class Found:
    """What was judged: for each kind of sample (or of network, with one for each block) how many components backward
    won there, how many the Jacobian won, and how many are of it."""

    won: tuple[tuple[int, int, int], ...] = ()
    networks: int = 0
    samples: int = 100
    bound: float | None = 14.0

    def facts(self) -> SimpleNamespace:
        blocks = np.repeat(
            np.array(self.won, np.int64).reshape(-1, 3)[:, :2], [count for *_, count in self.won], 0
        ).T
        wins = (
            [Histogram(np.flatnonzero(side), side[side > 0]) for side in blocks]
            if self.networks
            else [Histogram()] * 2
        )
        keys, counts = [b * _PAIR + j for b, j, _ in self.won], [count for *_, count in self.won]
        leans = Histogram.of(np.array(keys, np.int64), np.array(counts, np.int64))
        counted = {
            "referenced": self.samples,
            "certified": self.samples,
            "networks": self.networks,
            "leans": leans,
        }
        bound, verdicts = Constant(self.bound), Histogram.of(np.zeros(self.samples, np.int64))
        verdict = VerdictTally(
            **counted,
            backward_wins=wins[0],
            jacobian_wins=wins[1],
            bound_units=bound,
            verdicts=verdicts,
        )
        tally = DiscrepancyTally(samples=self.samples, verdict=verdict)
        return facts(tally, Experiment(networks="each-block" if self.networks else "one"))


def states() -> list[Found]:
    return [
        Found(samples=0, bound=None),
        Found(((3, 1, 40), (1, 2, 30), (0, 0, 30))),
        Found(((0, 0, 100),), bound=None),
        Found(((1, 0, 3), (0, 1, 1), (0, 0, 96))),
        Found(((150, 100, 1),), networks=1),
        Found(((100, 20, 1), (50, 80, 1)), networks=2),
        Found(((75, 50, 2),), networks=2),
        Found(((150, 100, 30), (140, 110, 34)), networks=64),
    ]


def tenth(number: float) -> Callable[[str], bool]:
    """Whether a text is this share in per cent to a tenth, with its sign."""
    return lambda text: abs(float(text.replace("−", "-").rstrip("%")) - 100 * number) <= 0.051


def lean(s: Found) -> Expected:
    """The lean is the difference of the components won over their number; the intervals have tests of their own."""
    won = np.array([kind for kind in s.won if sum(kind[:2])], np.int64).reshape(-1, 3)
    backward, jacobian, count = won.T
    if s.networks:
        ends = of_networks(np.repeat(backward, count), np.repeat(jacobian, count))
        known = len({Fraction(int(b), int(b + j)) for b, j, _ in won}) > 1
        units = f"{s.networks} networks"
    else:
        ends, known, units = (
            of_samples(backward, jacobian, count),
            count.sum() >= 5,
            f"{s.samples} samples",
        )
    if not known:
        return None
    mean = ((backward - jacobian) * count).sum() / ((backward + jacobian) * count).sum()
    return {
        "lean[0]": tenth(mean),
        "lean[1]": tenth(ends[0]),
        "lean[2]": tenth(ends[1]),
        "units": units,
    }


OF_TALLIES: dict[tuple[Sentence, ...], list[Callable[[Found], Expected]]] = {
    LEAN: [lean],
    REFERENCE: [
        lambda s: dict.fromkeys(("verdict.referenced", "verdict.certified"), f"{s.samples}")
    ],
    BOUND: [lambda s: when(s.samples, dtype="float32"), lambda s: when(s.bound is not None)],
}


@dataclass(frozen=True)
class Ends:
    """Both values and the exact one in floats, so that which float is nearest is a question of whole numbers."""

    backward: float
    jacobian: float
    exact: Fraction | None

    @property
    def values(self) -> tuple[float, float]:
        return self.backward, self.jacobian

    @property
    def apart(self) -> float | None:
        return abs(self.backward - self.jacobian) if all(map(isfinite, self.values)) else None

    @property
    def off(self) -> list[Fraction]:
        """How far the finite values are from the exact one, if that is known."""
        known = self.apart is not None and self.exact is not None
        return [abs(Fraction(value) - self.exact) for value in self.values] if known else []

    @property
    def nearest(self) -> list[bool]:
        return [off <= Fraction(1, 2) for off in self.off]

    def component(self) -> Component:
        given: dict[str, object] = dict.fromkeys(field.name for field in fields(Component))
        given["backward"], given["jacobian"] = self.values
        given |= {"exact": self.exact, "unknown": KINK if self.exact is None else ""}
        given["ulps"] = None if self.apart is None else int(self.backward - self.jacobian)
        if self.off:
            names = [
                name
                for name, near in zip(("backward", "jacobian"), self.nearest, strict=True)
                if near
            ]
            given["hit"] = "none" if not names else names[0] if len(names) == 1 else "both"
            one, other = self.off
            given["closer"] = "backward" if one < other else "jacobian" if other < one else "tie"
        return Component(**given)


def ends() -> Iterator[Ends]:
    values = [
        (0.0, 0.0),
        (0.0, -0.0),
        (1.0, 2.0),
        (2.0, 1.0),
        (-3.0, 4.0),
        (3.0, 3.0),
        (inf, 1.0),
        (1.0, nan),
    ]
    exact = [
        *(
            None,
            Fraction(0),
            Fraction(1),
            Fraction(3, 2),
            Fraction(7, 4),
            Fraction(13, 4),
            Fraction(10),
        ),
        Fraction(1, 2),
    ]
    yield from (Ends(*pair, at) for pair in values for at in exact)


def of_signs(s: Ends) -> bool:
    return copysign(1, s.backward) == copysign(1, s.jacobian)


OF_ENDS: list[Callable[[Ends], Expected]] = [
    lambda s: when(s.apart is None),
    lambda s: when(s.apart == 0 and not of_signs(s)),
    lambda s: when(s.apart == 0 and of_signs(s)),
    lambda s: when(s.apart == 1),
    lambda s: when((s.apart or 0) > 1, apart=f"{s.apart or 0:.0f} floats"),
    lambda s: when(s.apart is not None and s.exact is None, unknown=KINK),
    lambda s: when(s.apart == 0 and all(s.nearest) and s.off),
    lambda s: when(s.apart == 0 and not any(s.nearest) and s.off),
    lambda s: when(s.apart and all(s.nearest) and s.off),
    lambda s: when(s.nearest == [True, False]),
    lambda s: when(s.nearest == [False, True]),
    lambda s: when(s.apart and s.nearest == [False, False]),
    lambda s: when(s.apart and s.nearest == [False, False] and s.off[0] < s.off[1]),
    lambda s: when(s.apart and s.nearest == [False, False] and s.off[1] < s.off[0]),
    lambda s: when(s.apart and s.nearest == [False, False] and s.off[1] == s.off[0]),
]

CONTRACTS = [
    *(Contract(rows, Found.facts, states, of) for rows, of in OF_TALLIES.items()),
    Contract(ENDS, Ends.component, ends, OF_ENDS),
    Contract(
        WITHIN,
        lambda counted: RoundingUnitsTally(1, *counted),
        lambda: iter([(0, 0), (7, 0), (7, 7), (1000, 1), (1000, 370)]),
        [lambda counted: when(counted[0], share=share(counted[1], counted[0]))],
    ),
]
