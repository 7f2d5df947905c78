"""The contract of what is said of derivatives by hand."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf

import torch

from lib.derivative.explanation import Explanation
from lib.derivative.saturation import Search, Stretch
from lib.derivative.sentences import (
    derivative_reference,
    edges_reading,
    explanation_claim,
    saturation_claim,
    why_by_hand,
)
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.choices import DEVICES, X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.listed_functions import Function
from lib.experiment.query import Experiment
from lib.run.tally import ByName, Constant
from tests.contract import Row, Said, Sayer, State, Subject, alone, always, each, has


@dataclass(frozen=True)
class Derivatives:
    """x by what became of them: where no derivative `exists`; of the others, those where the first formula has
    autograd's value, and where the one and the other are correctly rounded."""

    x: int = 100
    outside: int = 0
    overflow: int = 0
    equal: int = 48
    right: int = 90
    right_by_hand: int = 95
    round_trips: int = 100
    back: int = 70
    undecided: int = 0

    @property
    def exist(self) -> int:
        return self.x - self.outside - self.undecided

    def tally(self, function: str) -> DerivativeTally:
        formulas = FUNCTIONS[function].formulas
        series = {"autograd": SeriesTally(equal=self.exist, correct=self.right)}
        series |= {name: SeriesTally(equal=self.equal, correct=self.right_by_hand) for name in formulas}
        return DerivativeTally(
            Constant(function),
            self.x,
            self.outside,
            self.overflow,
            self.undecided,
            certified=min(self.exist, 7),
            round_trips=self.round_trips,
            round_trip_equal=self.back,
            series=ByName(series if self.x else {}),
        )


DERIVATIVES = {
    "nothing yet": Derivatives(0, 0, 0, 0, 0, 0, 0, 0),
    "none exists": Derivatives(outside=100, equal=0, right=0, right_by_hand=0, round_trips=0, back=0),
    "some do not exist": Derivatives(outside=5),
    "none decided": Derivatives(undecided=100, equal=0, right=0, right_by_hand=0, round_trips=0, back=0),
    "some undecided": Derivatives(outside=2, undecided=3),
    "all equal": Derivatives(equal=100, right_by_hand=90),
    "apart": Derivatives(),
    "some overflow": Derivatives(overflow=9),
    "no way back": Derivatives(round_trips=0, back=0),
    "always back": Derivatives(back=100),
}


def of_functions(sayer: Sayer) -> Said:
    for function in FUNCTIONS:
        chosen = [
            Experiment(function=function, dtype=dtype, x_from=x_from, device=device)
            for device, x_from in product(DEVICES, X_FROM)
            for dtype in DEVICES[device].dtypes
        ]
        yield from each(DERIVATIVES, partial(Derivatives.tally, function=function), lambda chosen=chosen: chosen)(sayer)


def first_formula(s: State) -> bool:
    return s.m["code"] == f"`{FUNCTIONS[s.e.function].formulas[0]}`"


def called(s: State) -> bool:
    return s.m["code"] == f"`{FUNCTIONS[s.e.function].call}`"


def there_and_back(code: str, row: Function) -> bool:
    """Whether a code is the inverse of the function's call, by what both compute."""
    x = torch.tensor([0.3, 0.7])
    y = eval(row.call, {"torch": torch, "x": x})
    return torch.equal(eval(code.strip("`"), {"torch": torch, "x": x}), eval(row.inverse, {"torch": torch, "y": y}))


EXACT = [
    Row(
        "Ball arithmetic (Arb) encloses the exact derivative at {n} x; float64 with an error bound decides its "
        "rounding at {k}.",
        lambda s: s.number("n") + s.number("k") == s.f.exist,
    ),
    Row(
        "At {n} x the derivative does not exist, and no share counts them.", lambda s: s.f.outside == s.number("n") > 0
    ),
    Row(
        "At {n} x 3,000 bits do not decide it, and no share counts them.", lambda s: s.f.undecided == s.number("n") > 0
    ),
    Row(
        "At {n} x it is beyond the largest float, and no mean counts them.", lambda s: s.f.overflow == s.number("n") > 0
    ),
]

