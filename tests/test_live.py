"""What viewers share of a drawing, and when a page is declared anew."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment import Experiment
from lib.runs import Runs
from page import live
from page.live import Declared, Live
from tests.stepwise import Counting


def draw_for_a_viewer(seed: int) -> AppTest:
    def script(seed: int, log: list[int]) -> None:
        import streamlit as st

        from page.live import share

        def draw(seed: int) -> None:
            log.append(seed)
            left, right = st.columns(2)
            left.metric("seed", seed)
            with right:
                st.markdown(f"of seed {seed}")

        with st.container():
            share(("drawing", seed), draw, seed)

    return AppTest.from_function(script, kwargs={"seed": seed, "log": DRAWN}).run()


DRAWN: list[int] = []


def test_what_one_viewer_had_drawn_is_only_sent_to_the_next():
    pages = [draw_for_a_viewer(seed) for seed in (1, 1, 2, 1)]
    assert [(page.metric[0].value, page.markdown[0].value) for page in pages] == [
        (str(seed), f"of seed {seed}") for seed in (1, 1, 2, 1)
    ]
    assert DRAWN == [1, 2]


@pytest.mark.parametrize(
    ("change", "outdated"),
    [
        ({}, False),
        ({"period": 1.4}, False),
        ({"period": 0.6}, False),
        ({"period": 2.0}, True),
        ({"period": 0.5}, True),
        ({"finished": True}, True),
        ({"paused": True}, True),
        ({"arriving": False}, True),
    ],
)
def test_a_page_is_declared_anew_for_a_change_that_is_worth_a_whole_run(change, outdated):
    declared = Declared(finished=False, paused=False, arriving=True, period=1.0)
    assert declared.outdated(replace(declared, **change)) is outdated


def test_a_click_on_pause_stops_the_run_after_its_slice_and_one_on_resume_lets_it_go_on(stepwise, monkeypatch):
    monkeypatch.setattr(live, "state", SimpleNamespace(paused=frozenset()))
    runs = Runs()
    run = runs.get(Counting, Experiment(samples=100))
    part = Live(Counting, "samples", claim=None, draw=None)
    run.kick(1000.0)
    runs.worker.work()
    assert run.at_work and not part.paused
    live.pause(part, run)
    runs.worker.work()
    assert part.paused and not run.at_work and not runs.worker.jobs
    live.resume(part)
    assert not part.paused
