"""What the page gives to take along, in a real browser: copied, and downloaded."""

from pathlib import Path

from playwright.sync_api import Page, expect

from lib.experiment.query import Experiment
from lib.takeaway.script import script
from lib.takeaway.study_table import SUBJECTS
from tests.e2e.looking import link

EXPERIMENT = Experiment(samples=50, dtype="bfloat16")


OF_THE_MATRIX = 2


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
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the script").click()
    assert download.value.suggested_filename == "discrepancy.py"
    assert Path(download.value.path()).read_text() == script("discrepancy", EXPERIMENT)
    assert "| samples | 50 |" in copied(page, 1)
    address = copied(page, 2)
    page.goto(address)
    expect(page).to_have_title(SUBJECTS["discrepancy"].title(EXPERIMENT))
    expect(page.get_by_role("group", name="Of 250 components")).to_be_visible()
