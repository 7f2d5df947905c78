"""A page whose ticks have stopped asks for a run, and one that ticks does not."""

from base64 import b64encode
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.server import ROOT

MINUTE = 60_000  # milliseconds


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with the code alone, which follows a run, and a clock that is set by hand."""
    page = browser.new_page()
    page.clock.install()
    page.set_content("<div data-test-script-state='notRunning'></div>")
    code = b64encode((ROOT / "lib" / "page" / "wake.js").read_bytes()).decode()
    page.evaluate(
        """async (code) => {
          const { default: wake } = await import(`data:text/javascript;base64,${code}`);
          window.asked = 0;
          window.follow = (every) => wake({ data: { every }, setTriggerValue: () => { asked += 1; } });
          follow(1);
        }""",
        code,
    )
    yield page
    page.close()


def go_on(page: Page, milliseconds: int, every: int = 0) -> int:
    """Lets time pass, with a tick each `every` milliseconds if it is not 0; how often the page has asked so far."""
    for _ in range(milliseconds // every if every else 1):
        page.clock.run_for(every or milliseconds)
        if every:
            for state in "running", "notRunning":
                page.locator("div").evaluate("(div, state) => { div.dataset.testScriptState = state; }", state)
    return page.evaluate("asked")


def test_a_page_that_ticks_does_not_ask(page):
    assert go_on(page, 3 * MINUTE, every=10_000) == 0


def test_a_page_that_stopped_asks_and_then_more_seldom(page):
    assert go_on(page, MINUTE // 3) == 0
    assert go_on(page, MINUTE // 3) == 1
    assert go_on(page, 4 * MINUTE) < 5


def test_a_run_that_takes_long_has_twice_the_time(page):
    page.locator("div").evaluate("div => { div.dataset.testScriptState = 'running'; }")
    assert go_on(page, 5 * MINUTE // 6) == 0
    assert go_on(page, MINUTE // 3) == 1


def test_a_page_with_nothing_to_follow_does_not_ask(page):
    page.evaluate("follow(0)")
    assert go_on(page, 3 * MINUTE) == 0
