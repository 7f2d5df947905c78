"""The contract of what the tab of the derivatives says in its first screen."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf, isclose

import numpy as np

from lib.derivative.by_x import ByX
from lib.derivative.explanation import Explained, Explanation
from lib.derivative.opening_sentences import (
    does_it_matter,
    head_claim,
    head_why,
    line_note,
    line_title,
    one_x,
    over_x,
    which_formula,
    which_right,
)
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.choices import DTYPES
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.run.tally import ByName, Constant, Extreme, Histogram, Point, Sums
from tests.contract import Row, Said, Sayer, State, Subject, always, read

SIGNS = str.maketrans("−·²⁻π", "-*2-p")


def same_text(written: str, text: str) -> bool:
    """Whether a formula on paper is that text: the same letters, digits and brackets in the same order."""
    return re.sub(r"[*^ ]", "", written.translate(SIGNS)) == re.sub(r"[* ]", "", text.replace("pi", "p"))


@dataclass(frozen=True)
class Found:
    """x by what became of them: where a derivative exists; of these, those with an error, those where the formula has
    autograd's value, and of each of the two: where it is correctly rounded, where 0, where infinite or NaN and where
    finite by mistake, which leave no error, and the worst and the mean error."""

    x: int = 100
    exist: int = 100
    finite: int = 100
    equal: int = 48
    right: tuple[int, int] = (50, 73)
    zero: tuple[int, int] = (0, 0)
    lost: tuple[int, int] = (0, 0)
    no_infinity: tuple[int, int] = (0, 0)
    worst: tuple[float, float] = (1.87, 1.43)
    mean: float = 0.25
    undecided: int = 0

    def with_error(self, i: int) -> int:
        return self.finite - self.lost[i]

    def series(self, i: int) -> SeriesTally:
        return SeriesTally(
            equal=self.exist if i == 0 else self.equal,
            correct=self.right[i],
            zero=self.zero[i],
            no_infinity=self.no_infinity[i],
            errors=Histogram.of(np.full(self.with_error(i), 4)),
            by_x=ByX(
                lost=Histogram.of(np.zeros(self.lost[i], int)),
                sums=Sums.of(np.zeros(self.with_error(i), int), np.full(self.with_error(i), self.mean)),
            ),
            worst=Extreme(self.worst[i], Point(0, 1.5)) if self.with_error(i) else Extreme(),
        )

    def tally(self, function: str) -> DerivativeTally:
        names = ("autograd", *FUNCTIONS[function].formulas)
        series = {name: self.series(min(i, 1)) for i, name in enumerate(names)} if self.x else {}
        return DerivativeTally(
            Constant(function),
            self.x,
            self.x - self.exist - self.undecided,
            undecided=self.undecided,
            series=ByName(series),
        )


FOUND = {
    "nothing yet": Found(0, 0, 0, 0, (0, 0), (0, 0), (0, 0)),
    "none exists": Found(100, 0, 0, 0, (0, 0), (0, 0), (0, 0)),
    "none decided": Found(100, 0, 0, 0, (0, 0), (0, 0), (0, 0), undecided=60),
    "all overflow": Found(100, 100, 0, 100, (100, 100), (0, 0), (0, 0)),
    "some do not exist": Found(100, 95, 95),
    "all equal": Found(equal=100, right=(90, 90)),
    "apart": Found(),
    "all right": Found(equal=100, right=(100, 100), worst=(0.5, 0.5)),
    "all exact": Found(equal=100, right=(100, 100), worst=(0.0, 0.0), mean=0.0),
    "formula lost": Found(lost=(0, 41)),
    "formula lost, always": Found(equal=0, lost=(0, 100)),
    "autograd lost": Found(lost=(7, 0)),
    "both lost": Found(equal=0, lost=(7, 41), worst=(1.0, 8e6)),
    "formula lost, some overflow": Found(finite=90, lost=(0, 41)),
    "autograd without infinity": Found(finite=90, no_infinity=(10, 0)),
    "formula without infinity": Found(finite=90, no_infinity=(0, 10)),
    "some overflow": Found(finite=90),
    "autograd far off": Found(worst=(17.5, 1.43)),
    "formula far off": Found(worst=(1.0, 8e6)),
    "autograd 0": Found(zero=(3, 0), worst=(8e6, 1.0)),
    "both 0": Found(zero=(3, 5), worst=(8e6, 8e6)),
}


def of_tallies(sayer: Sayer) -> Said:
    for function, row in FUNCTIONS.items():
        for dtype in DTYPES:
            experiment = Experiment(function=function, dtype=dtype)
            for found in FOUND.values():
                given = (found.tally(function), row.formulas[0], experiment)
                text = sayer(given[0], experiment) if sayer is which_formula else sayer(*given)
                yield State(experiment, found, {}), text


def by_hand(s: State, name: str = "word") -> bool:
    return same_text(s.m[name], FUNCTIONS[s.e.function].formulas[0])


def label(s: State, name: str = "any") -> bool:
    return s.m[name] == FUNCTIONS[s.e.function].label


def nothing(s: State) -> bool:
    """Whether no x so far has a derivative that is known."""
    return s.f.exist == 0 < s.f.x


def distance(text: str, ulps: float) -> bool:
    return isclose(read(text), ulps, rel_tol=0.006, abs_tol=0.006)


CLAIM = [
    Row("Is autograd's derivative of {any} right?", lambda s: label(s) and s.f.x == 0),
    Row("The derivative of {any} exists at none of {n} x.", lambda s: label(s) and nothing(s) and not s.f.undecided),
    Row(
        "The derivative of {any} is decided at none of {n} x.",
        lambda s: label(s) and nothing(s) and s.f.undecided > 0 and s.number("n") == s.f.x,
    ),
    Row("Autograd and {any} agree for all {n} x.", lambda s: by_hand(s, "any") and s.f.equal == s.f.exist > 0),
    Row(
        "Autograd and {any} differ for {p} of x.",
        lambda s: by_hand(s, "any") and s.share("p", s.f.exist - s.f.equal, s.f.exist) and s.f.equal < s.f.exist,
    ),
    Row("Which is right?", lambda s: s.f.equal < s.f.exist),
]

WHY = [
    Row(
        "On paper, both are the derivative of {any}, and here they end on the same floats.",
        lambda s: label(s) and s.f.equal == s.f.exist > 0,
    ),
    Row("On paper, both are the derivative of {any}.", lambda s: label(s) and (s.f.equal < s.f.exist or not s.f.x)),
    Row("So there is no exact derivative to compare with.", nothing),
    Row(
        "In {word} every step rounds, and different steps can end on different floats.",
        lambda s: s.m["word"] == s.e.dtype,
    ),
]


def mean_errors(s: State, left_out: tuple[bool, bool]) -> bool:
    """Whether the means are over as many x as is said."""
    over = [s.number(name) if some else s.f.exist for name, some in zip("xy", left_out, strict=True)]
    means = all(distance(s.m[name], s.f.mean) for name in ("any", "any3"))
    return (
        s.number("n") == s.f.exist and over == [s.f.with_error(0), s.f.with_error(1)] and means and by_hand(s, "any2")
    )


OVER_X = [
    Row(
        "The mean error over x, in floats: no exact derivative to compare with at {n} x so far.",
        lambda s: s.f.exist == 0,
    ),
    Row("The mean error over x, in floats, of {n} x: none is finite.", lambda s: s.f.finite == 0 < s.f.exist),
    *(
        Row(
            f"The mean error over x, in floats, of {{n}} x: autograd is {{any}} floats off on average{first} "
            f"and {{any2}} is {{any3}} floats off on average{second}.",
            partial(mean_errors, left_out=(bool(first), bool(second))),
        )
        for first in ("", " at the {x} x where that is finite")
        for second in ("", " at the {y} x where that is finite")
    ),
    Row(
        "The mean error over x, in floats, of {n} x: autograd is {any} floats off on average.",
        lambda s: s.number("n") == s.f.exist == s.f.with_error(0) and s.f.with_error(1) == 0,
    ),
]

WHICH_FORMULA = [
    Row("{code}.", lambda s: s.m["code"] == f"`{FUNCTIONS[s.e.function].autograd}`"),
    Row("{code}, {any}.", lambda s: FUNCTIONS[s.e.function].autograd.startswith(s.m["code"][1:-1])),
    Row("By hand, {any} gave autograd's value for every x.", lambda s: s.f.equal == s.f.exist > 0),
]

WHICH_RIGHT = [
    Row("There is no exact derivative to compare with at any x so far.", lambda s: s.f.exist == 0),
    Row("The {word} nearest to ◇.", lambda s: s.m["word"] == s.e.dtype and s.f.exist),
    Row(
        "Autograd ends on it for {p} of x, {any} for {q}.",
        lambda s: (
            by_hand(s, "any") and (s.share("p", s.f.right[0], s.f.exist) and s.share("q", s.f.right[1], s.f.exist))
        ),
    ),
]


def harmless(s: State) -> bool:
    """Whether every x that was measured has an error, and no digits are lost for a 0."""
    return not any(s.f.zero) and not not_accepted(s)


def not_accepted(s: State) -> bool:
    return any(s.f.lost) or any(s.f.no_infinity)


MATTERS = [
    Row("No x so far has a finite derivative to be far from.", lambda s: s.f.finite == 0),
    Row(
        "Yes: {any} is infinite or NaN by mistake at {n} of {x} x.",
        lambda s: by_hand(s, "any") and not s.f.lost[0] and s.number("n") == s.f.lost[1] and s.number("x") == s.f.exist,
    ),
    Row(
        "Yes: autograd is infinite or NaN by mistake at {n} and {any} is infinite or NaN by mistake at {y} of {x} x.",
        lambda s: (
            by_hand(s, "any")
            and (s.number("n"), s.number("y")) == s.f.lost
            and all(s.f.lost)
            and s.number("x") == s.f.exist
        ),
    ),
    Row(
        "Yes: autograd is infinite or NaN by mistake at {n} of {x} x.",
        lambda s: (s.number("n"), 0) == s.f.lost and s.number("x") == s.f.exist,
    ),
    Row(
        "Yes: autograd misses an infinity at {n} of {x} x.",
        lambda s: (s.number("n"), 0) == s.f.no_infinity and s.number("x") == s.f.exist,
    ),
    Row(
        "Yes: {any} misses an infinity at {n} of {x} x.",
        lambda s: by_hand(s, "any") and (0, s.number("n")) == s.f.no_infinity and s.number("x") == s.f.exist,
    ),
    Row("No tolerance accepts that.", lambda s: not_accepted(s)),
    Row(
        "There is no difference here: both are exact at {n} x.",
        lambda s: max(s.f.worst) == 0 and s.number("n") == s.f.finite > 0,
    ),
    Row(
        "It can: {any} gave 0 by mistake, and then no digit is right.",
        lambda s: any(s.f.zero) and s.m["any"].startswith("autograd") == bool(s.f.zero[0]),
    ),
    Row(
        "Rarely, for differences this small (worst seen: {any} floats).",
        lambda s: distance(s.m["any"], max(s.f.worst)) and 0 < max(s.f.worst) <= 16 and harmless(s),
    ),
    Row("In a test, compare with a tolerance.", lambda s: max(s.f.worst) <= 16 and harmless(s), sometimes=True),
    Row(
        "It can: autograd was up to {any} floats off.",
        lambda s: distance(s.m["any"], s.f.worst[0]) and s.f.worst[0] > max(16, s.f.worst[1]),
    ),
    Row(
        "It can: {any2} was up to {x} floats off.",
        lambda s: by_hand(s, "any2") and distance(s.m["x"], s.f.worst[1]) and s.f.worst[1] > max(16, s.f.worst[0]),
    ),
    Row("In a test, choose the formula first, then the tolerance.", lambda s: max(s.f.worst) > 16 and harmless(s)),
]


def explained(*ulps: float | None) -> dict[str, Explained]:
    """Autograd and the formula, each by its error; NaN if that is None."""
    names = ("autograd", FUNCTIONS["reciprocal"].formulas[0])
    return {
        name: Explained(inf if error is None else -4.0, error, error is not None and error <= 0.5)
        for name, error in zip(names, ulps, strict=True)
    }


EXISTS = Explanation(0.5, "-4.0", -4.0, 2.0**-21, Fraction(-4), {})
EXPLANATIONS = {
    "exists not": Explanation(0.0, None, None, None, None, explained(None, None)),
    "undecided": Explanation(0.0, None, None, None, None, explained(None, None), undecided=True),
    "overflows": Explanation(1e-40, "-1.00e80", -inf, None, None, explained(None, None)),
    "both right": replace(EXISTS, computed=explained(0.3, 0.3)),
    "neither": replace(EXISTS, computed=explained(0.7, 3e7)),
    "autograd": replace(EXISTS, computed=explained(0.2, 0.8)),
    "formula": replace(EXISTS, computed=explained(0.77, 0.23)),
    "no number": replace(EXISTS, computed=explained(0.2, None)),
}


def of_explanations(sayer: Sayer) -> Said:
    formula = FUNCTIONS["reciprocal"].formulas[0]
    functions = ("reciprocal", "tanh") if sayer is line_note else ("reciprocal",)
    for dtype, function in product(DTYPES, functions):
        experiment = Experiment(dtype=dtype, function=function)
        for explanation in EXPLANATIONS.values():
            given = (explanation, formula, experiment) if sayer is one_x else (explanation, experiment)
            yield State(experiment, explanation, {}), sayer(*given)


def errors(s: State) -> list[float | None]:
    return [one.ulps for one in s.f.computed.values()]


def right(s: State) -> list[bool]:
    return [bool(one.correct) for one in s.f.computed.values()]


def ends(s: State) -> bool:
    """Whether the x and, of the one that is not right, the distance are those of the explanation."""
    off = dict(zip(right(s), errors(s), strict=True))[False]
    return float(s.m["any"]) == s.f.x and ("not a finite number" in s.m["any2"] if off is None else off_by(s, off))


def off_by(s: State, ulps: float) -> bool:
    return distance(s.m["any2"].removesuffix(" floats off"), ulps)


def no_derivative(s: State) -> bool:
    return s.f.exact is None and not s.f.undecided


ONE_X = [
    Row("At x = {any}, the derivative of 1/x does not exist: it exists at every x but 0.", lambda s: no_derivative(s)),
    Row("At x = {any}, the derivative of 1/x is undecided: 3,000 bits do not tell it.", lambda s: s.f.undecided),
    Row(
        "At x = {any}, the exact derivative is beyond the largest {word}.",
        lambda s: s.f.exact and s.f.fraction is None and s.m["word"] == s.e.dtype,
    ),
    Row(
        "At x = {any}, both end on the nearest float: no {word} is nearer to the exact derivative.",
        lambda s: all(right(s)) and s.m["word"] == s.e.dtype,
    ),
    Row(
        "At x = {any}, neither ends on the float nearest to the exact derivative.",
        lambda s: s.f.fraction is not None and not any(right(s)),
    ),
    Row(
        "Autograd is {any} floats off, −1/x² is {any2}.",
        lambda s: distance(s.m["any"], errors(s)[0]) and off_by(s, errors(s)[1]) and not any(right(s)),
    ),
    Row(
        "At x = {any}, autograd ends on the float nearest to the exact derivative; −1/x² is {any2}.",
        lambda s: right(s) == [True, False] and ends(s),
    ),
    Row(
        "At x = {any}, −1/x² ends on the float nearest to the exact derivative; autograd is {any2}.",
        lambda s: right(s) == [False, True] and ends(s),
    ),
]

TITLE = [Row("The derivative of 1/x at x = {any}", always)]

NOTE = [
    Row("No exact derivative to compare with: not to scale.", lambda s: s.f.fraction is None),
    Row(
        "Each tick is a {word}; there is none in between.",
        lambda s: s.m["word"] == s.e.dtype and s.f.fraction is not None,
    ),
    Row("In the formulas, t = tanh(x).", lambda s: s.e.function == "tanh"),
]

SUBJECTS = [
    *(
        Subject(sayer, table, of_tallies)
        for sayer, table in {
            head_claim: CLAIM,
            head_why: WHY,
            over_x: OVER_X,
            which_formula: WHICH_FORMULA,
            which_right: WHICH_RIGHT,
            does_it_matter: MATTERS,
        }.items()
    ),
    *(
        Subject(sayer, table, of_explanations)
        for sayer, table in {one_x: ONE_X, line_title: TITLE, line_note: NOTE}.items()
    ),
]
