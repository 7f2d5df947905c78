"""What all viewers' pages share: the store of runs and answers, the pace, and drawings.

NOTE [sending]: if a tick is due when the previous one ends, it starts at once, and its start makes Streamlit drop
whatever it has not sent yet. On an overloaded machine, nothing would arrive at all. The same holds for a run of the
whole script: if a timer's request arrives after the run ends but before all its messages are handled, Streamlit drops
the rest, including new timers, and the page would freeze. So every tick and every run of the script ends with a wait.
"""

import gc
import sys
from collections.abc import Callable, Hashable
from time import sleep
from typing import TypeVar

import streamlit as st

from lib.page.turns import Turns
from lib.run import store
from lib.run.answers import Answers, Busy
from lib.run.pace import stay

PATIENCE = 0.3  # seconds that a drawing waits for an answer from the worker
WAITING = 2  # periods between checks whether a visitor who waits for an answer has left or clicked
SELDOM = 5  # ticks between two drawings of the parts that are drawn seldom
MOST_DRAWINGS = 50  # drawings kept for sharing, about 100 kB each
SENDING = 0.3  # fraction of a period left for sending a drawing: NOTE [sending]
TURNS = Turns()  # of drawing, for the sessions of this process

Answer = TypeVar("Answer")

state = st.session_state


@st.cache_resource(show_spinner=False)
def runs() -> store.Runs:
    """Return the store that all sessions of this process share."""
    gc.collect()
    gc.freeze()  # everything loaded so far stays, so later collections need not scan it
    # Each element that a page draws wakes the thread that sends it, and afterwards the drawing waits this long to get
    # the interpreter back from the worker. At the default of 5 ms, about fifty elements would lose a lot of time.
    sys.setswitchinterval(0.001)
    return store.Runs()


def pace() -> float:
    """Return the seconds between two drawings of this page."""
    return runs().pace.period(state.viewer, state.drawing + state.drawing_seldom / SELDOM)


def wait_for_sending() -> None:
    """Wait so that Streamlit can send what was drawn: NOTE [sending]."""
    sleep(SENDING * pace())


def share(about: tuple[str | int | bool, ...], draw: Callable[..., None], *arguments: object) -> None:
    """Draw something that looks the same to every viewer and has no widgets.

    The first drawing is kept; for the other viewers it is only sent again, which takes a sixth of the time. `about` is
    what the drawing depends on, for example the query and the number of samples tallied. `draw` asks nothing: Streamlit
    locks what it keeps, and who waits lends the turn, so two sessions would wait for each other for ever.
    """
    with TURNS:
        _drawn(f"{draw.__module__}.{draw.__qualname__}", about, draw, arguments)


@st.cache_resource(show_spinner=False, max_entries=MOST_DRAWINGS)
def _drawn(name: str, about: tuple[str | int | bool, ...], _draw: Callable[..., None], _arguments: tuple) -> None:
    _draw(*_arguments)


def ask(
    waiting: str,
    about: Hashable,
    question: Callable[..., Answer],
    *arguments: Hashable,
    settled: bool,
    answers: Answers | None = None,
) -> Answer | None:
    """Return the worker's answer to a question.

    While the worker is busy with it, return the last answer about the same thing. If there is none, or if the question
    failed, say so on the page and return None.

    Once a part is settled, no later drawing would bring the answer. So this function then waits for it, also while too
    many others wait, and shows a button to ask again if the question fails.

    `answers` are those of a worker of its own, for questions that would keep the runs waiting.
    """
    answers = answers or runs().answers
    key = f"answer {waiting}"
    place = None
    while True:
        period = pace()
        patience = max(PATIENCE, WAITING * period) if settled else PATIENCE
        said = f"{waiting} on the way."
        try:
            with TURNS.lent():
                answer = answers.ask(question, *arguments, patience=patience, again=stay(SELDOM * period))
        except Busy as busy:
            said, answer = str(busy), None
            with TURNS.lent():
                sleep(patience)
        except RuntimeError as error:
            if place:
                place.empty()
            st.error(str(error))
            if settled:
                st.button("Try again", on_click=answers.forget, args=(question, *arguments), key=f"again {key}")
            return None
        if answer is not None:
            if place:
                place.empty()
            state[key] = about, answer
            return answer
        if not settled and state.get(key, (None, None))[0] == about:
            return state[key][1]
        place = place or st.empty()
        place.caption(said)  # Streamlit ends the script here if the visitor has left or clicked
        if not settled:
            return None
