"""The contract of what is said of a visitor's own function and derivative, right or wrong, in states made by hand."""

import mpmath

from lib.derivative.opening_sentences import does_it_matter, head_claim, head_why, which_formula
from lib.derivative.sentences import why_by_hand
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from tests.contract import Row, Said, Sayer, State, Subject, always
from tests.derivative.opening_contract import FOUND, nothing, same_text
from tests.expressions import in_mpmath

OF_OWN = [
    Experiment(f="tanh(x)", df="1-tanh(x)**2"),
    Experiment(f="log(1+x)"),
    Experiment(f="atan(x)+atan(1/x)", df="0", dtype="bfloat16"),
    Experiment(function="square", df="x+x"),
]
WRONG = [
    Experiment(f="tanh(x)", df="1-tanh(x)"),
    Experiment(f="x**2", df="2*x+1e-30", dtype="float64"),
    Experiment(function="square", df="x"),
]
"""Not the derivative; what is a derivative was worked out on paper."""

TEXTS = {"square": "x**2"}
"""The listed function among them, as a text."""


def of(experiments: list[Experiment]):
    def states(sayer: Sayer) -> Said:
        for experiment in experiments:
            formula = FUNCTIONS[experiment.differentiated].formulas[0]
            for found in FOUND.values():
                tally = found.tally(experiment.differentiated)
                given = (tally, experiment) if sayer is which_formula else (tally, formula, experiment)
                yield State(experiment, found, {}), sayer(*given)

    return states


def of_why(sayer: Sayer) -> Said:
    for experiment in (one for one in OF_OWN + WRONG if one.f):
        yield State(experiment, None, {}), sayer(experiment)


def text(s: State) -> str:
    return s.e.f or TEXTS[s.e.function]


def function(s: State, name: str = "any") -> bool:
    return same_text(s.m[name], "x^2" if s.e.function == "square" else s.e.f) or s.m[name] == "x²"


def formula(s: State, name: str = "any") -> bool:
    return same_text(s.m[name].replace("²", "2"), s.e.df or {"log(1+x)": "1/(1+x)"}[s.e.f])


def right(s: State) -> bool:
    return s.e not in WRONG


def differ(s: State) -> bool:
    return s.f.equal < s.f.exist


CLAIM = [
    Row("Is autograd's derivative of {any} right?", lambda s: function(s) and s.f.x == 0),
    Row("The derivative of {any} exists at none of {n} x.", lambda s: function(s) and nothing(s) and not s.f.undecided),
    Row(
        "The derivative of {any} is decided at none of {n} x.",
        lambda s: function(s) and nothing(s) and s.f.undecided > 0,
    ),
    Row(
        "{any} is not the derivative of {any2}.",
        lambda s: formula(s) and function(s, "any2") and not right(s) and s.f.exist > 0,
    ),
    Row("Autograd and {any} agree for all {n} x.", lambda s: formula(s) and right(s) and s.f.equal == s.f.exist > 0),
    Row(
        "Autograd and {any} differ for {p} of x.",
        lambda s: formula(s) and right(s) and s.share("p", s.f.exist - s.f.equal, s.f.exist) and differ(s),
    ),
    Row("Which is right?", lambda s: right(s) and differ(s)),
]


def values(s: State) -> bool:
    """Whether both values at the x that is named are those of mpmath."""
    with mpmath.workdps(60):
        x = mpmath.mpf(s.m["x"].replace("−", "-"))
        slope = mpmath.diff(lambda at: in_mpmath(text(s), at), x)
        by_hand, derivative = (mpmath.mpf(s.m[name].replace("−", "-")) for name in "yz")
        near = abs(by_hand - in_mpmath(s.e.df, x)) < 1e-5 and abs(derivative - slope) < 1e-5
        return near and by_hand != derivative and not right(s)


WHY = [
    Row("At x = {x} it is {y}, and the derivative is {z}.", values),
    Row("Rounding does not explain that.", lambda s: not right(s)),
    Row("So there is no exact derivative to compare with.", lambda s: right(s) and nothing(s)),
    *(
        row
        for checked, by_hand in (("Checked at many x", True), ("On paper", False))
        for row in (
            Row(
                f"{checked}, both are the derivative of {{any}}, and here they end on the same floats.",
                lambda s, by_hand=by_hand: (
                    function(s) and right(s) and bool(s.e.df) == by_hand and s.f.equal == s.f.exist > 0
                ),
            ),
            Row(
                f"{checked}, both are the derivative of {{any}}.",
                lambda s, by_hand=by_hand: (
                    function(s) and right(s) and bool(s.e.df) == by_hand and (differ(s) or not s.f.x)
                ),
            ),
        )
    ),
    Row(
        "In {word} every step rounds, and different steps can end on different floats.",
        lambda s: s.m["word"] == s.e.dtype and right(s),
    ),
]

MATTERS = [Row("Yes: {any} is another function, so no tolerance makes it the derivative.", formula)]

WHICH = [
    Row("The chain rule, step by step backwards through f.", lambda s: bool(s.e.f)),
    Row("By hand, {any} gave autograd's value for every x.", lambda s: s.f.equal == s.f.exist > 0),
]

WHY_BY_HAND = [
    Row("Formulas that are equal on paper round at different steps, and so may end on different floats.", always),
    Row(
        "Autograd applies the chain rule to the steps of {code}, which need not be those of your formula.",
        lambda s: s.m["code"] == f"`{s.e.f}`",
    ),
    Row("Do not test your formula for equality with autograd's: allow a tolerance.", always),
    Row("No tolerance covers saturation.", always),
]

SUBJECTS = [
    Subject(head_claim, CLAIM, of(OF_OWN + WRONG)),
    Subject(head_why, WHY, of(OF_OWN + WRONG)),
    Subject(does_it_matter, MATTERS, of(WRONG)),
    Subject(which_formula, WHICH, of([one for one in OF_OWN if one.f])),
    Subject(why_by_hand, WHY_BY_HAND, of_why),
]
