"""What unsafe and safe spellings give, as sentences of the page, in Markdown."""

from collections.abc import Sequence

from lib.derivative.unsafe import BAD, Look, Result
from lib.derivative.unsafe_cases import Case
from lib.derivative.unsafe_tables import exactly, given, mark, number, vector
from lib.display.quantities import distance
from lib.display.why import Why
from lib.experiment.query import Experiment

_A_CHOICE = "Where no derivative exists, any finite value is a choice."


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


def _derivative(look: Look) -> str:
    components = len(look.unsafe.exact)
    return "derivative" if components == 1 else "gradient" if components == len(look.x) else "Hessian"


def _thread(address: str) -> str:
    """The name of a thread: its repository and number."""
    *_, repository, _, count = address.split("/")
    return f"{repository}#{count}"
