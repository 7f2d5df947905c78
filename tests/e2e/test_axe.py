"""axe-core checks WCAG's rules in every tab with all sections open, light, dark and on a phone.

`axe-playwright-python` contains axe-core, so that no test has to download it.
"""

from collections import Counter
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.looking import TABS, claim, first_screen, link, still


class Look(NamedTuple):
    """The settings of a screen, and the rules to check with them: all rules if none is named."""

    color_scheme: str
    viewport: dict[str, int]
    rules: tuple[str, ...] = ()


DESK = {"width": 1280, "height": 800}
LOOKS = {
    "light": Look("light", DESK),
    "phone": Look("light", {"width": 390, "height": 844}),
    "dark": Look("dark", DESK, ("color-contrast", "link-in-text-block")),
}

STILL = """
* { transition: none !important; animation: none !important }
[data-stale] { opacity: 1 !important }
"""
"""A style sheet without motion. Streamlit fades what it is about to draw again; axe must not see
that colour."""

INK = "getComputedStyle(document.querySelector('[role=tab]')).color"

OPEN_NEXT = """() => {
  const panels = [...document.querySelectorAll('[role=tabpanel]')];
  const panel = panels.find(panel => panel.offsetParent);
  const loading = '[data-testid=stSkeleton], [data-testid=stSpinner], [aria-busy=true]';
  if (!document.querySelector('[data-test-script-state=notRunning]')) return false;
  if (panel.querySelector(loading)) return false;
  const charts = [...panel.querySelectorAll('[data-testid=stVegaLiteChart]')];
  const isDrawn = chart =>
    chart.querySelector('svg.marks') && !chart.querySelector('.role-mark:empty');
  if (!charts.every(isDrawn)) return false;
  const shut = panel.querySelector('details:not([open]) > summary');
  shut?.click();
  return !shut;
}"""
"""Once all open sections are drawn, open the next one. Return whether all of them are open."""

CARDS = urlencode(dict.fromkeys(("right", "fixes", "batch_conditions", "formulas"), "true"))


def change_look(page: Page, look: Look) -> None:
    before = page.evaluate(INK)
    page.set_viewport_size(look.viewport)
    page.emulate_media(color_scheme=look.color_scheme)
    if look.color_scheme == "dark":
        page.wait_for_function(f"before => {INK} !== before", arg=before)


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
    """What axe finds with all settings in turn. The page is dark afterwards."""
    lines = []
    for name, look in LOOKS.items():
        change_look(page, look)
        lines += [f"{name}: {finding}" for finding in findings(page, *look.rules)]
    return lines


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_a_tab_with_everything_open(visit, tab):
    page = visit(link(tab, f"samples=60&{CARDS}"), viewport=DESK)
    first_screen(page)
    page.wait_for_function(OPEN_NEXT)
    assert findings_in_every_look(still(page)) == []


def test_axe_finds_nothing_in_the_open_controls(visit):
    page = visit("samples=60", viewport=DESK)
    first_screen(still(page))
    page.get_by_role("button", name="· Change").click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
    assert findings(page) == []


def test_axe_finds_what_is_wrong_in_every_look(visit):
    """It finds an image without text, pale words, and words that are pale only in the dark."""
    page = visit("samples=60", viewport=DESK)
    expect(claim(still(page))).not_to_be_empty()
    wrong = (
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>"
        "<b style='color: #ccc; background: #fff'>pale</b>"
        "<b style='background: #fff'>on white</b>"
    )
    panel = page.locator("[role=tabpanel]").first
    panel.evaluate("(panel, wrong) => { panel.insertAdjacentHTML('afterbegin', wrong) }", wrong)
    found = Counter(tuple(line.split()[:2]) for line in findings_in_every_look(page))
    assert found["light:", "image-alt"] == found["phone:", "image-alt"] == 1
    assert found["light:", "color-contrast"] >= 1 and found["dark:", "color-contrast"] >= 2
