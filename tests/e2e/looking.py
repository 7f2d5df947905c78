"""The parts of a page that all browser tests look at, by their roles and names if possible."""

import re
from collections.abc import Iterator
from typing import NamedTuple
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


def done(page: Page, samples: int) -> Page:
    """Wait until the run has this many samples, and the script and the browser are idle."""
    expect(progress(page)).to_contain_text(f"{samples:,} of {samples:,} ")
    return still(page)


def still(page: Page) -> Page:
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached()
    page.evaluate("document.fonts.ready.then(() => new Promise(requestIdleCallback))")
    next_frame(page)
    return page


def next_frame(page: Page) -> None:
    page.evaluate("() => new Promise(requestAnimationFrame)")


def search(page: Page) -> str:
    return page.evaluate("decodeURIComponent(location.search)").removeprefix("?")


def choose(page: Page, name: str, word: str, option: str) -> None:
    """Opens a word of the sentence, and picks an option of its control."""
    page.locator(f"[class*=st-key-choose-{name}-] button").first.click()
    page.get_by_role("radio", name=re.compile(f"^{re.escape(option)}")).first.click(force=True)
    page.keyboard.press("Escape")
    expect(page.locator(f"[class*=st-key-choose-{name}-] button").first).to_contain_text(word)


def widths(page: Page) -> Iterator[int]:
    """The page as wide as a desk's, a small one's and a phone's, one after the other."""
    for width in (1280, 1024, 390):
        page.set_viewport_size({"width": width, "height": 844})
        next_frame(page)
        next_frame(page)  # charts and pictures follow the page's width
        yield width


def assert_nothing_is_wider_than_the_page(page: Page) -> None:
    for width in widths(page):
        for part in "html", "[data-testid=stMain]":
            assert (
                page.locator(part).evaluate("part => part.scrollWidth - part.clientWidth") == 0
            ), width


class Screen(NamedTuple):
    """The first screen of a tab: the words of its claim, top and bottom of its first picture."""

    words: list[str]
    top: float
    bottom: float


FIRST_SCREEN = """() => {
  const panels = [...document.querySelectorAll('[role=tabpanel]')];
  const panel = panels.find(panel => panel.checkVisibility());
  const claim = panel?.querySelector('h1');
  const chart = panel?.querySelector('[data-testid=stVegaLiteChart] svg.marks');
  const nodes = [...(panel?.querySelectorAll('.stBidiComponent *') ?? [])];
  const hosts = nodes.filter(node => node.shadowRoot);
  const drawn = hosts.map(host => host.shadowRoot.querySelector('.drawing svg')).find(Boolean);
  if (!claim || !drawn) return null;
  const words = claim.textContent.split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word));
  const boxes = [chart, drawn].filter(Boolean).map(part => part.getBoundingClientRect());
  const highest = boxes.reduce((first, second) => (first.top <= second.top ? first : second));
  return [words, highest.top, highest.bottom];
}"""
"""The words of the claim, and the top and the bottom of the first picture."""


def first_screen(page: Page) -> Screen:
    """The first screen of the open tab, as soon as its picture is drawn."""
    page.wait_for_function(f"({FIRST_SCREEN})() !== null")
    return Screen(*page.evaluate(FIRST_SCREEN))


def shift(page: Page) -> float:
    """How much of the page has shifted, and how far, since its first paint: the CLS."""
    return page.evaluate("watch.shift")
