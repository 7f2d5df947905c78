"""Questions of the pages: answered once and by the worker, as long as somebody waits; failures are asked again."""

import logging
from functools import partial
from threading import Barrier, Event, Thread, current_thread

import pytest

from lib.run import answers as answers_module
from lib.run.answers import Answers, Busy
from lib.run.store import Runs
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
    return Answers(Worker(), most_kept=5, most_waiting=20)


def look(answers, question, *arguments):
    """What is known, without waiting; asks again a little later."""
    return answers.ask(question, *arguments, patience=0.0, again=2.0)


def test_a_question_is_answered_once_and_by_the_worker():
    asked = []

    def square(number):
        asked.append(current_thread().name)
        return number**2

    answers = Runs().answers
    assert [answers.ask(square, 3, patience=PATIENCE) for _ in range(2)] == [9, 9]
    assert answers.ask(square, 4, patience=PATIENCE) == 16
    assert len(asked) == 2 and all(name.startswith("study") for name in asked)


def test_an_answer_that_is_not_there_yet_is_none():
    go = Event()
    answers = Runs().answers
    assert answers.ask(go.wait, PATIENCE, patience=0.0, again=PATIENCE) is None
    go.set()
    assert answers.ask(go.wait, PATIENCE, patience=PATIENCE) is True


def test_at_three_times_the_capacity_all_are_answered_in_turn_and_once(square, clock):
    answers = Answers(Worker(), most_kept=5)
    known = {}
    for _ in range(1000):
        for number in range(15):
            if number not in known and (answer := look(answers, square, number)) is not None:
                known[number] = answer
        clock.now += 0.3
        if answers._worker.jobs:
            answers._worker.work(1)
        if len(known) == 15:
            break
    assert known == {number: number**2 for number in range(15)}
    assert square.asked == list(range(15))


def test_pages_that_ask_at_one_moment_each_get_their_answer_and_no_question_is_answered_twice(square):
    """On threads, as the sessions of a server are."""
    answers, known, all_asked, go = Runs().answers, {}, Barrier(301), Event()
    answers.ask(go.wait, PATIENCE, patience=0.0, again=PATIENCE)

    def page(number):
        assert answers.ask(square, number % 150, patience=0.0, again=PATIENCE) is None
        all_asked.wait(PATIENCE)
        while number not in known:
            if (answer := answers.ask(square, number % 150, patience=0.01, again=PATIENCE)) is not None:
                known[number] = answer

    pages = [Thread(target=page, args=[number]) for number in range(300)]
    for thread in pages:
        thread.start()
    all_asked.wait(PATIENCE)
    go.set()
    for thread in pages:
        thread.join(PATIENCE)
    assert known == {number: (number % 150) ** 2 for number in range(300)}
    assert sorted(square.asked) == list(range(150))


def test_answers_that_were_given_are_bounded_and_the_least_recently_asked_for_are_dropped_first(answers, square, clock):
    for number in range(6):
        look(answers, square, number)
        answers._worker.work()
        assert look(answers, square, number) == number**2
        clock.now += 2.1
    assert look(answers, square, 1) == 1  # which is known still
    look(answers, square, 0)
    answers._worker.work()
    assert square.asked == [0, 1, 2, 3, 4, 5, 0]
    assert len(answers._asked) <= 5 + 1


def test_a_question_that_nobody_waits_for_any_more_is_not_answered(answers, square, clock):
    for number in range(10):
        look(answers, square, number)
    clock.now += 1.5
    look(answers, square, 3)
    clock.now += 1.5
    answers._worker.work()
    assert square.asked == [3]
    assert len(answers._pending) == 0 and len(answers._asked) == 1


def test_a_question_that_a_page_waits_for_is_kept_however_long_that_takes(square, clock):
    worker = Worker()
    answers = Answers(worker)
    given = []
    look(answers, square, 3)
    page = Thread(target=lambda: given.append(answers.ask(square, 3, patience=PATIENCE)))
    page.start()
    while not answers._asked[square, (3,)].waiting:
        page.join(0.01)
    clock.now += 10**6
    for number in range(100):
        look(answers, square, number + 10)
    worker.work()
    page.join(PATIENCE)
    assert given == [9] and square.asked[0] == 3


def test_an_answer_is_kept_until_who_waits_for_it_has_asked_again(answers, square, clock):
    for number in range(15):
        look(answers, square, number)
    answers._worker.work()
    assert [look(answers, square, number) for number in range(15)] == [number**2 for number in range(15)]
    assert [look(answers, square, number) for number in range(15)] == [number**2 for number in range(15)]  # likewise
    assert square.asked == list(range(15))
    clock.now += 2.1
    look(answers, square, 14)
    assert len(answers._asked) == 5


