"""What was asked for is brought into view, and stays there while the page is still being drawn."""

from base64 import b64encode
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server import ROOT

PAGE = """
<div style="height: 300px">What was there before</div>
<div id="panel" hidden>
  <div id="picture"></div>
  <details open class="st-key-asked"><summary>What was asked for</summary></details>
  <div style="height: 3000px"></div>
</div>
"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with the code alone, where a section is there while the panel around it is still hidden."""
    page = browser.new_page(viewport={"width": 640, "height": 480}, reduced_motion="reduce")
    page.set_content(PAGE)
    code = b64encode((ROOT / "lib" / "page" / "view.js").read_bytes()).decode()
    page.evaluate(
        """async (code) => {
          const { default: view } = await import(`data:text/javascript;base64,${code}`);
          view({ data: { tab: 'any', goal: 'asked', count: 1, anchors: {} }, setTriggerValue: () => {} });
        }""",
        code,
    )
    yield page
    page.close()


def grow(page: Page, height: int) -> None:
    page.locator("#picture").evaluate("(picture, height) => { picture.style.height = `${height}px`; }", height)


def show(page: Page) -> None:
    page.locator("#panel").evaluate("panel => { panel.hidden = false; }")


def test_a_section_that_is_there_before_it_is_shown_is_brought_into_view_with_its_keys(page):
    show(page)
    expect(page.locator("summary")).to_be_in_viewport()
    expect(page.locator("summary")).to_be_focused()


def test_what_grows_above_it_does_not_push_it_away(page):
    show(page)
    expect(page.locator("summary")).to_be_in_viewport()
    grow(page, 2000)
    page.wait_for_function("scrollY > 2300")
    expect(page.locator("summary")).to_be_in_viewport()


@pytest.mark.parametrize("act", ["wheel", "pointer", "key"])
def test_a_visitor_who_acts_is_left_where_they_are(page, act):
    show(page)
    expect(page.locator("summary")).to_be_focused()
    if act == "wheel":
        page.mouse.wheel(0, -100)
    elif act == "pointer":
        page.mouse.click(300, 300)
    else:
        page.keyboard.press("PageUp")
    page.evaluate("scrollTo(0, 0)")
    grow(page, 2000)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("scrollY") < 300
