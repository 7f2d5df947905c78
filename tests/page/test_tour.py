"""The tour without a browser: every link leads where it says, and a click is followed once."""

import json
import re
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment.query import Experiment
from lib.experiment.views import VIEW_KEYS
from lib.page import tour
from lib.page.tour import TOUR
from tests.page.visiting import arrive, chosen, visit


def bar(at: AppTest) -> dict:
    (found,) = [one.proto for one in at.get("bidi_component") if one.proto.component_name.endswith("last_bit_tour")]
    return json.loads(found.json)


@pytest.mark.parametrize("step", TOUR, ids=lambda step: step.title)
def test_a_step_is_one_short_sentence_and_has_a_link(step):
    assert re.fullmatch(r"(?:[^.]|\.(?=\S))+\.(?: (?:[^.]|\.(?=\S))+\.)?", step.sentence)
    assert len(step.sentence.split()) <= 24
    assert Experiment.parse(step.link) == step.experiment
    assert step.view.keys() <= VIEW_KEYS


def test_the_tour_has_eight_steps_at_places_of_their_own():
    assert len({step.link for step in TOUR}) == len({step.title for step in TOUR}) == len(TOUR) == 8
    places = [(step.experiment, tuple(step.view.items())) for step in TOUR]
    assert len(set(places)) == 8


@pytest.mark.parametrize("number", [1, 4, 6])
def test_the_link_of_a_step_opens_the_tour_at_that_step(number):
    step = TOUR[number - 1]
    at = visit(step.link.removeprefix("?"))
    shown = bar(at)
    assert (shown["stop"], shown["title"], shown["sentence"]) == (number, step.title, step.sentence)
    assert chosen(at) == step.experiment and at.session_state["tab"] == step.view["tab"]


@pytest.mark.parametrize(
    "query, stop",
    [
        ("tab=Check+your+own", 0),
        ("tour=false&tab=Check+your+own", 0),
        ("stop=3&tab=Check+your+own", 0),
        ("dtype=float64&tour=true", 2),
        ("tour=true&tab=Check+your+own", 1),
        ("tour=true&stop=0&tab=Check+your+own", 1),
        ("tour=true&stop=9&tab=Check+your+own", 1),
        ("tour=true&stop=x&tab=Check+your+own", 1),
        ("tour=true&stop=3&tab=Check+your+own", 3),
    ],
)
def test_a_link_opens_the_tour_only_if_it_says_so(query, stop):
    at = visit(query)
    assert bar(at)["stop"] == stop
    assert ("tour" in at.query_params, "stop" in at.query_params) == (stop > 0, stop > 0)


def test_a_link_with_an_experiment_of_its_own_keeps_it():
    at = visit("seed=7&tour=true&tab=Check+your+own")
    assert chosen(at) == Experiment(seed=7)


def test_a_tab_that_arrives_whole_has_the_tour_at_once():
    assert bar(arrive(urlencode({"tab": "Check your own"})))["stop"] == 0


@pytest.fixture
def page(monkeypatch):
    """What the tour works on, without a page around it."""
    state = {"stop": 0, "clicked": 0}

    class State(dict):
        __getattr__ = dict.__getitem__
        __setattr__ = dict.__setitem__

    state = State(state)
    monkeypatch.setattr(tour, "state", state)
    monkeypatch.setattr(tour, "is_new", lambda part: False)
    monkeypatch.setattr(tour, "keep", lambda view: None)
    followed = []
    monkeypatch.setattr(tour, "choose", followed.append)
    return state, followed


def test_a_click_is_followed_once_however_often_it_arrives(page):
    state, followed = page
    for go in ({"stop": 2, "click": 10}, {"stop": 2, "click": 10}, {"stop": 3, "click": 11}, {"stop": 2, "click": 10}):
        state["tour bar"] = {"go": go}
        tour.follow()
    assert state.stop == 3 and followed == [TOUR[1].experiment, TOUR[2].experiment]
    state["tour bar"] = {"go": {"stop": 0, "click": 12}}
    tour.follow()
    assert state.stop == 0 and len(followed) == 2


@pytest.mark.parametrize(
    "sent",
    [None, 3, "2", [], {}, {"stop": 2}, {"stop": "2", "click": 1}, {"stop": 9, "click": 1}, {"stop": -1, "click": 1}],
)
def test_what_is_no_click_is_not_followed(page, sent):
    state, followed = page
    state["tour bar"] = {"go": sent}
    tour.follow()
    assert state.stop == 0 and followed == []


def test_a_step_opens_what_it_speaks_of(page):
    state, _ = page
    state["tour bar"] = {"go": {"stop": 5, "click": 1}}
    tour.follow()
    assert (state["tab"], state["remedies"]) == (TOUR[4].view["tab"], True)
