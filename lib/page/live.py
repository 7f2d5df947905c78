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
    `cards` and `drawing`, the data of the `picture`. `acts` has what a visitor can do in the picture, by name, and
    `below` draws elements of Streamlit under it.
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
    seen = Seen(run.tally, experiment, over, mine)
    message = {"why": "", "told": "", "another": False, "cards": [], "drawing": None} | part.message(seen)
    message |= _progress(part, run, seen, paused)
    message |= {"part": part.key, "open": st.session_state.get(part.open_key, ""), "picture": part.picture}
    message["own"] = part.own[1]
    message["code"], message["style"] = code_of(part.picture)
    data = _not_again(message, mine)
    data |= {"every": 0 if over else EVERY, "over": over, "number": next(_NUMBERS)}
    _COMPONENT(data=data, key=f"live {part.key}", height="content", on_act_change=partial(_act, part, experiment))
    if part.below:
        part.below(seen)
    if over != mine.over.get(part.key):
        st.rerun()  # what the whole page shows below is drawn once more as soon as the figures stand


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
    code, style = code_of(name)
    message = {"bare": True, "part": name, "picture": name, "drawing": drawing, "code": code, "style": style}
    data = _not_again(message, session()) | {"every": 0, "over": True, "number": next(_NUMBERS)}

    def act() -> None:
        match _sent(f"picture {name}"):
            case ["missing", list(names), _]:
                _lost(names)
            case [str(what), value, _] if what in acts:
                acts[what](value)

    _COMPONENT(data=data, key=f"picture {name}", height="content", on_act_change=act)


def _sent(key: str) -> Any:
    """Return what a component sent: nothing if its place went with a change of the tab while that was on its way."""
    return (st.session_state.get(key) or {}).get("act")


def _lost(names: list[Any]) -> None:
    """Send again what a browser lacks."""
    for name in names:
        session().known.pop(str(name), None)


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
            mine.known[name] = key
            sent[name] = value
    return small | {"kept": kept, "sent": sent}


def _act(part: Live, experiment: Experiment) -> None:
    """Take what the visitor did in the component. A browser may send anything."""
    match _sent(f"live {part.key}"):
        case ["tick", *_]:
            pass
        case ["missing", list(names), _]:
            _lost(names)
        case ["pause", bool(paused), _]:
            run = runs().get(part.study, experiment)
            (session().paused.add if paused else session().paused.discard)(part.key)
            run.release() if paused else None
        case ["open", str(key), _]:
            st.session_state[part.open_key] = key
            session().over.pop(part.key, None)
        case ["own", *_]:
            link.bring(part.own[0])
            session().over.pop(part.key, None)
        case ["again", *_]:
            runs().forget(part.study, experiment)
        case [str(name), value, _] if name in part.acts:
            part.acts[name](runs().get(part.study, experiment).tally, experiment, value)
            session().over.pop(part.key, None)