def test_an_answer_that_nobody_fetches_is_dropped(answers, square, clock):
    for number in range(15):
        look(answers, square, number)
    answers._worker.work()
    clock.now += 3.0
    look(answers, square, 0)
    assert len(answers._asked) <= 5 + 1


def test_beyond_so_many_that_wait_a_question_is_refused_with_a_sentence(answers, square, clock):
    for number in range(20):
        assert look(answers, square, number) is None
    with pytest.raises(Busy, match=r"^This server is busy: 20 questions are waiting for an answer\. This one is asked"):
        look(answers, square, 20)
    assert look(answers, square, 7) is None, "one that waits may be asked again"
    answers._worker.work()
    assert [look(answers, square, number) for number in range(20)] == [number**2 for number in range(20)]


def test_what_is_answered_already_keeps_no_question_out(answers, square, clock):
    """Even while the pages that asked have not fetched it yet."""
    for number in range(20):
        look(answers, square, number)
    answers._worker.work()
    assert look(answers, square, 20) is None
    answers._worker.work()
    assert [look(answers, square, number) for number in range(21)] == [number**2 for number in range(21)]
    assert square.asked == list(range(21))


def test_answers_that_were_not_fetched_yet_are_bounded_too_and_the_latest_are_kept(answers, square, clock):
    for number in range(200):
        look(answers, square, number)
        if number % 10 == 9:
            answers._worker.work()
            assert len(answers._asked) <= 20 + 5 + 10
    assert [look(answers, square, number) for number in range(180, 200)] == [number**2 for number in range(180, 200)]
    assert square.asked == list(range(200))
    for number in range(200, 220):
        look(answers, square, number)
    with pytest.raises(Busy, match="^This server is busy: 20 questions are waiting"):
        look(answers, square, 220)


def test_an_answer_that_nobody_waits_for_is_dropped_before_one_that_is_to_be_fetched(answers, square, clock):
    for number in range(20):
        look(answers, square, number)
    answers._worker.work()
    for number in range(100, 105):
        assert answers.ask(square, number, patience=0.0, again=0.1) is None
    answers._worker.work()
    clock.now += 1.0
    for number in range(20, 25):
        look(answers, square, number)
    answers._worker.work()
    look(answers, square, 200)
    assert not any((square, (number,)) in answers._asked for number in range(100, 105))
    assert all((square, (number,)) in answers._asked for number in range(25))


def test_who_left_makes_room_for_others_that_ask(answers, square, clock):
    for number in range(20):
        look(answers, square, number)
    clock.now += 2.1
    assert look(answers, square, 20) is None
    assert len(answers._pending) == 1


def test_questions_and_runs_take_turns(answers, clock):
    """However many questions there are, a turn of them ends in time, and a slice of a run comes before the next."""
    order = []

    def slow(number):
        order.append(number)
        clock.now += 0.12

    for number in range(7):
        answers.ask(slow, number, patience=0.0, again=PATIENCE)
    answers._worker.submit(partial(order.append, "slice"))
    answers._worker.work()
    assert order == [0, 1, 2, "slice"]
    answers._worker.submit(partial(order.append, "slice"))
    answers._worker.work()
    answers._worker.work()
    assert order == [0, 1, 2, "slice", 3, 4, 5, "slice", 6]
    assert not answers._worker.jobs
    answers.ask(slow, 8, patience=0.0, again=PATIENCE)
    answers._worker.work()
    assert order[-1] == 8


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
    assert calls == [7, 7]


def test_a_failure_can_be_forgotten_and_nothing_else(answers, square, clock):
    fails = True

    def fails_first(number):
        if fails:
            raise ValueError("not now")
        return number

    answers.forget(fails_first, 7)  # which was never asked
    look(answers, fails_first, 7)
    answers._worker.work()
    with pytest.raises(RuntimeError, match="not now"):
        look(answers, fails_first, 7)
    fails = False
    answers.forget(fails_first, 7)
    assert look(answers, fails_first, 7) is None
    answers.forget(fails_first, 7)  # which waits for its answer
    answers._worker.work()
    assert look(answers, fails_first, 7) == 7
    look(answers, square, 3)
    answers._worker.work()
    answers.forget(square, 3)  # which is answered
    assert look(answers, square, 3) == 9 and square.asked == [3]


def test_questions_that_failed_are_bounded_too(answers, clock):
    def fails(number):
        raise ValueError

    for number in range(30):
        look(answers, fails, number)
        answers._worker.work()
        with pytest.raises(RuntimeError, match="^The computation failed: ValueError$"):
            look(answers, fails, number)
        clock.now += 2.1
    assert len(answers._asked) <= 5 + 1


def test_who_does_not_say_that_they_ask_again_does_not_wait(answers, square):
    assert answers.ask(square, 3, patience=0.0) is None
    answers._worker.work()
    assert square.asked == []
