"""What no reader would send: each gets one sentence or the default, and nobody else notices."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from itertools import cycle
from urllib.parse import parse_qs, urlencode

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from lib.experiment.query import Experiment, QueryError
from lib.experiment.studies import TAB_STUDIES
from tests.hostile import FRAMES, GREEDY, QUERIES, VIEWS, picks, states
from tests.server import Server
from tests.visitor import Visitor, finished, run

TABS = [study.label for study in TAB_STUDIES.values()]
QUIET = "Check your own"
"""The tab where nothing is computed."""

# visitors
AT_ONCE = 4
# seconds, for a busy machine
PATIENCE = 60
MOST_WORK = 30
"""Seconds of the server, which gives each run its turn."""

# Bytes of memory. The server keeps what belongs to a visitor for two minutes after the visit.
MOST_GROWTH = 256_000_000
"""Four greedy runs are four threads, and malloc keeps 64 MB for each."""


def refused(query: str) -> bool:
    """Whether the page refuses a link, whose pairs it reads as Streamlit does."""
    fields = parse_qs(query, keep_blank_values=True)
    pairs = [(key, text) for key, texts in fields.items() for text in texts]
    # Streamlit ignores a query that is too long.
    too_long = len(query) > 512 * 1024 or query.count("&") >= 1000
    try:
        Experiment.from_pairs(pairs)
    except QueryError:
        return not too_long
    return False


def is_a_sentence(text: str) -> bool:
    return len(text) < 400 and text.isprintable() and text.endswith(".")


def drawn(visitor: Visitor) -> bool:
    return any(run.complete for run in visitor.runs)


async def visit(server: Server, queries: Iterable[str]) -> list[Visitor]:
    """The visitors of all links, a few at a time, each with the page after its first run."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(query: str) -> Visitor:
        async with gate, Visitor(server.address, query) as visitor:
            await visitor.until(drawn, PATIENCE)
        return visitor

    return await asyncio.gather(*map(one, queries))


def ours(log: str) -> list[str]:
    """The errors in a log whose innermost place is in this project."""
    places = r'File "\S*/(?:lib/\w+/\w+|streamlit_app)[.]py", .*\n(?:    .*\n)*(\S.*)'
    return re.findall(places, log)


@pytest.fixture
def unharmed(server: Server) -> Iterator[Server]:
    """At the end the server still answers, its log has no new fault of ours, and it
    has not grown much."""
    run(visit(server, [""]))
    faults = ours(server.log)
    resident = server.resident
    yield server
    (visitor,) = run(visit(server, ["samples=10"]))
    assert visitor.drawings and not visitor.errors
    assert ours(server.log) == faults
    assert server.resident - resident < MOST_GROWTH


def test_the_command_line_refuses_a_hostile_query():
    for query in QUERIES:
        with pytest.raises(QueryError) as refusal:
            Experiment.parse(query)
        assert is_a_sentence(str(refusal.value)), query


def test_the_page_shows_one_sentence_or_the_default(unharmed):
    links = QUERIES[:: len(QUERIES) // 100]
    visitors = run(visit(unharmed, [f"{query}&{urlencode({'tab': QUIET})}" for query in links]))
    for query, visitor in zip(links, visitors, strict=True):
        assert not visitor.faults, query
        assert len(visitor.errors) == refused(query), query
        assert all(error.startswith("This link cannot be read: ") for error in visitor.errors)
        assert not set(visitor.query) & {"<", "`"}


def test_a_link_to_no_part_opens_the_page(unharmed):
    queries = [f"samples=20&{view}&{urlencode({'tab': tab})}" for view in VIEWS for tab in TABS]
    for query, visitor in zip(queries, run(visit(unharmed, queries)), strict=True):
        assert not visitor.faults, query
        assert all(is_a_sentence(error.replace("`", "")) for error in visitor.errors), query


def test_no_greedy_link_makes_others_wait(unharmed):
    async def watch() -> float:
        """The processor time until the visitor's run is finished: seconds, of the server alone."""
        start = unharmed.seconds
        async with Visitor(unharmed.address, "samples=50&seed=77") as visitor:
            await visitor.until(finished, 10 * PATIENCE)
        assert not visitor.errors
        return unharmed.seconds - start

    async def beside_greedy_ones() -> None:
        greedy = [Visitor(unharmed.address, f"{query}&samples=1000000000") for query in GREEDY]
        async with AsyncExitStack() as stack:
            for visitor in greedy:
                await stack.enter_async_context(visitor)
            for visitor in greedy:
                await visitor.until(lambda visitor: visitor.drawings, PATIENCE)
            assert await watch() < MOST_WORK
        assert not any(visitor.errors for visitor in greedy)

    run(beside_greedy_ones())


@pytest.mark.parametrize("tab", [QUIET, *TABS])
def test_a_state_that_no_browser_sends_is_told(unharmed, tab):
    """In one sentence, or the default is shown."""

    async def send() -> None:
        async with Visitor(unharmed.address, f"samples=20&{urlencode({'tab': tab})}") as visitor:
            await visitor.until(lambda visitor: visitor.settled, PATIENCE)
            pictures = [part.id for part in visitor.elements("bidi_component") if part.id]
            events = zip(*map(picks, pictures), strict=True)
            # Picks first: other states may open another tab.
            for sent in [*events, *choose(visitor.controls)]:
                visitor.runs.clear()
                await visitor.rerun(widgets=sent)
                await visitor.until(drawn, PATIENCE)
                assert not visitor.faults, sent
                assert not any(
                    exception.stack_trace for exception in visitor.elements("exception")
                ), sent
                assert len(visitor.errors) <= 1, (sent, visitor.errors)

    run(send())


def choose(controls: Mapping[str, str]) -> Iterator[list[WidgetState]]:
    """Each state once, at one control of each kind at a time; and one of no control there is."""
    yield [WidgetState(id="$$ID-0-seed", int_value=5)]
    kinds = {kind: control for control, kind in controls.items()}.values()
    sent = []
    for control, state in zip(cycle(kinds), states(""), strict=False):
        state.id = control
        sent.append(state)
        if len(sent) == len(kinds):
            yield sent
            sent = []
    yield sent


def test_a_frame_that_is_no_message_does_no_harm(unharmed):
    async def send(frame: bytes | str) -> None:
        async with Visitor(unharmed.address, urlencode({"tab": QUIET})) as visitor:
            await visitor.until(drawn, PATIENCE)
            await visitor.send(frame)
            await visitor.rerun()
            await visitor.until(lambda visitor: len(visitor.runs) > 1, PATIENCE)

    for frame in FRAMES:
        run(send(frame))
