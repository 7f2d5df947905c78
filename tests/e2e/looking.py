"""What the browser tests of all tabs look at, by what assistive technology is told of it."""

from urllib.parse import urlencode

from playwright.sync_api import Locator, Page


def link(tab: str, query: str) -> str:
    """The query of a link that opens a tab."""
    return f"{query}&{urlencode({'tab': tab})}"


def progress(page: Page, tab: str) -> Locator:
    """The progress bars of a tab: while another one closes, its own are there too."""
    return page.get_by_role("tabpanel", name=tab).get_by_test_id("stProgress")


def chart(page: Page, beginning: str) -> Locator:
    """The chart whose accessible name begins so."""
    return page.locator(f'[role="graphics-document"][aria-label^="{beginning}"] svg.marks')


def assert_streams_in_place(page: Page) -> None:
    """Over some ticks, no chart is put into the document anew."""
    page.wait_for_function("watch.seen.length >= 3")
    before = page.evaluate("watch.embeds")
    page.wait_for_function("seen => watch.seen.length >= seen + 6", arg=page.evaluate("watch.seen.length"))
    assert page.evaluate("watch.embeds") == before


def choose(page: Page, label: str, option: str) -> None:
    """Picks from a list of options. Scrolling closes an open list, so the control is brought into view before."""
    control = page.get_by_role("combobox", name=label, exact=True)
    control.scroll_into_view_if_needed()
    page.evaluate("() => new Promise(requestAnimationFrame)")  # the scroll event comes just before the next frame
    control.click()
    page.get_by_role("option", name=option, exact=True).click()
