"""A real server and a real browser. A test fails if its page reports an error in the console."""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.browser import BROWSERS, find
from tests.server import Server

PATIENCE = 60_000
"""Milliseconds: generous, for a busy machine."""

DESK = {"width": 1280, "height": 800}
SHORT = "--js-flags=--no-opt,--no-maglev"
"""Switch off the optimisation of scripts: visits are short."""
WATCH = """
window.watch = {shift: 0};
const isSkeleton = ({node}) => node?.dataset?.testid === 'stMainBlockContainer';
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (!entry.hadRecentInput && !entry.sources.some(isSkeleton)) watch.shift += entry.value;
})).observe({type: 'layout-shift', buffered: true});
"""
"""A script for every page. It measures the layout shift of all but what contains the page, which
moves as it takes the place of Streamlit's skeleton of another width."""

Visit = Callable[..., Page]
"""Open a link: visit(query, viewport)."""


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    return f"http://{server.address}"


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    path = find()
    if path is None:
        give_up = pytest.fail if "CI" in os.environ else pytest.skip
        give_up(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[SHORT])
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WATCH)
        yield context
        browser.close()


@pytest.fixture(scope="session")
def idle() -> list[Page]:
    """The pages that nobody visits. Their scripts are compiled, which makes visits faster."""
    return []


@pytest.fixture
def visit(context: BrowserContext, address: str, idle: list[Page]) -> Iterator[Visit]:
    """Open each visit in its own page. Fail at the end if a page has reported an error."""
    visited: list[Page] = []
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(message.text)

    def fail(error: Error) -> None:
        faults.append(str(error))

    def visit(query: str = "", viewport: dict[str, int] = DESK) -> Page:
        page = idle.pop() if idle else context.new_page()
        visited.append(page)
        page.on("console", hear)
        page.on("pageerror", fail)
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme="light")
        page.goto(f"{address}/?{query}")
        return page

    yield visit
    for page in visited:
        page.remove_listener("console", hear)
        page.remove_listener("pageerror", fail)
        page.mouse.move(0, 0)
        page.goto("about:blank")
    idle += visited
    assert faults == []
