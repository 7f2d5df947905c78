"""Questions of the pages: answered once and by the worker, as long as somebody waits."""

import logging

import pytest

from lib.run.answers import ask
from lib.run.shared_runs import Runs


def test_pages_share_an_answer_in_time(stepwise):
    """What nobody waits for any more is not computed."""
    store, calls = Runs(most_runs=5), []

    def square(number):
        calls.append(number)
        return number**2

    for number in [*range(7), 3]:
        with pytest.raises(TimeoutError):
            ask(store, square, number, patience=0.02 if number == 3 else 0.01)
    stepwise.now += 0.015
    store.worker.work()
    assert [ask(store, square, 3, patience=0.01) for _ in range(3)] == [9] * 3
    assert calls == [3]


def test_a_question_that_fails_is_computed_anew(stepwise, caplog):
    store, errors = Runs(), [ValueError("not now\nand a traceback")]

    def fails_once(number):
        if errors:
            raise errors.pop()
        return number

    def again():
        return ask(store, fails_once, 7, patience=0.01)

    with pytest.raises(TimeoutError):
        again()
    with caplog.at_level(logging.ERROR):
        store.worker.work()
    assert caplog.records[0].exc_info and "the run of 'fails_once(7,)' failed" in caplog.text
    with pytest.raises(RuntimeError, match="^The computation failed: not now$"):
        again()
    with pytest.raises(TimeoutError):
        again()
    store.worker.work()
    assert again() == 7
