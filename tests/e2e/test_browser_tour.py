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


@pytest.mark.parametrize("keyboard", [False, True], ids=["mouse", "keyboard"])
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


def test_back_goes_back_and_a_link_opens_the_step(visit):
    page = visit(TOUR[3].link.removeprefix("?"))
    assert_at(page, 4)
    page.get_by_role("button", name="Back: the step before").click()
    assert_at(page, 3)
    page.get_by_role("button", name="Close the tour").click()
    expect(page.get_by_role("button", name="Take the tour")).to_be_visible()


def test_each_step_of_the_walk_is_one_step_of_the_browsers_back(visit):
    """Also where tabs and sections, which Streamlit binds to the address, change together with the experiment."""
    page = visit(TOUR[3].link.removeprefix("?"))
    for number in (4, 5, 6):
        assert_at(page, number)
        page.locator(".next").click()
    for number in (7, 6, 5, 4):
        assert_at(page, number, led=number == 7)
        page.go_back()


def test_two_quick_clicks_are_two_steps(visit):
    page = visit(TOUR[0].link.removeprefix("?"))
    assert_at(page, 1)
    page.locator(".next").dblclick()
    assert_at(page, 3)


def test_on_a_phone_the_bar_is_one_row_with_targets_for_a_thumb_below_the_page(visit):
    page = visit(TOUR[3].link.removeprefix("?"), viewport={"width": 390, "height": 844})
    assert_at(page, 4)
    tops = set()
    for name in ("back", "next", "close"):
        box = page.locator(f".bar .{name}").bounding_box()
        assert min(box["width"], box["height"]) >= 44
        tops.add(round(box["y"]))
    assert len(tops) == 1
    height = page.get_by_role("region", name="Tour").bounding_box()["height"]
    assert height <= float(page.evaluate("document.documentElement.style.getPropertyValue('--tour-room')")[:-2])
    assert page.evaluate("document.documentElement.scrollWidth") == 390
