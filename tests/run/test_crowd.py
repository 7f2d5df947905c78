"""More links than the store has places for, against a real server: who waits is told so, and gets their turn."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from tests import forked, outcome
from tests.run.test_faults import TAB, paused, samples
from tests.server import ROOT, Server, serve
from tests.visitor import Visitor, run

PLACES = 4
PATIENCE = 240  # seconds, for a busy machine
ENDLESS = "evaluation=batched&samples=1000000000&seed={}"
CROWDED = f"""
from runpy import run_path

import lib.run.store

if not hasattr(lib.run.store, "Roomy"):
    lib.run.store.Roomy = lib.run.store.Runs
    lib.run.store.Runs = lambda: lib.run.store.Roomy(most_runs={PLACES})

run_path({str(ROOT / "streamlit_app.py")!r}, run_name="__main__")
"""
"""The page, on a store with few places."""


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    script = tmp_path_factory.mktemp("crowded") / "app.py"
    script.write_text(CROWDED)
    with serve(script, python=forked.python()) as server:
        yield server


def queue(visitor: Visitor) -> str:
    """What the page says of its place in the queue."""
    return visitor.live[TAB]["progress"].partition(" · ")[2] if visitor.live else ""


def waits_behind(before: str):
    return lambda visitor: f"server busy: {before}" in queue(visitor)


def test_three_times_as_many_links_as_places_all_finish_with_the_figures_of_the_command_line(crowded):
    links = [f"samples=150&seed={1 + n}" for n in range(3 * PLACES)]

    async def follow(link: str) -> Visitor:
        async with Visitor(crowded.address, link) as visitor:
            await visitor.until(outcome.finished, PATIENCE)
        return visitor

    async def follow_all() -> list[Visitor]:
        return await asyncio.gather(*map(follow, links))

    visitors = run(follow_all())
    printed = outcome.command_line(links)
    for visitor, link in zip(visitors, links, strict=True):
        assert visitor.faults + visitor.errors == []
        assert outcome.differences(visitor, link, printed[link]) == []
    assert "Traceback" not in crowded.log


def test_who_waits_is_told_how_many_are_ahead_and_is_live_when_a_tab_is_closed_or_a_run_paused(crowded):
    async def crowd() -> None:
        async with AsyncExitStack() as stack:

            async def come(seed: int) -> Visitor:
                return await stack.enter_async_context(Visitor(crowded.address, ENDLESS.format(seed)))

            holders = [await come(seed) for seed in range(PLACES)]
            for holder in holders:
                await holder.until(lambda visitor: samples(visitor) > 0 and visitor.ticking, PATIENCE)
            first = await come(10)
            await first.until(waits_behind("this run is next and starts by itself"), PATIENCE)
            second = await come(11)
            await second.until(waits_behind("1 run is ahead, then it starts by itself"), PATIENCE)
            third = await come(12)
            await third.until(waits_behind("2 runs are ahead, then it starts by itself"), PATIENCE)
            assert samples(first) == samples(second) == samples(third) == 0

            holders[0].drop()  # a closed tab
            await first.until(lambda visitor: samples(visitor) > 0, PATIENCE)
            await second.until(waits_behind("this run is next"), PATIENCE)
            await third.until(waits_behind("1 run is ahead"), PATIENCE)

            await holders[1].press(TAB, "pause", True)
            await holders[1].until(lambda visitor: paused(visitor) and visitor.settled, PATIENCE)
            await second.until(lambda visitor: samples(visitor) > 0, PATIENCE)
            await third.until(waits_behind("this run is next"), PATIENCE)

            kept = samples(holders[1])
            await holders[1].press(TAB, "pause", False)
            await holders[1].until(waits_behind("1 run is ahead, then it goes on by itself"), PATIENCE)
            assert samples(holders[1]) >= kept > 0, "what is measured is kept while it waits"

            await holders[2].go(ENDLESS.format(20))  # another experiment
            await third.until(lambda visitor: samples(visitor) > 0, PATIENCE)
            await holders[1].until(waits_behind("this run is next and goes on by itself"), PATIENCE)
            assert samples(holders[3]) > 0 and "busy" not in queue(holders[3])
            for visitor in (*holders[1:], first, second, third):
                assert visitor.errors == visitor.faults == []

    run(crowd())
    assert "Traceback" not in crowded.log
