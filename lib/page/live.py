"""What streams on the page: runs that all viewers share, their progress, and the charts that grow with them.

NOTE [sending]: where the next tick is due when one ends, it begins at once, and its beginning makes Streamlit forget
what it has not sent. On a machine that is too busy nothing would arrive at all. Likewise for a run of the whole script:
a request of a timer that comes between its end and the handling of what it sent makes Streamlit forget the rest, such
as its new timers, and the page would stand still. So a tick and a run of the script each end with a wait.

NOTE [step]: pages that many open at one moment would draw at one moment for ever, and the thread that sends would not
get a turn meanwhile. So they become whole one after another, and their periods differ a little.
"""

import gc
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from random import uniform
from threading import RLock
from time import sleep, thread_time
from typing import TypeVar

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.machine_sentences import environment
from lib.run import store as shared
from lib.run.pace import stay
from lib.run.progress_sentences import in_queue, progress
from lib.run.stream import Study
from lib.run.tally import Tally

PATIENCE = 0.3  # seconds for which a drawing waits for an answer of the worker
WAITING = 2  # periods between two looks at whether a visitor who waits for an answer has left or clicked
FIRST_SLICE = 1.0  # seconds that the first drawing waits for a slice, so that there is something to draw
# Seconds that a browser has for painting the first screen before it is sent the rest of the page, and for how many of
# them there is work for it meanwhile, since the browser may be on the same machine.
ARRIVAL, HEAD_START = 1.0, 0.1
SELDOM = 5  # ticks to one drawing of what is drawn seldom
DRAWING = 0.003  # seconds of the processor that a drawing takes, until it has been measured
MOST_DRAWINGS = 50  # that are kept to be shared, of some 100 kB each
SENDING = 0.3  # part of a period in which a drawing is sent: NOTE [sending]
OUT_OF_STEP = 0.03  # part by which a period is made longer or shorter: NOTE [step]
ONE_AT_A_TIME = RLock()  # many drawings at once only take the interpreter from the thread that sends them

Answer = TypeVar("Answer")

state = st.session_state


@st.cache_resource(show_spinner=False)
def runs() -> shared.Runs:
    """The store that all sessions of this process share."""
    gc.collect()
    gc.freeze()  # what is loaded by now stays: no later collection need look at it
    # Each element that a page draws wakes the thread that sends it, and the drawing gets the interpreter back from the
    # worker only after this long: by default 5 ms, for some fifty elements, in which neither gets much done.
    sys.setswitchinterval(0.001)
    return shared.Runs()


@dataclass(frozen=True)
class Live:
    """A part of the page that follows the run of a study: a claim, its progress, and what is drawn below.

    `unit` is what its samples are called. `draw` is told whether the figures are settled, the run being finished or
    paused.
    """

    study: type[Study]
    unit: str
    claim: Callable[[Tally, Experiment], str]
    draw: Callable[[Tally, Experiment, bool], None]
    place: str = ""
    """Tells parts of one tab apart that follow the same study."""
    draw_first: Callable[[Tally, Experiment, bool], None] | None = None
    """The beginning of what `draw` draws: all that a page has when it arrives. Without it, the page arrives whole."""
    draw_seldom: Callable[[Tally, Experiment, bool], None] | None = None
    """What is drawn below that, and not as often."""

    @property
    def name(self) -> str:
        return self.study.__name__

    @property
    def paused(self) -> bool:
        return self.name in state.paused

    @property
    def arriving(self) -> bool:
        """Whether this is the first that a visitor sees, and the rest of the page is still to come."""
        return state.arriving and self.draw_first is not None


@dataclass(frozen=True)
class Declared:
    """What the fragment of a part was declared for. When that has changed, the page must declare it anew."""

    finished: bool
    paused: bool
    arriving: bool
    period: float

    @property
    def still(self) -> bool:
        """Whether the part has nothing to follow."""
        return self.finished or self.paused

    def outdated(self, now: "Declared") -> bool:
        """Not by every change of the period, since a whole run of the page has its price too."""
        return replace(self, period=now.period) != now or not 0.6 < self.period / now.period < 2


def follow(part: Live, experiment: Experiment) -> None:
    """Puts a part on the page and keeps it going."""
    run = runs().get(part.study, experiment)
    period = pace()
    if run.tally.samples == 0 and not part.paused:
        run.request(HEAD_START if part.arriving else period)
        run.wait(FIRST_SLICE)
    declared = Declared(run.finished, part.paused, part.arriving, period)
    if part.arriving:
        run_every = ARRIVAL
    else:
        run_every = None if declared.still else period * uniform(1 - OUT_OF_STEP, 1 + OUT_OF_STEP)
    st.fragment(tick, run_every=run_every)(part, experiment, declared, count())
    if part.draw_seldom and not part.arriving:
        st.fragment(tick_seldom, run_every=run_every and SELDOM * run_every)(part, experiment)