EVERYWHERE = {"exp", "tanh", "sigmoid", "softplus", "gelu", "square"}
"""Functions whose derivative exists at every finite x."""

EDGES = [
    Row("The derivative of {code} exists at {any}.", called),
    Row("Elsewhere, what comes out is a convention.", lambda s: s.e.function not in EVERYWHERE),
    Row("At an infinity or NaN, what comes out is a convention.", lambda s: s.e.function in EVERYWHERE),
]

ENDS_AT = "No tolerance covers saturation"

WHY_BY_HAND = [
    Row("Formulas that are equal on paper round at different steps, and so may end on different floats.", always),
    Row("Autograd has a formula of its own for {code}, which need not be yours.", called),
    Row("Do not test your formula for equality with autograd's: allow a tolerance.", always),
    Row(f"{ENDS_AT}.", lambda s: s.e.function not in {"tanh", "sigmoid"}),
    *(
        Row(
            f"{ENDS_AT}: where {name} rounds to 1, 1 − {name}{power} is 0, and no digit of that is right.",
            lambda s, name=name: s.e.function == name,
        )
        for name, power in {"tanh": "²", "sigmoid": ""}.items()
    ),
]

SEARCHES = {
    "none": Search([], []),
    "one x": Search([Stretch(-0.75, -0.75)], []),
    "two": Search([Stretch(-9.0, -50.0), Stretch(9.0, 50.0)], []),
    "every other": Search([Stretch(260.0, 508.0, False)], []),
    "none, cut off": Search([], [-1.5, 2.25]),
    "one x, cut off": Search([Stretch(-0.75, -0.75)], [2.25]),
}


def stretches(s: State) -> bool:
    found, text = s.f.stretches, s.m["any"]
    counts = text.count("x = "), "at x" in text, "not at every" in text
    return counts == (len(found), any(one.first == one.last for one in found), not all(one.solid for one in found))


def ends(s: State) -> bool:
    return [float(number) for number in re.findall(r"beyond x = ([-.\d]+)", s.m["any"])] == s.f.ends != []


SATURATED = [
    Row(
        "No x was found in float32 where autograd's derivative of {code} is 0 by mistake.", lambda s: not s.f.stretches
    ),
    Row(
        "Autograd's derivative of {code} is 0 {any} in float32, though the float nearest to the exact derivative is "
        "not 0: no digit is right there.",
        stretches,
    ),
    Row("Some may lie {any}, where the search was cut off.", ends),
]

EXPLANATIONS = {
    "exists not": Explanation(0.0, None, None, None, None, {}),
    "undecided": Explanation(0.0, None, None, None, None, {}, undecided=True),
    "nearly 0": Explanation(1.5, "within 1e-902 of 0", 0.0, 2.0**-149, Fraction(0), {}),
    "overflows": Explanation(1e-40, "-1.00e80", -inf, None, None, {}),
    "exists": Explanation(0.5, "-4.0", -4.0, 2.0**-21, Fraction(-4), {}),
}

EXPLAINED = [
    Row(
        "At x = {code} = {code2} the derivative of {code3} does not exist.",
        has(lambda f: f.exact is None and not f.undecided),
    ),
    Row(
        "At x = {code} = {code2} the derivative of {code3} is undecided: 3,000 bits do not tell it.",
        has(lambda f: f.undecided),
    ),
    Row(
        "At x = {code} = {code2} the exact derivative is within {x} of 0.",
        lambda s: f"within {s.m['x']} of 0" == s.f.exact,
    ),
    Row(
        "At x = {code} = {code2} the exact derivative is {code3}, to 30 digits.",
        has(lambda f: f.exact and "within" not in f.exact),
    ),
    Row("That is beyond the largest float.", has(lambda f: f.nearest == -inf)),
    Row("One ulp is {a} = {x} there.", has(lambda f: f.ulp)),
]

SUBJECTS = [
    *(
        Subject(sayer, table, of_functions)
        for sayer, table in {derivative_reference: EXACT, why_by_hand: WHY_BY_HAND, edges_reading: EDGES}.items()
    ),
    Subject(saturation_claim, SATURATED, alone(SEARCHES, lambda search: {"autograd": search})),
    Subject(explanation_claim, EXPLAINED, alone(EXPLANATIONS)),
]
