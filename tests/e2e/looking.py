"""The parts of a page that all browser tests look at, by their roles and names if possible."""

from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

TABS = [
    *("Why do they differ?", "Why are all rows the same?", "Check your own"),
    *("Why does the batch change it?", "Is my derivative right?"),
]


def link(tab: str, query: str = "") -> str:
    """The query of a link that opens a tab."""
    return f"{query}&{urlencode({'tab': tab})}"


def claim(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def progress(page: Page) -> Locator:
    """How far the run of the tab is."""
    return page.get_by_test_id("stProgress").first


def picture(page: Page) -> Locator:
    """The first chart or drawing."""
    return page.locator("svg.marks, .drawing svg").first


def done(page: Page, samples: int) -> Page:
    """Wait until the run has this many samples, and the page is still."""
    expect(progress(page)).to_contain_text(f"{samples:,} of {samples:,} ")
    return still(page)


def still(page: Page) -> Page:
    """Wait until the picture is drawn, and the script and the browser are idle."""
    picture(page).wait_for()
    page.locator("[data-test-script-state=notRunning]").wait_for(state="attached")
    page.evaluate("document.fonts.ready.then(() => new Promise(requestIdleCallback))")
    return page


def search(page: Page) -> str:
    return page.evaluate("decodeURIComponent(location.search)").removeprefix("?")


def expect_in_address(page: Page, words: str) -> None:
    page.wait_for_function("words => location.search.includes(words)", arg=words)
