"""What the figures of the derivative study say, as sentences of the page, in Markdown."""

import re
from math import log2

import torch

from lib.derivative.different import disproof
from lib.derivative.exact_derivatives import MOST_BITS
from lib.derivative.explanation import EXACT_DIGITS, Explanation
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.saturation import Search, Stretch
from lib.derivative.tally import DerivativeTally
from lib.display.quantities import hexadecimal, power_of_two
from lib.display.why import Why
from lib.experiment import functions
from lib.experiment.functions import FUNCTIONS
from lib.experiment.listed_functions import EVERYWHERE
from lib.experiment.query import Experiment
from lib.floats.line import shortest


def derivative_conditions(experiment: Experiment) -> str:
    """What is differentiated and how autograd does it."""
    function = FUNCTIONS[experiment.differentiated]
    if not function.autograd:
        rules = functions.rules(experiment.f)
        return (
            f"`{function.call}`: {function.about}. Its derivative exists at {function.domain}. By the rules of a "
            f"textbook, not simplified, it is `{rules}`. PyTorch applies the chain rule, step by step backwards."
        )
    letters = f" ({function.where})" if function.where else ""
    all_ = "all formulas but yours are" if disproof(experiment, experiment.df) else "all formulas are"
    formula, comma, note = function.autograd.partition(", ")
    y = ", where y is f(x)" if re.search(r"\by\b", function.autograd) else ""
    return (
        f"`{function.call}`: {function.about}. Its derivative exists at {function.domain}. On paper, {all_} "
        f"equal{letters}. PyTorch itself computes `{formula}`{comma}{note}{y}."
    )


def edges_reading(experiment: Experiment) -> str:
    """Where the derivative exists, and what a value elsewhere means."""
    function = FUNCTIONS[experiment.differentiated]
    elsewhere = "At an infinity or NaN, what" if function.domain == EVERYWHERE else "Elsewhere, what"
    return f"The derivative of `{function.call}` exists at {function.domain}. {elsewhere} comes out is a convention."


def derivative_reference(tally: DerivativeTally) -> str:
    """Where the exact derivatives come from, and how many x are left out of the shares or have no error in ulps."""
    by_float64 = tally.exist - tally.certified
    text = (
        f"Ball arithmetic (Arb) encloses the exact derivative at {tally.certified:,} x; float64 with an error bound "
        f"decides its rounding at {by_float64:,}."
    )
    if tally.outside:
        text += f" At {tally.outside:,} x the derivative does not exist, and no share counts them."
    if tally.undecided:
        text += f" At {tally.undecided:,} x {MOST_BITS:,} bits do not decide it, and no share counts them."
    if tally.overflow:
        text += f" At {tally.overflow:,} x it is beyond the largest float, and no mean counts them."
    return text


def saturation_claim(found: dict[str, Search], experiment: Experiment) -> str:
    """At which x autograd's derivative is 0 though its correct rounding is not, and how far that was searched."""
    call = FUNCTIONS[experiment.differentiated].call
    stretches, ends = found[AUTOGRAD]
    if stretches:
        claim = (
            f"Autograd's derivative of `{call}` is 0 {_stretches(stretches)} in {experiment.dtype}, though the float "
            "nearest to the exact derivative is not 0: no digit is right there."
        )
    else:
        claim = f"No x was found in {experiment.dtype} where autograd's derivative of `{call}` is 0 by mistake."
    return f"{claim} Some may lie {_ends(ends)}, where the search was cut off." if ends else claim


def saturation_list(found: dict[str, Search]) -> str:
    """The stretches of x in which autograd and each formula are 0 by mistake, as a list."""
    return "\n".join(f"- `{name}`: {_found(search)}" for name, search in found.items())


def _found(search: Search) -> str:
    told = _stretches(search.stretches)
    if not search.ends:
        return told or "nowhere"
    return f"{told or 'none was found'}, and some may lie {_ends(search.ends)}, where the search was cut off"


def _ends(ends: list[float]) -> str:
    return " and ".join(f"beyond x = {end:.6g}" for end in ends)


def _stretches(stretches: list[Stretch]) -> str:
    return " and ".join(
        f"at x = {first:.6g}"
        if first == last
        else f"from x = {first:.6g} to {last:.6g}{'' if solid else ', though not at every float between'}"
        for first, last, solid in stretches
    )


def explanation_claim(explanation: Explanation, experiment: Experiment) -> str:
    """The exact derivative at one x, and the length of one ulp there."""
    x = f"x = `{shortest(explanation.x, getattr(torch, experiment.dtype))}` = `{hexadecimal(explanation.x)}`"
    if explanation.undecided:
        call = FUNCTIONS[experiment.differentiated].call
        return f"At {x} the derivative of `{call}` is undecided: {MOST_BITS:,} bits do not tell it."
    if explanation.exact is None:
        return f"At {x} the derivative of `{FUNCTIONS[experiment.differentiated].call}` does not exist."
    if explanation.exact.startswith("within"):
        claim = f"At {x} the exact derivative is {explanation.exact}."
    else:
        claim = f"At {x} the exact derivative is `{explanation.exact}`, to {EXACT_DIGITS} digits."
    if explanation.ulp is None:
        return f"{claim} That is beyond the largest float."
    return f"{claim} One ulp is {power_of_two(round(log2(explanation.ulp)))} = {explanation.ulp:.4e} there."


_SATURATES = {
    "tanh": ": where tanh rounds to 1, 1 − tanh² is 0, and no digit of that is right",
    "sigmoid": ": where sigmoid rounds to 1, 1 − sigmoid is 0, and no digit of that is right",
}


def why_by_hand(experiment: Experiment) -> Why:
    """Why a formula by hand may have other last bits than autograd's derivative of the function."""
    function = FUNCTIONS[experiment.differentiated]
    steps = f"has a formula of its own for `{function.call}`, which need not be yours"
    if not function.autograd:
        steps = f"applies the chain rule to the steps of `{function.call}`, which need not be those of your formula"
    return Why(
        "Formulas that are equal on paper round at different steps, and so may end on different floats. Autograd "
        f"{steps}.",
        "Do not test your formula for equality with autograd's: allow a tolerance. No tolerance covers saturation"
        f"{_SATURATES.get(experiment.differentiated, '')}.",
        {"how autograd works": "notes/autograd.html"},
    )
