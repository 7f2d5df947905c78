"""What viewers share of a drawing, when a page is declared anew, and what it does where a question has no answer."""

from dataclasses import replace
from threading import Event, Thread

import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment.query import Experiment
from lib.page import live, shared
from lib.page.live import Declared, Live
from lib.run.answers import Busy
from lib.run.store import Runs
from tests.stepwise import Counting


def draw_for_a_viewer(seed: int) -> AppTest:
    def script(seed: int, log: list[int]) -> None:
        import streamlit as st

        from lib.page.shared import share

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
    monkeypatch.setattr(live, "state", {})
    runs = Runs()
    run = runs.get(Counting, Experiment(samples=100))
    part = Live(Counting, claim=None, draw=None)
    run.request(1000.0)
    runs.worker.work()
    assert run.at_work and not part.paused
    live.state[part.pause_key] = True
    live.release(part, run)
    runs.worker.work()
    assert part.paused and not run.at_work and not runs.worker.jobs
    live.state[part.pause_key] = False
    run.request(1000.0)
    live.release(part, run)
    runs.worker.work()
    assert not part.paused and run.at_work


PATIENCE = 30.0  # seconds


def page_that_asks(question, settled: bool = True) -> AppTest:
    def script(question, settled: bool) -> None:
        import streamlit as st

        from lib.page.shared import ask

        st.session_state.update(viewer="viewer", drawing=0.0, drawing_seldom=0.0)
        answer = ask("It is", "about", question, 7, settled=settled)
        if answer is not None:
            st.write(f"The answer is {answer}.")

    return AppTest.from_function(script, kwargs={"question": question, "settled": settled}, default_timeout=PATIENCE)


def shown(page: AppTest) -> tuple[list[str], list[str], list[str]]:
    """The errors, the buttons, and what is written."""
    return (
        [element.value for element in page.error],
        [button.label for button in page.button],
        [element.value for element in page.markdown],
    )


@pytest.fixture
def store(clock, monkeypatch):
    """A store with a worker of its own, where the time in which a failure would be forgotten does not pass."""
    store = Runs()
    monkeypatch.setattr(shared, "runs", lambda: store)
    yield store
    store.worker.shutdown()


def fails_at_first(times: int):
    calls = []

    def question(number):
        calls.append(number)
        if len(calls) <= times:
            raise ValueError("not now")
        return number**2

    return question


def test_a_question_that_failed_on_a_settled_part_is_asked_again_on_a_click(store):
    page = page_that_asks(fails_at_first(2)).run()
    failed = ["The computation failed: not now"], ["Try again"], []
    assert shown(page) == failed
    assert shown(page.run()) == failed
    assert shown(page.button[0].click().run()) == failed, "which failed anew"
    assert shown(page.button[0].click().run()) == ([], [], ["The answer is 49."])


def test_a_question_that_was_refused_waits_and_is_asked_again_by_itself(store, monkeypatch):
    go, refused, others = Event(), Event(), range(250)
    assert store.answers.ask(go.wait, PATIENCE, patience=0.0, again=PATIENCE) is None
    square, ask = fails_at_first(0), store.answers.ask
    while store.answers._pending:  # until the worker has begun with it
        Event().wait(0.001)
    for number in others:
        assert ask(square, -number, patience=0.0, again=PATIENCE) is None
    busy = "This server is busy: 250 questions are waiting for an answer. This one is asked again by itself."
    page = page_that_asks(square, settled=False).run()
    assert shown(page) == ([], [], []) and [caption.value for caption in page.caption] == [busy]

    def ask_and_tell(*arguments, **options):
        try:
            return ask(*arguments, **options)
        except Busy:
            refused.set()
            raise

    monkeypatch.setattr(store.answers, "ask", ask_and_tell)
    Thread(target=lambda: refused.wait(PATIENCE) and go.set()).start()
    page = page_that_asks(square).run()
    assert shown(page) == ([], [], ["The answer is 49."]) and not page.caption
    assert [ask(square, -number, patience=PATIENCE) for number in others] == [n**2 for n in others]


def test_where_later_drawings_ask_again_there_is_no_button(store):
    question = fails_at_first(1)
    with pytest.raises(RuntimeError):
        store.answers.ask(question, 7, patience=PATIENCE)
    page = page_that_asks(question, settled=False).run()
    assert shown(page) == (["The computation failed: not now"], [], [])
