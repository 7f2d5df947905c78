"""The curve of the experiment before: it stays, under its name, until the next change."""

from dataclasses import replace

import pytest

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.page import ghost
from tests.page.visiting import BY_HAND, GRADIENTS, picture, tick, visit, watch

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


def test_what_is_chosen_in_one_tab_leaves_the_others_as_they_are(runs):
    at = watch(visit("samples=60&trace_sample=41&trace_component=3"))
    before, run = picture(at), runs.get(Discrepancy, Experiment(samples=60))
    at.session_state["tab"] = BY_HAND
    tick(tick(at)).selectbox(key="function").set_value("tanh")
    tick(tick(at)).selectbox(key="x_from").set_value("uniform")
    tick(at)
    at.session_state["tab"] = GRADIENTS
    tick(tick(at))
    assert picture(at) == before and before["histogram"]["ghost"] is None
    link = {"function": "tanh", "x_from": "uniform", "trace_sample": "41", "trace_component": "3"}
    assert {key: "".join(at.query_params[key]) for key in link} == link
    assert runs.get(Discrepancy, Experiment(samples=60)) is run
    assert [study for study, _ in runs._runs].count(Discrepancy) == 1


def test_what_another_tab_shares_leaves_a_ghost():
    at = watch(visit("samples=60"))
    at.session_state["tab"] = BY_HAND
    tick(tick(at)).selectbox(key="dtype").set_value("float64")
    tick(at)
    at.session_state["tab"] = GRADIENTS
    assert picture(watch(tick(at)))["histogram"]["ghost"]["name"] == "before: float32"
