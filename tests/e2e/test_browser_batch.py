"""The tab of the batches in a browser: its trees and its staircase."""

from playwright.sync_api import Locator, Page, expect

from lib.batch.stairs import stairs
from lib.batch.study import Batch
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.e2e.looking import link, progress, wait_until_still

TAB = "Why does the batch change it?"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SAMPLES = 300


def finished(page: Page, samples: int = SAMPLES) -> Page:
    expect(progress(page, TAB)).to_contain_text(f"{samples} of {samples} samples")
    expect(tree(page, "Alone")).to_be_visible()
    return page


def tree(page: Page, heading: str) -> Locator:
    return page.get_by_role("slider", name=f"{heading}: the order in which")


def step(page: Page, size: int) -> Locator:
    """The button of a size on the staircase."""
    return page.get_by_role("button", name=f"batch of {size}: ")


def test_on_a_phone_the_first_tree_is_in_the_first_screen_and_nothing_scrolls_sideways(visit):
    page = finished(visit(link(TAB, f"samples={SAMPLES}"), viewport=PHONE, has_touch=True))
    wait_until_still(page)
    box = tree(page, "Alone").bounding_box()
    assert box["y"] + box["height"] < 844 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    for part in "html", "[data-testid=stMain]":
        assert page.locator(part).evaluate("element => element.scrollWidth - element.clientWidth") == 0


def test_the_figures_of_the_staircase_are_pythons(visit):
    page = finished(visit(link(TAB, f"samples={SAMPLES}"), viewport=WIDE))
    tally = Stream(Batch(Experiment(samples=SAMPLES))).finish()
    for size in stairs(tally, 4)["sizes"]:
        expect(step(page, size["size"])).to_have_accessible_name(size["told"])
