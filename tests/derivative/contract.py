"""The contract of what is said of derivatives: of made-up tallies, of a formula that is wrong, and of single x."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from lib.derivative import sentences
from lib.derivative.explanation import Explained, Explanation
from lib.derivative.sentences import facts_of, facts_of_one
from lib.derivative.tally import CORRECT, EQUAL, FINITE, REACHED, ZERO, DerivativeTally, Extremes, SeriesTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.tally import ByName, Constant, Histogram, Sums
from tests.sentences import Contract, share, when

ON_PAPER = {"-1/x**2": "−1/x²", "1-tanh(x)**2": "1−tanh(x)²", "2*x+1e-30": "2·x+1e−30", "2*x": "2·x"}
RULES = {"reciprocal": "−(y·y)", "tanh": "1−y·y, rounded once in kernels that fuse it", "square": "2·x"}


@dataclass(frozen=True)
class Found:
    """x by what became of them: of those where a derivative exists, those with an error and those where the formula has
    autograd's value, and of each of the two how often it is right, 0, not finite or finite by mistake."""

    x: int = 100
    exist: int = 100
    undecided: int = 0
    overflow: int = 0
    equal: int = 48
    right: tuple[int, int] = (50, 73)
    zero: tuple[int, int] = (0, 0)
    lost: tuple[int, int] = (0, 0)
    no_infinity: tuple[int, int] = (0, 0)
    worst: tuple[float, float] = (1.87, 1.43)
    mean: float = 0.25

    @property
    def finite(self) -> int:
        return self.exist - self.overflow

    def series(self, i: int) -> SeriesTally:
        """Those lost come first, then those with an error, those finite by mistake, and correct infinities."""
        outcome = np.full(self.exist, FINITE | REACHED)
        outcome[: self.lost[i]] = REACHED
        outcome[self.finite :] = 0
        outcome[self.finite : self.finite + self.no_infinity[i]] = FINITE
        outcome[: self.exist if i == 0 else self.equal] |= EQUAL
        outcome[self.exist - self.right[i] :] |= CORRECT
        outcome[self.lost[i] : self.lost[i] + self.zero[i]] |= ZERO
        finite = self.finite - self.lost[i]
        return SeriesTally(
            outcomes=Histogram.of(outcome),
            sums=Sums.of(np.zeros(finite, int), np.full(finite, self.mean)),
            worst=Extremes({0: (self.worst[i], 0, 1.5)} if finite else {}),
        )

    def tally(self, formulas: tuple[str, ...]) -> DerivativeTally:
        series = {name: self.series(min(i, 1)) for i, name in enumerate(("autograd", *formulas))} if self.x else {}
        outside = self.x - self.exist - self.undecided
        return DerivativeTally(Constant("f"), self.x, outside, self.undecided, series=ByName(series))


class State(NamedTuple):
    """What was found of a function and a formula; `wrong` is the first of the x tried that disproves the formula, with
    the formula's value and the derivative there."""

    found: Found
    experiment: Experiment = Experiment()
    wrong: tuple[str, str, str] | None = None
    among: str = ""

    @property
    def formula(self) -> str:
        return self.experiment.df or FUNCTIONS[self.experiment.differentiated].formulas[0]

    @property
    def written(self) -> str:
        return ON_PAPER[self.formula]

    @property
    def label(self) -> str:
        names = {"reciprocal": "1/x", "tanh": "tanh", "square": "x²"}
        return "x²" if self.experiment.f else names[self.experiment.function]

    @property
    def proved_wrong(self) -> bool:
        return bool(self.wrong) and self.found.exist > 0

    @property
    def seen_wrong(self) -> bool:
        return self.proved_wrong and self.found.equal < self.found.exist


