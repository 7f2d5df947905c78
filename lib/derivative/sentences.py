"""What the tab says of the derivatives: the claim, the picture's texts, the three cards and what opens, as rows."""

from types import SimpleNamespace

import torch

from lib.derivative.certified import MOST_BITS, disproof
from lib.derivative.explanation import Explanation
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS, rules
from lib.experiment.query import Experiment
from lib.floats.line import shortest
from lib.floats.quantities import floats, listed, minus, percent
from lib.floats.sentences import Sentence, Why

SHORT = 240
"""Characters of what the letters in formulas stand for, where that is shown beside a picture."""


def facts_of(tally: DerivativeTally, formula: str, experiment: Experiment, among: str = "") -> SimpleNamespace:
    """What was found at the x so far, of autograd and of one formula; `among` names these x if they are not all.

    The two are `apart` at so many x. `wrong` is an x at which the formula is proved to be another function, the
    derivative there and the formula's value; `seen` says that floats show it. `same` has the formulas that always gave
    autograd's value, and `worst` is the largest error, "" if there is none; `exact` says that finite values were seen,
    and none is off.
    """
    function, exist = FUNCTIONS[experiment.differentiated], tally.exist
    one = tally.formulas.get(formula, SeriesTally())
    at, apart = one.worst.largest.place, exist - one.equal.total
    wrong = disproof(experiment, formula, at.x if at else None) if exist else None
    same = (name for name, series in tally.formulas.items() if series.equal.total == exist > 0)
    worst = [series.worst.largest.value for series in (tally.autograd, one) if series.finite.total]
    return SimpleNamespace(
        tally=tally,
        function=function,
        dtype=experiment.dtype,
        formula=on_paper(formula),
        among=among,
        rule=on_paper(function.autograd),
        rules=rules(experiment.f) if experiment.f else "",
        apart=apart,
        differ=percent(apart, exist),
        wrong=[minus(f"{part:g}" if isinstance(part, float) else part) for part in wrong or ()],
        seen=bool(wrong) and apart > 0,
        same=listed(map(on_paper, same)),
        autograd=_side(tally.autograd, exist),
        by_hand=_side(one, exist),
        worst=floats(max(worst)) if any(worst) else "",
        exact=bool(worst) and not any(worst),
        bits=MOST_BITS,
    )


def _side(one: SeriesTally, exist: int) -> SimpleNamespace:
    """The share of correct roundings, the mean error, and how often the value is infinite, NaN or finite by mistake,
    and 0."""
    return SimpleNamespace(
        right=percent(one.correct.total, exist),
        mean="–" if one.mean is None else floats(one.mean),
        missed=one.lost.total + one.no_infinity.total,
        zero=one.zero.total,
    )


HEADLINE = (
    Sentence("Is autograd's derivative of {f.function.label} right?", lambda f: not f.tally.samples),
    Sentence(
        "The derivative of {f.function.label} is known at none of {f.tally.samples:,} x.",
        lambda f: f.tally.samples and not f.tally.exist,
    ),
    Sentence("{f.formula} is not the derivative of {f.function.label}.", lambda f: f.wrong),
    Sentence(
        "Autograd and {f.formula} agree for all {f.tally.exist:,} x.",
        lambda f: f.tally.exist and not f.apart and not f.wrong,
    ),
    Sentence("Autograd and {f.formula} differ for {f.differ} of x. Which is right?", lambda f: f.apart and not f.wrong),
)

REASON = (
    Sentence("At x = {f.wrong[0]} it is {f.wrong[2]}, and the derivative is {f.wrong[1]}.", lambda f: f.wrong),
    Sentence("Rounding does not explain that.", lambda f: f.seen),
    Sentence(
        "There is no exact derivative to compare with at any x so far.", lambda f: not f.tally.exist and not f.wrong
    ),
    Sentence(
        "Autograd gives the {f.dtype} nearest to the exact value for {f.autograd.right} of x, {f.formula} for "
        "{f.by_hand.right}.",
        lambda f: f.tally.exist and not f.wrong,
    ),
)

STEPS = (
    Sentence("They are different functions.", lambda f: f.seen),
    Sentence("They do not, so far.", lambda f: f.tally.exist and not f.apart),
    Sentence("In {f.dtype} each step rounds, and other steps round differently.", lambda f: f.apart and not f.wrong),
)

