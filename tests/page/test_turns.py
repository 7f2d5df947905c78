"""Threads draw one after another, and who waits lends the turn."""

from threading import Barrier, Event, Thread

import pytest

from lib.page.turns import Turns

PATIENCE = 60  # seconds


@pytest.fixture
def turns() -> Turns:
    return Turns()


def start(*works) -> list[Thread]:
    threads = [Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    return threads


def end(threads: list[Thread]) -> None:
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_one_thread_at_a_time_has_the_turn_also_in_blocks_within_blocks(turns):
    at_work, most, all_here = [], [], Barrier(8)

    def draw() -> None:
        all_here.wait(PATIENCE)
        for _ in range(200):
            with turns:
                at_work.append(1)
                with turns:
                    most.append(len(at_work))
                most.append(len(at_work))
                at_work.pop()

    end(start(*[draw] * 8))
    assert len(most) == 8 * 200 * 2 and set(most) == {1}


def test_a_turn_that_is_lent_comes_back_as_deep_as_it_was(turns):
    waiting, answered, others = Event(), Event(), []

    def wait() -> None:
        with turns, turns:
            with turns.lent():
                waiting.set()
                assert answered.wait(PATIENCE)
            others.append("back")

    def draw() -> None:
        assert waiting.wait(PATIENCE)
        with turns:
            others.append("drawn meanwhile")
            answered.set()
            others.append("still mine")

    end(start(wait, draw))
    assert others == ["drawn meanwhile", "still mine", "back"]
    with turns:  # nobody kept it
        others.append("free")


def test_a_turn_ends_with_an_exception_and_lending_without_one_does_nothing(turns):
    with pytest.raises(KeyError), turns:
        raise KeyError
    with pytest.raises(KeyError), turns, turns.lent():
        raise KeyError
    with turns.lent(), turns:
        pass
    drawn = []
    end(start(lambda: drawn.append(turns.__enter__())))
    assert drawn == [None]
