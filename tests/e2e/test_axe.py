"""Every tab with everything open, light, dark and on a phone, before axe-core, which knows the rules of WCAG.

`axe-playwright-python` is among the requirements of the tests because it brings axe-core along: no test downloads it.
"""

from itertools import product

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lib.experiment.studies import SUBJECTS
from lib.page.tour import TOUR
from tests.e2e.looking import link

TABS = [*(study.label for study in SUBJECTS.values()), "Check your own"]

LOOKS = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}},
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}, "has_touch": True},
}

STILL = "* { transition: none !important; animation: none !important } [data-stale] { opacity: 1 !important }"
"""What a run is about to draw anew is pale for a moment, which is no colour of the page."""

OPEN_NEXT = """() => {
  const panel = [...document.querySelectorAll('[role=tabpanel]')].find((one) => one.offsetParent);
  const shut = panel?.querySelector('details:not([open]) > summary');
  shut?.click();
  const loading = document.querySelector('[data-testid=stSkeleton], [data-testid=stSpinner], [aria-busy=true]');
  return Boolean(shut || loading || !panel);
}"""
"""Opens the first section of the tab that is closed; whether there was one, or something is still on its way."""


def open_everything(page: Page) -> None:
    """Open all sections, and those within them, until for a while nothing more appears."""
    calm = 0
    for _ in range(200):
        calm = 0 if page.evaluate(OPEN_NEXT) else calm + 1
        if calm == 5:
            return
        page.wait_for_timeout(400)
    pytest.fail("something never came")


def findings(page: Page) -> list[str]:
    """What axe finds, one line each: the rule, how serious it is, where, and why."""
    page.add_style_tag(content=STILL)
    return [
        f"{rule['id']} ({rule['impact']}) {part['target'][-1]}: {part['failureSummary']}"
        for rule in Axe().run(page).response["violations"]
        for part in rule["nodes"]
    ]


@pytest.mark.parametrize(
    ("tab", "look"), [*product(TABS, ("light", "dark")), (TABS[0], "phone")], ids=lambda part: part
)
def test_axe_finds_nothing_in_a_tab_with_everything_open(visit, tab, look):
    page = visit(link(tab, "samples=60"), **LOOKS[look])
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    open_everything(page)
    assert page.locator("details[open]").count() >= 5 and page.locator("details:not([open])").count() == 0
    assert findings(page) == []


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_axe_finds_nothing_in_the_other_controls(visit, look):
    page = visit("samples=60", **LOOKS[look])
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
    assert findings(page) == []


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_while_the_tour_is_open(visit, look):
    page = visit(TOUR[-1].link.removeprefix("?"), **LOOKS[look])
    expect(page.get_by_role("region", name="Tour")).to_contain_text(TOUR[-1].sentence)
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    assert findings(page) == []


def test_axe_finds_what_is_wrong(visit):
    """The test of the test: a picture without a text, and pale words."""
    page = visit("samples=60")
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    wrong = "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='><b style='color: #ccc; background: #fff'>pale</b>"
    page.evaluate("wrong => { document.querySelector('h1').innerHTML += wrong }", wrong)
    assert {"image-alt", "color-contrast"} <= {line.partition(" ")[0] for line in findings(page)}
