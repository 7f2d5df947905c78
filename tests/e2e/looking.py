"""The parts of a page that all browser tests look at, by their roles and names if possible."""

from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

TABS = [
    *("Why do they differ?", "Why are all rows the same?", "Check your own"),
    *("Why does the batch change it?", "Is my derivative right?"),
]
MOST_WORDS = 25
MOST_SHIFT = 0.1
WIDER = "part => part.scrollWidth - part.clientWidth"


def link(tab: str, query: str = "") -> str:
    """The query of a link that opens a tab."""
    return f"{query}&{urlencode({'tab': tab})}"


def claim(page: Page) -> Locator:
    return page.get_by_test_id("stHeading").filter(visible=True).nth(1)


def progress(page: Page) -> Locator:
    """How far the run of the open tab is, until it is finished."""
    return page.get_by_test_id("stProgress").filter(visible=True).first


def picture(page: Page) -> Locator:
    """The first chart or drawing."""
    return page.locator("svg.marks, .drawing svg").first


def done(page: Page, samples: int) -> Page:
    """Wait until the run has this many samples, and the page is still."""
    expect(page.get_by_text(f"{samples:,} of {samples:,} ").filter(visible=True)).to_have_count(1)
    return still(page)


def still(page: Page) -> Page:
    """Wait until the picture is drawn, and the script and the browser are idle."""
    picture(page).wait_for()
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.evaluate("document.fonts.ready.then(() => new Promise(requestIdleCallback))")
    return page


def opened_well(page: Page) -> Page:
    """A new page has few words and its picture in view, nothing shifts, and nothing is too wide."""
    height = still(page).viewport_size["height"]
    assert page.get_by_test_id("stAlert").or_(page.get_by_test_id("stException")).count() == 0
    assert 3 < len(claim(page).inner_text().split()) <= MOST_WORDS
    top = picture(page).evaluate("picture => picture.getBoundingClientRect().top")
    assert top < 0.95 * height
    assert page.evaluate("watch.shift") < MOST_SHIFT
    for part in "html", "[data-testid=stMain]":
        assert page.locator(part).evaluate(WIDER) == 0
    return page


def search(page: Page) -> str:
    return page.evaluate("decodeURIComponent(location.search)").removeprefix("?")


def expect_in_address(page: Page, words: str) -> None:
    page.wait_for_function("words => location.search.includes(words)", arg=words)
