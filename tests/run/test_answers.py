"""Questions of the pages: answered once and by the worker, as long as somebody waits; failures are asked again."""

import logging
from threading import Barrier, Event, Thread, current_thread

import pytest

from lib.run import answers as answers_module
from lib.run.answers import Answers
from lib.run.runs import Runs
from tests.stepwise import Worker

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
def answers(clock):
    return Answers(Worker(), most=5)


def look(answers, question, number):
    """What is known, without waiting; asks again a little later."""
    return answers.ask(question, number, patience=0.0, again=2.0)


def test_a_question_is_answered_once_and_by_the_worker():
    asked, go = [], Event()

    def square(number):
        asked.append(current_thread().name)
        assert go.wait(PATIENCE)
        return number**2

    answers = Runs().answers
    assert answers.ask(square, 3, patience=0.0, again=PATIENCE) is None
    go.set()
    assert [answers.ask(square, n, patience=PATIENCE) for n in (3, 3, 4)] == [9, 9, 16]
    assert len(asked) == 2 and all(name.startswith("study") for name in asked)


def test_pages_that_ask_at_one_moment_each_get_their_answer_and_no_question_is_answered_twice(square):
    """On threads, as the sessions of a server are."""
    answers, known, all_asked, go = Runs().answers, {}, Barrier(121), Event()
    answers.ask(go.wait, PATIENCE, patience=0.0, again=PATIENCE)

    def page(number):
        assert answers.ask(square, number % 60, patience=0.0, again=PATIENCE) is None
        all_asked.wait(PATIENCE)
        while number not in known:
            if (answer := answers.ask(square, number % 60, patience=0.01, again=PATIENCE)) is not None:
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


def test_at_three_times_the_capacity_all_are_answered_once(answers, square, clock):
    known = {}
    for _ in range(100):
        for number in set(range(15)) - set(known):
            known |= {number: answer} if (answer := look(answers, square, number)) is not None else {}
            assert len(answers._asked) <= 5
        answers._worker.work(1 if answers._worker.jobs else 0)
        clock.now += 0.3
    assert known == {number: number**2 for number in range(15)} and sorted(square.asked) == list(range(15))


def test_of_the_answers_that_were_given_the_least_recently_used_is_dropped_first(answers, square):
    for number in (0, 1, 2, 3, 4, 0, 5):
        look(answers, square, number)
        answers._worker.work()
        assert look(answers, square, number) == number**2
    assert [number for _, (number,) in answers._asked] == [2, 3, 4, 0, 5]
    assert square.asked == [0, 1, 2, 3, 4, 5]


def test_a_question_that_nobody_waits_for_any_more_is_not_answered(answers, square, clock):
    for number in range(5):
        look(answers, square, number)
    clock.now += 1.5
    look(answers, square, 3)
    clock.now += 1.5
    answers._worker.work()
    assert square.asked == [3] and len(answers._asked) == 1


def test_beyond_so_many_a_question_waits_until_the_answers_are_fetched(answers, square, clock):
    for number in range(5):
        assert look(answers, square, number) is None
    for _ in ("while they wait", "while their answers are to be fetched"):
        assert look(answers, square, 5) is None and (square, (5,)) not in answers._asked
        assert look(answers, square, 3) in (None, 9)
        answers._worker.work()
    assert look(answers, square, 5) is None and (square, (5,)) in answers._asked, "one was fetched"
    clock.now += 2.1
    assert [look(answers, square, number) for number in (6, 7, 8, 9)] == [None] * 4, "nobody fetches the others"
    assert [number for _, (number,) in answers._asked] == [5, 6, 7, 8, 9]


def test_a_question_that_fails_gives_a_sentence_and_is_asked_again_but_not_at_every_tick(answers, clock, caplog):
    calls = []

    def fails_once(number):
        calls.append(number)
        if len(calls) == 1:
            raise ValueError("not now\nand a traceback")
        return number

    assert look(answers, fails_once, 7) is None
    with caplog.at_level(logging.ERROR, logger=answers_module.__name__):
        answers._worker.work()
    assert caplog.records[0].exc_info and "fails_once failed" in caplog.text
    for _ in range(33):
        with pytest.raises(RuntimeError, match="^The computation failed: not now$"):
            look(answers, fails_once, 7)
        clock.now += 0.3
    assert calls == [7] and not answers._worker.jobs
    clock.now += 0.2
    assert look(answers, fails_once, 7) is None
    answers._worker.work()
    assert look(answers, fails_once, 7) == 7
