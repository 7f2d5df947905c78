"""What the browser tests of all tabs look at, by what assistive technology is told of it."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect


def link(tab: str, query: str) -> str:
    """The query of a link that opens a tab."""
    return f"{query}&{urlencode({'tab': tab})}"


def progress(page: Page, tab: str) -> Locator:
    """The progress bars of a tab: while another one closes, its own are there too."""
    return page.get_by_role("tabpanel", name=tab).get_by_test_id("stProgress")


def chart(page: Page, beginning: str) -> Locator:
    """The chart whose accessible name begins so."""
    return page.locator(f'[role="graphics-document"][aria-label^="{beginning}"] svg.marks')


def wait_until_still(page: Page) -> None:
    """Waits until the page is whole, its run is done, and neither its script nor the browser has more to do."""
    expect(page.locator(".st-key-view")).to_be_attached()  # it comes last
    expect(page.get_by_role("switch", name="Pause", disabled=False)).to_have_count(0)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached()
    page.evaluate("document.fonts.ready.then(() => new Promise(requestIdleCallback))")
    next_frame(page)


def widths(page: Page, *widths: int) -> Iterator[int]:
    """The page as wide as a desk's and as a phone's, or as is said, one after the other."""
    for width in widths or (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        next_frame(page)
        next_frame(page)  # charts and pictures follow the page's width
        yield width


def assert_nothing_is_wider_than_the_page(page: Page) -> None:
    for _ in widths(page):
        for part in "html", "[data-testid=stMain]":
            assert page.locator(part).evaluate("element => element.scrollWidth - element.clientWidth") == 0


def next_frame(page: Page) -> None:
    page.evaluate("() => new Promise(requestAnimationFrame)")


def assert_streams_in_place(page: Page) -> None:
    """Over some ticks, no chart and no picture is put into the document anew, and nothing shifts."""
    page.wait_for_selector(".st-key-view", state="attached")  # it comes last: the page is whole
    page.wait_for_function("seen => watch.seen.length >= seen + 2", arg=page.evaluate("watch.seen.length"))
    still = "[watch.embeds, watch.hosts]"
    before, shifted = page.evaluate(still), shift(page)
    page.wait_for_function("seen => watch.seen.length >= seen + 6", arg=page.evaluate("watch.seen.length"))
    assert page.evaluate(still) == before
    assert shift(page) - shifted < UNSEEN


UNSEEN = 0.001
"""A shift that nobody sees: of words behind a figure that has one more digit."""


class Screen(NamedTuple):
    """The first screen of a tab: the words before its first picture, and the top and the bottom of that picture."""

    words: list[str]
    top: float
    bottom: float


FIRST_SCREEN = """() => {
  const panel = [...document.querySelectorAll('[role=tabpanel]')].find(panel => panel.checkVisibility());
  const drawn = node => node.shadowRoot?.querySelector('svg');
  const picture = [...(panel?.querySelectorAll('.stBidiComponent *') ?? [])].find(drawn);
  if (!picture) return null;
  const words = [], walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, place = text.compareDocumentPosition(picture);
    if (!(place & Node.DOCUMENT_POSITION_FOLLOWING)) break;
    const counts = text.parentElement.checkVisibility() && !text.parentElement.closest('.st-key-strip, label, .said');
    if (counts) words.push(...text.data.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)));
  }
  const box = picture.getBoundingClientRect();
  return [words, box.top, box.bottom];
}"""
"""The words before the first picture of the open tab, other than labels, and the picture's top and bottom."""


def first_screen(page: Page) -> Screen:
    """The first screen of the open tab, as soon as its picture is drawn."""
    page.wait_for_function(f"({FIRST_SCREEN})() !== null")
    return Screen(*page.evaluate(FIRST_SCREEN))


def shift(page: Page) -> float:
    """How much of the page has shifted, and how far, since its first paint: the CLS."""
    return page.evaluate("watch.shift")


def focus(page: Page) -> str:
    """The accessible name of what has the focus."""
    return page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.innerText")


def choose(page: Page, label: str, option: str) -> None:
    """Picks from a list of options. Scrolling closes an open list, so the control is brought into view before."""
    control = page.get_by_role("combobox", name=label, exact=True)
    control.scroll_into_view_if_needed()
    next_frame(page)  # just before which the scroll event comes
    control.click()
    page.get_by_role("option", name=option, exact=True).click()
