"""The server warms up before its port answers, and serves the page whether or not that goes well."""

import gc
import sys

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.page import warm
from tests.visitor import run


async def start() -> None:
    async with warm.lifespan(None):
        pass


def test_the_first_run_has_begun_before_the_first_visitor_comes(runs):
    run(start())
    assert runs.get(Discrepancy, Experiment()).tally.samples > 0


def test_what_is_loaded_is_no_longer_collected(runs):
    try:
        run(start())
        assert gc.get_freeze_count() > len(sys.modules)
    finally:
        gc.unfreeze()


def test_a_warm_up_that_fails_is_logged_and_the_page_is_served(monkeypatch, caplog):
    monkeypatch.setattr(warm, "_visit", lambda: 1 / 0)
    run(start())
    assert "The page starts cold." in caplog.text and "ZeroDivisionError" in caplog.text
