"""The tab of the pitfall in a real browser: its picture fits the screen and streams in place, and can be operated."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.e2e.looking import chart, link, progress, wait_until_still

TAB = "Why are all rows the same?"
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


def test_with_one_output_nothing_is_wrong(visit):
    page = visit(link(TAB, "samples=60&outputs=1"))
    expect(page.get_by_role("heading", level=1, name="With one output, one call is right")).to_be_visible()
    page.get_by_role("button", name="Your first sample").click()
    expect(page.get_by_role("button", name="One call", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("the one row is the sum")).to_be_visible()
    expect(errors(page)).to_be_visible()
    assert page.locator(".errors rect.fill-differ").count() == 0


def test_the_ways_on_open_a_section_and_another_tab(visit):
    page = visit(link(TAB, "samples=60"))
    expect(progress(page, TAB)).to_contain_text("60 of 60 samples")
    page.get_by_role("button", name="See every fix run").click()
    expect(page.get_by_role("table")).to_contain_text("one call per row")
    page.wait_for_function("location.search.includes('fixes=true')")
    page.get_by_role("button", name="Check my matrix").click()
    expect(page.get_by_role("tab", name="Check your own")).to_have_attribute("aria-selected", "true")
