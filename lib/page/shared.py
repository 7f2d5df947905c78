"""What the pages of all viewers share: the store of runs and answers, the pace, and drawings.

NOTE [sending]: a tick that is due when the one before it ends begins at once, and its beginning makes Streamlit forget
what it has not sent. On a machine that is too busy nothing would arrive at all. The same holds for a run of the whole
script: if a timer's request comes between its end and the handling of what it sent, Streamlit forgets the rest, new
timers among it, and the page would stand still. So a tick and a run of the script each end with a wait.
"""

import gc
import sys
from collections.abc import Callable, Hashable
from threading import RLock
from time import sleep
from typing import TypeVar

import streamlit as st

from lib.run import store
from lib.run.pace import stay

PATIENCE = 0.3  # seconds for which a drawing waits for an answer of the worker
WAITING = 2  # periods between two looks at whether a visitor who waits for an answer has left or clicked
SELDOM = 5  # ticks to one drawing of what is drawn seldom
MOST_DRAWINGS = 50  # that are kept to be shared, of some 100 kB each
SENDING = 0.3  # part of a period in which a drawing is sent: NOTE [sending]
ONE_AT_A_TIME = RLock()  # many drawings at once only take the interpreter from the thread that sends them

Answer = TypeVar("Answer")

state = st.session_state


@st.cache_resource(show_spinner=False)
def runs() -> store.Runs:
    """The store that all sessions of this process share."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays: no later collection need look at it
    # Each element that a page draws wakes the thread that sends it, and the drawing gets the interpreter back from the
    # worker only after this long: by default 5 ms, for some fifty elements, in which neither gets much done.
    sys.setswitchinterval(0.001)
    return store.Runs()


def pace() -> float:
    """Seconds between two drawings of this page."""
    return runs().pace.period(state.viewer, state.drawing + state.drawing_seldom / SELDOM)


def wait_for_sending() -> None:
    """Lets Streamlit send what was drawn: NOTE [sending]."""
    sleep(SENDING * pace())


def share(about: tuple[str | int | bool, ...], draw: Callable[..., None], *arguments: object) -> None:
    """Draws something without widgets that looks the same to every viewer: the first drawing is kept, and only sent
    again to the others, which takes a sixth of the time.

    `about` is what the drawing depends on, such as the query and how many samples are tallied.
    """
    with ONE_AT_A_TIME:
        _drawn(f"{draw.__module__}.{draw.__qualname__}", about, draw, arguments)


@st.cache_resource(show_spinner=False, max_entries=MOST_DRAWINGS)
def _drawn(name: str, about: tuple[str | int | bool, ...], _draw: Callable[..., None], _arguments: tuple) -> None:
    _draw(*_arguments)


def ask(
    waiting: str, about: Hashable, question: Callable[..., Answer], *arguments: Hashable, settled: bool
) -> Answer | None:
    """The worker's answer to a question. While it is being worked out, this is the last answer about the same thing. If
    there is none, or the question failed, the page says so, and this is None.

    Once a part is settled, no later drawing would bring the answer. So this waits for it, and if the question fails or
    is refused, a button asks it again.
    """
    key = f"answer {waiting}"
    place = None
    while True:
        period = pace()
        patience = max(PATIENCE, WAITING * period) if settled else PATIENCE
        try:
            answer = runs().answers.ask(question, *arguments, patience=patience, again=stay(SELDOM * period))
        except RuntimeError as error:
            if place:
                place.empty()
            st.error(str(error))
            if settled:
                answers = runs().answers
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
        place.caption(f"{waiting} on the way.")  # here the wait ends where the visitor has left or clicked
        if not settled:
            return None
