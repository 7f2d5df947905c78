"""Questions of the pages: answered once and by the worker, as long as somebody waits; failures are asked again."""

import logging
from threading import Barrier, Event, Thread, current_thread

import pytest

from lib.run import runs as runs_module
from lib.run.answers import ask
from lib.run.runs import Runs

PATIENCE = 30.0  # seconds


class Square:
    """A question that notes what it is asked."""

    __name__ = "square"

    def __init__(self):
        self.asked = []

    def __call__(self, number):
        self.asked.append(number)
        return number**2


@pytest.fixture
def square():
    return Square()


@pytest.fixture
def store(stepwise):
    return Runs(most_runs=5)


def look(store, question, number):
    """What is known, without waiting; asks again a little later."""
    return ask(store, question, number, patience=0.0, again=2.0)


def test_pages_that_ask_at_one_moment_each_get_their_answer_and_no_question_is_answered_twice():
    """On threads, as the sessions of a server are; the worker is that of the runs."""
    store, known, all_asked, go = Runs(Runs().worker), {}, Barrier(121), Event()
    square, workers = Square(), set()
    ask(store, go.wait, PATIENCE, patience=0.0, again=PATIENCE)

    def squared(number):
        workers.add(current_thread().name)
        return square(number)

    def page(number):
        assert ask(store, squared, number % 60, patience=0.0, again=PATIENCE) is None
        all_asked.wait(PATIENCE)
        while number not in known:
            if (
                answer := ask(store, squared, number % 60, patience=0.01, again=PATIENCE)
            ) is not None:
                known[number] = answer

    pages = [Thread(target=page, args=[number]) for number in range(120)]
    for thread in pages:
        thread.start()
    all_asked.wait(PATIENCE)
    go.set()
    for thread in pages:
        thread.join(PATIENCE)
    assert known == {number: (number % 60) ** 2 for number in range(120)}
    assert sorted(square.asked) == list(range(60))
    assert len(workers) == 1 and workers.pop().startswith("study")


def test_a_question_that_nobody_waits_for_any_more_is_not_answered(store, square, stepwise):
    for number in range(5):
        look(store, square, number)
    stepwise.now += 1.5
    look(store, square, 3)
    stepwise.now += 1.5
    store.worker.work()
    assert square.asked == [3] and look(store, square, 3) == 9 and look(store, square, 2) is None


def test_a_question_that_fails_gives_a_sentence_and_is_asked_again_but_not_at_every_tick(
    store, stepwise, caplog
):
    calls = []

    def fails_once(number):
        calls.append(number)
        if len(calls) == 1:
            raise ValueError("not now\nand a traceback")
        return number

    assert look(store, fails_once, 7) is None
    with caplog.at_level(logging.ERROR, logger=runs_module.__name__):
        store.worker.work()
    assert caplog.records[0].exc_info and "the run of 'fails_once(7,)' failed" in caplog.text
    for _ in range(33):
        with pytest.raises(RuntimeError, match="^The computation failed: not now$"):
            look(store, fails_once, 7)
        stepwise.now += 0.3
    assert calls == [7] and not store.worker.jobs
    stepwise.now += 0.2
    assert look(store, fails_once, 7) is None
    store.worker.work()
    assert look(store, fails_once, 7) == 7
