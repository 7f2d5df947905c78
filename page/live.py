"""What streams on the page: runs that all viewers share, their progress, and the charts that grow with them."""

import gc
import sys
from collections.abc import Callable, Hashable
from copy import deepcopy
from dataclasses import dataclass
from threading import Lock
from time import sleep, thread_time
from typing import TypeVar

import pyarrow as pa
import streamlit as st

from lib import machine
from lib import runs as shared
from lib.charts.parts import Chart
from lib.experiment import Experiment
from lib.sentences import environment, progress, quoted
from lib.stream import Study
from lib.tally import Tally

SHORT, LONG = 0.3, 30.0  # seconds for which a drawing waits for an answer of the worker
FIRST_SLICE = 1.0  # seconds that the first drawing waits for a slice, so that there is something to draw
SELDOM = 3  # ticks to one drawing of what is drawn seldom
DRAWING = 0.01  # seconds of the processor that a drawing takes, until it has been measured
MOST_DRAWINGS = 50  # that are kept to be shared, of some 100 kB each
# Seconds in which what was drawn is sent. If the next tick is due by now, it begins at once, and its beginning makes
# Streamlit forget what it has not sent: on a machine that is too busy, nothing would arrive at all.
SENDING = 0.05
ONE_AT_A_TIME = Lock()

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
    draw_seldom: Callable[[Tally, Experiment, bool], None] | None = None
    """What is drawn below that, and not as often."""

    @property
    def name(self) -> str:
        return self.study.__name__

    @property
    def paused(self) -> bool:
        return self.name in state.paused


def follow(part: Live, experiment: Experiment) -> None:
    """Puts a part on the page and keeps it going."""
    run = runs().get(part.study, experiment)
    period = runs().pace(state.viewer, state.drawing + state.drawing_seldom / SELDOM)
    if run.tally.samples == 0 and not part.paused:
        run.kick(period)
        run.wait(FIRST_SLICE)
    declared = run.finished, part.paused, period
    still = run.finished or part.paused
    st.fragment(tick, run_every=None if still else period)(part, experiment, declared)
    if part.draw_seldom:
        st.fragment(tick_seldom, run_every=None if still else SELDOM * period)(part, experiment)


def tick(part: Live, experiment: Experiment, declared: tuple[bool, bool, float]) -> None:
    """Asks for a slice of work and draws what there is.

    `declared` is what the period of this fragment was chosen for; when that has changed, the page declares it anew.
    """
    start = thread_time()
    run = runs().get(part.study, experiment)
    period = runs().pace(state.viewer, state.drawing + state.drawing_seldom / SELDOM)
    if not part.paused:
        run.kick(period)
    finished, tally, total = run.finished, run.tally, part.study.total(experiment)
    st.subheader(part.claim(tally, experiment), anchor=False)
    button, bar = st.columns([1, 5], vertical_alignment="center")
    word = "Resume" if part.paused else "Pause"
    key = f"{part.name} {part.place}".rstrip()
    button.button(word, on_click=toggle_pause, args=(part, run), disabled=finished, width="stretch", key=f"pause {key}")
    others = runs().at_work - run.at_work
    bar.progress(tally.samples / total, progress(tally.samples, total, part.unit, run.rate, part.paused, others))
    if run.error:
        st.error(f"{quoted(run.error, run.error)} [A link to this experiment](?{experiment.query}).")
        st.button("Try again", on_click=runs().forget, args=(part.study, experiment), key=f"again {key}")
    part.draw(tally, experiment, finished or part.paused)
    state.drawing = thread_time() - start
    sleep(SENDING)
    if declared[:2] != (finished, part.paused) or not 0.5 < declared[2] / period < 2:  # a whole run has its price
        st.rerun()


def tick_seldom(part: Live, experiment: Experiment) -> None:
    """Draws what need not be drawn at every tick; the last time it is drawn together with the last tick."""
    start = thread_time()
    run = runs().get(part.study, experiment)
    finished, tally = run.finished, run.tally
    part.draw_seldom(tally, experiment, finished or part.paused)
    state.drawing_seldom = thread_time() - start
    sleep(SENDING)


def toggle_pause(part: Live, run: shared.Run) -> None:
    state.paused ^= {part.name}
    if part.paused:
        run.rest()


def share(about: tuple[str | int | bool, ...], draw: Callable[..., None], *arguments: object) -> None:
    """Draws what every viewer who is shown this is shown alike, without widgets: the first one's drawing is kept, and
    for the others it is only sent again, which takes a sixth of the time.

    `about` is what it depends on, such as the query and how many samples are tallied.
    """
    _drawn(f"{draw.__module__}.{draw.__qualname__}", about, draw, arguments)


@st.cache_resource(show_spinner=False, max_entries=MOST_DRAWINGS)
def _drawn(name: str, about: tuple[str | int | bool, ...], _draw: Callable[..., None], _arguments: tuple) -> None:
    with ONE_AT_A_TIME:  # many at once would only take the interpreter from the thread that sends what is drawn
        _draw(*_arguments)


def ask(
    waiting: str, about: Hashable, question: Callable[..., Answer], *arguments: Hashable, settled: bool
) -> Answer | None:
    """What the worker answers to the question. While it is at it, what it answered last about the same thing; if there
    is no such answer, or the question failed, the page says so, and this is None.

    Waits long where the part is settled, since no later drawing would bring the answer.
    """
    key = f"answer {waiting}"
    try:
        answer = runs().ask(question, *arguments, patience=LONG if settled else SHORT)
    except RuntimeError as error:
        st.error(str(error))
        return None
    if answer is not None:
        state[key] = about, answer
        return answer
    if state.get(key, (None, None))[0] == about:
        return state[key][1]
    st.caption(f"{waiting} on the way.")
    return None


def show_environment(experiment: Experiment) -> None:
    """One line on what computes the figures here."""
    st.caption(environment(machine.describe(experiment), experiment.device))


def draw_chart(key: str, chart: Chart, data: dict, alt: str, takeaway: str | None = None) -> None:
    """`takeaway` has figures and goes into the alt text; None while they change, since the browser would then draw the
    chart anew on each tick."""
    # Without what pandas would note of its own types, which would be a tenth of all that a tick sends.
    datasets = {
        name: pa.Table.from_pandas(data[name], preserve_index=False).replace_schema_metadata() for name in chart.tables
    }
    alt = f"{alt}: {takeaway}." if takeaway else f"{alt}."
    # A copy, since Streamlit writes into the specification that it is given.
    st.vega_lite_chart({**deepcopy(chart.spec), "datasets": datasets}, key=key, alt=alt)