NONE = Found(0, 0, equal=0, right=(0, 0))
FOUND = [
    *(NONE, replace(NONE, x=100), replace(NONE, x=100, undecided=60), Found(exist=95), Found()),
    Found(exist=90, undecided=4, right=(90, 1)),
    Found(equal=100, right=(100, 100), worst=(0.0, 0.0), mean=0.0),
    *(Found(equal=100, right=(100, 100), overflow=100), Found(overflow=10, no_infinity=(10, 0))),
    *(Found(lost=(0, 10)), Found(zero=(3, 5), worst=(8e6, 2.0)), Found(worst=(1.0, 17.25))),
]
A_HAIR_OFF = ("−0.0625", "−0.124999999999999999999999999999", "−0.125000000000000000000000000000")
EXPERIMENTS = [
    (Experiment(), None),
    (Experiment(function="tanh", dtype="bfloat16"), None),
    (Experiment(f="x**2"), None),
    (Experiment(function="square", df="2*x+1e-30"), A_HAIR_OFF),
    (Experiment(f="x**2", df="2*x+1e-30"), A_HAIR_OFF),
]


def states() -> list[State]:
    ranges = [State(Found(), among="x from 1 on"), State(Found(zero=(3, 5)), among="|x| up to 2")]
    return [State(found, *experiment) for found in FOUND for experiment in EXPERIMENTS] + ranges


def facts(s: State) -> SimpleNamespace:
    names = FUNCTIONS[s.experiment.differentiated].formulas
    return facts_of(s.found.tally(names), s.formula, s.experiment, s.among)


def in_floats(error: float) -> str:
    return "0 floats" if error == 0 else f"{error:.2f} floats" if error < 100 else "8.00 million floats"


def missed(s: State) -> list[int]:
    return [lost + no_infinity for lost, no_infinity in zip(s.found.lost, s.found.no_infinity, strict=True)]


OF_MANY = {
    sentences.HEADLINE: [
        lambda s: when(s.found.x == 0, **{"function.label": s.label}),
        lambda s: when(s.found.x > s.found.exist == 0, function__label=s.label, tally__samples=f"{s.found.x:,}"),
        lambda s: when(s.proved_wrong, formula=s.written, **{"function.label": s.label}),
        lambda s: when(
            s.found.equal == s.found.exist > 0 and not s.wrong, formula=s.written, **{"tally.exist": f"{s.found.exist}"}
        ),
        lambda s: when(
            s.found.equal < s.found.exist and not s.wrong,
            formula=s.written,
            differ=share(s.found.exist - s.found.equal, s.found.exist),
        ),
    ],
    sentences.REASON: [
        lambda s: when(s.proved_wrong, **dict(zip(("wrong[0]", "wrong[2]", "wrong[1]"), s.wrong or (), strict=False))),
        lambda s: when(s.seen_wrong),
        lambda s: when(s.found.exist == 0 and not s.proved_wrong),
        lambda s: when(
            s.found.exist and not s.proved_wrong,
            dtype=s.experiment.dtype,
            formula=s.written,
            autograd__right=share(s.found.right[0], s.found.exist),
            by_hand__right=share(s.found.right[1], s.found.exist),
        ),
    ],
    sentences.STEPS: [
        lambda s: when(s.seen_wrong),
        lambda s: when(s.found.equal == s.found.exist > 0),
        lambda s: when(s.found.equal < s.found.exist and not s.wrong, dtype=s.experiment.dtype),
    ],
    sentences.CURVE: [
        lambda s: (
            {"formula": s.written}
            | dict.fromkeys(("autograd.mean", "by_hand.mean"), in_floats(s.found.mean) if s.found.finite else "–")
        )
    ],
    sentences.RULE: [
        lambda s: when(not s.experiment.f, rule=RULES[s.experiment.function]),
        lambda s: when(bool(s.experiment.f)),
        lambda s: when(s.found.equal == s.found.exist > 0, same=lambda text: s.written in text),
    ],
    sentences.MATTER: [
        lambda s: when(s.among, among=s.among),
        lambda s: when(s.seen_wrong),
        lambda s: when(
            any(missed(s)), formula=s.written, autograd__missed=str(missed(s)[0]), by_hand__missed=str(missed(s)[1])
        ),
        lambda s: when(
            any(s.found.zero),
            formula=s.written,
            autograd__zero=str(s.found.zero[0]),
            by_hand__zero=str(s.found.zero[1]),
        ),
        lambda s: when(s.found.finite and any(s.found.worst) and not s.seen_wrong, worst=in_floats(max(s.found.worst))),
        lambda s: when(s.found.finite and not any(s.found.worst)),
        lambda s: when(not s.found.finite and not any(missed(s))),
    ],
    sentences.FORMULAS: [
        lambda s: {
            f"function.{of}": getattr(FUNCTIONS[s.experiment.differentiated], of) for of in ("call", "about", "domain")
        },
        lambda s: when(s.experiment.f, rules="2*x"),
        lambda s: when(s.experiment.function == "tanh", **{"function.where": "t = tanh(x)"}),
        lambda s: {"tally.certified": "0", "tally.exist": f"{s.found.exist}"},
        lambda s: when(
            s.found.exist < s.found.x or s.found.overflow,
            bits="3,000",
            tally__outside=f"{s.found.x - s.found.exist - s.found.undecided}",
            tally__undecided=f"{s.found.undecided}",
            tally__overflow=f"{s.found.overflow}",
        ),
    ],
}

