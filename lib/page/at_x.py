"""What a visitor looks at in the tab of the derivatives: one x, one formula, and a range of x, all in the link."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st
import torch

from lib.derivative.axis import Axis, axis_of
from lib.derivative.curve import worst_x
from lib.derivative.tally import DerivativeTally
from lib.display.markdown import quoted
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment, QueryError
from lib.floats.line import shortest
from lib.page import acts
from lib.page.address import OWN_FUNCTION
from lib.page.jumps import Place
from lib.paste.matrix import PasteError, number

PICTURE = "derivative"
"""The key of the picture."""

X, FORMULA, RANGE = "explain", "formula", "range"
"""The keys in the link."""

KNOWN = {
    "1/x, a post's example": Place(Experiment(), {X: ""}),
    "tanh, saturated": Place(Experiment(function="tanh", x_from="uniform"), {X: "12"}),
    "sigmoid, saturated": Place(Experiment(function="sigmoid", x_from="uniform"), {X: "20"}),
    "√x at 0": Place(Experiment(function="sqrt"), {X: "0"}),
    "ReLU at 0": Place(Experiment(function="relu"), {X: "0"}),
    "Mish, your own": Place(Experiment(f="x*tanh(softplus(x))"), {X: ""}),
    "|x| at 0": Place(Experiment(function="abs"), {X: "0"}),
}
"""What visitors come with."""

state = st.session_state


def show_x() -> None:
    st.text_input(
        "x",
        key=X,
        placeholder="chosen for you",
        help="Decimal or hexadecimal digits, rounded to the dtype. Leave it empty for an x at which the two differ.",
        bind="query-params",
        width=112 if state.function == OWN_FUNCTION or state.df else 150,  # as much as the strip has room for
    )


def show_formula() -> None:
    """Let the visitor choose a formula of the function."""
    formulas = FUNCTIONS[_differentiated()].formulas
    if state.get(FORMULA) not in (None, *formulas):  # it is of the function before
        state[FORMULA] = None
    if state.function == OWN_FUNCTION:  # there is one, by hand or by the rules, and the strip is full
        return
    st.selectbox(
        "Your formula",
        formulas,
        None,
        key=FORMULA,
        placeholder="chosen for you",
        help="The formula held against autograd. Leave it empty for the first that differs; the line has them all.",
        bind="query-params",
        width=190,
    )


def _differentiated() -> str:
    """The function of the controls or, if they describe none, the one that was chosen last."""
    own = state.function == OWN_FUNCTION
    try:
        chosen = Experiment(f=str(state.f)) if own else Experiment(function=str(state.function))
        return replace(chosen, df=str(state.df)).differentiated
    except QueryError:
        return state.chosen.differentiated


def typed_x() -> tuple[float | None, str | None]:
    """Return the x that the visitor typed or picked, if any, and what is wrong with it."""
    text = state.get(X)
    if not text:
        return None, None
    try:
        return number(str(text)), None  # a client other than a browser may not send text
    except PasteError as error:
        return None, quoted(str(error), error.shown)


def pick(tally: DerivativeTally, experiment: Experiment, formula: str) -> None:
    """Take the worst x of the bin that was picked on the curve."""
    bin_ = state[PICTURE].get("pick")
    x = worst_x(tally, bin_, formula) if type(bin_) is int else None
    if x is not None:
        acts.show(X, shortest(x, getattr(torch, experiment.dtype)))
        state.picked = True


def chosen_range(axis: Axis) -> list[int]:
    """Return the range of bins that the visitor chose on this axis, or all of them."""
    if state.get("axis of x", axis) != axis:
        _forget_range()
    state["axis of x"] = axis
    found = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", st.query_params.get(RANGE, ""))
    low, high = map(int, found.groups()) if found else (0, axis.bins)
    if not low < high <= axis.bins:
        low, high = 0, axis.bins
    return [low, high]


def choose_range(axis: Axis) -> None:
    """Take the range that was dragged. A run of the whole page has to follow, which puts it into the link."""
    match state[PICTURE].get(RANGE):
        case [int(low), int(high)] if (low, high) != (0, axis.bins):
            state.dragged = f"{low}-{high}"
        case _:
            state.dragged = ""
    state.picked = True


def follow() -> None:
    """Put the range that was dragged into the link; what a fragment writes there is lost if it asks for a run.

    This run of the whole page is the one that a pick or a drag waits for, whoever asked for it.
    """
    state.pop("picked", None)
    dragged = state.pop("dragged", None)
    if dragged:
        st.query_params[RANGE] = dragged
    elif dragged == "":
        _forget_range()


def _forget_range() -> None:
    if RANGE in st.query_params:
        del st.query_params[RANGE]


def triggers(tally: DerivativeTally, experiment: Experiment, formula: str) -> dict[str, Callable[[], None]]:
    """The callbacks of the picture."""
    return {
        "on_pick_change": partial(pick, tally, experiment, formula),
        "on_range_change": partial(choose_range, axis_of(experiment)),
    }
