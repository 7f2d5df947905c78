"""What streams on the page: runs that all viewers share, their progress, and the charts that grow with them.

NOTE [step]: many pages opened at one moment would go on drawing at one moment, and the thread that sends would
get no turn meanwhile. So they become whole one after another, and their periods differ a little.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from random import uniform
from time import sleep, thread_time
from typing import Generic, TypeVar

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.query import Experiment
from lib.page.shared import SELDOM, SENDING, pace, runs
from lib.run.progress_sentences import in_queue, progress
from lib.run.run import Run
from lib.run.stream import Study
from lib.run.tally import Tally

FIRST_SLICE = 1.0  # seconds that the first drawing waits for a slice, so that there is something to draw
# Seconds that a browser has for painting the first screen before it is sent the rest of the page, and for how many of
# them there is work for it meanwhile, since the browser may be on the same machine.
ARRIVAL, HEAD_START = 1.0, 0.1
DRAWING = 0.003  # seconds of the processor that a drawing takes, until it has been measured
OUT_OF_STEP = 0.03  # part by which a period is made longer or shorter: NOTE [step]

Tallied = TypeVar("Tallied", bound=Tally)

state = st.session_state


@dataclass(frozen=True)
class Live(Generic[Tallied]):
    """A part of the page that follows the run of a study: a claim, its progress, and what is drawn below.

    `unit` is what its samples are called. `draw` is told whether the figures are settled, the run being finished or
    paused.
    """

    study: type[Study]
    claim: Callable[[Tallied, Experiment], str]
    draw: Callable[[Tallied, Experiment, bool], None]
    unit: str = "samples"
    place: str = ""
    """Tells apart the parts of one tab that follow the same study."""
    draw_first: Callable[[Tallied, Experiment, bool], None] | None = None
    """Draws the beginning of what `draw` does: all that a page shows at first. Without it, a page arrives whole."""
    draw_seldom: Callable[[Tallied, Experiment, bool], None] | None = None
    """Draws what comes below that and need not be drawn as often."""

    @property
    def name(self) -> str:
        return self.study.__name__

    @property
    def paused(self) -> bool:
        return self.name in state.paused

    @property
    def arriving(self) -> bool:
        """Whether the visitor sees the page for the first time, and the rest of it is still to come."""
        return state.arriving and self.draw_first is not None


@dataclass(frozen=True)
class Declared:
    """The conditions under which a part's fragment was declared. Once they change, the page must declare it anew."""

    finished: bool
    paused: bool
    arriving: bool
    period: float

    @property
    def still(self) -> bool:
        """Whether there is nothing to follow."""
        return self.finished or self.paused

    def outdated(self, now: "Declared") -> bool:
        """A small change of the period is not enough, since a whole run of the page has its price."""
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
    """Draws what need not be drawn at every tick; its last drawing comes with the last tick."""
    start = thread_time()
    run = runs().get(part.study, experiment)
    finished, tally = run.finished, run.tally
    part.draw_seldom(tally, experiment, finished or part.paused)
    state.drawing_seldom = thread_time() - start


def pause(part: Live, run: Run) -> None:
    state.paused |= {part.name}
    run.release()


def resume(part: Live) -> None:
    state.paused -= {part.name}
