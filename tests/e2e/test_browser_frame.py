"""The frame of the page in a real browser: its first screens, what shifts, where the focus is, what a finger hits."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import Window, visits
from tests.e2e.looking import Screen, assert_streams_in_place, first_screen, focus, link, shift, wait_until_still

NAME = "Last Bit"
TABS = [
    "Why do they differ?",
    "Why are all rows the same?",
    "Why does the batch change it?",
    "Is my derivative right?",
    "Check your own",
]
LIVE = TABS[0], TABS[2]
"""Tabs that follow a run and pick no x, whose picture is held elsewhere while samples arrive."""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
MOST_WORDS = 40
MOST_ABOVE = 0.55  # of the height of the screen, where a tab opens with a box to paste into
MOST_SHIFT = 0.1
FINGER = 44  # pixels

SMALL = """least => [...document.querySelectorAll('.stMain :is(button, summary, [role=tab], [role=switch], input)')]
  .filter(node => node.checkVisibility({visibilityProperty: true}) && !node.closest('[data-testid=stElementToolbar]'))
  .filter(node => !node.matches('[aria-label^="Help for"], [aria-label^="Scroll tabs"], [aria-label$="crement"]'))
  .map(node => node.closest('[role=group], [data-testid$=RootElement], [data-testid$=InputContainer], label') ?? node)
  .filter(node => node.getBoundingClientRect().height < least - 0.5)
  .map(node => `${node.getBoundingClientRect().height} ${node.outerHTML.slice(0, 200)}`)"""
"""What is smaller than a finger, save what is there for a pointer: the help of a label and the toolbar of a chart."""


def progress(page: Page) -> Locator:
    return page.get_by_test_id("stProgress").first


def pause(page: Page) -> Locator:
    return page.get_by_role("switch", name="Pause").first


@pytest.fixture(scope="module", autouse=True)
def loaded(browser: Browser, address: str, idle: dict[str, list[Window]]) -> None:
    """The server has loaded everything before any of these tests looks at the clock of a page."""
    with visits(browser, address, idle) as visit:
        first_screen(visit())


def assert_opens_well(page: Page, size: dict[str, int]) -> Screen:
    """A tab opens with few words and a picture, and nothing shifts; its first screen."""
    screen = first_screen(page)
    assert len(screen.words) <= MOST_WORDS, screen.words
    assert screen.top < MOST_ABOVE * size["height"]
    wait_until_still(page)
    assert shift(page) < MOST_SHIFT
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    return screen


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_opens_with_few_words_and_the_whole_picture_and_nothing_shifts(visit, tab):
    page = visit(link(tab, "samples=300"), viewport=WIDE, cold=True)
    assert assert_opens_well(page, WIDE).bottom <= WIDE["height"]


@pytest.mark.parametrize("tab", TABS)
def test_on_a_phone_too_and_the_open_tab_is_in_view_a_finger_hits_and_nothing_scrolls_sideways(visit, tab):
    page = visit(link(tab, "samples=300"), viewport=PHONE, cold=True, has_touch=True)
    assert_opens_well(page, PHONE)
    expect(page.get_by_role("tab", name=tab)).to_be_in_viewport(ratio=0.9)
    for part in "html", "[data-testid=stMain]":
        assert page.locator(part).evaluate("element => element.scrollWidth - element.clientWidth") == 0
    assert page.evaluate(SMALL, FINGER) == []


@pytest.mark.parametrize("tab", LIVE)
def test_a_live_picture_is_never_replaced(visit, tab):
    page = visit(link(tab, "samples=1000000000&seed=1"), viewport=WIDE)
    first_screen(page)
    assert_streams_in_place(page)


def test_the_focus_stays_where_it_was_after_pause_and_resume(visit):
    page = visit("samples=1000000&seed=9")
    page.wait_for_function("watch.seen.length >= 3")
    pause(page).focus()
    page.keyboard.press("Space")
    expect(progress(page)).to_contain_text("paused")
    assert focus(page) == "Pause" and pause(page).is_checked()
    reached = page.evaluate("watch.seen.length")
    page.keyboard.press("Space")
    page.wait_for_function("seen => watch.seen.length >= seen + 2", arg=reached)
    expect(progress(page)).not_to_contain_text("paused")
    assert focus(page) == "Pause" and not pause(page).is_checked()


def test_a_screen_reader_is_told_once_that_a_run_is_done(visit):
    page = visit("samples=4000&seed=31")
    expect(page.locator(".st-key-status [role=status]")).to_have_text("Done: 4,000 samples.")
    wait_until_still(page)
    assert page.evaluate("watch.said") == ["", "Done: 4,000 samples."], "the region itself stays"


@pytest.mark.parametrize(("query", "key"), [("tab=Why+is+1%2Fx+off%3F&samples=300#saturation", "saturation")])
def test_the_anchor_of_an_old_link_opens_its_section(visit, query, key):
    """Also where the address is written anew first, without the anchor: a tab has another name today."""
    page = visit(query)
    expect(page.locator(f".st-key-{key} details[open] summary")).to_be_in_viewport()
    page.wait_for_function("key => location.search.includes(`${key}=true`)", arg=key)
