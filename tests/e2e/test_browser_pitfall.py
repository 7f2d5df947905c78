"""The tab of the pitfall in a real browser: its charts stream in place, a link opens it, a paste is answered."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import assert_streams_in_place, chart, link, progress

TAB = "Why are all rows the same?"
PAINT = "nodes => nodes.map(node => `${node.getAttribute('fill')} ${node.getAttribute('opacity')}`)"
PASTE = "A Jacobian, as Python, JSON, NumPy or PyTorch prints it"


def cells(page: Page, beginning: str) -> Locator:
    return chart(page, beginning).locator(".mark-rect.role-mark path")


def paste(page: Page, text: str) -> None:
    box = page.get_by_role("textbox", name=PASTE)
    box.fill(text)
    box.press("Control+Enter")


def test_the_tab_has_an_address_and_computes_when_it_is_opened(visit):
    page = visit("samples=60")
    expect(page.get_by_test_id("stProgress")).to_contain_text("60 of 60 samples")
    expect(page.get_by_role("heading", name="The summed-gradient pitfall")).to_have_count(0)
    page.get_by_role("tab", name=TAB).click()
    expect(page.get_by_role("heading", name="The summed-gradient pitfall")).to_be_visible()
    page.wait_for_function("location.search.includes('tab=')")
    expect(page.get_by_role("heading", name="gave 2 equal rows, each the sum of all")).to_be_visible()
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    reopened = visit(page.evaluate("location.search").removeprefix("?"))
    expect(reopened.get_by_role("heading", name="gave 2 equal rows, each the sum of all")).to_be_visible()


def test_both_matrices_are_heat_maps_and_both_populations_are_there(visit):
    page = visit(link(TAB, "samples=200&outputs=3"))
    expect(progress(page, TAB)).to_contain_text("200 of 200 samples")
    for matrix in "Heat map of the right Jacobian", "Heat map of the matrix of the single call":
        expect(cells(page, matrix)).to_have_count(15)
    single = cells(page, "Heat map of the matrix of the single call").evaluate_all(PAINT)
    assert single[:5] == single[5:10] == single[10:]
    right = cells(page, "Heat map of the right Jacobian").evaluate_all(PAINT)
    assert right[:5] != right[5:10]
    colours = cells(page, "Histogram of the distances").evaluate_all(
        "nodes => [...new Set(nodes.map(node => node.getAttribute('fill')))]"
    )
    assert len(colours) == 2
    expect(page.get_by_role("img", name="All outputs flow back")).to_be_visible()
    expect(page.get_by_role("img", name="Each output flows back")).to_be_visible()


def test_it_streams_without_drawing_the_charts_anew(visit):
    page = visit(link(TAB, "samples=1000000&seed=1"))
    expect(cells(page, "Histogram of the distances").first).to_be_attached()
    expect(cells(page, "Heat map of the matrix").first).to_be_attached()
    assert_streams_in_place(page)


def test_the_costs_grow_while_they_are_measured(visit):
    page = visit(link(TAB, "samples=20"))
    page.get_by_text("Time and peak memory of one Jacobian").click()
    points = chart(page, "Curves of the time").locator(".mark-symbol.role-mark").last.locator("path")
    expect(points.first).to_be_attached()
    expect(progress(page, TAB).last).to_contain_text("of 770 turns")
    expect(points).to_have_count(7 * 11)
    expect(page.get_by_role("heading", name="With 2 outputs")).to_be_visible()
    expect(page.get_by_role("button", name="Measure again")).to_be_visible()
    expect(chart(page, "Curves of the peak memory")).to_be_visible()


def test_the_wrong_matrix_of_the_post_is_explained(visit):
    page = visit(link(TAB, "samples=20"))
    paste(page, "J1: tensor([[10., 18.],\n[10., 18.],\n[10., 18.],\nJ2: tensor([[ 2.,  0.],\n[ 0.,  2.]])")
    alert = page.get_by_test_id("stAlert").first
    expect(alert).to_contain_text("each row is the sum of all rows")
    expect(page.get_by_text("or one grad call per row")).to_be_visible()


@pytest.mark.parametrize(
    ("text", "words"),
    [("[" * 100_000, "nested deeper"), ("1, " * 350_000, "1,050,000 characters"), ("__import__('os')", "__import__")],
    ids=["deep", "a megabyte", "a call"],
)
def test_a_hostile_paste_gets_one_sentence(visit, text, words):
    page = visit(link(TAB, "samples=20"))
    paste(page, text)
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text(words)
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_page(visit, width):
    page = visit(link(TAB, "samples=20&outputs=64"), viewport={"width": width, "height": 844})
    expect(progress(page, TAB)).to_contain_text("20 of 20 samples")
    expect(chart(page, "Histogram of the distances")).to_be_visible()
    for part in "html", "[data-testid=stMain]":
        assert page.locator(part).evaluate("element => element.scrollWidth - element.clientWidth") == 0
