"""What goes wrong on a host: a study raises, a connection drops."""

import pytest

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests import outcome
from tests.server import ROOT, Server, serve
from tests.visitor import Visitor, run

PATIENCE = 60  # seconds, for a busy machine
ENDLESS = "evaluation=batched&samples=1000000000"
FAULTY = f"""
from runpy import run_path

from lib.discrepancy.study import Discrepancy

if not hasattr(Discrepancy, "faultless"):
    Discrepancy.faultless = Discrepancy.measure

    def measure(self, number, deadline):
        if number >= 8 and self.experiment.query == "seed=1":
            raise ZeroDivisionError("injected [here](https://example.org)")
        return self.faultless(number, deadline)

    Discrepancy.measure = measure

run_path({str(ROOT / "streamlit_app.py")!r}, run_name="__main__")
"""
"""The page, with studies that fail after some samples."""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory):
    script = tmp_path_factory.mktemp("faulty") / "app.py"
    script.write_text(FAULTY)
    with serve(script) as server:
        yield server


def samples(visitor: Visitor) -> int:
    """How many samples the page shows as measured."""
    return max(
        [0, *(int(part.text.split()[0].replace(",", "")) for part in visitor.elements("progress"))]
    )


async def look(server: Server, query: str) -> Visitor:
    """A visitor who stays until the page has no more to draw."""
    async with Visitor(server.address, query) as visitor:
        await visitor.until(lambda visitor: visitor.settled, PATIENCE)
    return visitor


def test_a_study_that_fails_is_one_sentence_and_the_next_one_works(faulty):
    (error,) = run(look(faulty, "seed=1")).errors
    assert error == "The computation failed: injected [here](https://example.org)"
    assert "the run of 'seed=1' failed" in faulty.log and "Traceback" in faulty.log  # for the host
    query = "samples=50&seed=3"
    figures = Stream(Discrepancy(Experiment.parse(query))).finish().figures()
    assert outcome.differences(run(look(faulty, query)), query, figures) == []


def test_a_connection_that_drops_and_comes_back_finds_the_run_further_on(faulty):
    async def drop_and_come_back() -> None:
        async with Visitor(faulty.address, ENDLESS) as before:
            await before.until(lambda visitor: samples(visitor) > 0 and visitor.ticking, PATIENCE)
            before.drop()
            await before.until(lambda visitor: visitor.faults, PATIENCE)
        async with Visitor(faulty.address, before.query, before.session) as after:
            await after.until(
                lambda visitor: samples(visitor) > samples(before) and len(visitor.runs) > 2,
                PATIENCE,
            )
        assert after.session == before.session and after.faults == after.errors == []

    run(drop_and_come_back())
