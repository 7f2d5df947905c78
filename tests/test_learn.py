"""The tour and the whys: every link leads where it says."""

import re
from pathlib import Path

import pytest

from lib.experiment import VIEW_KEYS, Experiment
from page.learn import WHY
from page.tour import TOUR

PAGE = "".join(path.read_text() for path in (Path(__file__).parent.parent / "page").glob("*.py"))


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


@pytest.mark.parametrize("section", WHY)
def test_every_why_stands_once_in_its_section_and_links_to_the_documentation(section):
    assert PAGE.count(f'learn.show("{section}"') == 1
    assert f'anchor="{section}"' in PAGE
    why = WHY[section]
    links = re.findall(r"\]\((https://docs\.pytorch\.org/docs/stable/[\w./#]+\.html[\w.#]*)\)", why.markdown)
    assert len(links) == len(why.api) >= 1
    assert "**What to do:**" in why.markdown
