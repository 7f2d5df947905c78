"""A visitor without a browser, who speaks Streamlit's protocol over a WebSocket as a browser does.

The server sends *deltas*: each is an element or a block, with its path in the tree of the page. A
run of the script begins with the message `new_session` and ends with `script_finished`.
"""

import asyncio
import json
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

PATIENCE = 60  # seconds, for a busy machine

Answer = TypeVar("Answer")


class Visitor:
    """A visit: `async with Visitor(address, query) as visitor`. It begins with a first run.

    Args:
        address: the host and port of the server.
        query: the query of the link.
    """

    def __init__(self, address: str, query: str = "") -> None:
        self.query = query
        self._address = address
        self._page: dict[tuple[int, ...], tuple[str, Any]] = {}

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            f"ws://{self._address}/_stcore/stream",
            subprotocols=["streamlit"],
            compression=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        await self.rerun()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def rerun(self, widgets: Iterable[WidgetState] = ()) -> None:
        """Have a run of the script, with new states of some widgets.

        Raises:
            TimeoutError: if it is not finished in `PATIENCE` seconds.
            ConnectionClosed: if the server ended the connection.
        """
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.widget_states.widgets.extend(widgets)
        async with asyncio.timeout(PATIENCE):
            await self.send(message.SerializeToString())
            while not self._take(ForwardMsg.FromString(await self._socket.recv())):
                pass

    async def send(self, message: bytes | str) -> None:
        await self._socket.send(message)

    def _take(self, message: ForwardMsg) -> bool:
        """Take a message, and return whether it ends a run that no other one cut short."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._page = {}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") != "new_transient":
            part = getattr(message.delta, message.delta.WhichOneof("type"))
            name = part.WhichOneof("type")
            if name:
                place = tuple(message.metadata.delta_path)
                self._page[place] = name, getattr(part, name)
        return kind == "script_finished" and (
            message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        )

    def elements(self, kind: str) -> Iterator[Any]:
        """All elements of a kind on the page."""
        return (content for name, content in self._page.values() if name == kind)

    @property
    def controls(self) -> dict[str, str]:
        """The kinds of all elements whose state a browser sends, by their identifiers."""
        parts = {getattr(content, "id", ""): kind for kind, content in self._page.values()}
        return {name: kind for name, kind in parts.items() if name and kind != "vega_lite_chart"}

    @property
    def errors(self) -> list[str]:
        """The errors that the page shows, and the exceptions, which no page should have."""
        alerts = [alert.body for alert in self.elements("alert") if alert.format == alert.ERROR]
        return alerts + [
            f"{exception.type}: {exception.message}" for exception in self.elements("exception")
        ]

    @property
    def drawings(self) -> list[Any]:
        """The data of all components on the page."""
        return [json.loads(part.json) for part in self.elements("bidi_component") if part.json]


def events_of(component: str) -> str:
    """The identifier under which Streamlit collects the events of a component."""
    return f"$$STREAMLIT_INTERNAL_KEY_{component}__events"


def run(coroutine: Coroutine[None, None, Answer]) -> Answer:
    """Return the result of a coroutine, run in a new thread.

    The main thread may already have an event loop, that of Playwright.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