EXACT = Explanation(
    x=-1.5,
    exact="-0.444444444444444444444444444444",
    nearest=-0.4444444477558136,
    fraction=Fraction(-4, 9),
    is_float=False,
    computed={"autograd": Explained(-0.4444444477558136, 0.25), "-1/x**2": Explained(-0.5, 8e6)},
)
NAN = {"autograd": Explained(-inf, None), "-1/x**2": Explained(inf, None)}
ONE_X = [
    EXACT,
    replace(EXACT, computed=EXACT.computed | {"autograd": Explained(-inf, None)}),
    replace(EXACT, exact=None, nearest=None, fraction=None, computed=NAN),
    replace(EXACT, exact=None, nearest=None, fraction=None, computed=NAN, undecided=True),
    replace(EXACT, nearest=-inf, fraction=None, computed=NAN),
]
SHORT, LONG = "x*tanh(x)*sin(x)", "*".join(["tanh(softplus(x))"] * 9)
OF_ONE = {
    (sentences.TITLE,): [
        lambda s: {"function.label": "x·tanh(x)·sin(x)" if s[1].f == SHORT else "f" if s[1].f else "1/x", "x": "−1.5"}
    ],
    sentences.NOTE: [
        lambda s: when(s[0].fraction is not None, dtype="float32"),
        lambda s: when(s[0].fraction is None),
        lambda s: when(s[1].f == SHORT, where=lambda text: text.startswith("f′ by the rules = ")),
    ],
    sentences.TOLD: [
        lambda s: when(
            s[0].fraction is not None,
            x="−1.5",
            formula="−1/x²",
            autograd="not finite" if s[0].computed["autograd"].ulps is None else "off by 0.25 floats",
            by_hand="off by 8.00 million floats",
        ),
        lambda s: when(s[0].undecided, x="−1.5", bits="3,000"),
        lambda s: when(s[0].exact is None and not s[0].undecided, x="−1.5"),
        lambda s: when(s[0].exact is not None and s[0].fraction is None, x="−1.5", dtype="float32"),
    ],
}


def single() -> list[tuple[Explanation, Experiment]]:
    return [(one, Experiment(f=f)) for one in ONE_X for f in ("", SHORT, LONG)]


def one_x(s: tuple[Explanation, Experiment]) -> SimpleNamespace:
    return facts_of_one(s[0], "-1/x**2", s[1])


CONTRACTS = [
    *(Contract(rows, facts, states, oracles) for rows, oracles in OF_MANY.items()),
    *(Contract(rows, one_x, single, oracles) for rows, oracles in OF_ONE.items()),
]
