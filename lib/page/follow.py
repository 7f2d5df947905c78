"""Follow a run: draw its current tally, and let the browser trigger the next update.

`ask` lets the thread that computes the runs call a function, and returns its answer.

NOTE [ticks]: a fragment calls `follow`, draws the tally, and ends with `tick`. `tick` is an
invisible component that makes the server run the fragment again. We do not use `run_every` of
Streamlit: with it 4 of 100 pages stopped for good, since the message that restarts its timer can
get lost.
"""

import gc
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.drawings import browser_module
from lib.run import answers
from lib.run.shared_runs import Runs, progress
from lib.run.stream import Study

PERIOD = 0.4
"""Seconds between two updates of a page while the server has few viewers."""

MOST_PER_SECOND = 30
"""Updates per second for all viewers together. With many viewers, the period grows."""

FIRST_WAIT = 0.25
"""Seconds that a page waits for the first figures of a run."""

PATIENCE = 60.0
"""Seconds that a page waits for the answer to a question."""

Answer = TypeVar("Answer")


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    """Return the store of runs, which all viewers share."""
    # Modules are never freed. Without this, each full garbage collection would traverse them, and
    # stop all threads for 0.2 s.
    gc.freeze()
    return Runs()


@st.cache_resource(show_spinner=False)
def questions() -> Runs:
    """Return the store of questions, which all viewers share.

    A question is stored like a run that has one sample, and this sample is the answer: see
    `run.answers`. One thread, the worker, serves both stores.
    """
    return Runs(runs().worker)


def ask(question: Callable[..., Answer], *arguments: Hashable) -> Answer:
    """Return the answer to a question: the result of a function that the worker calls.

    Without an answer, show an error and stop the script. An answer is computed once for all
    viewers, and only while somebody waits for it.

    Args:
        question: the function. Like the runs, it is called on the worker's thread.
        arguments: its arguments. Answers are stored by function and arguments.
    """
    try:
        return answers.ask(questions(), question, *arguments, patience=PATIENCE)
    except (TimeoutError, RuntimeError) as error:
        st.error(str(error))
        st.stop()


@dataclass(frozen=True)
class RunState:
    """The state of a run at one moment.

    Attributes:
        study: the study of the run.
        experiment: its experiment.
        finished: whether the run is over: all samples are measured, or it failed.
        tally: what the study has counted so far.
        error: why the run failed, None if it did not.
        rate: samples per second.
        refused: whether the run has to wait because the store is full.
        paused: whether the visitor paused it.
    """

    study: type[Study]
    experiment: Any
    finished: bool
    tally: Any
    error: str | None
    rate: float
    refused: bool
    paused: bool = False

    @property
    def goes_on(self) -> bool:
        return not (self.finished or self.paused)


def follow(study: type[Study], experiment: Experiment) -> RunState:
    """Return the current state of a run. Start or continue the run unless the visitor paused it."""
    paused = _paused().get((study, experiment))
    if paused:
        # All parts that draw this run stand still, even if it goes on for another viewer.
        return paused
    run = runs().request(study, experiment)
    if not run.tally.samples:
        run.wait(FIRST_WAIT)
    # It is read before the tally: if it is true, the tally is final.
    finished = run.finished
    return RunState(study, experiment, finished, run.tally, run.error, run.rate, run.refused)


def show_progress(run: RunState, unit: str = "samples") -> None:
    """Draw the progress of a run, with a button that pauses it or lets it go on.

    If the run failed, draw its error and a button to try again instead.

    Args:
        run: the run.
        unit: what the run counts, in the plural.
    """
    if run.error:
        st.error(run.error)
        again = st.button(
            "Try again",
            key=f"again {run.study.__name__}",
            on_click=runs().forget,
            args=(run.study, run.experiment),
        )
        if again:
            # Other fragments may follow the run, too.
            st.rerun()
        return
    total = run.study.total(run.experiment)
    samples = run.tally.samples
    text = progress(samples, total, unit, run.rate, run.paused, run.refused)
    if run.finished:
        st.caption(text)
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.progress(samples / total, text)
        pressed = st.button(
            "Go on" if run.paused else "Pause",
            key=f"pause {run.study.__name__}",
            type="tertiary",
            on_click=_pause_or_go_on,
            args=(run,),
        )
    if pressed:
        # Other fragments may follow the run, too.
        st.rerun()


def tick(key: str, *followed: RunState) -> None:
    """Let the browser trigger the next update, unless all runs are finished or paused.

    Args:
        key: a name for the fragment, which no other fragment of the tab has.
        followed: the runs that it draws.
    """
    wait = _next_slot() - monotonic() if any(run.goes_on for run in followed) else None
    # `now` differs each time: the browser calls the module again only if the data has changed.
    _tick(key=f"tick {key}", data={"wait": wait, "now": monotonic()})


_tick = browser_module("tick")
_lock = Lock()
_last_slot = 0.0


def _next_slot() -> float:
    """Return the time of the next update: a period from now, later if there are many viewers."""
    global _last_slot
    with _lock:
        _last_slot = max(monotonic() + PERIOD, _last_slot + 1 / MOST_PER_SECOND)
        return _last_slot


def _pause_or_go_on(run: RunState) -> None:
    """Pause a run, or let it go on if it is paused."""
    key = run.study, run.experiment
    if run.paused:
        del _paused()[key]
    else:
        _paused()[key] = replace(run, paused=True)
        runs().get(*key).release()


def _paused() -> dict[tuple[type[Study], Any], RunState]:
    """Return the runs that the visitor paused."""
    return st.session_state.setdefault("paused", {})
