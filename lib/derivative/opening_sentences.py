"""What the tab of the derivatives says in its first screen: of many x, and of the one that its float line shows."""

import torch

from lib.derivative.different import Witness, disproof
from lib.derivative.exact_derivatives import MOST_BITS
from lib.derivative.explanation import Explained, Explanation
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.display.quantities import floats, listed, minus, percent
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.line import shortest

_LONG = 240  # what is longer is cut off, and the script has it

SMALL = 16.0
"""Errors of so many floats rarely matter."""


def head_claim(tally: DerivativeTally, formula: str, experiment: Experiment) -> str:
    """The claim of the tab: autograd and one formula at the x so far."""
    label = FUNCTIONS[experiment.differentiated].label
    if tally.samples == 0:
        return f"Is autograd's derivative of {label} right?"
    if tally.exist == 0 and tally.undecided:
        return f"The derivative of {label} is decided at none of {tally.samples:,} x."
    if tally.exist == 0:
        return f"The derivative of {label} exists at none of {tally.samples:,} x."
    if _disproof(tally, formula, experiment):
        return f"{on_paper(formula)} is not the derivative of {label}."
    equal = tally.formulas[formula].equal
    if equal == tally.exist:
        return f"Autograd and {on_paper(formula)} agree for all {equal:,} x."
    differ = percent(tally.exist - equal, tally.exist)
    return f"Autograd and {on_paper(formula)} differ for {differ} of x. Which is right?"


def _disproof(tally: DerivativeTally, formula: str, experiment: Experiment) -> Witness | None:
    worst = tally.formulas.get(formula, SeriesTally()).worst.place
    return disproof(experiment, formula, worst.x if worst else None)


def head_why(tally: DerivativeTally, formula: str, experiment: Experiment) -> str:
    """One line of why."""
    label = FUNCTIONS[experiment.differentiated].label
    if wrong := _disproof(tally, formula, experiment):
        x, exact, by_hand = map(minus, (f"{wrong.x:g}", wrong.one, wrong.other))
        return f"At x = {x} it is {by_hand}, and the derivative is {exact}. Rounding does not explain that."
    if tally.samples and tally.exist == 0:
        return "So there is no exact derivative to compare with."
    checked = "Checked at many x" if formula == experiment.df else "On paper"
    on_paper_both = f"{checked}, both are the derivative of {label}"
    if tally.samples and tally.formulas[formula].equal == tally.exist > 0:
        return f"{on_paper_both}, and here they end on the same floats."
    rounding = f"In {experiment.dtype} every step rounds, and different steps can end on different floats."
    return f"{on_paper_both}. {rounding}"


def line_title(explanation: Explanation, experiment: Experiment) -> str:
    """The heading of the float line."""
    return f"The derivative of {FUNCTIONS[experiment.differentiated].label} at x = {_x(explanation, experiment)}"


def line_note(explanation: Explanation, experiment: Experiment) -> str:
    """What the float line shows, and what the letters in its formulas stand for."""
    where = on_paper(FUNCTIONS[experiment.differentiated].where)
    letters = f" In the formulas, {where if len(where) <= _LONG else f'{where[: _LONG - 1]}…'}." if where else ""
    if explanation.fraction is None:
        return f"No exact derivative to compare with: not to scale.{letters}"
    return f"Each tick is a {experiment.dtype}; there is none in between.{letters}"


def over_x(tally: DerivativeTally, formula: str, experiment: Experiment) -> str:
    """What the curves show."""
    if tally.exist == 0:
        return f"The mean error over x, in floats: no exact derivative to compare with at {tally.samples:,} x so far."
    both = [(name, one) for name, one in _both(tally, formula) if one.finite]
    means = [
        f"{name} is {floats(one.by_x.sums.total / one.finite)} off on average"
        + (f" at the {one.finite:,} x where that is finite" if one.finite < tally.exist else "")
        for name, one in both
    ]
    return f"The mean error over x, in floats, of {tally.exist:,} x: {listed(means) or 'none is finite'}."


def _both(tally: DerivativeTally, formula: str) -> list[tuple[str, SeriesTally]]:
    """Autograd and the formula by their names in sentences."""
    return [("autograd", tally.autograd), (on_paper(formula), tally.formulas.get(formula, SeriesTally()))]


