"""Section 6: a derivative by hand. Formulas that are equal on paper but not in floats, and the one autograd uses."""

from dataclasses import replace

import streamlit as st
import torch

from lib.derivative.charts import BY_X, ERRORS
from lib.derivative.explanation import explain
from lib.derivative.points import the_posts_x
from lib.derivative.saturation import saturation
from lib.derivative.sentences import (
    derivative_claim,
    derivative_conditions,
    derivative_intro,
    derivative_reference,
    explanation_claim,
    round_trip,
    saturation_claim,
    saturation_list,
    twins,
    why_by_hand,
    x_conditions,
)
from lib.derivative.study import Derivative
from lib.derivative.tables import comparison, explained, tables
from lib.derivative.tally import DerivativeTally
from lib.display.markdown import quoted
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.page import points
from lib.page.elements import draw_chart, show_environment, show_table, show_title
from lib.page.frame import open_tab
from lib.page.live import Live, follow
from lib.page.shared import ask, share
from lib.paste.matrix import PasteError, number

POST = Experiment()
BINNED = {
    "log": "the size of x; what lies beyond an end is in the end columns",
    "even": "x; what lies beyond an end is in the end columns",
}

MEANING = """
The float nearest to the exact derivative is at most half an ulp away from it: that is what is called correctly rounded.
A formula that rounds more than once need not end on it.
"""


def show() -> None:
    opening = open_tab("function", "dtype", "device", more=("x_from", "samples", "seed"))
    experiment = opening.experiment
    st.header("A derivative by hand", anchor="by-hand", divider="gray")
    if experiment.function == POST.function:
        show_post()
    else:
        st.markdown(derivative_intro(experiment))
    follow(Live(Derivative, derivative_claim, draw, "x"), experiment, opening)
    show_saturation(experiment)
    points.show(experiment)


def show_post() -> None:
    """Show which x the third post's number came from, and the value of each formula there."""
    st.markdown(
        "The example of a forum post: `loss = 1/a`, and by hand −1/a². Printed, `a.grad` and `-1/(a**2)` were both "
        "`-0.9074`, and yet their difference was `5.9605e-08`. That is 2⁻²⁴, one ulp of the result: the smallest "
        "difference that there can be between these floats."
    )
    candidates = ask("The post's x is", POST, the_posts_x, settled=True)
    if candidates is None:
        return
    st.markdown(
        f"In float32 there are {len(candidates)} positive x for which all three are printed just so, from "
        f"{candidates[0]:.7g} to {candidates[-1]:.7g}. At the first of them, formula by formula:"
    )
    show_explanation("The explanation is", POST, candidates[0], settled=True)


def draw(tally: DerivativeTally, experiment: Experiment, settled: bool) -> None:
    st.caption(derivative_conditions(experiment))
    st.caption(x_conditions(experiment))
    if tally.samples == tally.outside:
        return
    share((experiment.query, tally.samples, settled), draw_figures, tally, experiment, settled)
    show_worst(tally, experiment, settled)


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
            "Share of x by error; errors of 4 ulps and more are in the last column. The axis is a square root.",
        )
        takeaway = derivative_claim(tally, experiment) if settled else None
        draw_chart("errors", ERRORS, data, "Histogram of the errors in ulps, one line for each derivative", takeaway)
    with right:
        show_title("At which x?", f"Mean error by {BINNED[FUNCTIONS[experiment.function].axis]}.")
        draw_chart("by_x", BY_X, data, "Curves of the mean error by x, one for each derivative")
    st.caption(derivative_reference(tally))
    show_environment(experiment)
    st.markdown(MEANING)
    st.markdown(why_by_hand(experiment).markdown)


def show_worst(tally: DerivativeTally, experiment: Experiment, settled: bool) -> None:
    """Show the worst x so far, or the x that the visitor enters."""
    st.header("One x, formula by formula", anchor="one-x", divider="gray")
    text = st.text_input(
        "x to look at",
        key="explain",
        placeholder="the worst x so far",
        help="In decimal or hexadecimal digits; it is rounded to the dtype. Empty: the x with the largest error.",
        bind="query-params",
    )
    if text:
        try:
            x = number(str(text))  # a client other than a browser may not send text
        except PasteError as error:
            st.error(quoted(str(error), error.shown))
            return
    else:
        name, series = max(tally.series.tallies.items(), key=lambda item: (item[1].finite > 0, item[1].worst.value))
        if series.finite == 0:
            st.markdown("No derivative has an error in ulps so far: all of them, or all exact ones, overflow.")
            return
        x = series.worst.place.x
        so_far = "" if settled else " so far"
        if series.worst.value == 0:
            st.markdown(f"No derivative has an error{so_far}.")
        else:
            st.markdown(f"The largest error{so_far}, {series.worst.value:.3g} ulp, is that of `{name}`.")
    show_explanation("This x is", experiment, x, settled)


def show_explanation(waiting: str, experiment: Experiment, x: float, settled: bool) -> None:
    about = experiment.function, x, experiment.dtype, experiment.device
    explanation = ask(waiting, experiment, explain, *about, settled=settled)
    if explanation is None:
        return
    st.markdown(explanation_claim(explanation, experiment))
    show_table(
        explained(explanation, getattr(torch, experiment.dtype)),
        "Table of the derivative at one x by autograd and by each formula",
    )


def show_saturation(experiment: Experiment) -> None:
    st.header("Where is it 0 by mistake?", anchor="saturation", divider="gray")
    alone = replace(POST, function=experiment.function, dtype=experiment.dtype, device=experiment.device)
    found = ask("The search of the float line is", alone, saturation, alone, settled=True)
    if found is None:
        return
    st.markdown(saturation_claim(found, experiment))
    st.markdown(saturation_list(found))
