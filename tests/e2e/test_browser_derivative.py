"""The tab of the derivatives by hand in a real browser."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import assert_streams_in_place, chart, choose, link, progress

TAB = "Is my derivative right?"


def curves(page: Page, beginning: str) -> Locator:
    return chart(page, beginning).locator(".mark-line.role-mark path")


def test_the_reader_of_the_post_finds_the_number_explained(visit):
    page = visit(link(TAB, "samples=100"))
    expect(page.get_by_text("One ulp is 2⁻²⁴ = 5.9605e-08 there.")).to_be_visible()
    expect(page.get_by_role("cell", name="-0x1.d09d3ep-1").first).to_be_visible()
    expect(progress(page, TAB)).to_contain_text("100 of 100 x")
    expect(page.get_by_role("heading", name="of 100 x. Correctly rounded are")).to_be_visible()


def test_every_derivative_has_a_curve_in_both_charts(visit):
    page = visit(link(TAB, "samples=3000&function=tanh&x_from=uniform"))
    for name in "Histogram of the errors", "Curves of the mean error":
        expect(curves(page, name)).to_have_count(4)
    expect(page.get_by_text("from x = 9.01084 to 52.6792").first).to_be_visible()


def test_another_function_is_chosen_and_its_link_opens_it(visit):
    page = visit(link(TAB, "samples=100"))
    expect(progress(page, TAB)).to_contain_text("100 of 100 x")
    choose(page, "Function", "sqrt")
    page.wait_for_function("location.search.includes('function=sqrt')")
    expect(page.get_by_role("heading", name="Autograd and 1/(2*sqrt(x))")).to_be_visible()
    reopened = visit(page.evaluate("location.search").removeprefix("?"))
    expect(reopened.get_by_role("heading", name="Autograd and 1/(2*sqrt(x))")).to_be_visible()


def test_it_streams_without_drawing_the_charts_anew(visit):
    page = visit(link(TAB, "samples=300000000&seed=1"))
    expect(curves(page, "Curves of the mean error").first).to_be_attached()
    expect(curves(page, "Histogram of the errors").first).to_be_attached()
    assert_streams_in_place(page)


def test_an_x_of_ones_own_is_explained(visit):
    page = visit(link(TAB, "samples=50"))
    box = page.get_by_role("textbox", name="x to look at")
    box.fill("0x1.8p+1")
    box.press("Enter")
    expect(page.get_by_text("-0.1111111111111111111111111111")).to_be_visible()
    box.fill("three")
    box.press("Enter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("three is not a finite number")
    expect(alert).to_have_count(1)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_page(visit, width):
    page = visit(link(TAB, "samples=50&function=gelu&dtype=float64"), viewport={"width": width, "height": 844})
    expect(progress(page, TAB)).to_contain_text("50 of 50 x")
    expect(page.get_by_role("heading", name="At a kink")).to_be_visible()
    for part in "html", "[data-testid=stMain]":
        assert page.locator(part).evaluate("element => element.scrollWidth - element.clientWidth") == 0
