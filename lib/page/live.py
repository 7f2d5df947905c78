"""The live parts of the page: runs that all viewers share, their progress, and the charts that grow with them.

NOTE [step]: many pages opened at the same moment would keep drawing at the same moments, and the thread that sends
would get no turn in between. So the pages complete their first screens one after another, and their periods differ a
little.
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
from lib.page import wake
from lib.page.elements import show_head
from lib.page.frame import Opening, open_section
from lib.page.shared import SELDOM, SENDING, TURNS, pace, runs
from lib.run.progress_sentences import in_queue, is_done, progress
from lib.run.run import Run
from lib.run.stream import Study
from lib.run.tally import Tally

FIRST_SLICE = 1.0  # seconds that the first drawing waits for a slice, so that it has something to draw
# Seconds that a browser has to paint the first screen before the rest of the page is sent, and seconds of work that the
# page requests for that time: few, since the browser may be on the same machine.
ARRIVAL, HEAD_START = 1.0, 0.1
DRAWING = 0.003  # processor seconds that a drawing is assumed to take until it has been measured
OUT_OF_STEP = 0.03  # largest fraction by which a period is lengthened or shortened: NOTE [step]

Tallied = TypeVar("Tallied", bound=Tally)

state = st.session_state


@dataclass(frozen=True)
class Live(Generic[Tallied]):
    """A part of the page that follows the run of a study: a claim, its progress, and what is drawn below.

    `unit` is what its samples are called. The last argument of `draw` says whether the figures are settled because the
    run is finished or paused. `why` is one line below the claim of a whole tab.
    """

    study: type[Study]
    claim: Callable[[Tallied, Experiment], str]
    draw: Callable[[Tallied, Experiment, bool], None]
    unit: str = "samples"
    place: str = ""
    """Distinguishes parts of one tab that follow the same study."""
    draw_first: Callable[[Tallied, Experiment, bool], None] | None = None
    """Draws the first few elements of `draw`, all that an arriving page shows. Without it, the page arrives whole."""
    draw_seldom: Callable[[Tallied, Experiment, bool], None] | None = None
    """Draws what comes below `draw` and changes less often."""
    why: Callable[[Tallied, Experiment], str] | None = None

    @property
    def name(self) -> str:
        return self.study.__name__

    @property
    def key(self) -> str:
        return f"{self.name} {self.place}".rstrip()

    @property
    def pause_key(self) -> str:
        return f"pause {self.key}"

    @property
    def paused(self) -> bool:
        return state.get(self.pause_key, False)

    @property
    def arriving(self) -> bool:
        """Whether the page has shown only its first screen so far."""
        return state.arriving and self.draw_first is not None


@dataclass(frozen=True)
class Declared:
    """The conditions under which a part's fragment was declared. Once they change, the page must declare it again."""

    finished: bool
    paused: bool
    arriving: bool
    period: float

    @property
    def still(self) -> bool:
        """Whether there is nothing to follow."""
        return self.finished or self.paused

    def outdated(self, now: "Declared") -> bool:
        """Whether the conditions have changed. A small change of the period is not worth a rerun."""
        return replace(self, period=now.period) != now or not 0.6 < self.period / now.period < 2


