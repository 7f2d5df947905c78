"""The tab of the batches in a browser: its picture, its trees, its staircase, and what is picked."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from lib.batch.stairs import stairs
from lib.batch.study import Batch
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.e2e.conftest import Window, visits
from tests.e2e.looking import link, progress, wait_until_still

TAB = "Why does the batch change it?"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SAMPLES = 300


def finished(page: Page, samples: int = SAMPLES) -> Page:
    expect(progress(page, TAB)).to_contain_text(f"{samples} of {samples} samples")
    expect(tree(page, "Alone")).to_be_visible()
    return page


def tree(page: Page, heading: str) -> Locator:
    return page.get_by_role("slider", name=re.compile(f"^{heading}.*: the order in which"))


def step(page: Page, size: int) -> Locator:
    """The button of a size on the staircase."""
    return page.get_by_role("button", name=f"batch of {size}: ")


@pytest.fixture(scope="module")
def page(browser: Browser, address: str, idle: dict[str, list[Window]]) -> Iterator[Page]:
    """The tab when all is still, for tests that look, and leave no trace where they move the focus."""
    with visits(browser, address, idle) as visit:
        page = finished(visit(link(TAB, f"samples={SAMPLES}"), viewport=WIDE))
        wait_until_still(page)
        yield page


def test_the_figures_of_the_staircase_are_pythons(page):
    tally = Stream(Batch(Experiment(samples=SAMPLES))).finish()
    for size in stairs(tally, 4)["sizes"]:
        expect(step(page, size["size"])).to_have_accessible_name(size["told"])


def test_a_size_is_picked_by_mouse_and_by_keyboard_and_back_undoes_it(visit):
    page = finished(visit(link(TAB, f"samples={SAMPLES}"), viewport=WIDE))
    expect(step(page, 4)).to_have_attribute("aria-pressed", "true")
    step(page, 16).click()
    page.wait_for_url("**batch=16*")
    expect(step(page, 16)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", level=1)).to_contain_text("in a batch of 16")
    expect(tree(page, "Row")).to_have_accessible_name(re.compile("^Row [0-9]+ of a batch of 16: "))
    wait_until_still(page)
    step(page, 16).focus()
    page.keyboard.press("ArrowRight")
    expect(step(page, 32)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**batch=32*")
    expect(page.get_by_role("heading", level=1)).to_contain_text("in a batch of 32")
    page.go_back()
    page.wait_for_url("**batch=16*")
    expect(step(page, 16)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("heading", level=1)).to_contain_text("in a batch of 16")


def test_another_is_in_the_link_and_is_shown_again(visit):
    page = finished(visit(link(TAB, f"samples={SAMPLES}&hidden=40"), viewport=WIDE))
    under = page.locator(".st-key-under_batches p").first
    first = under.inner_text()
    page.get_by_role("button", name="Another").click()
    page.wait_for_function("location.search.includes('batch_component=')")
    expect(under).not_to_have_text(first)
    second = under.inner_text()
    page.reload()
    expect(under).to_have_text(second)


@pytest.mark.parametrize("heading", ["Row"])
def test_the_arrow_keys_tell_each_operation_of_a_tree(page, heading):
    slider = tree(page, heading)
    note = page.locator(f".tree-of-{'first' if heading == 'Alone' else 'second'} .note")
    whole = note.inner_text()
    last = int(slider.get_attribute("aria-valuemax"))
    assert last >= 3
    slider.focus()
    told = []
    for place in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuenow", str(place))
        told.append(slider.get_attribute("aria-valuetext"))
        expect(note).to_have_text(told[-1])
    assert len(set(told)) == last and all(" = " in text for text in told)
    page.keyboard.press("Home")
    expect(note).to_have_text(told[0])
    slider.blur()
    expect(note).to_have_text(whole)
