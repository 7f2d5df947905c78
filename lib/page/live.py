"""What changes while a run goes on: one component, one message at a tick.

The component asks for each message itself, so many seconds after the last one came, never while the page runs, and once
more if no answer comes. So there is no timer whose message could be lost, and none that runs ahead of the server. Large
parts of a message that the browser has are named, not sent again; a browser that lacks one asks for it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page import link
from lib.page.code import STUB, code_of, name_of
from lib.page.runs import AT_REST, PATIENCE, runs
from lib.page.session import Session, session
from lib.run.runs import Run, progress
from lib.run.stream import Study

NO_TICKS = 0.25  # seconds: a run that ends within them needs no ticks
EVERY = 0.3  # seconds from a message to the next tick
LARGE = 120  # characters from which on a part of a message is kept by the browser
_COMPONENT = st.components.v2.component("last_bit_live", html='<div class="live"></div>', js=STUB)
_NUMBERS = count()

Act = Callable[[Any, Experiment, Any], None]


@dataclass(frozen=True)
class Seen:
    """What a message is made of: the tally so far, of which experiment, and whether nothing more will come for now.

    `patience` is how many seconds an answer of the worker may take.
    """

    tally: Any
    experiment: Experiment
    over: bool
    session: Session

    @property
    def patience(self) -> float:
        return AT_REST if self.over else PATIENCE


@dataclass(frozen=True)
class Live:
    """A part of the page that follows the run of a study.

    `message` returns what is shown, as plain values for JSON: `claim`, and if there are any `why`, `told`, `another`,
    `cards` and `drawing`, the data of the `picture`. A card that has the name of a study leads to its tab. `acts` has
    what a visitor can do in the picture, by name, and `below` draws elements of Streamlit under it.
    """

    key: str
    study: type[Study]
    message: Callable[[Seen], dict[str, Any]]
    picture: str = ""
    unit: str = "samples"
    acts: Mapping[str, Act] = field(default_factory=dict)
    below: Callable[[Seen], None] | None = None
    room: int = 1
    """Pixels that the part has on a wide screen before its code has come, so that nothing below it shifts."""
    own: tuple[str, str] = ("", "")
    """Where the last card leads on to: an example of *Check your own*, and the words on the button."""

    @property
    def open_key(self) -> str:
        return f"card of {self.key}"


def show(part: Live, experiment: Experiment) -> Seen:
    """Draw a live part, which ticks as long as its run goes on. Return what it saw, for what is drawn below it."""
    mine = session()
    if mine.of.get(part.key) != experiment:
        mine.of[part.key] = experiment
        mine.paused.discard(part.key)
    run = _run(part, experiment)
    end = monotonic() + NO_TICKS
    while not (run.finished or run.refused or part.key in mine.paused) and monotonic() < end:
        run.wait(end - monotonic())
    mine.over[part.key] = run.finished or part.key in mine.paused
    with keep_room(part.room):
        st.fragment(_draw)(part, experiment)
    return Seen(run.tally, experiment, mine.over[part.key], mine)


def _draw(part: Live, experiment: Experiment) -> None:
    mine = session()
    run, paused = _run(part, experiment), part.key in mine.paused
    over = run.finished or paused
    if over != mine.over.get(part.key):
        st.rerun()  # the whole page is drawn once more as soon as the figures stand, or after an act
    seen = Seen(run.tally, experiment, over, mine)
    message = {"why": "", "told": "", "another": False, "cards": [], "drawing": None} | part.message(seen)
    message |= _progress(part, run, seen, paused) | {"every": 0 if over else EVERY, "over": over}
    message |= {"part": part.key, "open": st.session_state.get(part.open_key, ""), "own": part.own[1]}
    _send(f"live {part.key}", part.picture, message, partial(_act, part, experiment))
    if part.below:
        part.below(seen)


def _run(part: Live, experiment: Experiment) -> Run:
    """Return the run of a part, at work unless the visitor has paused it."""
    paused = part.key in session().paused
    return runs().get(part.study, experiment) if paused else runs().request(part.study, experiment)


def keep_room(height: int) -> DeltaGenerator:
    """Return a container that is at least so high from the beginning: beside it is an empty one of this height."""
    row = st.container(horizontal=True, wrap=False, gap=None)
    place = row.container()
    row.container(width=1, height=height, border=False)
    return place


def picture(name: str, drawing: dict[str, Any], acts: Mapping[str, Callable[[Any], None]]) -> None:
    """Draw a picture that follows no run."""
    message = {"bare": True, "part": name, "drawing": drawing, "every": 0}
    _send(f"picture {name}", name, message, lambda what, value: acts[what](value) if what in acts else None)


def _send(key: str, drawn: str, message: dict[str, Any], act: Callable[[str, Any], None]) -> None:
    """Send a message to the component of this key, and hand what the visitor does in it to `act`, each act once.

    Of what a component sends while the page runs, Streamlit delivers the last only. So it sends all its acts until a
    message says which it has `taken`. A browser may send anything.
    """
    mine = session()

    def take() -> None:
        sent = (st.session_state.get(key) or {}).get("act")  # nothing if the component went while that was on its way
        for one in sent if isinstance(sent, list) else []:
            match one:
                case [str(name), value, int(number)] if number > mine.taken.get(key, 0):
                    mine.taken[key] = number
                    if name == "missing" and isinstance(value, list):
                        mine.known.difference_update(map(str, value))
                    act(name, value)

    code, style = code_of(drawn)
    data = _not_again(message | {"picture": drawn, "code": code, "style": style}, mine)
    data |= {"number": next(_NUMBERS), "taken": mine.taken.get(key, 0)}
    _COMPONENT(data=data, key=key, height="content", on_act_change=take)


def _progress(part: Live, run: Run, seen: Seen, paused: bool) -> dict[str, Any]:
    total, samples = part.study.total(seen.experiment), seen.tally.samples
    text = progress(samples, total, part.unit, run.rate, paused, run.refused)
    return {"progress": text, "done": samples / total, "paused": paused, "error": run.error or ""}


def _not_again(message: dict[str, Any], mine: Session) -> dict[str, Any]:
    """Replace the large parts of a message by their names, and add those that the browser lacks, by their names."""
    drawing = message.pop("drawing") or {}
    small, kept, sent = {}, {}, {}
    for key, value in (message | {f"drawing {key}": value for key, value in drawing.items()}).items():
        text = value if isinstance(value, str) else json.dumps(value)
        if len(text) < LARGE:
            small[key] = value
            continue
        kept[key] = name = name_of(text)
        if name not in mine.known:
            mine.known.add(name)
            sent[name] = value
    return small | {"kept": kept, "sent": sent}


def _act(part: Live, experiment: Experiment, name: str, value: Any) -> None:
    mine = session()
    if name in ("open", "own", *part.acts):
        mine.over.pop(part.key, None)  # so that the whole page is drawn
    match name, value:
        case "pause", bool(paused):
            run = runs().get(part.study, experiment)
            (mine.paused.add if paused else mine.paused.discard)(part.key)
            run.release() if paused else None
        case "open", str(key) if key in SUBJECTS:
            st.session_state["tab"] = SUBJECTS[key].label
        case "open", str(key):
            st.session_state[part.open_key] = key
        case "own", _:
            link.bring(part.own[0])
        case "again", _:
            runs().forget(part.study, experiment)
        case _ if name in part.acts:
            part.acts[name](runs().get(part.study, experiment).tally, experiment, value)