def pace() -> float:
    """Seconds between two drawings of this page."""
    return runs().pace.period(state.viewer, state.drawing + state.drawing_seldom / SELDOM)


def wait_for_sending() -> None:
    """Lets Streamlit send what was drawn: NOTE [sending]."""
    sleep(SENDING * pace())


def tick(part: Live, experiment: Experiment, declared: Declared, ticks: Iterator[int]) -> None:
    """Asks for work and draws what there is. `ticks` counts the drawings of this fragment."""
    if declared.arriving and not part.arriving:
        sleep(runs().pace.turn_to_declare(inf))
        st.rerun()
    start = thread_time()
    run = runs().get(part.study, experiment)
    period = pace()
    if not part.paused and not part.arriving:
        run.request(period)
    finished, tally, total = run.finished, run.tally, part.study.total(experiment)
    st.subheader(part.claim(tally, experiment), anchor=False)
    key = f"{part.name} {part.place}".rstrip()
    others = runs().at_work - run.at_work
    before = runs().before(run)
    queue = "" if before is None else in_queue(before, tally.samples > 0, run.refused)
    with st.container(horizontal=True, vertical_alignment="center"):
        # Two buttons, not one with two meanings: Streamlit may apply a click a second time, to what stands there then.
        if finished or not part.paused:
            st.button("Pause", on_click=pause, args=(part, run), disabled=finished, width=120, key=f"pause {key}")
        else:
            st.button("Resume", on_click=resume, args=(part,), width=120, key=f"resume {key}")
        state_of_run = progress(tally.samples, total, part.unit, run.rate, part.paused, others, queue)
        st.progress(tally.samples / total, state_of_run)
    if run.error:
        st.error(f"{quoted(run.error, run.error)} [A link to this experiment](?{experiment.query}).")
        st.button("Try again", on_click=runs().forget, args=(part.study, experiment), key=f"again {key}")
    draw = part.draw_first if declared.arriving else part.draw
    draw(tally, experiment, finished or part.paused)
    if declared.arriving:
        return
    state.drawing = thread_time() - start
    if next(ticks) == 0:  # a part of a whole run, which goes on behind this
        return
    sleep(SENDING * period)
    if declared.outdated(Declared(finished, part.paused, part.arriving, period)):
        # If there is a next tick, it can be left to that.
        if declared.still or runs().pace.turn_to_declare() is not None:
            st.rerun()


def tick_seldom(part: Live, experiment: Experiment) -> None:
    """Draws what need not be drawn at every tick; the last time it is drawn together with the last tick."""
    start = thread_time()
    run = runs().get(part.study, experiment)
    finished, tally = run.finished, run.tally
    part.draw_seldom(tally, experiment, finished or part.paused)
    state.drawing_seldom = thread_time() - start


def pause(part: Live, run: shared.Run) -> None:
    state.paused |= {part.name}
    run.release()


def resume(part: Live) -> None:
    state.paused -= {part.name}


def share(about: tuple[str | int | bool, ...], draw: Callable[..., None], *arguments: object) -> None:
    """Draws what every viewer who is shown this is shown alike, without widgets: the first one's drawing is kept, and
    for the others it is only sent again, which takes a sixth of the time.

    `about` is what it depends on, such as the query and how many samples are tallied.
    """
    with ONE_AT_A_TIME:
        _drawn(f"{draw.__module__}.{draw.__qualname__}", about, draw, arguments)


@st.cache_resource(show_spinner=False, max_entries=MOST_DRAWINGS)
def _drawn(name: str, about: tuple[str | int | bool, ...], _draw: Callable[..., None], _arguments: tuple) -> None:
    _draw(*_arguments)


def ask(
    waiting: str, about: Hashable, question: Callable[..., Answer], *arguments: Hashable, settled: bool
) -> Answer | None:
    """What the worker answers to the question. While it is at it, what it answered last about the same thing; if there
    is no such answer, or the question failed, the page says so, and this is None.

    Where the part is settled no later drawing would bring the answer: so this waits for it, and if the question failed
    or was refused, there is a button to ask it again.
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


def show_environment(experiment: Experiment, before: str = "") -> None:
    """One line on what computes the figures here, below what else is to be said in small print."""
    st.caption(f"{before}\n\n{environment(machine.describe(experiment), experiment.device)}".lstrip())
