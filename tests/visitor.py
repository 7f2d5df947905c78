"""A visitor without a browser, who speaks Streamlit's protocol over a WebSocket as a browser does.

The server sends *deltas*: each is an element or a block, with its path in the tree of the page. A
*run* of the script begins with the message `new_session` and ends with `script_finished`. An
element that the run did not send again is then removed from the page. A run of a fragment removes
only elements of that fragment. The browser asks for the first run when it is connected. The tick
component of a fragment asks for its next run, after the time that its last message names.
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
    """An element or a block on the page, with its fragment and the run that sent it."""

    part: Element | Block
    fragment: str
    run: str


@dataclass(frozen=True)
class Run:
    """A run that ended.

    Args:
        fragments: its fragments; empty for a run of the whole script.
        complete: False if the next run cut it short.
        charts: the number of charts and components that it drew.
        drawn: when the last of these arrived, by `perf_counter`.
        nbytes: the number of bytes that arrived.
    """

    fragments: tuple[str, ...]
    complete: bool
    charts: int
    drawn: float | None
    nbytes: int


class Visitor:
    """A visit: `async with Visitor(address, query) as visitor`.

    Args:
        address: the host and port of the server.
        query: the query of the link.
        session: the identifier of an earlier session to return to.
    """

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
        """Ask for a run of a fragment, or of the whole script, with new states of some widgets."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        state.cached_message_hashes.extend(self._kept)
        state.widget_states.widgets.extend(widgets)
        await self.send(message.SerializeToString())

    async def act(self, component: str, events: str) -> None:
        """Send events of a component to the fragment that drew it, as a browser does.

        Nothing is sent if the component is no longer on the page.

        Args:
            component: the identifier of the component.
            events: the events, in JSON.
        """
        fragments = [
            shown.fragment
            for shown in self._page.values()
            if getattr(_content(shown.part), "id", "") == component
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
        """Lose the connection without closing it, as a browser does when its network fails."""
        self._socket.transport.abort()

    async def until(self, ready: Callable[["Visitor"], bool], seconds: float) -> None:
        """Wait until the page is ready or the visit has a fault.

        Args:
            ready: whether the page is ready. It is asked after each run.
            seconds: how long to wait.

        Raises:
            TimeoutError: if the page is not ready in time.
        """
        async with asyncio.timeout(seconds):
            while not ready(self) and not self.faults:
                self._changed.clear()
                await self._changed.wait()

    def elements(self, kind: str) -> Iterator:
        """All elements of one kind on the page, from top to bottom."""
        for _, shown in sorted(self._page.items()):
            if shown.part.WhichOneof("type") == kind:
                yield getattr(shown.part, kind)

    @property
    def controls(self) -> dict[str, str]:
        """The kinds of all elements whose state a browser sends, by their identifiers."""
        kinds = {shown.part.WhichOneof("type") for shown in self._page.values()}
        kinds -= {None, "vega_lite_chart"}
        return {
            part.id: kind
            for kind in sorted(kinds)
            for part in self.elements(kind)
            if getattr(part, "id", "")
        }

    @property
    def ticking(self) -> bool:
        """Whether a tick component is going to ask for a run."""
        return bool(self._timers)

    @property
    def settled(self) -> bool:
        """Whether the last run is complete, and no tick component is going to ask for another."""
        return bool(self.runs) and self.runs[-1].complete and not self.ticking

    @property
    def ran(self) -> bool:
        """Whether the last run of the whole script has ended, itself or with a run after it."""
        return len(self.runs) > self._ended_before and self.runs[-1].complete

    @property
    def errors(self) -> list[str]:
        """The errors that the page shows, and the exceptions, which no page should have."""
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
            self._run = message.metadata.run.script_run_id
            self._fragments = tuple(message.metadata.run.fragment_ids)
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
        """Take a message of a tick component, and ask for the next run as the component does."""
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
    """The identifier under which Streamlit collects the events of a component."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component}__events"


def _content(part: Element | Block) -> object:
    return getattr(part, part.WhichOneof("type"), None) if part.WhichOneof("type") else None


def run(coroutine: Coroutine[None, None, Answer]) -> Answer:
    """Return the result of a coroutine, run in a new thread.

    The main thread may already have an event loop, that of Playwright.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
