"""Questions of the pages: answered once and by the worker, as long as somebody waits."""

import logging
from threading import Barrier, Event, Thread, current_thread

import pytest

from lib.run import run as run_module
from lib.run.answers import ask
from lib.run.runs import Runs

PATIENCE = 30.0  # seconds


def test_pages_that_ask_at_one_moment_share_the_answers_and_the_worker():
    """On threads, as the sessions of a server are."""
    store = Runs(Runs().worker)
    all_asked, go = Barrier(21), Event()
    calls, workers, known = [], set(), {}

    def square(number):
        workers.add(current_thread().name)
        calls.append(number)
        return number**2

    def page(number):
        all_asked.wait(PATIENCE)
        known[number] = ask(store, square, number % 10, patience=PATIENCE)

    pages = [Thread(target=page, args=[number]) for number in range(20)]
    for thread in pages:
        thread.start()
    assert ask(store, go.wait, PATIENCE, patience=0.0) is None
    all_asked.wait(PATIENCE)
    go.set()
    for thread in pages:
        thread.join(PATIENCE)
    assert known == {number: (number % 10) ** 2 for number in range(20)}
    assert sorted(calls) == list(range(10))
    assert len(workers) == 1 and workers.pop().startswith("study")


def test_a_question_that_nobody_waits_for_any_more_is_not_answered(stepwise):
    store, calls = Runs(most_runs=5), []
    for number in range(7):
        ask(store, calls.append, number, patience=0.02 if number == 3 else 0.01)
    stepwise.now += 0.015
    store.worker.work()
    assert calls == [3]


def test_a_question_that_fails_gives_a_sentence_and_is_computed_anew(stepwise, caplog):
    store, calls = Runs(), []

    def fails_once(number):
        calls.append(number)
        if len(calls) == 1:
            raise ValueError("not now\nand a traceback")
        return number

    assert ask(store, fails_once, 7, patience=0.01) is None
    with caplog.at_level(logging.ERROR, logger=run_module.__name__):
        store.worker.work()
    assert caplog.records[0].exc_info and "the run of 'fails_once(7,)' failed" in caplog.text
    with pytest.raises(RuntimeError, match="^The computation failed: not now$"):
        ask(store, fails_once, 7, patience=0.01)
    assert ask(store, fails_once, 7, patience=0.01) is None
    store.worker.work()
    assert ask(store, fails_once, 7, patience=0.01) == 7 and calls == [7, 7]
