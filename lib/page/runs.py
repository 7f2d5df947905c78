"""The runs and the questions of the one worker that all viewers of this process share."""

from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st

from lib.run import answers
from lib.run.runs import Runs

PATIENCE = 0.2  # seconds that a tick waits for an answer; the next tick asks again
AT_REST = 60.0  # seconds likewise where no tick follows
_AGAIN = 10.0  # seconds for which a question stays asked

Answer = TypeVar("Answer")


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    return Runs()


@st.cache_resource(show_spinner=False)
def questions() -> Runs:
    return Runs(runs().worker)


def ask(question: Callable[..., Answer], *arguments: Hashable, patience: float = AT_REST) -> Answer | None:
    """Return the worker's answer to a question, None as long as there is none. A failed question raises."""
    return answers.ask(questions(), question, *arguments, patience=patience, again=_AGAIN)
