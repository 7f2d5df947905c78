"""More links than the store has places for, against a real server: who finds it full is told so, and has a turn."""

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from tests import forked
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


def full(visitor: Visitor) -> bool:
    return bool(visitor.live) and "server full: this page keeps asking" in visitor.live[TAB]["progress"]


def test_who_finds_the_server_full_is_told_so_and_is_live_when_a_tab_is_closed_or_a_run_paused(crowded):
    async def crowd() -> None:
        async with AsyncExitStack() as stack:

            async def come(seed: int) -> Visitor:
                return await stack.enter_async_context(Visitor(crowded.address, ENDLESS.format(seed)))

            holders = [await come(seed) for seed in range(PLACES)]
            for holder in holders:
                await holder.until(lambda visitor: samples(visitor) > 0 and visitor.ticking, PATIENCE)
            first = await come(10)
            await first.until(full, PATIENCE)
            assert samples(first) == 0
            holders[0].drop()  # a closed tab
            await first.until(lambda visitor: samples(visitor) > 0, PATIENCE)

            await holders[1].press(TAB, "pause", True)
            await holders[1].until(lambda visitor: paused(visitor) and visitor.settled, PATIENCE)
            second = await come(11)
            await second.until(lambda visitor: samples(visitor) > 0, PATIENCE)

            kept = samples(holders[1])
            await holders[1].press(TAB, "pause", False)
            await holders[1].until(full, PATIENCE)
            assert samples(holders[1]) >= kept > 0, "what is measured is kept while it waits"
            for visitor in (*holders[1:], first, second):
                assert visitor.errors == visitor.faults == []

    run(crowd())
    assert "Traceback" not in crowded.log
