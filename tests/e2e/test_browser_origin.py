"""The sections of the first tab in a real browser: the verdict, all operations, and what starts when it is opened."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import assert_nothing_is_wider_than_the_page, chart


def open_part(page: Page, label: str) -> None:
    page.locator("summary").get_by_text(label).click()


@pytest.fixture
def page(visit) -> Page:
    page = visit("samples=200")
    expect(page.get_by_test_id("stProgress").first).to_contain_text("200 of 200 samples")
    return page


def test_the_sections_on_the_verdict_open(page):
    open_part(page, "Which one is right?")
    expect(page.get_by_text("is closer to the exact gradient in").first).to_be_visible()
    expect(chart(page, "Bars of who is closer")).to_be_visible()
    open_part(page, "Is it a bug?")
    expect(page.get_by_text("no component is above").first).to_be_visible()
    expect(chart(page, "Histogram of both errors")).to_be_visible()


def test_all_operations_are_told_and_the_worst_by_another_measure_has_an_address(page):
    open_part(page, "All operations")
    told = page.get_by_text("first diverge in").or_(page.get_by_text("is not replayed"))
    expect(told.or_(page.get_by_text("never diverge")).first).to_be_visible()
    page.get_by_role("radio", name="ulps", exact=True).click()
    page.wait_for_function("location.search.includes('worst_by=ulps')")
    expect(page.get_by_role("radio", name="ulps", exact=True)).to_be_checked()


def test_the_agreement_of_the_methods_opens(page):
    open_part(page, "Which methods agree with which")
    expect(page.get_by_role("heading", name="different answers, compared value by value")).to_be_visible()
    cells = chart(page, "Heat map of methods").locator(".mark-rect.role-mark path")
    expect(cells).to_have_count(12 * 12)


def test_the_remedies_and_the_ladder_open(page):
    open_part(page, "How do I make it go away?")
    expect(page.get_by_role("heading", name="leave no difference in 200 samples")).to_be_visible()
    expect(page.get_by_text("torch.testing.assert_close")).to_be_visible()
    open_part(page, "Does it shrink with eps?")
    expect(chart(page, "Points of the difference")).to_be_visible()
    expect(page.get_by_role("heading", name="in bfloat16")).to_be_visible()


def test_the_curve_of_finite_differences_opens_beside_its_step(visit):
    page = visit("samples=20&method=finite-difference&step=-9")
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Step of finite differences")).to_have_value("-9")
    page.keyboard.press("Escape")
    open_part(page, "Which step? The error of finite differences")
    expect(page.get_by_text("In float32 the smallest error is")).to_contain_text(
        "The step used, 2⁻⁹·max(1, |x|), leaves"
    )
    for dtype in ("float64", "float32", "bfloat16", "float16"):
        expect(chart(page, f"Curve of the error against the step in {dtype}")).to_be_visible()
    assert "differences=true" in page.url and "step=-9" in page.url


def test_the_controls_and_the_growth_open(visit):
    page = visit("samples=200&evaluation=batched")
    open_part(page, "The controls: where")
    expect(page.get_by_role("heading", name="are equal, as they must be")).to_be_visible()
    open_part(page, "How it changes with width")
    expect(page.get_by_role("heading", name="changes by a factor of")).to_be_visible()
    for sweep in ("width", "depth", "outputs"):
        expect(chart(page, f"Curve of the discrepancy, largest, in rounding units, by {sweep}")).to_be_visible()


def test_nothing_is_wider_than_the_page(visit):
    page = visit("samples=50&agreement=true&remedies=true")
    expect(page.get_by_role("heading", name="leave no difference in 50 samples")).to_be_visible()
    expect(chart(page, "Heat map of methods")).to_be_visible()
    assert_nothing_is_wider_than_the_page(page)
