"""The tab of the pitfall in a real browser: its picture fits the screen and streams in place, and can be operated."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import (
    assert_nothing_is_wider_than_the_page,
    assert_streams_in_place,
    chart,
    choose,
    link,
    progress,
    wait_until_still,
)

TAB = "Why are all rows the same?"
PAINT = "nodes => nodes.map(node => `${node.getAttribute('fill')} ${node.getAttribute('opacity')}`)"
PHONE = {"width": 390, "height": 844}


def cells(page: Page, beginning: str) -> Locator:
    return chart(page, beginning).locator(".mark-rect.role-mark path")


def drawing(page: Page, beginning: str) -> Locator:
    """The drawing of the paths, by the beginning of what it tells those who do not see it."""
    return page.get_by_role("img", name=re.compile(f"^{re.escape(beginning)}"))


def rows(page: Page) -> list[str]:
    """The numbers that come back, row by row."""
    return page.locator(".flows .entry + text").all_text_contents()


def errors(page: Page) -> Locator:
    return page.get_by_role("img", name=re.compile("^Histogram of errors"))


WRONG, RIGHT = "One call.", "One call per row."


def test_the_tab_has_an_address_and_computes_when_it_is_opened(visit):
    page = visit("samples=60")
    expect(page.get_by_test_id("stProgress")).to_contain_text("60 of 60 samples")
    expect(drawing(page, WRONG)).to_have_count(0)
    page.get_by_role("tab", name=TAB).click()
    expect(drawing(page, WRONG)).to_be_visible()
    page.wait_for_function("location.search.includes('tab=')")
    expect(page.get_by_role("heading", level=1, name="One call for all Jacobian rows puts their sum")).to_be_visible()
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    reopened = visit(page.evaluate("location.search").removeprefix("?"))
    expect(
        reopened.get_by_role("heading", level=1, name="One call for all Jacobian rows puts their sum")
    ).to_be_visible()


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE], ids=["desktop", "phone"])
def test_the_first_screen_has_the_claim_and_the_whole_drawing(visit, size):
    page = visit(link(TAB, "samples=60"), viewport=size)
    expect(drawing(page, WRONG)).to_be_visible()
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    assert rows(page) == ["10", "18"] * 4
    ends = [drawing(page, WRONG)]
    if size != PHONE:
        ends += [errors(page), page.get_by_role("button", name="Check my matrix")]
        ways_on = page.locator(".st-key-cards").get_by_role("button")
        expect(ways_on).to_have_count(3)
        assert len({way_on.bounding_box()["y"] for way_on in ways_on.all()}) == 1
    for end in ends:
        box = end.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= size["width"]
        assert box["y"] >= 0 and box["y"] + box["height"] <= size["height"]
    head = page.locator(".st-key-head").inner_text()
    assert 10 < len(head.split()) <= 40


def test_wrong_and_right_are_one_click_apart_without_a_run_of_the_page(visit):
    page = visit(link(TAB, "samples=60"))
    sent: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.reload()
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    wait_until_still(page)
    assert sent
    sent.clear()
    page.get_by_role("button", name="Right: one call per row").click()
    expect(drawing(page, RIGHT)).to_be_visible()
    assert rows(page) == ["2", "0", "0", "2", "8", "0", "0", "16"]
    expect(page.get_by_text("torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(4)])")).to_be_visible()
    expect(page.get_by_role("button", name="Right: one call per row")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Wrong: one call")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Wrong: one call").click()
    assert rows(page) == ["10", "18"] * 4 and sent == []


def test_the_keyboard_chooses_and_keeps_its_focus_while_samples_arrive(visit):
    page = visit(link(TAB, "samples=1000000&seed=1"))
    right = page.get_by_role("button", name="Right: one call per row")
    page.get_by_role("button", name="Wrong: one call").focus()
    page.keyboard.press("Tab")
    expect(right).to_be_focused()
    page.keyboard.press("Space")
    expect(drawing(page, RIGHT)).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^y = net[(]x[)]: 5 → 10 → 2"))).to_be_visible()
    page.wait_for_function("seen => watch.seen.length >= seen + 6", arg=page.evaluate("watch.seen.length"))
    expect(page.get_by_role("button", name="Your first sample")).to_be_focused()
    expect(right).to_have_attribute("aria-pressed", "true")
    expect(drawing(page, RIGHT)).to_be_visible()
    assert len(rows(page)) == 10


def test_the_populations_grow_in_place(visit):
    page = visit(link(TAB, "samples=1000000&seed=1"))
    expect(errors(page)).to_be_visible()
    page.evaluate("document.querySelector('.stBidiComponent, [class*=picture_of_rows]').dataset.seen = 'yes'")
    entries = page.get_by_text(re.compile(": [0-9,]+ entries, each against the exact one$"))
    before = entries.inner_text()
    expect(entries).not_to_have_text(before)
    assert page.locator("[data-seen=yes]").count() == 1
    assert page.locator(".errors rect.fill-second").count() > 3 < page.locator(".errors rect.fill-differ").count()
    expect(page.get_by_text(re.compile("^× [0-9.]+ million$"))).to_be_visible()


def test_with_one_output_nothing_is_wrong(visit):
    page = visit(link(TAB, "samples=60&outputs=1"))
    expect(page.get_by_role("heading", level=1, name="With one output, one call is right")).to_be_visible()
    page.get_by_role("button", name="Your first sample").click()
    expect(page.get_by_role("button", name="One call", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("the one row is the sum")).to_be_visible()
    expect(errors(page)).to_be_visible()
    assert page.locator(".errors rect.fill-differ").count() == 0


def test_a_changed_dtype_leaves_the_former_populations_as_an_outline(visit):
    page = visit(link(TAB, "samples=60"))
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    assert page.locator(".errors .outline").count() == 0
    choose(page, "dtype", "bfloat16")
    expect(page.get_by_text("before: float32")).to_be_visible()
    expect(page.locator(".errors .outline").first).to_be_attached()


def test_the_ways_on_open_a_section_and_another_tab(visit):
    page = visit(link(TAB, "samples=60"))
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    page.get_by_role("button", name="See every fix run").click()
    expect(page.get_by_role("table")).to_contain_text("one call per row")
    page.wait_for_function("location.search.includes('fixes=true')")
    page.get_by_role("button", name="Check my matrix").click()
    expect(page.get_by_role("tab", name="Check your own")).to_have_attribute("aria-selected", "true")


def test_both_matrices_are_heat_maps_and_both_distances_are_there(visit):
    page = visit(link(TAB, "samples=200&outputs=3&fixes=true&distances=true&meeting=true"))
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
    page = visit(link(TAB, "samples=1000000&seed=1&fixes=true&distances=true"))
    expect(cells(page, "Histogram of the distances").first).to_be_attached()
    expect(cells(page, "Heat map of the matrix").first).to_be_attached()
    assert_streams_in_place(page)


def test_the_costs_grow_while_they_are_measured(visit):
    page = visit(link(TAB, "samples=20&outputs=3"))
    page.get_by_text("What does each method cost?").click()
    points = chart(page, "Curves of the time").locator(".mark-symbol.role-mark").last.locator("path")
    expect(points.first).to_be_attached()
    expect(progress(page, TAB).last).to_contain_text("880 of 880 turns")
    assert 0 < points.count() <= 8 * 11  # on a busy machine the measurement is given up before all are timed
    expect(page.get_by_role("heading", name=re.compile("^With 3 outputs, .* is fastest"))).to_be_visible()
    expect(page.get_by_role("button", name="Measure again")).to_be_visible()
    expect(chart(page, "Curves of the peak memory")).to_be_visible()
    labels = chart(page, "Curves of the time").locator(".role-axis-label text").all_text_contents()
    assert labels[:8] == ["1", "2", "3", "4", "8", "16", "32", "64"]


def test_nothing_is_wider_than_the_page(visit):
    page = visit(link(TAB, "samples=20&outputs=64&distances=true"))
    expect(progress(page, TAB)).to_contain_text("20 of 20 samples")
    expect(chart(page, "Histogram of the distances")).to_be_visible()
    assert_nothing_is_wider_than_the_page(page)
