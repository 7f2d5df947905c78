"""Is my derivative right? A formula by hand against autograd, and both against the exact derivative."""

from typing import Any

import streamlit as st
import torch

from lib.derivative import charts
from lib.derivative.axis import axis_of
from lib.derivative.curve import compared, curves, errors_over_x
from lib.derivative.explanation import Explanation, explain
from lib.derivative.line import at_one_x
from lib.derivative.opening_sentences import (
    does_it_matter,
    head_claim,
    head_why,
    line_note,
    line_title,
    one_x,
    over_x,
    which_formula,
    which_right,
)
from lib.derivative.points import SPELLINGS, example_x
from lib.derivative.sentences import (
    derivative_claim,
    derivative_conditions,
    derivative_reference,
    round_trip,
    twins,
    x_conditions,
)
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, tables
from lib.derivative.tally import DerivativeTally
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.page import at_x, ghost, jumps, points
from lib.page.elements import Card, draw_chart, show_cards, show_environment, show_table, show_title, unfold
from lib.page.frame import open_tab
from lib.page.live import Live, follow
from lib.page.picture import draw_picture
from lib.page.shared import ask, share

UNIT = "Mean error in floats: lower is better"
JUMPS = "▼ the derivative passes a power of two: the spacing of floats changes by a factor of two"
GAPS = "gap: nothing measured there"
SAID = "Drag an end to narrow the range. Click the chart, and the worst x of that place is shown above."
BINNED = {"log": "the size of x", "even": "x"}

state = st.session_state


def show() -> None:
    jumps.follow_click("known", at_x.KNOWN)
    at_x.follow()
    opening = open_tab(
        "function",
        "f",
        "df",
        at_x.show_x,
        at_x.show_formula,
        "dtype",
        "device",
        study="derivative",
        more=("x_from", "samples", "seed"),
        tries=("known", at_x.KNOWN),
    )
    part = Live(Derivative, claim, draw, "x", draw_first=draw_first, why=why)
    follow(part, opening.experiment, opening)
    if part.arriving:
        return
    points.show(opening.experiment)


def formula_of(tally: DerivativeTally, experiment: Experiment) -> str:
    return compared(tally, experiment, str(state.get(at_x.FORMULA)))


def claim(tally: DerivativeTally, experiment: Experiment) -> str:
    return head_claim(tally, formula_of(tally, experiment), experiment)


def why(tally: DerivativeTally, experiment: Experiment) -> str:
    return head_why(tally, formula_of(tally, experiment), experiment)


def draw_first(tally: DerivativeTally, experiment: Experiment, settled: bool) -> None:
    """Draw the picture alone, as the page arrives."""
    draw(tally, experiment, settled, whole=False)


def draw(tally: DerivativeTally, experiment: Experiment, settled: bool, whole: bool = True) -> None:
    if state.pop("picked", False):
        st.rerun()  # the control of x lies outside
    formula = formula_of(tally, experiment)
    place, below = st.container(key="derivative place"), st.container()
    x, fault = at_x.typed_x()
    if x is None:
        x = example_x(tally, experiment, formula)
    with below:
        if fault:
            st.error(fault)
        about = experiment.differentiated, x, experiment.dtype, experiment.device
        explanation = ask("The exact derivative is", experiment, explain, *about, settled=settled)
    with place:
        draw_picture(
            "derivative",
            picture(tally, experiment, formula, explanation),
            at_x.PICTURE,
            **at_x.triggers(tally, experiment, formula),
        )
    if not whole:
        return
    if explanation:
        with below:
            st.markdown(one_x(explanation, formula, experiment))
    show_cards(cards(tally, experiment, formula, exists=not explanation or explanation.exact is not None))
    unfold("All formulas: how often right, how far off", "formulas", draw_formulas, tally, experiment, settled)
    if explanation:
        unfold("This x, digit by digit", "digits", points.show_digits, explanation, experiment)


def picture(
    tally: DerivativeTally, experiment: Experiment, formula: str, explanation: Explanation | None
) -> dict[str, Any]:
    axis = axis_of(experiment)
    former = ghost.of("derivative", experiment, curves(tally, experiment, formula) if tally.samples else None)
    curve = errors_over_x(tally, experiment, formula, former.data if former else None)
    return {
        "about": f"{axis}",
        "title": line_title(explanation, experiment) if explanation else "",
        "note": line_note(explanation, experiment) if explanation else "",
        "label": one_x(explanation, formula, experiment) if explanation else "",
        "line": at_one_x(explanation, experiment, formula) if explanation else None,
        "curve": curve,
        "curve_label": over_x(tally, formula, experiment),
        "unit": UNIT if curve["linear"] else f"{UNIT}. The axis is that of log₂(1 + error)",
        "hint": hint(curve, former.name if former and curve["ghost"] else ""),
        "said": SAID,
        "x": axis.place(explanation.x) if explanation else None,
        "range": at_x.chosen_range(axis),
    }


def hint(curve: dict[str, Any], former: str) -> str:
    """What there is on the curves to explain."""
    told = [JUMPS if curve["jumps"] else "", GAPS if curve["gaps"] else "", f"thin: {former}" if former else ""]
    return " · ".join(filter(None, told))


def cards(tally: DerivativeTally, experiment: Experiment, formula: str, exists: bool) -> list[Card]:
    """The three cards. The last one leads to where the derivative is 0 by mistake, if it can be that, or to why it does
    not exist."""
    zero = any(one.zero for one in tally.series.tallies.values())
    if exists and (zero or FUNCTIONS[experiment.differentiated].flattens):
        way_on = "Where it is 0 by mistake", "saturation"
    elif experiment.function in SPELLINGS:
        way_on = "At a kink", "kinks"
    else:
        way_on = "At the edges of the domain", "edges"
    return [
        Card("Which formula does autograd use?", which_formula(tally, experiment), "All formulas", "formulas"),
        Card("Which one is right?", which_right(tally, formula, experiment), "This x, digit by digit", "digits"),
        Card("Does it matter?", does_it_matter(tally, formula, experiment), *way_on),
    ]


def draw_formulas(tally: DerivativeTally, experiment: Experiment, settled: bool) -> None:
    st.caption(derivative_conditions(experiment))
    if tally.exist:
        share((experiment.query, tally.samples, settled), draw_figures, tally, experiment, settled)


def draw_figures(tally: DerivativeTally, experiment: Experiment, settled: bool) -> None:
    data = tables(tally, experiment)
    show_table(
        comparison(tally, getattr(torch, experiment.dtype)),
        "Table of autograd and the formulas: shares that are equal and correctly rounded, errors in ulps",
    )
    st.markdown(f"{twins(tally)} {round_trip(tally, experiment)}")
    left, right = st.columns(2, gap="large")
    with left:
        show_title(
            "How far from the exact derivative?",
            "Share of x by error; errors of 4 ulps and more are in the last column. The height shows the square root.",
        )
        takeaway = derivative_claim(tally, experiment) if settled else None
        draw_chart(
            "errors", charts.errors(), data, "Histogram of the errors in ulps, one line for each derivative", takeaway
        )
    with right:
        binned = BINNED[FUNCTIONS[experiment.differentiated].axis]
        about = f"Mean error by {binned}, on an axis of log₂(1 + error); what lies beyond an end is in the end columns."
        show_title("At which x?", about)
        draw_chart("by_x", charts.by_x(), data, "Curves of the mean error by x, one for each derivative")
    st.caption(x_conditions(experiment))
    st.caption(derivative_reference(tally))
    show_environment(experiment)