def one_x(explanation: Explanation, formula: str, experiment: Experiment) -> str:
    """Which of the two is right at one x."""
    function = FUNCTIONS[experiment.differentiated]
    x = f"x = {_x(explanation, experiment)}"
    if explanation.undecided:
        return f"At {x}, the derivative of {function.label} is undecided: {MOST_BITS:,} bits do not tell it."
    if explanation.exact is None:
        return f"At {x}, the derivative of {function.label} does not exist: it exists at {function.domain}."
    if explanation.fraction is None:
        return f"At {x}, the exact derivative is beyond the largest {experiment.dtype}."
    autograd, by_hand = explanation.computed[AUTOGRAD], explanation.computed[formula]
    right = [name for name, one in (("autograd", autograd), (on_paper(formula), by_hand)) if one.correct]
    if len(right) == 2:
        return f"At {x}, both end on the nearest float: no {experiment.dtype} is nearer to the exact derivative."
    if not right:
        ends = f"Autograd is {_off(autograd)}, {on_paper(formula)} is {_off(by_hand)}."
        return f"At {x}, neither ends on the float nearest to the exact derivative. {ends}"
    other, one = (on_paper(formula), by_hand) if autograd.correct else ("autograd", autograd)
    return f"At {x}, {right[0]} ends on the float nearest to the exact derivative; {other} is {_off(one)}."


def _x(explanation: Explanation, experiment: Experiment) -> str:
    return minus(shortest(explanation.x, getattr(torch, experiment.dtype)))


def _off(one: Explained) -> str:
    return "not a finite number" if one.ulps is None else f"{floats(one.ulps)} off"


def which_formula(tally: DerivativeTally, experiment: Experiment) -> str:
    """What autograd computes, and which formulas by hand gave its values."""
    function = FUNCTIONS[experiment.differentiated]
    formula, comma, note = function.autograd.partition(", ")
    told = f"`{formula}`{comma}{note}" if formula else "The chain rule, step by step backwards through f"
    if "y" in formula:
        told += f", with y = {function.label}"
    same = [on_paper(name) for name, series in tally.formulas.items() if tally.exist and series.equal == tally.exist]
    if not same:
        return f"{told}."
    return f"{told}. By hand, {listed(same)} gave autograd's value for every x."


def which_right(tally: DerivativeTally, formula: str, experiment: Experiment) -> str:
    """How often autograd and the formula are correctly rounded."""
    if tally.exist == 0:
        return "There is no exact derivative to compare with at any x so far."
    right = percent(tally.autograd.correct, tally.exist)
    by_hand = percent(tally.formulas[formula].correct, tally.exist)
    nearest = f"The {experiment.dtype} nearest to ◇."
    return f"{nearest} Autograd ends on it for {right} of x, {on_paper(formula)} for {by_hand}."


def does_it_matter(tally: DerivativeTally, formula: str, experiment: Experiment) -> str:
    """How large the errors are, and what follows."""
    if _disproof(tally, formula, experiment):
        return f"Yes: {on_paper(formula)} is another function, so no tolerance makes it the derivative."
    both = _both(tally, formula)
    lost = [f"{name} is infinite or NaN by mistake at {one.lost:,}" for name, one in both if one.lost]
    lost += [f"{name} misses an infinity at {one.no_infinity:,}" for name, one in both if one.no_infinity]
    if lost:
        return f"Yes: {listed(lost)} of {tally.exist:,} x. No tolerance accepts that."
    (_, autograd), (_, by_hand) = both
    if autograd.finite == 0:
        return "No x so far has a finite derivative to be far from."
    zero = [name for name, one in both if one.zero]
    worst = max(autograd.worst.value, by_hand.worst.value)
    if worst == 0:
        return f"There is no difference here: both are exact at {autograd.finite:,} x."
    if zero:
        return f"It can: {listed(zero)} gave 0 by mistake, and then no digit is right."
    if worst <= SMALL:
        return f"Rarely, for differences this small (worst seen: {floats(worst)}). In a test, compare with a tolerance."
    name = "autograd" if autograd.worst.value == worst else on_paper(formula)
    return f"It can: {name} was up to {floats(worst)} off. In a test, choose the formula first, then the tolerance."
