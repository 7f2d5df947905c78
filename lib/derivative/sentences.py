"""What the tab says of the derivatives: the claim, the picture's texts, the three cards and what opens, as rows."""

from math import isnan
from types import SimpleNamespace

import torch

from lib.derivative.certified import MOST_BITS
from lib.derivative.explanation import Explanation, disproved
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.choices import DTYPES
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS, rules
from lib.experiment.query import Experiment
from lib.floats.line import shortest
from lib.floats.quantities import listed, minus, percent, ulps
from lib.floats.sentences import Sentence
from lib.floats.verdict import LARGE, State, share_of, verdict

_TIMES = 10  # from so many times the exact derivative on, an error is not told in numbers

SHORT = 240
"""Characters of what the letters in formulas stand for, where that is shown beside a picture."""


def state_of(
    tally: DerivativeTally, formula: str, experiment: Experiment, another: str = ""
) -> State:
    """Return what was measured of autograd and a formula; `another` proves that the formula is not the derivative."""
    by_hand = tally.formulas.get(formula, SeriesTally())
    both = tally.autograd, by_hand
    first, second = (
        series.lost.total + series.no_infinity.total + series.zero.total for series in both
    )
    largest = max((series.relative.largest for series in both), key=lambda extreme: extreme.value)
    size = f"Every finite value at {tally.exist:,} random x is the nearest {experiment.dtype}."
    if largest.place:
        x = minus(shortest(largest.place.x, getattr(torch, experiment.dtype)))
        part = (
            f"{share_of(largest.value)} of"
            if largest.value < _TIMES
            else f"more than {_TIMES} times"
        )
        size = (
            f"Of the values at {tally.exist:,} random x that are not the nearest {experiment.dtype}, the largest error "
            f"is {part} the exact derivative, at x = {x}."
        )
    no_effect = another and tally.exist == by_hand.equal.total
    rtol, distance = by_hand.rtol.largest.value, by_hand.distance.largest.value
    return State(
        AUTOGRAD,
        on_paper(formula),
        experiment.dtype,
        checks=tally.exist or tally.samples,
        finite=min(series.finite.total for series in both),
        different=int(largest.place is not None),
        largest=distance,
        relative=largest.value,
        not_close=by_hand.far.total,
        kept=float(largest.value < LARGE),
        lost=(first, second),
        another=another,
        instead=_INSTEAD[bool(another), bool(no_effect)],
        size=size,
        passes=(rtol, DTYPES[experiment.dtype].tolerances[1]) if rtol < 1 else None,
        unknown="no x seen here has a finite exact derivative",
        where="where the derivative exists" if tally.outside + tally.undecided else "",
        vectors=("x", "x"),
    )


_INSTEAD = {
    (True, False): "No tolerance makes another function the derivative.",
    (True, True): "In floats it makes no difference so far.",
    (False, False): "No rtol below 1 covers that: take another formula.",
}
"""What to do where the formula is another function, has no effect in floats, or where no digit is right."""


def facts_of(
    tally: DerivativeTally,
    formula: str,
    experiment: Experiment,
    among: str = "",
    shown: Explanation | None = None,
) -> SimpleNamespace:
    """What was found at the x so far, of autograd and of one formula; `among` names these x if they are not all, and
    `shown` is the x of the picture.

    The two are `apart` at so many x, and `elsewhere`: at the x of the picture, but at no other. There the error is
    `worse`. `wrong` says at which x the formula is proved to be another function; `same` has the formulas that always
    gave autograd's value.
    """
    function, exist = FUNCTIONS[experiment.differentiated], tally.exist
    one = tally.formulas.get(formula, SeriesTally())
    found = disproved(tally, experiment, formula)
    wrong = ""
    if found:
        wrong = minus(
            f"At x = {found.x:g} {on_paper(formula)} is {found.other}, and the derivative is {found.one}."
        )
    state = state_of(tally, formula, experiment, wrong)
    here = facts_of_one(shown, formula, experiment) if shown else None
    known = exist > 0 and shown is not None and shown.fraction is not None
    lost_here, steps, values = False, [0.0], [0.0]
    if known:
        of_both = [shown.computed[name] for name in (AUTOGRAD, formula)]
        lost_here = any(map(shown.lost, (AUTOGRAD, formula)))
        steps = [of.steps or 0.0 for of in of_both]
        values = [of.value for of in of_both]
    largest = max(series.worst.largest.value for series in (tally.autograd, one))
    worse = not any(state.lost) if lost_here else max(steps) > max(largest, 1.0) + 1
    apart = exist - one.equal.total
    same = (name for name, series in tally.formulas.items() if series.equal.total == exist > 0)
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
        elsewhere=exist > 0 == apart and values[0] != values[-1] and not all(map(isnan, values)),
        here=here,
        worse=worse and not (wrong or among),
        lost=any(state.lost),
        wrong=wrong,
        verdict=verdict(state),
        same=listed(map(on_paper, same)),
        autograd=_side(tally.autograd, exist),
        by_hand=_side(one, exist),
        bits=MOST_BITS,
    )


