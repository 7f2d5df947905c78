"""What unsafe and safe spellings give, as sentences of the page, in Markdown."""

from collections.abc import Sequence

import torch

from lib.derivative.unsafe import BAD, EXACT_DIGITS, Look, Result
from lib.derivative.unsafe_cases import Case
from lib.derivative.unsafe_tables import exactly, given, mark, number, vector
from lib.display.quantities import distance, size
from lib.display.why import Why
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment

_A_CHOICE = "Where no derivative exists, any finite value is a choice."


def unsafe_claim(case: Case, looks: Sequence[Look], experiment: Experiment) -> str:
    """What both spellings give at the first x, in one sentence."""
    first = looks[0]
    outcomes = [
        f"of `{function.__name__}` {_outcome(result, experiment)}"
        for function, result in ((case.unsafe, first.unsafe), (case.safe, first.safe))
    ]
    of_another = ", for a function that includes eps" if case.shifted and first.safe.kind in ("right", "near") else ""
    x = vector(first.x, experiment.dtype)
    return f"At x = {x} the {_derivative(first)} {'; that '.join(outcomes)}{of_another}."


def _outcome(result: Result, experiment: Experiment) -> str:
    if result.kind == "fault":
        return f"cannot be computed ({given(result, experiment.dtype)})"
    thought = {
        "right": ", correctly rounded",
        "near": f", {distance(result.off)} from the correctly rounded one",
        "choice": ", a choice where no derivative exists",
        "off": ", which is wrong",
        "zero": ", which is wrong",
    }
    return f"comes out as {given(result, experiment.dtype)}{thought.get(result.kind, '')}"


def result_claim(look: Look, result: Result, experiment: Experiment) -> str:
    """What one spelling gives at one x, and what is exact there."""
    way = f" by `{look.way}`" if _derivative(look) == "Hessian" else ""
    start = f"{mark(result)} x = {vector(look.x, experiment.dtype)}"
    if result.kind == "fault":
        return f"{start}: PyTorch says: {given(result, experiment.dtype)}"
    off = {"right": ", correctly rounded"}.get(result.kind, f", {distance(result.off)} off" if result.off else "")
    value = number(result.value, experiment.dtype)
    text = f"{start}: value {value}, {_derivative(look)}{way} **{given(result, experiment.dtype)}**{off}."
    if all(one is None for one in result.exact):
        return f"{text} {'No derivative exists there.' if result.kind in BAD else _A_CHOICE}"
    return f"{text} Exact: {exactly(result)}.{f' {_A_CHOICE}' if result.kind == 'choice' else ''}"


def unsafe_why(case: Case, looks: Sequence[Look]) -> Why:
    """Why the first spelling fails and what to do, as far as it failed and the other one did not."""
    failures = {one.unsafe.kind for one in looks} & BAD
    if not failures:
        why = "Nothing is wrong here: at these x this version of PyTorch gets the first spelling right, too."
    elif failures <= case.fails:
        why = case.why
    else:
        why = "This version of PyTorch fails here in a way that this page has no explanation for."
    if failures and case.known:
        why += f" Others met it, too: [{_thread(case.known)}]({case.known})."
    helps = BAD.isdisjoint(one.safe.kind for one in looks)
    do = case.do if helps else "Compute in another dtype or on another device: the second spelling fails here, too."
    return Why(why, do, case.api)


def shift_claim(case: Case, looks: Sequence[Look], experiment: Experiment) -> str:
    """By how much an eps inside changes the derivative; nothing if the two spellings are the same function."""
    if case.shifted is None:
        return ""
    last = looks[-1]  # where both derivatives exist
    eps = number(torch.finfo(getattr(torch, experiment.dtype)).eps, experiment.dtype)
    return (
        f"`{case.safe.__name__}` is another function: with eps = {eps}, its exact {_derivative(last)} at "
        f"x = {vector(last.x, experiment.dtype)} differs from that of "
        f"`{case.unsafe.__name__}` by a relative {size(last.change)}. Its results are held against its own."
    )


def unsafe_conditions(case: Case, experiment: Experiment) -> str:
    """How the code is run."""
    ways = "each by the call that is named" if case.second_order else "then `f(x).backward()`"
    return (
        f"This code was run for this page as it stands, {ways}, in {experiment.dtype} on the "
        f"{DEVICES[experiment.device].label}, by PyTorch {torch.__version__}. What is exact is enclosed in ball "
        f"arithmetic and written to {EXACT_DIGITS} digits."
    )


def _derivative(look: Look) -> str:
    components = len(look.unsafe.exact)
    return "derivative" if components == 1 else "gradient" if components == len(look.x) else "Hessian"


def _thread(address: str) -> str:
    """The name of a thread: its repository and number."""
    *_, repository, _, count = address.split("/")
    return f"{repository}#{count}"