def follow(part: Live, experiment: Experiment, opening: Opening | None = None) -> None:
    """Put a part on the page and keep it up to date.

    The part of a whole tab fills the places of the tab's `opening`; without one, a section draws its own on the spot.
    """
    places = opening or open_section(experiment)
    if state.get(f"{part.key} of") != experiment:  # of which no run is paused yet
        state.update({f"{part.key} of": experiment, part.pause_key: False})
    run, period = runs().get(part.study, experiment), pace()
    if run.tally.samples == 0 and not part.paused:
        run.request(HEAD_START if part.arriving else period)
        with TURNS.lent():
            run.wait(FIRST_SLICE)
    finished = run.finished
    with places.pause:
        # A switch with a value, not a button: Streamlit may deliver a click twice, and focus stays where it was.
        st.toggle(
            "Pause",
            key=part.pause_key,
            disabled=finished,
            on_change=release,
            args=(part, run),
            width="content",
            persist_state="session",
        )
    with places.status:  # the page is declared anew when the run is done
        said = is_done(part.study.total(experiment), part.unit) if finished else ""
        st.markdown(f'<span role="status" class="said">{said}</span>', unsafe_allow_html=True)
    state.more_to_come |= part.arriving
    declared = Declared(finished, part.paused, part.arriving, period)
    state.arriving = part.arriving  # a tab without a first screen of its own arrives whole
    if part.arriving:
        run_every = ARRIVAL + period  # the first run may wait for answers before its end, and must not be cut short
    else:
        run_every = None if declared.still else period * uniform(1 - OUT_OF_STEP, 1 + OUT_OF_STEP)
    wake.expect(run_every or 0)
    st.fragment(tick, run_every=run_every)(part, experiment, places, declared, count())
    if part.draw_seldom and not part.arriving:
        st.fragment(tick_seldom, run_every=run_every and SELDOM * run_every)(part, experiment)


def tick(part: Live, experiment: Experiment, places: Opening, declared: Declared, ticks: Iterator[int]) -> None:
    """Request work and draw what the run has so far. `ticks` counts the drawings of this fragment."""
    if declared.arriving and not part.arriving:
        sleep(runs().pace.turn_to_declare(inf))
        st.rerun()
    start, first = thread_time(), next(ticks) == 0
    run = runs().get(part.study, experiment)
    period = pace()
    if not part.paused and not part.arriving:
        run.request(period)
    finished, tally = run.finished, run.tally
    with TURNS:
        show_claim(part, tally, experiment, places)
        show_progress(part, tally, experiment, places)
        if run.error or first:
            show_error(part, experiment, places)
        draw = part.draw_first if declared.arriving else part.draw
        draw(tally, experiment, finished or part.paused)
    if declared.arriving:
        return
    state.drawing = thread_time() - start
    if first:  # the first drawing belongs to a run of the whole script, which continues after this
        return
    sleep(SENDING * period)
    if declared.outdated(Declared(finished, part.paused, part.arriving, period)):
        # If another tick is coming, it can declare the part again.
        if declared.still or runs().pace.turn_to_declare() is not None:
            st.rerun()


def show_claim(part: Live, tally: Tally, experiment: Experiment, places: Opening) -> None:
    claim = part.claim(tally, experiment)
    with places.head:
        if places.of_section:
            st.subheader(claim, anchor=False)
        else:
            show_head(claim, part.why(tally, experiment) if part.why else "")


def show_progress(part: Live, tally: Tally, experiment: Experiment, places: Opening) -> None:
    """Show how far the run is."""
    run = runs().get(part.study, experiment)
    total = part.study.total(experiment)
    others, before = runs().at_work - run.at_work, runs().before(run)
    queue = "" if before is None else in_queue(before, tally.samples > 0, run.refused)
    with places.status:
        text = progress(tally.samples, total, part.unit, run.rate, part.paused, others, queue)
        st.progress(tally.samples / total, text)


def show_error(part: Live, experiment: Experiment, places: Opening) -> None:
    """Show the reason why the run failed, or else nothing, in place of the reason that was shown before."""
    run = runs().get(part.study, experiment)
    with places.notes:
        if not run.error:
            st.empty()
            return
        st.error(f"{quoted(run.error, run.error)} [A link to this experiment](?{experiment.query}).")
        st.button("Try again", on_click=runs().forget, args=(part.study, experiment), key=f"again {part.key}")


def tick_seldom(part: Live, experiment: Experiment) -> None:
    """Draw what need not be drawn at every tick; the last drawing comes with the last tick."""
    start = thread_time()
    run = runs().get(part.study, experiment)
    finished, tally = run.finished, run.tally
    with TURNS:
        part.draw_seldom(tally, experiment, finished or part.paused)
    state.drawing_seldom = thread_time() - start


def release(part: Live, run: Run) -> None:
    """Let the run of a part that was just paused stop after its slice."""
    if part.paused:
        run.release()