def _side(one: SeriesTally, exist: int) -> SimpleNamespace:
    """The share of correct roundings, and the mean error."""
    return SimpleNamespace(
        right=percent(one.correct.total, exist),
        mean="not known" if one.mean is None else ulps(one.mean),
    )


HEADLINE = (
    Sentence(
        "Is autograd's derivative of {f.function.label} right?", lambda f: not f.tally.samples
    ),
    Sentence(
        "The derivative of {f.function.label} is known at none of {f.tally.samples:,} x.",
        lambda f: f.tally.samples and not f.tally.exist,
    ),
    Sentence("{f.formula} is not the derivative of {f.function.label}.", lambda f: f.wrong),
    Sentence(
        "Autograd and {f.formula} agree at every random x so far ({f.tally.exist:,}).",
        lambda f: f.tally.exist and not (f.apart or f.wrong or f.elsewhere),
    ),
    Sentence(
        "Autograd and {f.formula} agree at every random x so far ({f.tally.exist:,}), but not at x = {f.here.x}.",
        lambda f: f.elsewhere and not f.wrong,
    ),
    Sentence(
        "Autograd and {f.formula} differ for {f.differ} of x. Which is right?",
        lambda f: f.apart and not f.wrong,
    ),
)

REASON = (
    Sentence("{f.wrong}", lambda f: f.wrong),
    Sentence(
        "Autograd gives the {f.dtype} nearest to the exact value for {f.autograd.right} of x, {f.formula} for "
        "{f.by_hand.right}.",
        lambda f: f.tally.exist and not f.wrong,
    ),
)

STEPS = (
    Sentence("They are different functions.", lambda f: f.wrong),
    Sentence("{f.verdict.bug}", lambda f: not (f.tally.exist or f.wrong)),
    Sentence(
        "They do not, so far.", lambda f: f.tally.exist and not (f.apart or f.wrong or f.elsewhere)
    ),
    Sentence(
        "In {f.dtype} each step rounds, and other steps round differently.",
        lambda f: (f.apart or f.elsewhere) and not f.wrong,
    ),
    Sentence(
        "A step can also end at 0, infinity or NaN.", lambda f: f.apart and f.lost and not f.wrong
    ),
)

CURVE = (
    Sentence(
        "The mean error over x: autograd's is {f.autograd.mean}, that of {f.formula} {f.by_hand.mean}."
    ),
)

RULE = (
    Sentence("PyTorch computes {f.rule}, with y = f(x).", lambda f: f.rule),
    Sentence(
        "PyTorch applies the chain rule, step by step backwards through f.", lambda f: not f.rule
    ),
    Sentence(
        "Written by hand, {f.same} gave the same values at every random x so far.", lambda f: f.same
    ),
)

MATTER = (
    Sentence(
        "At x = {f.here.x}, above, autograd is {f.here.autograd}, {f.formula} {f.here.by_hand}: worse than at the "
        "random x.",
        lambda f: f.worse,
    ),
    Sentence("At {f.among}:", lambda f: f.among),
    Sentence("{f.verdict.matter}"),
)

FORMULAS = (
    Sentence(
        "`{f.function.call}`: {f.function.about}. Its derivative exists at {f.function.domain}."
    ),
    Sentence("By the rules of a textbook, not simplified, it is `{f.rules}`.", lambda f: f.rules),
    Sentence("In the formulas, `{f.function.where}`.", lambda f: f.function.where),
    Sentence(
        "Ball arithmetic (Arb) certified the exact derivative at {f.tally.certified:,} of {f.tally.exist:,} x."
    ),
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
    Sentence(
        "Each tick is a {f.dtype}; there is none in between.",
        lambda f: f.found.fraction is not None,
    ),
    Sentence(
        "No exact derivative to compare with: not to scale.", lambda f: f.found.fraction is None
    ),
    Sentence("In the formulas, {f.where}.", lambda f: 0 < len(f.where) <= SHORT),
)

TOLD = (
    Sentence(
        "At x = {f.x}, autograd is {f.autograd}, {f.formula} {f.by_hand}.",
        lambda f: f.found.fraction is not None,
    ),
    Sentence(
        "At x = {f.x} the derivative is undecided: a branch turns there, or {f.bits:,} bits do not tell it.",
        lambda f: f.found.undecided,
    ),
    Sentence(
        "At x = {f.x} the derivative does not exist.",
        lambda f: f.found.nearest is None and not f.found.undecided,
    ),
    Sentence(
        "At x = {f.x} the exact derivative is beyond the largest {f.dtype}.",
        lambda f: f.found.nearest is not None and f.found.fraction is None,
    ),
)
