"""axe-core checks WCAG's rules.

`axe-playwright-python` contains axe-core, so that no test has to download it.
"""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

STILL = """
* { transition: none !important; animation: none !important }
[data-stale] { opacity: 1 !important }
"""
"""A style sheet without motion. Streamlit fades what it is about to draw again; axe must not see
that colour."""

INK = "getComputedStyle(document.querySelector('[role=tab]')).color"
PALE = "<b style='color: #ccc; background: #fff'>pale</b><b style='background: #fff'>white</b>"
COLOURS = ["color-contrast", "link-in-text-block"]
PLACES = ["target-size", "scrollable-region-focusable"]

DRAWN = """() => document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton], [data-testid=stSpinner]')
  && [...document.querySelectorAll('[data-testid=stVegaLiteChart]')].every(chart =>
    chart.querySelector('svg.marks') && !chart.querySelector('.role-mark:empty'))"""


def hold_still(page: Page) -> None:
    """Wait until all charts are drawn, and end all motion."""
    page.wait_for_function(DRAWN)
    page.add_style_tag(content=STILL)


def findings(page: Page, part: str = "html", rules: list[str] | None = None) -> list[str]:
    """What axe finds in a part, one line each: the rule, how serious it is, where, and why."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": rules} if rules else {})
    return [
        f"{rule['id']} ({rule['impact']}) {node['target'][-1]}: {node['failureSummary']}"
        for rule in Axe().run(page, part, options).response["violations"]
        for node in rule["nodes"]
    ]


def findings_in_the_dark(page: Page) -> list[str]:
    """What axe finds of the colours in the dark, but for two words that are pale there."""
    before = page.evaluate(INK)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {INK} !== before", arg=before)
    page.locator("[role=tabpanel]:visible").evaluate(
        "(panel, pale) => panel.insertAdjacentHTML('afterbegin', pale)", PALE
    )
    lines = findings(page, rules=COLOURS)
    pale = [line for line in lines if " b:nth-child" in line]
    assert len(pale) == 2
    return [line for line in lines if line not in pale]
