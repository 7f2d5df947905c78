"""What the first tab counts can be touched: a bar, a cell, a row, and another one; what is picked is in the link."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import wait_until_still

QUERY = "samples=300"


def sentence(page: Page) -> Locator:
    return page.locator(".st-key-under p").first


def bar(page: Page, label: str) -> Locator:
    return page.get_by_role("button", name=label)


def search(page: Page) -> str:
    return page.evaluate("decodeURIComponent(location.search)").removeprefix("?")


def wait_for_link(page: Page, before: str) -> str:
    """Waits until the link says that something else is picked; the link."""
    picked = "'trace_sample trace_component'.split(' ').map(key => new URLSearchParams(location.search).get(key))"
    of_before = [dict(parse_qsl(before)).get(key) for key in ("trace_sample", "trace_component")]
    page.wait_for_function(f"before => {picked}[0] !== null && String({picked}) !== String(before)", arg=of_before)
    return search(page)


def numbers_of_picture(page: Page) -> str:
    """What the picture says of both results, to whom cannot see it."""
    return page.locator(".two-results .results").first.get_attribute("aria-label")


@pytest.fixture
def page(visit) -> Page:
    page = visit(QUERY)
    expect(page.get_by_test_id("stProgress")).to_contain_text("300 of 300 samples")
    expect(sentence(page)).to_contain_text("neighbouring floats")
    wait_until_still(page)
    return page


def test_a_bar_is_picked_by_mouse_and_the_link_of_the_pick_shows_the_same_component(page, visit):
    bar(page, "3 floats apart, backward() above").click()
    expect(sentence(page)).to_contain_text("3 floats apart")
    link = wait_for_link(page, QUERY)
    reopened = visit(link)
    expect(sentence(reopened)).to_have_text(sentence(page).inner_text())
    assert numbers_of_picture(reopened) == numbers_of_picture(page)
    assert search(reopened) == link


def test_a_pick_a_tab_and_a_section_are_a_step_of_back_each(page):
    """One act after the other: Streamlit loses the tab if a step back meets the run in which it opens."""
    bar(page, "2 floats apart, Jacobian above").click()
    picked = wait_for_link(page, QUERY)
    wait_until_still(page)
    page.get_by_role("tab", name="Check your own").click()
    page.wait_for_function("location.search.includes('tab=')")
    wait_until_still(page)
    page.go_back()
    expect(sentence(page)).to_be_visible()
    assert dict(parse_qsl(search(page)[1:])) == dict(parse_qsl(picked[1:]))
    wait_until_still(page)
    page.locator(".st-key-bug summary").click()
    page.wait_for_function("location.search.includes('bug=true')")
    wait_until_still(page)
    page.go_back()
    expect(page.locator(".st-key-bug details[open]")).to_have_count(0)
    wait_until_still(page)
    page.go_back()
    page.wait_for_function(f"location.search === '?{QUERY}'")


def test_a_bar_is_picked_by_keyboard_and_keeps_the_focus(page):
    bar(page, "1 float apart, backward() above").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(sentence(page)).to_contain_text("2 floats apart")
    wait_for_link(page, QUERY)
    expect(bar(page, "2 floats apart, backward() above")).to_be_focused()
    expect(bar(page, "2 floats apart, backward() above")).to_have_attribute("aria-pressed", "true")


def test_another_one_is_of_the_same_bar(page):
    bar(page, "2 floats apart, backward() above").click()
    first = wait_for_link(page, QUERY)
    another = page.get_by_role("button", name="Another")
    another.click()
    second = wait_for_link(page, first)
    assert second != first
    expect(sentence(page)).to_contain_text("2 floats apart")
    expect(another).to_be_focused()


@pytest.mark.parametrize(
    ("way_on", "key", "shows"),
    [("Who is closer", "right", "is closer to the exact gradient in"), ("Try each remedy", "remedies", "remedies, ")],
)
def test_a_card_opens_its_section_and_goes_there(page, way_on, key, shows):
    page.get_by_role("button", name=way_on).click()
    section = page.locator(f".st-key-{key}")
    expect(section.get_by_text(shows).first).to_be_visible()
    expect(section.locator("summary")).to_be_focused()
    expect(section.locator("summary")).to_be_in_viewport()
    page.wait_for_function("key => location.search.includes(`${key}=true`)", arg=key)


def test_a_changed_experiment_drops_the_pick(page):
    bar(page, "3 floats apart, backward() above").click()
    wait_for_link(page, QUERY)
    shape = page.get_by_role("textbox", name="Network")
    shape.fill("5 8 2")
    shape.press("Enter")
    page.wait_for_function("location.search.includes('hidden=8')")
    page.wait_for_function("!location.search.includes('trace_')")
