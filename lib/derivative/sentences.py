"""What the tab says about the derivatives: the claim, the answers, and the table of formulas."""

import re
from types import SimpleNamespace

import torch

from lib.derivative.explanation import counterexample_so_far
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.tally import DerivativeTally
from lib.experiment.choices import DTYPES
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.floats.outcome import Outcome, State
from lib.floats.quantities import in_floats, minus, percent
from lib.floats.sentences import Sentence, code
from lib.floats.verdict import verdict


def state_of(
    tally: DerivativeTally, formula: str, experiment: Experiment, is_another: bool
) -> State:
    """Return what was measured of autograd and a formula: `floats.outcome.outcome_of` judges it.

    Args:
        tally: what was measured.
        formula: the formula that is compared with autograd.
        experiment: has the function and the dtype.
        is_another: whether the formula is proved not to be the derivative.
    """
    dtype = experiment.dtype
    autograd = tally.autograd
    by_hand = tally.of_name(formula)
    worst = autograd.worst.largest + by_hand.worst.largest
    different = 2 * tally.existing - autograd.correct - by_hand.correct
    size = f"Every finite value at {tally.existing:,} random x is the nearest {dtype}."
    if different and worst.place:
        x = minus(shortest(worst.place.x, getattr(torch, dtype)))
        size = (
            f"The largest error of the finite values at {tally.existing:,} random x is "
            f"{in_floats(worst.value)} ulps, at x = {x}."
        )
    rtol = by_hand.rtol.value
    return State(
        AUTOGRAD,
        on_paper(formula),
        dtype,
        checks=tally.existing or tally.samples,
        finite=min(autograd.finite.total, by_hand.finite.total),
        # Values of either side that are not the nearest float.
        different=different,
        largest=by_hand.distance.value,
        # One ulp is at most two rounding units.
        units=2 * worst.value,
        not_close=by_hand.far,
        lost=(autograd.lost, by_hand.lost),
        another="Ball arithmetic proves it." if is_another else "",
        instead="A tolerance can hide that.",
        size=size,
        passes=(rtol, DTYPES[dtype].tolerances[1]) if rtol < 1 else None,
        unknown="no finite derivative is known at the random x",
        where=_where(tally),
        vectors=("random x", "random x"),
    )


def _where(tally: DerivativeTally) -> str:
    """Return words for the x that count, or "" if all do."""
    return " where the derivative is known" if tally.existing < tally.samples else ""


def facts(tally: DerivativeTally, formula: str, experiment: Experiment) -> SimpleNamespace:
    """Return what the sentences say of autograd and a formula.

    Args:
        tally: what was measured so far.
        formula: the formula that is compared with autograd.
        experiment: has the function and the dtype.
    """
    function = FUNCTIONS[experiment.differentiated]
    existing = tally.existing
    by_hand = tally.of_name(formula)
    example = counterexample_so_far(tally, experiment, formula)
    wrong = ""
    if example:
        wrong = (
            f"At x = {minus(str(example.x))} the derivative is {minus(example.derivative)}, but "
            f"{code(formula)} gives {minus(example.by_hand)}."
        )
    judged = verdict(state_of(tally, formula, experiment, bool(wrong)))
    apart = existing - by_hand.equal
    return SimpleNamespace(
        tally=tally,
        label=function.label,
        dtype=experiment.dtype,
        formula=on_paper(formula),
        rule=on_paper(function.autograd),
        has_y=re.search(r"\by\b", function.autograd),
        agree=existing and not (apart or wrong),
        differ=apart and not wrong,
        share=percent(apart, existing),
        wrong=wrong,
        where=_where(tally),
        verdict=judged,
        rounding=judged.outcome is Outcome.ROUNDING,
        autograd_right=percent(tally.autograd.correct, existing),
        formula_right=percent(by_hand.correct, existing),
    )


HEADLINE = (
    Sentence("Is autograd's derivative of {f.label} right?", lambda f: not f.tally.samples),
    Sentence(
        "The derivative of {f.label} is not known at any random x ({f.tally.samples:,}).",
        lambda f: f.tally.samples and not f.tally.existing,
    ),
    Sentence("{f.formula} is not the derivative of {f.label}.", lambda f: f.wrong),
    Sentence(
        "Autograd and {f.formula} agree at every random x{f.where} ({f.tally.existing:,}).",
        lambda f: f.agree,
    ),
    Sentence(
        "Rounding, no sign of a bug: autograd and {f.formula} differ at {f.share} of the "
        "random x{f.where}.",
        lambda f: f.differ and f.rounding,
    ),
    Sentence(
        "Autograd and {f.formula} differ at {f.share} of the random x{f.where}.",
        lambda f: f.differ and not f.rounding,
    ),
)

REASON = (
    Sentence("{f.wrong}", lambda f: f.wrong),
    Sentence(
        "Autograd gives the nearest {f.dtype} for {f.autograd_right} of the random x{f.where}; "
        "{f.formula} gives it for {f.formula_right}.",
        lambda f: f.agree or f.differ,
    ),
    Sentence(
        "Infinity counts as the nearest at {f.tally.overflow:,} x, where the exact value is beyond "
        "the largest {f.dtype}.",
        lambda f: f.tally.overflow,
    ),
)

STEPS = (
    Sentence("They are different functions.", lambda f: f.wrong),
    Sentence("At the random x nothing can be compared.", lambda f: not f.tally.existing),
    Sentence("At the random x{f.where}, they do not.", lambda f: f.agree),
    Sentence(
        "They take different steps, or the same ones in another kernel. A step can round, overflow "
        "or underflow, and later steps can magnify its error.",
        lambda f: f.differ,
    ),
)

RULE = (
    Sentence("PyTorch computes {f.rule}.", lambda f: f.rule),
    Sentence("Here y is the value of {f.label}.", lambda f: f.has_y),
    Sentence(
        "PyTorch applies the chain rule, step by step backwards through f.", lambda f: not f.rule
    ),
)


def about_formulas(tally: DerivativeTally, experiment: Experiment) -> str:
    """Return what stands above the table of formulas: the function, and how x were counted."""
    function = FUNCTIONS[experiment.differentiated]
    texts = [
        f"`{function.call}`: {function.about}.",
        f"At {tally.existing - tally.certified:,} x the correctly rounded derivative comes from "
        f"float64 with an error bound, at {tally.certified:,} x from ball arithmetic (Arb).",
    ]
    if function.where:
        texts.append(f"In the formulas, `{function.where}`.")
    if tally.existing < tally.samples:
        texts.append(
            f"The shares leave out {tally.outside:,} x without a derivative and "
            f"{tally.undecided:,} x where it is undecided."
        )
    return " ".join(texts)
