"""Section: another spelling of the function, typed by the visitor and kept in the link, against the one chosen."""

from dataclasses import replace

import streamlit as st
import torch

from lib.derivative.spelling_sentences import spelling_claim, spelling_conditions, spelling_where
from lib.derivative.spelling_tables import by_range, by_spelling
from lib.derivative.two_spellings import MOST_X, compare
from lib.display.markdown import quoted
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment, QueryError, check_expression
from lib.page.controls import ALLOWED
from lib.page.elements import show_table, show_title, unfold
from lib.page.shared import ask

SECTION, G = "spelling", "g"
"""The keys in the link."""

ASKED = ("function", "f", "dtype", "device", "x_from", "seed")
"""What the comparison depends on, beside the number of x."""

state = st.session_state


def show(experiment: Experiment) -> None:
    unfold("Another spelling: is log1p(x) better than log(1+x)?", SECTION, show_spellings, experiment)


def show_spellings(experiment: Experiment) -> None:
    call = FUNCTIONS[experiment.differentiated].call
    st.text_input(
        "g(x), spelt in another way",
        key=G,
        placeholder="log1p(x)",
        help=f"The same function as f, written in another way, as a Python expression in x: {ALLOWED}",
        bind="query-params",
        width=320,
    )
    st.caption(f"f(x) is `{call}`. Which of two spellings rounds better, and where?")
    g = str(state.get(G) or "")  # a client other than a browser may not send text
    if not g:
        return
    try:
        check_expression(G, g)
    except QueryError as error:
        st.error(quoted(str(error), error.shown))
        return
    asked = {name: getattr(experiment, name) for name in ASKED}
    alone = replace(Experiment(), samples=min(experiment.samples, MOST_X), **asked)
    found = ask("The values of both are", (alone, g), compare, alone, g, settled=True)
    if found is None:
        return
    if found.different:
        st.markdown(f"**{spelling_claim(found)}**")
        return
    st.markdown(f"**{spelling_claim(found)}** {spelling_where(found)}")
    if found.whole.exist:
        show_table(
            by_spelling(found, getattr(torch, experiment.dtype)),
            "Table of both spellings: share that is correctly rounded, mean and largest error in floats",
        )
        show_title("At which x?", "Mean errors in floats; what lies beyond an end is in the end rows.")
        show_table(by_range(found), "Table of ranges of x: how often each spelling is correctly rounded, how far off")
    st.caption(spelling_conditions(found, alone))
