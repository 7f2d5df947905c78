"""A visitor without a browser, who speaks Streamlit's protocol over a WebSocket as a browser does.

The server sends *deltas*: each is an element or a block, with its path in the tree of the page. A
*run* of the script begins with the message `new_session` and ends with `script_finished`. An
element that the run did not send again is then removed from the page. A run of a fragment removes
only elements of that fragment. The browser asks for the first run when it is connected. The tick
component of a fragment asks for its next run, after the time that its last message names.
"""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

_TICK = "tick"
_BUSY = 0.05
"""Seconds after which a tick component asks again whether the page still runs."""


@dataclass(frozen=True)
class Shown:
    """An element or a block on the page, with its kind, its fragment and the run that sent it."""

    kind: str
    content: Any
    fragment: str
    run: str


@dataclass(frozen=True)
class Run:
    """A run that ended.

    Args:
        complete: False if the next run cut it short.
        seconds: when it ended, from the beginning of the visit.
        nbytes: the number of bytes that arrived.
    """

    complete: bool
    seconds: float
    nbytes: int


class Visitor:
    """A visit: `async with Visitor(address, query) as visitor`.

    Args:
        address: the host and port of the server.
        query: the query of the link.
    """

    def __init__(self, address, query=""):
        self.query = query
        self.runs = []
        self.faults = []
        """What was wrong with the connection."""
        self._address = address
        # What is shown by its path in the tree, the messages that the server need not send again by
        # their hash, and the waiting tasks by their tick component.
        self._page = {}
        self._kept = {}
        self._timers = {}
        self._changed = asyncio.Event()
        self._runs = False
        self._run = ""
        self._fragments = ()
        self._nbytes = 0

    async def __aenter__(self):
        self._start = perf_counter()
        self._socket = await connect(
            f"ws://{self._address}/_stcore/stream",
            subprotocols=["streamlit"],
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=60,
        )
        self._listener = asyncio.create_task(self._listen())
        await self.rerun()
        return self

    async def __aexit__(self, *_):
        for task in (self._listener, *self._timers.values()):
            task.cancel()
        await self._socket.close()

    async def rerun(self, fragment="", widgets=()):
        """Ask for a run of a fragment, or of the whole script, with new states of some widgets."""
        message = BackMsg()
        state = message.rerun_script
        state.query_string, state.fragment_id = self.query, fragment
        state.cached_message_hashes.extend(self._kept)
        state.widget_states.widgets.extend(widgets)
        await self.send(message.SerializeToString())

    async def send(self, message):
        try:
            await self._socket.send(message)
        except ConnectionClosed as closed:
            self.faults.append(str(closed))

    async def until(self, ready, seconds):
        """Wait until the page is ready, which is asked after each run, or the visit has a fault.

        Raises:
            TimeoutError: if the page is not ready in so many seconds.
        """
        async with asyncio.timeout(seconds):
            while not ready(self) and not self.faults:
                self._changed.clear()
                await self._changed.wait()

    def elements(self, *kinds):
        """All elements of these kinds on the page, from top to bottom."""
        for _, shown in sorted(self._page.items()):
            if shown.kind in kinds:
                yield shown.content

    @property
    def controls(self):
        """The kinds of all elements whose state a browser sends, by their identifiers."""
        parts = {getattr(shown.content, "id", ""): shown.kind for shown in self._page.values()}
        return {name: kind for name, kind in parts.items() if name and kind != "vega_lite_chart"}

    @property
    def settled(self):
        """Whether the last run is complete, and no tick component is going to ask for another."""
        components = self.elements("bidi_component")
        ticks = [part for part in components if part.component_name == _TICK]
        goes_on = any(json.loads(part.json)["wait"] is not None for part in ticks)
        return bool(self.runs) and self.runs[-1].complete and not goes_on

    @property
    def errors(self):
        """The errors that the page shows, and the exceptions, which no page should have."""
        alerts = [alert.body for alert in self.elements("alert") if alert.format == alert.ERROR]
        return alerts + [
            f"{exception.type}: {exception.message}" for exception in self.elements("exception")
        ]

    @property
    def drawings(self):
        """The data of all drawings on the page, by their names."""
        parts = [part for part in self.elements("bidi_component") if part.component_name != _TICK]
        return {part.component_name: json.loads(part.json) for part in parts if part.json}

    async def _listen(self):
        try:
            async for data in self._socket:
                self._nbytes += len(data)
                self._take(ForwardMsg.FromString(data))
            self.faults.append("The server closed the connection.")
        except ConnectionClosed as closed:
            self.faults.append(str(closed))
        self._changed.set()

    def _take(self, message):
        if message.metadata.cacheable:
            self._kept[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            self._draw(message.metadata, self._kept[message.ref_hash])
        elif kind == "delta":
            self._draw(message.metadata, message)
        elif kind == "new_session":
            self._runs = True
            self._run = message.metadata.run.script_run_id
            self._fragments = tuple(message.metadata.run.fragment_ids)
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._finish(complete=message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)

    def _draw(self, metadata, message):
        delta = message.delta
        if delta.WhichOneof("type") == "new_transient":
            return
        part = getattr(delta, delta.WhichOneof("type"))
        kind = part.WhichOneof("type")
        content = getattr(part, kind) if kind else None
        shown = Shown(kind or "", content, delta.fragment_id, self._run)
        self._page[tuple(metadata.delta_path)] = shown
        if kind == "bidi_component" and content.component_name == _TICK:
            if timer := self._timers.pop(content.id, None):
                timer.cancel()
            wait = json.loads(content.json)["wait"]
            if wait is not None:
                tick = self._tick(content.id, delta.fragment_id, wait)
                self._timers[content.id] = asyncio.create_task(tick)

    async def _tick(self, component, fragment, wait):
        await asyncio.sleep(wait)
        while self._runs:
            await asyncio.sleep(_BUSY)
        events = json.dumps([{"event": "tick", "value": 1}])
        state = WidgetState(id=events_of(component), json_trigger_value=events)
        await self.rerun(fragment, [state])

    def _finish(self, complete):
        self._runs = False
        if complete:
            self._page = {
                path: shown
                for path, shown in self._page.items()
                if shown.run == self._run
                or (self._fragments and shown.fragment not in self._fragments)
            }
        seconds = perf_counter() - self._start
        self.runs.append(Run(complete, seconds, self._nbytes))
        self._nbytes = 0
        self._changed.set()


def finished(visitor):
    """Whether the page is drawn as a whole, with no more to come."""
    return visitor.settled and bool(visitor.drawings)


def events_of(component):
    """The identifier under which Streamlit collects the events of a component."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component}__events"


def run(coroutine):
    """Return the result of a coroutine, run in a new thread.

    The main thread may already have an event loop, that of Playwright.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
