"""axe-core checks WCAG's rules in every tab with everything open, light, on a phone, and dark.

`axe-playwright-python` contains axe-core, so that no test has to download it.
"""

from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.looking import TABS, link, still

STILL = """
* { transition: none !important; animation: none !important }
[data-stale] { opacity: 1 !important }
"""
"""A style sheet without motion. Streamlit fades what it is about to draw again; axe must not see
that colour."""

INK = "getComputedStyle(document.querySelector('[role=tab]')).color"
COLOURS = "color-contrast", "link-in-text-block"
PLACES = "target-size", "scrollable-region-focusable"
PALE = "<b style='color: #ccc; background: #fff'>pale</b><b style='background: #fff'>white</b>"

CARDS = [
    *("bug", "right", "remedies", "small", "first", "ladder", "fixes", "costs", "batch_why"),
    *("batch_conditions", "formulas", "digits", "unsafe", "round-trips"),
]
"""The keys of everything that opens."""

DRAWN = """() => document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton], [data-testid=stSpinner]')
  && [...document.querySelectorAll('[data-testid=stVegaLiteChart]')].every(chart =>
    chart.querySelector('svg.marks') && !chart.querySelector('.role-mark:empty'))"""


def findings(page: Page, *rules: str) -> list[str]:
    """What axe finds, one line each: the rule, how serious it is, where, and why."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": [*rules]} if rules else {})
    return [
        f"{rule['id']} ({rule['impact']}) {part['target'][-1]}: {part['failureSummary']}"
        for rule in Axe().run(page, options=options).response["violations"]
        for part in rule["nodes"]
    ]


def darken(page: Page) -> None:
    before = page.evaluate(INK)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {INK} !== before", arg=before)


@pytest.mark.parametrize("tab", TABS)
def test_axe_finds_nothing_in_a_tab_with_everything_open(visit, tab):
    page = still(visit(link(tab, f"samples=60&{urlencode(dict.fromkeys(CARDS, 'true'))}")))
    page.wait_for_function(DRAWN)
    page.add_style_tag(content=STILL)
    light = findings(page)
    page.set_viewport_size({"width": 390, "height": 844})
    phone = findings(page, *PLACES)
    darken(page)
    assert (light, phone, findings(page, *COLOURS)) == ([], [], [])


def test_axe_finds_nothing_in_the_open_controls_but_words_that_are_pale_in_the_dark(visit):
    page = still(visit("samples=60"))
    page.add_style_tag(content=STILL)
    page.get_by_role("button", name="Change more").click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_be_visible()
    assert findings(page) == []
    darken(page)
    panel = page.get_by_role("tabpanel").first
    panel.evaluate("(panel, pale) => panel.insertAdjacentHTML('afterbegin', pale)", PALE)
    pale = [line for line in findings(page, *COLOURS) if " b:nth-child" in line]
    assert len(pale) == 2
