"""The tab of the reader's own numbers, in a browser: the first screen, a paste, and a component picked."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.looking import link

OWN = "Check your own"
PASTED = "tensor([0.0514, 0.5000], device='cuda:0')\ntensor([0.0514, 0.5000])\n3.7253e-09 0.0000e+00"
ALL_FIVE = "numbers=all+five+of+them"


def answer(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=2).filter(has_text=text)).to_be_visible()


def picture(page: Page) -> object:
    return page.get_by_role("img", name="The float line.")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["screen", "phone"])
def test_the_first_screen_has_few_words_a_whole_picture_and_no_shift_sideways(visit, size):
    width, height = size
    page = visit(link(OWN, ""), viewport={"width": width, "height": height})
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Two numbers, and a small difference: rounding, or a bug?"
    )
    box = picture(page).bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") == width
    texts = [page.locator(".st-key-head").inner_text(), page.locator(".st-key-answer").inner_text()]
    assert len(" ".join(texts).split()) <= 40
    assert picture(page).locator("text").count() >= 10


def test_numbers_are_pasted_by_keyboard(visit):
    page = visit(link(OWN, "numbers=two+floats"))
    answer(page, "They are neighbours, one float apart: rounding alone can do that.")
    box = page.get_by_role("textbox", name="Printed numbers")
    expect(box).to_have_value("0.1  0.10000000894")
    box.focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(
        "tensor([0.0514, 0.5000], device='cuda:0')\ntensor([0.0514, 0.5000])\n3.7253e-09 0.0000e+00"
    )
    page.keyboard.press("Control+Enter")
    answer(page, "1 of 2 components differs. In component 0 (counted from 0) they are one float apart: rounding")
    expect(picture(page)).to_have_accessible_name(
        "The float line. 26,844 floats print as 0.0514. "
        "first and second on the line of float32. your difference, 3.7253e−09: one float."
    )
    assert "pasted" not in page.url
    box.fill("[1, ..., 2]")
    box.press("Control+Enter")
    expect(page.get_by_role("alert").filter(has_text="Numbers are left out at")).to_be_visible()
    expect(picture(page)).to_have_count(0)


def test_a_component_is_picked_by_mouse_and_by_keyboard_and_its_link_opens_it_again(visit):
    page = visit(link(OWN, ALL_FIVE))
    answer(page, "In component 1 (counted from 0) they are one float apart")
    page.get_by_role("cell", name="0.0514").first.click()
    answer(page, "In component 2 (counted from 0) they are one float apart")
    picked = page.get_by_role("button", name="Draw component", pressed=True)
    expect(picked).to_have_text("2")
    picked.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    answer(page, "In component 4 (counted from 0) they are the same float.")
    expect(picked).to_have_text("4")
    expect(picked).to_be_focused()
    page.wait_for_url("**numbers_at=4**")
    again = visit(page.url.partition("?")[2])
    answer(again, "In component 4 (counted from 0) they are the same float.")


def test_the_cards_lead_on(visit):
    page = visit(link(OWN, ""))
    page.get_by_role("button", name="All tolerances").click()
    expect(page.get_by_role("table").filter(has_text="assert_close")).to_be_visible()
    page.get_by_role("button", name="Check my matrix").click()
    expect(page.get_by_role("textbox", name="A Jacobian")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Check my matrix")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("pasted", "way_on", "tab", "section"),
    [
        ("0.5 0.50000006", "Another order", "Why do they differ?", "All operations"),
        (
            "tensor([nan, 1., 2.])",
            "NaN, infinite and zero gradients",
            "Is my derivative right?",
            "NaN, infinite and zero",
        ),
    ],
)
def test_the_cause_leads_to_the_tab_and_the_section_that_shows_it(visit, pasted, way_on, tab, section):
    page = visit(link(OWN, ""))
    box = page.get_by_role("textbox", name="Printed numbers")
    box.fill(pasted)
    box.press("Control+Enter")
    card = page.locator(".st-key-cause")
    expect(card).to_contain_text("Consistent with the digits, not proved.")
    card.get_by_role("button", name=way_on).click()
    expect(page.get_by_role("tab", selected=True)).to_have_text(tab)
    opened = page.locator("details[open] summary").filter(has_text=section)
    expect(opened).to_be_in_viewport()
