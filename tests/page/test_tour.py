"""The tour: every link leads where it says."""

import re

import pytest

from lib.experiment.query import VIEW_KEYS, Experiment
from lib.page.tour import TOUR
from tests.server import ROOT

PAGE = "".join(path.read_text() for path in (ROOT / "lib/page").glob("*.py"))


@pytest.mark.parametrize("name", TOUR)
def test_a_step_is_one_sentence_that_points_into_the_page_and_has_a_link(name):
    step = TOUR[name]
    assert re.fullmatch(r"[^.]+\.", step.sentence)
    (anchor,) = re.findall(r"\]\(#([a-z-]+)\)", step.sentence)
    assert f'anchor="{anchor}"' in PAGE
    assert Experiment.parse(step.link) == step.experiment
    assert step.view.keys() <= VIEW_KEYS


def test_the_tour_has_seven_steps_at_places_of_their_own():
    assert len({step.link for step in TOUR.values()}) == len(TOUR) == 7
    assert [name[0] for name in TOUR] == list("1234567")
