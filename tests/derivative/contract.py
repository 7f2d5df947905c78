"""The contract of what is said of the formulas and of single x."""

from dataclasses import replace
from fractions import Fraction
from math import inf
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from lib.derivative import sentences
from lib.derivative.explanation import Explained, Explanation
from lib.derivative.sentences import facts_of, facts_of_one
from lib.derivative.tally import FINITE, REACHED, DerivativeTally, SeriesTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.tally import ByName, Constant, Histogram
from tests.sentences import Contract, when


class State(NamedTuple):
    """How many x there are, at how many the derivative exists, is undecided, and overflows."""

    x: int = 100
    exist: int = 100
    undecided: int = 0
    overflow: int = 0
    experiment: Experiment = Experiment()

    def facts(self) -> SimpleNamespace:
        outcome = np.full(self.exist, FINITE | REACHED)
        outcome[self.exist - self.overflow :] = 0
        names = FUNCTIONS[self.experiment.differentiated].formulas
        series = ByName(
            {name: SeriesTally(outcomes=Histogram.of(outcome)) for name in ("autograd", *names)}
        )
        outside = self.x - self.exist - self.undecided
        tally = DerivativeTally(Constant("f"), self.x, outside, self.undecided, series=series)
        return facts_of(tally, names[0], self.experiment)


EXPERIMENTS = [Experiment(), Experiment(function="tanh", dtype="bfloat16"), Experiment(f="x**2")]


def states() -> list[State]:
    counts = (0, 0), (100, 0), (100, 0, 60), (100, 95), (100, 100), (100, 90, 4), (100, 100, 0, 100)
    return [
        State(*of)._replace(experiment=experiment) for of in counts for experiment in EXPERIMENTS
    ]


OF_MANY = {
    sentences.FORMULAS: [
        lambda s: {
            f"function.{of}": getattr(FUNCTIONS[s.experiment.differentiated], of)
            for of in ("call", "about", "domain")
        },
        lambda s: when(s.experiment.f, rules="2*x"),
        lambda s: when(s.experiment.function == "tanh", **{"function.where": "t = tanh(x)"}),
        lambda s: {"tally.certified": "0", "tally.exist": f"{s.exist}"},
        lambda s: when(
            s.exist < s.x or s.overflow,
            bits="3,000",
            tally__outside=f"{s.x - s.exist - s.undecided}",
            tally__undecided=f"{s.undecided}",
            tally__overflow=f"{s.overflow}",
        ),
    ]
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
        lambda s: {
            "function.label": "x·tanh(x)·sin(x)" if s[1].f == SHORT else "f" if s[1].f else "1/x",
            "x": "−1.5",
        }
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
            autograd="not finite"
            if s[0].computed["autograd"].steps is None
            else "off by 0.25 floats",
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
    *(Contract(rows, State.facts, states, oracles) for rows, oracles in OF_MANY.items()),
    *(Contract(rows, one_x, single, oracles) for rows, oracles in OF_ONE.items()),
]
