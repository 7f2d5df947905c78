"""What the page gives to take along, in a real browser: copied, and downloaded."""

from pathlib import Path

from playwright.sync_api import Page, expect

from lib.experiment.query import Experiment
from lib.takeaway.script import script
from lib.takeaway.study_table import SUBJECTS
from tests.e2e.looking import link

EXPERIMENT = Experiment(samples=50, dtype="bfloat16")


OF_THE_MATRIX = 2

CONTRASTS = """() => {
  const numbers = colour => colour.match(/[0-9.]+/g).slice(0, 3).map(part => part / 255);
  const linear = part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = colour => {
    const [red, green, blue] = numbers(colour).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll('.stCode pre .token')].map(token => {
    const ground = luminance(getComputedStyle(token.closest('pre')).backgroundColor);
    const ink = luminance(getComputedStyle(token).color);
    return (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
  });
}"""
"""The contrast of each token of the code on the page, as WCAG computes it; axe leaves these out."""


def copied(page: Page, number: int) -> str:
    """What the copy button of a block of code puts on the clipboard; two blocks are about the example of a matrix."""
    block = page.get_by_test_id("stCode").nth(OF_THE_MATRIX + number)
    block.hover()
    block.get_by_role("button", name="Copy to clipboard").click()
    return page.evaluate("navigator.clipboard.readText()")


def test_the_script_is_copied_and_downloaded_and_the_link_opens_the_experiment(visit):
    page = visit(
        link("Check your own", f"{EXPERIMENT.query}&code=true&report=true&link=true"),
        permissions=["clipboard-read", "clipboard-write"],
    )
    expect(page).to_have_title(SUBJECTS["discrepancy"].title(EXPERIMENT))
    expect(page.get_by_role("button", name="Download the report")).to_be_visible()
    assert f"{copied(page, 0)}\n" == script("discrepancy", EXPERIMENT)
    for scheme, ground in {"light": "rgb(241, 243, 245)", "dark": "rgb(38, 43, 52)"}.items():
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stCode pre").last).to_have_css("background-color", ground)
        contrasts = page.evaluate(CONTRASTS)
        assert len(contrasts) > 100 and min(contrasts) >= 4.5
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the script").click()
    assert download.value.suggested_filename == "discrepancy.py"
    assert Path(download.value.path()).read_text() == script("discrepancy", EXPERIMENT)
    assert "| samples | 50 |" in copied(page, 1)
    address = copied(page, 2)
    page.goto(address)
    expect(page).to_have_title(SUBJECTS["discrepancy"].title(EXPERIMENT))
    expect(page.get_by_role("group", name="Of 250 components")).to_be_visible()
