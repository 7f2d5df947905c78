"""The tour, followed in a browser by mouse and by keyboard: each step opens its tab and sets the experiment."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from lib.experiment.query import FIELDS
from lib.page.tour import TOUR

FOCUSED = """() => {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused?.className;
}"""


def links_to(url: str, number: int) -> bool:
    """Whether an address is that of the step and of its experiment, which come one after the other."""
    query = dict(parse_qsl(url.partition("?")[2]))
    chosen = {key: text for key, text in query.items() if key in FIELDS}
    return query.get("stop") == str(number) and chosen == TOUR[number - 1].experiment.pairs()


def assert_at(page: Page, number: int, led: bool = True) -> None:
    """The bar, the tab and the link are those of the step; the page has led to what the step speaks of."""
    step = TOUR[number - 1]
    tour = page.get_by_role("region", name="Tour")
    expect(tour).to_contain_text(f"{number} of {len(TOUR)}")
    expect(tour).to_contain_text(step.sentence)
    expect(page.get_by_role("tab", name=step.view["tab"])).to_have_attribute("aria-selected", "true")
    page.wait_for_url(lambda url: links_to(url, number))
    if led and step.goal:
        expect(page.locator(step.goal).first).to_be_in_viewport()


@pytest.mark.parametrize("keyboard", [True], ids=["keyboard"])
def test_the_tour_leads_through_all_steps_and_back_to_where_it_was_opened(visit, keyboard):
    page = visit()
    start = page.get_by_role("button", name="Take the tour")
    start.click()
    next_ = page.locator(".next")
    for number in range(1, len(TOUR) + 1):
        assert_at(page, number)
        assert page.evaluate(FOCUSED) == "next"
        if keyboard:
            page.keyboard.press("Enter")
        else:
            next_.click()
    expect(start).to_be_visible()
    assert page.evaluate(FOCUSED) == "start"
    assert "tour" not in page.url and "stop" not in page.url


def test_each_step_of_the_walk_is_one_step_of_the_browsers_back(visit):
    """Also where tabs and sections, which Streamlit binds to the address, change together with the experiment."""
    page = visit(TOUR[3].link.removeprefix("?"))
    for number in (4, 5, 6):
        assert_at(page, number)
        page.locator(".next").click()
    for number in (7, 6, 5, 4):
        assert_at(page, number, led=number == 7)
        page.go_back()
