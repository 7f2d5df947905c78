"""A real server and a real browser. A test fails if its page reports an error in the console."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.browser import BROWSERS, SWITCHES, find
from tests.server import Server

PATIENCE = 20_000  # milliseconds: generous, for a busy machine
# Milliseconds between two looks at a page. Playwright looks in every frame by default, which keeps
# the browser drawing all the time.
OFTEN = 50
SHORT = "--js-flags=--no-opt,--no-maglev,--min-semi-space-size=32,--max-semi-space-size=32"
"""Switch off the optimisation of scripts, and collect memory less often: visits are short."""
WATCH = """
window.watch = {shift: 0, since: Infinity};
new MutationObserver((records, observer) => {
  if (!document.querySelector('[role=tab]')) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { watch.since = performance.now(); }));
}).observe(document, {childList: true, subtree: true});
new PerformanceObserver(list => list.getEntries().forEach(entry => {
  if (entry.startTime > watch.since && !entry.hadRecentInput) watch.shift += entry.value;
})).observe({type: 'layout-shift', buffered: true});
"""
"""A script for every page. It measures the layout shift from the first painted text on.

What comes before is left out: the skeleton that Streamlit shows has another width."""

BLANK = "about:blank"
DESK = {"width": 1280, "height": 720}

Visit = Callable[..., Page]
"""Open a link: visit(query, viewport, color_scheme, cold, **options of the browser context).

If `cold`, the cache of the browser is empty, as in a reader's first visit."""


class Window:
    """A page in its own browser context, used for many visits in turn.

    The scripts are compiled once, so that later visits take a third of the time. Storage is
    cleared after each visit.
    """

    def __init__(self, browser: Browser, **options: object) -> None:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WATCH)
        self.page = context.new_page()
        self.page.wait_for_function = partial(self.page.wait_for_function, polling=OFTEN)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self._faults.append(str(error)))
        self._protocol = context.new_cdp_session(self.page)
        self._faults: list[str] = []

    def open(self, link: str, viewport: dict[str, int], color_scheme: str) -> None:
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(color_scheme=color_scheme)
        self.page.goto(link)

    def leave(self, address: str) -> list[str]:
        """End a visit. Return the errors that the page reported."""
        self.page.mouse.move(0, 0)
        faults, self._faults = self._faults, []
        self.page.goto(BLANK)
        self._protocol.send(
            "Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"}
        )
        return faults

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._faults.append(message.text)


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    return f"http://{server.address}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find()
    if path is None:
        give_up = pytest.fail if "CI" in os.environ else pytest.skip
        give_up(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*SWITCHES, SHORT])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def idle() -> dict[str, list[Window]]:
    """The windows that nobody visits, by the options of their contexts."""
    return defaultdict(list)


@contextmanager
def visits(browser: Browser, address: str, idle: dict[str, list[Window]]) -> Iterator[Visit]:
    """Open each visit in its own window. Fail at the end if a page has reported an error."""
    visited = []

    def visit(
        query: str = "",
        viewport: dict[str, int] = DESK,
        color_scheme: str = "light",
        cold: bool = False,
        **options,
    ) -> Page:
        ready = None if cold else idle[repr(options)]
        window = ready.pop() if ready else Window(browser, **options)
        visited.append((window, ready))
        window.open(f"{address}/?{query}", viewport, color_scheme)
        return window.page

    yield visit
    faults = []
    for window, ready in visited:
        faults += window.leave(address)
        if ready is None:
            window.page.context.close()
        else:
            ready.append(window)
    assert faults == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """The report of a failure tells what the open pages showed."""
    report = yield
    browser = item.funcargs.get("browser")
    if report.when == "call" and report.failed and browser:
        pages = [
            page for context in browser.contexts for page in context.pages if page.url != BLANK
        ]
        for page in pages:
            with suppress(Error):  # one that does not answer has nothing to tell
                report.sections.append((page.url, page.inner_text("body", timeout=5000)))
    return report


@pytest.fixture
def visit(browser: Browser, address: str, idle: dict[str, list[Window]]) -> Iterator[Visit]:
    with visits(browser, address, idle) as visit:
        yield visit
