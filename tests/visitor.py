"""A visitor without a browser: speaks Streamlit's protocol over a WebSocket, as the page does in a browser.

The server sends *deltas*, each an element or a block at a path in the tree of the page. A *run* of the script begins
with a `new_session` and ends with a `script_finished`; what a run of the whole script did not send again has then left
the page, and likewise within a fragment. The browser asks for the runs: for the first one when it has connected, and
its tick components for runs of their fragments, each so long after its last message as that says.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Self, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Transient_pb2 import Transient
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

_DRAWINGS = {"vega_lite_chart", "bidi_component"}
_MOST_AGE = 2  # runs for which a browser keeps a message that the server may refer to
_TICK = "tick"
_NO_TOKEN = "none"  # where a browser has the token of its cookie

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Shown:
    """An element or a block on the page, the fragment that it belongs to, and the run that it was sent in."""

    part: Element | Block
    fragment: str
    run: str


@dataclass(frozen=True)
class Run:
    """A run that ended: its fragments, none for the whole script; whether it was complete, or cut short by the next;
    how many charts and components it drew; when the last of them came, on the clock; and the bytes that came."""

    fragments: tuple[str, ...]
    complete: bool
    charts: int
    drawn: float | None
    nbytes: int


class Visitor:
    """One visit of a link: `async with Visitor(address, query) as visitor`. `session` is one to come back to."""

    def __init__(self, address: str, query: str = "", session: str = "") -> None:
        self.query = query
        self.session = session
        self.runs: list[Run] = []
        self.first_chart: float | None = None
        """Seconds from the beginning of the visit to the first chart or picture."""
        self.faults: list[str] = []
        """What was wrong with the connection or with a script that did not compile."""
        self._address = address
        self._page: dict[tuple[int, ...], Shown] = {}
        self._kept: dict[str, tuple[ForwardMsg, int]] = {}
        self._timers: dict[str, asyncio.Task] = {}
        self._changed = asyncio.Event()
        self._run, self._fragments = "", ()
        self._charts = self._nbytes = self._completed = self._ended_before = 0
        self._drawn: float | None = None

    async def __aenter__(self) -> Self:
        self.start = perf_counter()
        tokens = ["streamlit", _NO_TOKEN, *([self.session] if self.session else [])]
        self._socket: ClientConnection = await connect(
            f"ws://{self._address}/_stcore/stream",
            subprotocols=tokens,
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=60,
        )
        self._listener = asyncio.create_task(self._listen())
        await self.rerun()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stop_timers(list(self._timers))
        self._listener.cancel()
        await self._socket.close()

    async def rerun(self, fragment: str = "", widgets: Iterable[WidgetState] = ()) -> None:
        """Asks for a run of a fragment or of the whole script, and tells the new states of some widgets."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        state.cached_message_hashes.extend(self._kept)
        state.widget_states.widgets.extend(widgets)
        await self.send(message.SerializeToString())

    async def act(self, component: str, events: str) -> None:
        """Sends what a component's triggers say, as a browser does: to the fragment that drew it, by a control whose
        name is the component's and what Streamlit adds to it. A component that has left the page says nothing."""
        fragments = [
            at.fragment
            for at in self._page.values()
            if getattr(_content(at.part), "id", "") == component
        ]
        if not fragments:
            return
        fragment = fragments[-1]
        await self.rerun(
            fragment, widgets=[WidgetState(id=events_of(component), json_trigger_value=events)]
        )

    async def send(self, message: bytes) -> None:
        try:
            await self._socket.send(message)
        except ConnectionClosed as closed:
            self.faults.append(str(closed))

    def drop(self) -> None:
        """Loses the connection without a word, as a browser does whose network is gone."""
        self._socket.transport.abort()

    async def until(self, ready: Callable[["Visitor"], bool], seconds: float) -> None:
        """Waits until the page is so after a run, or the visit ended by a fault. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not ready(self) and not self.faults:
                self._changed.clear()
                await self._changed.wait()

    def elements(self, kind: str) -> Iterator:
        """What is on the page of one kind, from top to bottom."""
        for _, shown in sorted(self._page.items()):
            if shown.part.WhichOneof("type") == kind:
                yield getattr(shown.part, kind)

    @property
    def controls(self) -> dict[str, str]:
        """The identifiers of what has a state that a browser sends, with the kind of each."""
        kinds = {shown.part.WhichOneof("type") for shown in self._page.values()} - {
            None,
            "vega_lite_chart",
        }
        return {
            part.id: kind
            for kind in sorted(kinds)
            for part in self.elements(kind)
            if getattr(part, "id", "")
        }

    @property
    def ticking(self) -> bool:
        """Whether a fragment asks for a run from time to time."""
        return bool(self._timers)

    @property
    def settled(self) -> bool:
        """Whether the last run is complete, and none is asked for any more."""
        return bool(self.runs) and self.runs[-1].complete and not self.ticking

    @property
    def ran(self) -> bool:
        """Whether the last run of the whole script that began has ended, if only by the end of one that followed it."""
        return len(self.runs) > self._ended_before and self.runs[-1].complete

    @property
    def errors(self) -> list[str]:
        """The errors that the page tells of, and the exceptions, which no page should have."""
        alerts = [alert.body for alert in self.elements("alert") if alert.format == alert.ERROR]
        return alerts + [
            f"{exception.type}: {exception.message}" for exception in self.elements("exception")
        ]

    @property
    def drawings(self) -> dict[str, dict]:
        """The data of all drawings on the page, by their names."""
        parts = [part for part in self.elements("bidi_component") if part.component_name != _TICK]
        return {part.component_name: json.loads(part.json) for part in parts if part.json}

    @property
    def texts(self) -> list[str]:
        """The headings and the Markdown on the page, from top to bottom."""
        return [
            *(part.body for part in self.elements("heading")),
            *(part.body for part in self.elements("markdown")),
        ]

    async def _listen(self) -> None:
        try:
            async for data in self._socket:
                self._nbytes += len(data)
                self._take(ForwardMsg.FromString(data))
        except ConnectionClosed as closed:
            self.faults.append(str(closed))
        except KeyError as gone:
            self.faults.append(f"The server refers to a message that is not kept: {gone}.")
        else:
            self.faults.append("The server closed the connection.")
        self._changed.set()

    def _take(self, message: ForwardMsg) -> None:
        if message.metadata.cacheable:
            self._kept[message.hash] = message, self._completed
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            kept, _ = self._kept[message.ref_hash]
            self._kept[message.ref_hash] = kept, self._completed
            self._draw(tuple(message.metadata.delta_path), kept)
        elif kind == "delta":
            self._draw(tuple(message.metadata.delta_path), message)
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id
            self._timers = {
                component: timer for component, timer in self._timers.items() if not timer.done()
            }
            self._run, self._fragments = (
                message.metadata.run.script_run_id,
                tuple(message.metadata.run.fragment_ids),
            )
            if not self._fragments:
                self._ended_before = len(self.runs)
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "session_event" and message.session_event.HasField(
            "script_compilation_exception"
        ):
            self.faults.append(message.session_event.script_compilation_exception.message)
        elif kind == "script_finished":
            self._finish(complete=message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)

    def _draw(self, path: tuple[int, ...], message: ForwardMsg) -> None:
        delta = message.delta
        part = getattr(delta, delta.WhichOneof("type"))
        if isinstance(part, Transient):
            return
        self._page[path] = Shown(part, delta.fragment_id, self._run)
        if (
            part.WhichOneof("type") == "bidi_component"
            and part.bidi_component.component_name == _TICK
        ):
            self._follow(part.bidi_component)
        if part.WhichOneof("type") in _DRAWINGS:
            self._charts += 1
            self._drawn = perf_counter()
            self.first_chart = self.first_chart or self._drawn - self.start

    def _finish(self, complete: bool) -> None:
        if complete:
            self._completed += 1
            self._page = {
                path: shown
                for path, shown in self._page.items()
                if shown.run == self._run or not self._runs(shown.fragment)
            }
            self._kept = {
                name: (message, used)
                for name, (message, used) in self._kept.items()
                if self._completed - used <= _MOST_AGE or not self._runs(message.delta.fragment_id)
            }
        self.runs.append(Run(self._fragments, complete, self._charts, self._drawn, self._nbytes))
        self._charts, self._drawn, self._nbytes = 0, None, 0
        self._changed.set()

    def _runs(self, fragment: str) -> bool:
        return not self._fragments or fragment in self._fragments

    def _follow(self, component) -> None:
        """Takes a message of a tick component, and asks for the next run as the component does."""
        self._stop_timers([component.id])
        wait = json.loads(component.json)["wait"]
        if wait is not None:
            self._timers[component.id] = asyncio.create_task(self._tick(component.id, wait))

    async def _tick(self, component: str, wait: float) -> None:
        await asyncio.sleep(wait)
        while not self.ran:  # never while the page runs
            self._changed.clear()
            await self._changed.wait()
        await self.act(component, json.dumps([{"event": "tick", "value": 1}]))

    def _stop_timers(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if timer := self._timers.pop(fragment, None):
                timer.cancel()


def events_of(component: str) -> str:
    """The identifier under which Streamlit gathers what the triggers of a component send."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component}__events"


def _content(part: Element | Block) -> object:
    return getattr(part, part.WhichOneof("type"), None) if part.WhichOneof("type") else None


def run(coroutine: Coroutine[None, None, Answer]) -> Answer:
    """What the coroutine gives; on a thread of its own, since a browser's tests of this process keep a loop going."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
