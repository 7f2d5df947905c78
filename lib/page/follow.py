"""Follow a run: the page draws it as it stands, and the browser asks for the next drawing.

NOTE [ticks]: a fragment calls `follow`, draws the tally, and ends with `tick`, a component without a picture that
asks for the next run of the fragment. The browser asks, not a timer of the server: Streamlit's `run_every` can lose
the message that starts its timer anew, and the page then stands still for good.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.drawings import component
from lib.run import answers
from lib.run.runs import Runs, progress
from lib.run.stream import Study

PERIOD = 0.3
"""Seconds from a drawing to the next, while the server has few viewers."""

MOST_PER_SECOND = 40
"""Drawings of all viewers together: with many viewers, the period grows."""

FIRST_WAIT = 0.25
"""Seconds that a page waits for the first figures of a run."""

PATIENCE = 60.0
"""Seconds that a page waits for the answer to a question."""

Answer = TypeVar("Answer")


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    """Return the runs that all viewers share."""
    return Runs()


@st.cache_resource(show_spinner=False)
def questions() -> Runs:
    """Return the questions that all viewers share, with the worker of the runs."""
    return Runs(runs().worker)


def ask(question: Callable[..., Answer], *arguments: Hashable) -> Answer:
    """Return the worker's answer to a question; without one, say why in a sentence, and draw nothing more."""
    try:
        answer = answers.ask(questions(), question, *arguments, patience=PATIENCE)
    except RuntimeError as error:
        st.error(str(error))
        st.stop()
    if answer is None:
        st.error("The server is busy. Load the page again in a moment.")
        st.stop()
    return answer


@dataclass(frozen=True)
class Snapshot:
    """A run as it stood at one moment, while its worker goes on."""

    study: type[Study]
    experiment: Any
    finished: bool
    tally: Any
    error: str | None
    rate: float
    refused: bool


def follow(study: type[Study], experiment: Experiment) -> Snapshot:
    """Return the run of a study as it stands; it is at work unless it is finished or the visitor has paused it."""
    if _is_paused(study, experiment):
        run = runs().get(study, experiment)
    else:
        run = runs().request(study, experiment)
    if not run.tally.samples:
        run.wait(FIRST_WAIT)
    finished = run.finished  # before the tally: what is finished has its last figures
    return Snapshot(study, experiment, finished, run.tally, run.error, run.rate, run.refused)


def show_progress(run: Snapshot, unit: str = "samples") -> None:
    """Draw how far a run is, with a button to pause it, and what is wrong if it failed."""
    if run.error:
        st.error(run.error)
        st.button(
            "Try again",
            key=f"again {run.study.__name__}",
            on_click=runs().forget,
            args=(run.study, run.experiment),
        )
        return
    total = run.study.total(run.experiment)
    samples = run.tally.samples
    paused = _is_paused(run.study, run.experiment)
    text = progress(samples, total, unit, run.rate, paused, run.refused)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.progress(samples / total, text)
        if not run.finished:
            words = "Go on" if paused else "Pause"
            st.button(
                words,
                key=f"pause {run.study.__name__}",
                type="tertiary",
                on_click=_pause,
                args=(run, not paused),
            )


def tick(run: Snapshot) -> None:
    """Ask the browser for the next drawing, unless the run that was drawn is finished or paused."""
    goes_on = not (run.finished or _is_paused(run.study, run.experiment))
    wait = _next_slot() - monotonic() if goes_on else None
    _tick(
        key=f"tick {run.study.__name__}",
        data={"wait": wait, "number": monotonic()},
        on_tick_change=lambda: None,
    )


_tick = component("tick")
_lock = Lock()
_last_slot = 0.0


def _next_slot() -> float:
    """Return the time of the next drawing: a period from now, or later if other viewers have that slot."""
    global _last_slot
    with _lock:
        _last_slot = max(monotonic() + PERIOD, _last_slot + 1 / MOST_PER_SECOND)
        return _last_slot


def _is_paused(study: type[Study], experiment: Any) -> bool:
    return st.session_state.get("paused") == (study, experiment)


def _pause(run: Snapshot, paused: bool) -> None:
    st.session_state["paused"] = (run.study, run.experiment) if paused else None
    if paused:
        runs().get(run.study, run.experiment).release()
