"""What the tab says of the derivatives: the claim, the picture's texts, the three cards and what opens, as rows."""

from fractions import Fraction
from functools import lru_cache
from math import inf, isinf, isnan
from types import SimpleNamespace

import torch

from lib.derivative.certified import MOST_BITS, exactly
from lib.derivative.explanation import Explanation, disproved
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.choices import DTYPES
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS, rules
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.floats.line import shortest
from lib.floats.quantities import listed, minus, percent, ulps
from lib.floats.sentences import Sentence
from lib.floats.verdict import State, share_of, verdict

_ROOM = 1.1
_LEAST = 0.01  # ulps; less is the nearest float in any case

SHORT = 240
"""Characters of what the letters in formulas stand for, where that is shown beside a picture."""


def state_of(tally: DerivativeTally, formula: str, experiment: Experiment, another: str = "") -> State:
    """Return what was measured of autograd and a formula; `another` proves that the formula is not the derivative."""
    both = tally.autograd, tally.formulas.get(formula, SeriesTally())
    worst = [series.worst.largest for series in both]
    first, second = (series.lost.total + series.no_infinity.total + series.zero.total for series in both)
    largest = max(worst, key=lambda extreme: extreme.value)
    off = largest.place is not None and largest.value >= _LEAST
    relative = relative_error(experiment, largest.place.x, largest.value) if off else 0.0
    size = "Every finite value so far is the nearest float." if tally.autograd.finite.total else ""
    if off:
        x = minus(shortest(largest.place.x, getattr(torch, experiment.dtype)))
        part = "more than 10 times" if isinf(relative) else f"{share_of(relative)} of"
        size = f"The largest error so far is {ulps(largest.value)}, {part} the exact derivative, at x = {x}."
    no_effect = another and tally.exist == both[1].equal.total
    return State(
        AUTOGRAD,
        on_paper(formula),
        experiment.dtype,
        checks=tally.samples,
        finite=min(series.finite.total for series in both),
        different=int(off),
        relative=relative,
        lost=(first, second),
        another=another,
        instead=_INSTEAD[bool(another), bool(no_effect)],
        size=size,
        passes=_passes(worst[0].value, worst[1].value, experiment.dtype),
        unknown="no x seen here has a finite exact derivative",
        where="where the derivative exists" if tally.outside + tally.undecided else "",
        vectors="x",
    )


_INSTEAD = {
    (True, False): "No tolerance makes another function the derivative.",
    (True, True): "In floats it makes no difference so far.",
    (False, False): "No rtol below 1 covers that: take another formula.",
}
"""What to do where the formula is another function, has no effect in floats, or where no digit is right."""


@lru_cache(maxsize=256)
def relative_error(experiment: Experiment, x: float, error: float) -> float:
    """An error in ulps as a share of the exact derivative at x; infinite from 10 times that on."""
    exact, fmt = abs(exactly(experiment.differentiated, x).fraction), FORMATS[experiment.dtype]
    off = Fraction(error) * fmt.spacing(min(fmt.nearest(exact), fmt.infinity - 1))
    return float(off / exact) if off < 10 * exact else inf


def _passes(autograd: float, by_hand: float, dtype: str) -> tuple[float, float] | None:
    """An rtol and an atol with which `assert_close` finds two derivatives close that have these errors in ulps; None if
    the defaults are such. An ulp of a normal number is at most eps of it, and `_ROOM` covers the check's own rounding.
    """
    fmt, (rtol, atol) = FORMATS[dtype], DTYPES[dtype].tolerances
    off, of_autograd = _ROOM * (autograd + by_hand), float(fmt.eps) * autograd
    enough = off * float(fmt.eps) / (1 - of_autograd) if of_autograd < 1 else inf
    subnormal = off * float(fmt.value(1))
    if enough <= rtol and subnormal <= atol:
        return None
    return max(rtol, enough), max(atol, subnormal)


def facts_of(
    tally: DerivativeTally, formula: str, experiment: Experiment, among: str = "", shown: Explanation | None = None
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
        wrong = minus(f"At x = {found.x:g} {on_paper(formula)} is {found.other}, and the derivative is {found.one}.")
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
        elsewhere=not apart and values[0] != values[-1] and not all(map(isnan, values)),
        here=here,
        worse=worse and not (wrong or among),
        wrong=wrong,
        verdict=verdict(state),
        same=listed(map(on_paper, same)),
        autograd=_side(tally.autograd, exist),
        by_hand=_side(one, exist),
        bits=MOST_BITS,
    )


def _side(one: SeriesTally, exist: int) -> SimpleNamespace:
    """The share of correct roundings, and the mean error."""
    return SimpleNamespace(right=percent(one.correct.total, exist), mean="–" if one.mean is None else ulps(one.mean))


HEADLINE = (
    Sentence("Is autograd's derivative of {f.function.label} right?", lambda f: not f.tally.samples),
    Sentence(
        "The derivative of {f.function.label} is known at none of {f.tally.samples:,} x.",
        lambda f: f.tally.samples and not f.tally.exist,
    ),
    Sentence("{f.formula} is not the derivative of {f.function.label}.", lambda f: f.wrong),
    Sentence(
        "Autograd and {f.formula} agree for all {f.tally.exist:,} random x.",
        lambda f: f.tally.exist and not (f.apart or f.wrong or f.elsewhere),
    ),
    Sentence(
        "Autograd and {f.formula} agree for all {f.tally.exist:,} random x, but not at x = {f.here.x}.",
        lambda f: f.elsewhere and not f.wrong,
    ),
    Sentence("Autograd and {f.formula} differ for {f.differ} of x. Which is right?", lambda f: f.apart and not f.wrong),
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
    Sentence("They do not, so far.", lambda f: f.tally.exist and not (f.apart or f.wrong or f.elsewhere)),
    Sentence(
        "In {f.dtype} each step rounds, and other steps round differently.",
        lambda f: (f.apart or f.elsewhere) and not f.wrong,
    ),
)

CURVE = (Sentence("The mean error over x: autograd's is {f.autograd.mean}, that of {f.formula} {f.by_hand.mean}."),)

RULE = (
    Sentence("PyTorch computes {f.rule}, with y = f(x).", lambda f: f.rule),
    Sentence("PyTorch applies the chain rule, step by step backwards through f.", lambda f: not f.rule),
    Sentence("Written by hand, {f.same} gave the same values at every random x so far.", lambda f: f.same),
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
