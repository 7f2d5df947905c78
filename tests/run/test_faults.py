"""What goes wrong on a host: connections drop, processes are killed, a study raises, a device is full."""

from pathlib import Path

import pytest

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests import outcome
from tests.server import ROOT, Server, serve
from tests.visitor import Visitor, run

PATIENCE = 60  # seconds, for a busy machine
TAB = "discrepancy"
ENDLESS = "evaluation=batched&samples=1000000000"
FAULTY = f"""
from runpy import run_path

import torch

from lib.discrepancy.study import Discrepancy

FAULTS = {{
    "seed=1": ZeroDivisionError("injected [here](https://example.org)"),
    "seed=2": torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
}}
if not hasattr(Discrepancy, "faultless"):
    Discrepancy.faultless = Discrepancy.measure

    def measure(self, number, deadline):
        if number >= 8 and self.experiment.query in FAULTS:
            raise FAULTS[self.experiment.query]
        return self.faultless(number, deadline)

    Discrepancy.measure = measure

run_path({str(ROOT / "streamlit_app.py")!r}, run_name="__main__")
"""
"""The page, with studies that fail after some samples."""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    script = tmp_path_factory.mktemp("faulty") / "app.py"
    script.write_text(FAULTY)
    return script


@pytest.fixture(scope="module")
def faulty(script: Path):
    with serve(script) as server:
        yield server


def samples(visitor: Visitor) -> int:
    """How many samples the page shows as measured."""
    live = visitor.live.get(TAB)
    return int(live["progress"].split()[0].replace(",", "")) if live else 0


def paused(visitor: Visitor) -> bool:
    return visitor.live[TAB]["paused"] and " · paused" in visitor.live[TAB]["progress"]


async def look(server: Server, query: str) -> Visitor:
    """A visitor who stays until the page has no more to draw."""
    async with Visitor(server.address, query) as visitor:
        await visitor.until(
            lambda visitor: visitor.runs and visitor.runs[-1].complete and not visitor.ticking, PATIENCE
        )
    return visitor


def wrong_figures(visitor: Visitor, query: str) -> list[str]:
    return outcome.differences(visitor, query, Stream(Discrepancy(Experiment.parse(query))).finish().figures())


@pytest.mark.parametrize(
    "query, said",
    [
        ("seed=1", "injected [here](https://example.org)"),
        ("seed=2", "the device ran out of memory. Narrower layers or fewer outputs need less."),
    ],
)
def test_a_study_that_fails_is_one_sentence_and_the_next_one_works(faulty, query, said):
    visitor = run(look(faulty, query))
    (error,) = visitor.errors
    assert error == f"The computation failed: {said}"
    assert f"the run of '{query}' failed" in faulty.log
    assert "Traceback" in faulty.log  # for the host

    visitor = run(look(faulty, "samples=50&seed=3"))
    assert wrong_figures(visitor, "samples=50&seed=3") == []


def test_a_connection_that_drops_and_comes_back_finds_the_run_further_on(faulty):
    async def drop_and_come_back() -> None:
        async with Visitor(faulty.address, ENDLESS) as before:
            await before.until(lambda visitor: samples(visitor) > 0 and visitor.ticking, PATIENCE)
            before.drop()
            await before.until(lambda visitor: visitor.faults, PATIENCE)
        async with Visitor(faulty.address, before.query, before.session) as after:
            await after.until(lambda visitor: samples(visitor) > samples(before) and len(visitor.runs) > 2, PATIENCE)
        assert after.session == before.session
        assert after.faults == after.errors == []

    run(drop_and_come_back())
