"""Every tab with everything open, light, dark and on a phone, before axe-core, which knows the rules of WCAG.

`axe-playwright-python` is among the requirements of the tests because it brings axe-core along: no test downloads it.
"""

from collections import Counter
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from lib.experiment import studies
from tests.e2e.looking import link

TABS = [*(study.label for study in studies.SUBJECTS.values()), "Check your own"]


class Look(NamedTuple):
    """How a page is seen, and the rules that it may break by that alone: all of them unless some are named."""

    color_scheme: str
    viewport: dict[str, int]
    rules: tuple[str, ...] = ()


DESK = {"width": 1280, "height": 800}
LOOKS = {
    "light": Look("light", DESK),
    "phone": Look("light", {"width": 390, "height": 844}),
    "dark": Look("dark", DESK, ("color-contrast", "link-in-text-block")),
}

STILL = "* { transition: none !important; animation: none !important } [data-stale] { opacity: 1 !important }"
"""What a run is about to draw anew is pale for a moment, which is no colour of the page."""

INKS = """() => [...document.querySelectorAll('h1, svg.marks .role-axis-label text')]
  .map(node => getComputedStyle(node)[node.matches('text') ? 'fill' : 'color'])"""
"""The colours of what is written in the page and in its charts, which are drawn anew for another scheme."""

OPEN_NEXT = """() => {
  const panel = [...document.querySelectorAll('[role=tabpanel]')].find(one => one.offsetParent);
  const whole = document.querySelector('.st-key-view') && document.querySelector('[data-test-script-state=notRunning]');
  const loading = '[data-testid=stSkeleton], [data-testid=stSpinner], [aria-busy=true], .waiting';
  if (!panel || !whole || panel.querySelector(loading)) return false;
  const filled = section => section.lastElementChild.innerText.trim();
  const drawn = chart => chart.querySelector('svg.marks');
  if (![...panel.querySelectorAll('details[open]')].every(filled)) return false;
  if (![...panel.querySelectorAll('[data-testid=stVegaLiteChart]')].every(drawn)) return false;
  const shut = panel.querySelector('details:not([open]) > summary');
  shut?.click();
  return !shut;
}"""
"""Opens a section of the tab that is closed, once all that is open is drawn; whether there was none any more."""


SECTIONS = urlencode(
    dict.fromkeys(
        (
            *("right", "bug", "apart", "operations", "agreement", "controls", "scaling", "remedies"),
            *("ladder", "fixes", "distances", "meeting", "costs", "numbers_why", "numbers_figures"),
            *("batch_closer", "batch_conditions", "batch_orders", "batch_cpus", "batch_why"),
            *("formulas", "digits", "saturation", "edges", "kinks", "round_trip", "why_by_hand", "unsafe", "spelling"),
            *("code", "report", "link", "files", "plotted"),
        ),
        "true",
    )
)
"""Of all tabs, as a link opens them: by clicks the page would be drawn anew for each, and for all those before it."""


def open_everything(page: Page) -> None:
    """Open the sections that the link has not, one after the other, and those within them; their runs may go on."""
    page.wait_for_function(OPEN_NEXT)


def change_look(page: Page, look: Look) -> None:
    before = page.evaluate(INKS)
    page.set_viewport_size(look.viewport)
    page.emulate_media(color_scheme=look.color_scheme)
    if look.color_scheme == "dark":
        page.wait_for_function(f"before => ({INKS})().every(ink => !before.includes(ink))", arg=before)


def findings(page: Page, *rules: str) -> list[str]:
    """What axe finds, one line each: the rule, how serious it is, where, and why."""
    page.add_style_tag(content=STILL)
    options = {"resultTypes": ["violations"]} | ({"runOnly": [*rules]} if rules else {})
    return [
        f"{rule['id']} ({rule['impact']}) {part['target'][-1]}: {part['failureSummary']}"
        for rule in Axe().run(page, options=options).response["violations"]
        for part in rule["nodes"]
    ]


def findings_in_every_look(page: Page) -> list[str]:
    """Likewise of a page, which is seen in one look after the other, and left dark."""
    found = []
    for name, look in LOOKS.items():
        change_look(page, look)
        found += [f"{name}: {finding}" for finding in findings(page, *look.rules)]
    return found


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_a_tab_with_everything_open(visit, tab):
    page = visit(link(tab, f"samples=60&{SECTIONS}"), viewport=DESK)
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    open_everything(page)
    assert page.locator("details[open]").count() >= 5 and page.locator("details:not([open])").count() == 0
    assert findings_in_every_look(page) == []


def test_axe_finds_nothing_in_the_other_controls(visit):
    page = visit("samples=60", viewport=DESK)
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
    assert findings_in_every_look(page) == []
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()


def test_axe_finds_what_is_wrong_in_every_look(visit):
    """The test of the test: a picture without a text, words that are pale, and words that are so only in the dark."""
    page = visit("samples=60", viewport=DESK)
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    wrong = "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='><b style='color: #ccc; background: #fff'>pale</b>"
    wrong += "<b style='background: #fff'>on white</b>"
    page.evaluate("wrong => { document.querySelector('h1').innerHTML += wrong }", wrong)
    found = Counter(tuple(line.split()[:2]) for line in findings_in_every_look(page))
    assert found["light:", "image-alt"] == found["phone:", "image-alt"] == 1
    assert found["light:", "color-contrast"] == found["phone:", "color-contrast"] == 1
    assert found["dark:", "color-contrast"] == 2