CURVE = (
    Sentence(
        "The mean error over x, in floats: autograd's is {f.autograd.mean}, that of {f.formula} {f.by_hand.mean}."
    ),
)

AMONG = Sentence("At {f.among}:", lambda f: f.among)

RULE = (
    Sentence("PyTorch computes {f.rule}, with y = f(x).", lambda f: f.rule),
    Sentence("PyTorch applies the chain rule, step by step backwards through f.", lambda f: not f.rule),
    Sentence("Written by hand, {f.same} gave the same floats at every x so far.", lambda f: f.same),
)

MATTER = (
    AMONG,
    Sentence("Yes: no tolerance makes another function the derivative.", lambda f: f.seen),
    Sentence(
        "Infinite, NaN or finite by mistake: autograd at {f.autograd.missed:,} x, {f.formula} at {f.by_hand.missed:,}.",
        lambda f: f.autograd.missed + f.by_hand.missed,
    ),
    Sentence(
        "0 by mistake, with no right digit: autograd at {f.autograd.zero:,} x, {f.formula} at {f.by_hand.zero:,}.",
        lambda f: f.autograd.zero + f.by_hand.zero,
    ),
    Sentence("The largest error so far is {f.worst}: in a test, allow a tolerance.", lambda f: f.worst and not f.seen),
    Sentence("No finite value is off so far.", lambda f: f.exact),
    Sentence("No error has been measured.", lambda f: not (f.worst or f.exact or f.autograd.missed + f.by_hand.missed)),
)

FORMULAS = (
    Sentence("`{f.function.call}`: {f.function.about}. Its derivative exists at {f.function.domain}."),
    Sentence("By the rules of a textbook, not simplified, it is `{f.rules}`.", lambda f: f.rules),
    Sentence("In the formulas, `{f.function.where}`.", lambda f: f.function.where),
    Sentence("Ball arithmetic (Arb) certified the exact derivative at {f.tally.certified:,} of {f.tally.exist:,} x."),
    Sentence(
        "In no share: {f.tally.outside:,} x without a derivative, {f.tally.undecided:,} where it is undecided (a "
        "branch turns, or {f.bits:,} bits do not tell). In no mean: {f.tally.overflow:,} where it overflows.",
        lambda f: f.tally.outside + f.tally.undecided + f.tally.overflow,
    ),
)


def facts_of_one(found: Explanation, formula: str, experiment: Experiment) -> SimpleNamespace:
    """What is said of one x: how far off both are, as texts."""
    function = FUNCTIONS[experiment.differentiated]
    return SimpleNamespace(
        found=found,
        function=function,
        dtype=experiment.dtype,
        x=minus(shortest(found.x, getattr(torch, experiment.dtype))),
        where=on_paper(function.where),
        formula=on_paper(formula),
        autograd=found.off(AUTOGRAD),
        by_hand=found.off(formula),
        bits=MOST_BITS,
    )


TITLE = Sentence("The derivative of {f.function.label} at x = {f.x}")

NOTE = (
    Sentence("Each tick is a {f.dtype}; there is none in between.", lambda f: f.found.fraction is not None),
    Sentence("No exact derivative to compare with: not to scale.", lambda f: f.found.fraction is None),
    Sentence("In the formulas, {f.where}.", lambda f: 0 < len(f.where) <= SHORT),
)

TOLD = (
    Sentence(
        "At x = {f.x}, autograd is {f.autograd}, {f.formula} {f.by_hand}.", lambda f: f.found.fraction is not None
    ),
    Sentence(
        "At x = {f.x} the derivative is undecided: a branch turns there, or {f.bits:,} bits do not tell it.",
        lambda f: f.found.undecided,
    ),
    Sentence(
        "At x = {f.x} the derivative does not exist.", lambda f: f.found.nearest is None and not f.found.undecided
    ),
    Sentence(
        "At x = {f.x} the exact derivative is beyond the largest {f.dtype}.",
        lambda f: f.found.nearest is not None and f.found.fraction is None,
    ),
)

WHY = Why(
    "Formulas that are equal on paper round at different steps, and so may end on different floats. Autograd has a "
    "formula of its own for each operation, and multiplies them by the chain rule.",
    "Do not test your formula for equality with autograd's: allow a tolerance. No tolerance covers saturation: where "
    "tanh or sigmoid rounds to 1, 1 − tanh² and 1 − sigmoid are 0, and no digit of that is right.",
    {"how autograd works": "notes/autograd.html"},
)
