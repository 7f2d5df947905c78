"""The curve of the experiment before: it stays, under its name, until the next change."""

from dataclasses import replace

import pytest

from lib.experiment.query import Experiment
from lib.page import ghost

A = Experiment()
B = replace(A, dtype="float64")
C = replace(B, seed=3)


@pytest.fixture(autouse=True)
def session(monkeypatch) -> dict:
    session: dict = {}
    monkeypatch.setattr(ghost, "state", session)
    return session


def test_there_is_no_ghost_before_the_first_change():
    assert [ghost.of("part", A, data) for data in ([1], [2])] == [None, None]


def test_the_last_curve_of_the_former_experiment_stays_for_one_more_run():
    ghost.of("part", A, [1])
    ghost.of("part", A, [2])
    assert [ghost.of("part", B, data) for data in ([3], [4])] == [("float32", [2])] * 2
    assert ghost.of("part", C, [5]) == ("seed 0", [4])
    assert ghost.of("part", A, [6]) == ("float64, seed 3", [5])


def test_what_had_nothing_to_draw_leaves_no_ghost():
    ghost.of("part", A, None)
    assert ghost.of("part", B, [1]) is None
    assert ghost.of("part", C, [2]) == ("seed 0", [1])


def test_each_part_has_a_ghost_of_its_own():
    ghost.of("one", A, [1])
    ghost.of("other", B, [2])
    assert ghost.of("one", C, [3]) == ("float32, seed 0", [1])
    assert ghost.of("other", C, [4]) == ("seed 0", [2])
