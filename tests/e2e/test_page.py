"""The page in a real browser, by what a visitor does.

Loading a page takes most of the time, so a visitor does several things on each.
"""

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import DRAWN, PLACES, findings, findings_in_the_dark, hold_still
from tests.e2e.conftest import DESK
from tests.e2e.looking import (
    TABS,
    claim,
    done,
    expect_in_address,
    link,
    opened_well,
    progress,
    search,
    still,
)

PHONE = {"width": 390, "height": 844}
# pixels
LEAST_TARGET = 44
GRADIENTS, ROWS, OWN, BATCHES, BY_HAND = TABS
CARDS = [
    *("small", "exact", "remedies", "first", "fixes", "costs", "batch_why"),
    *("formulas", "unsafe", "round-trips"),
]
"""The keys of everything that opens."""
SMALL = f"""() => [...document.querySelectorAll('.stBidiComponent *')]
  .flatMap(host => [...host.shadowRoot?.querySelectorAll('.drawing button:not([hidden])') ?? []])
  .filter(button => button.checkVisibility() && button.offsetHeight < {LEAST_TARGET})
  .map(button => button.textContent)"""


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_suits_a_phone_and_axe_and_the_dark(visit, tab):
    everything = f"samples=60&{urlencode(dict.fromkeys(CARDS, 'true'))}"
    page = opened_well(visit(link(tab, everything), PHONE))
    hold_still(page)
    assert page.evaluate(SMALL) == []
    assert findings(page, rules=PLACES) == []
    page.set_viewport_size(DESK)
    page.wait_for_function(DRAWN)
    assert findings(page) == []
    assert findings_in_the_dark(page) == []


def test_a_run_grows_in_the_same_pictures(visit):
    """They are not drawn anew."""
    page = visit("samples=1000000000&seed=1")
    for tab in GRADIENTS, BATCHES:
        page.get_by_role("tab", name=tab).click()
        for seen in "svg.marks", ".drawing svg":
            drawn = page.locator(seen).filter(visible=True).first
            drawn.evaluate("svg => { svg.dataset.seen = 'yes' }")
        for _ in range(2):
            before = progress(page).inner_text()
            expect(progress(page)).not_to_have_text(before)
        expect(page.locator("[data-seen=yes]").filter(visible=True)).to_have_count(2)


def test_a_malformed_link_is_told(visit):
    """And a word is a control."""
    markdown = "[a](//b.cc) ![d](//e.cc/f) www.g.cc **h** :red[i] $j$"
    page = visit(f"seed=5&dtype={markdown}&utm_source=letter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(f"dtype = '{markdown}' is not allowed")
    assert alert.locator("a, img, strong, .katex").count() == 0
    assert "utm_source=letter" in search(page) and "seed" not in search(page)

    word = still(page).locator("[class*=st-key-choose-dtype-] button").first
    word.click()
    page.get_by_role("radio", name=re.compile("^bfloat16")).first.click(force=True)
    press(page, "Escape")
    expect(word).to_contain_text("bfloat16")
    expect_in_address(page, "dtype=bfloat16")

    page.get_by_role("button", name="Change more").click()
    seed = page.get_by_role("spinbutton", name="Seed")
    expect(seed).to_be_visible()
    hold_still(page)
    assert findings(page, "[data-testid=stPopoverBody]") == []
    seed.fill("5")
    press(page, "Enter", "Escape")
    expect(seed).not_to_be_visible()
    page.get_by_role("button", name="Another example").press("Enter")
    expect_in_address(page, "trace_sample=")
    expect_in_address(page, "seed=5")
    page.get_by_role("link", name="one output").click()
    expect_in_address(page, "5+10+1")
    expect(word).to_contain_text("float32")
    page.get_by_text("Does a remedy").click()
    expect_in_address(page, "remedies=true")
    expect(still(page).get_by_text("Remedies that leave no difference")).to_be_visible()
    word.click()
    page.get_by_role("radio", name=re.compile("^float16")).first.click(force=True)
    expect_in_address(page, "dtype=float16")
    press(page, "Escape")
    still(page).go_back()
    page.wait_for_function("() => !location.search.includes('dtype')")
    expect(word).to_contain_text("float32")


def test_a_component_is_touched_step_by_step(visit):
    """And bit by bit."""
    page = opened_well(done(visit("samples=60&trace_sample=7&trace_component=3"), 60))
    page.locator(".bits i[role=button]").nth(31).click()
    expect(page.locator(".flip")).to_contain_text(": 1 float away")
    press(page, "Enter")
    expect(page.locator(".flip")).to_have_text("Press a bit to flip it.")

    steps = page.locator(".steps")
    before = steps.inner_text()
    page.get_by_role("slider", name="Operation by operation").focus()
    press(page, "ArrowLeft")
    expect(steps).to_contain_text(re.compile("rounded, so .* exact"))
    expect(page.locator(".network .lit, .drift .axis").first).to_be_attached()
    press(page, "End")
    expect(steps).to_have_text(before)

    note = page.locator(".component .units")
    nodes = page.get_by_role("img", name=re.compile("^(h.* is off|.*% of all terms)"))
    expect(nodes).to_have_count(12)
    for node in nodes.first, nodes.last:
        node.focus()
        expect(note).to_have_text(node.get_attribute("aria-label"))
    page.get_by_role("button", name="Component 3").focus()
    press(page, "ArrowLeft", "Enter")
    expect_in_address(page, "trace_sample=7&trace_component=2")
    page.get_by_role("button", name="Component 4").click()
    expect_in_address(page, "trace_sample=7&trace_component=4")

    still(page).get_by_role("button", name="Save or share").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="A script").press("Enter")
    assert "samples = 60" in download.value.path().read_text()


def test_bars_and_rows_are_picked_and_played(visit):
    page = done(visit("samples=300&first=true&small=true"), 300)
    heading = page.locator(".results-heading")
    bars = page.get_by_test_id("stVegaLiteChart").first
    # two floats
    bars.locator("[aria-roledescription='rect mark']").nth(14).click()
    expect(heading).to_contain_text("2 floats apart")
    expect_in_address(page, "trace_sample=")
    first = search(page)
    page.get_by_role("button", name="Another example").click()
    page.wait_for_function("first => decodeURIComponent(location.search) != `?${first}`", arg=first)
    expect(heading).to_contain_text("2 floats apart")
    # once more
    bars.locator("[aria-roledescription='rect mark']").nth(14).click()
    page.wait_for_function("first => decodeURIComponent(location.search) == `?${first}`", arg=first)

    slider = page.get_by_role("slider", name="The steps of the small example")
    slider.focus()
    press(page, "Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("the floats"))
    press(page, "ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("The nearest float is 0.8"))

    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    # the box of the third row
    table.click(position={"x": 18, "y": 35 * 4 - 15})
    expect_in_address(page, "trace_sample=0&trace_component=2")


def test_numbers_are_typed_picked_and_kept(visit):
    """And lead on."""
    page = opened_well(visit(link(OWN)))
    page.get_by_role("tab", name=GRADIENTS).click()
    page.get_by_role("button", name="Have two numbers of your own?").click()
    box = page.get_by_role("textbox")
    marks = page.locator("mark")
    # is answered as soon as typing stops
    box.fill("I got 0.5 and 0.50000006 or 0.375")
    ask = page.get_by_role("heading", name="Which two do you mean?")
    expect(marks).to_have_text(["0.5", "0.50000006", "0.375"])
    expect(ask).to_be_visible()
    page.get_by_role("radio", name="NaN").click()
    expect(ask).not_to_be_visible()
    # the same text again is answered, too
    box.fill("I got 0.5 and 0.50000006 or 0.375")
    expect(ask).to_be_visible()
    marks.nth(0).click()
    marks.nth(2).click()
    expect(page.get_by_role("heading", name="Open")).to_be_visible()
    expect(page.locator("mark.is-second")).to_have_text("0.375")
    clear = page.get_by_role("button", name="Clear both values")
    clear.click()
    expect(ask).to_be_visible()
    expect(clear).to_be_focused()
    marks.nth(1).focus()
    press(page, "Enter", "ArrowRight", "Enter")
    expect(page.locator("mark.is-first")).to_have_text("0.50000006")
    expect(page.locator("mark.is-second")).to_be_focused()

    page.set_viewport_size(PHONE)
    box.fill("0.50000000 vs 0.50000006")
    expect(marks).to_have_text(["0.50000000", "0.50000006"])
    expect(page.get_by_text(re.compile("1 float apart")).first).to_be_visible()
    show = page.get_by_role("button", name="Put this text into the address")
    show.click()
    expect_in_address(page, "paste=")
    expect(page.get_by_text("Whoever has it can read the text")).to_be_visible()
    expect(show).to_be_focused()
    page.get_by_role("tab", name=ROWS).click()
    expect(page.get_by_role("heading", name=re.compile("One grad call"))).to_be_visible()
    page.get_by_role("tab", name=OWN).click()
    expect(box).to_have_value("0.50000000 vs 0.50000006")

    page.get_by_role("button", name="What rounding can do").click()
    expect(page.get_by_text("The exact gradient is that of")).to_be_in_viewport()
    expect_in_address(page, "exact=true")


def test_wrong_and_right_are_one_click_apart(visit):
    """And an output lights its path."""
    page = opened_well(done(visit(link(ROWS, "samples=60")), 60))
    page.locator(".output").first.focus()
    press(page, "ArrowDown")
    expect(page.get_by_text("y[1] adds [0, 2] to every row")).to_be_visible()
    x = page.get_by_role("spinbutton").first
    x.fill("12")
    press(page, "Tab")
    # 12 is not allowed
    expect(x).to_have_value("1")
    page.get_by_role("button", name="Right: one call per row").click()
    expect(page.locator(".asked")).to_contain_text("for i in range(4)")
    expect(page.locator(".entry.is-second")).to_have_count(8)
    page.get_by_role("button", name="The network").click()
    expect(page.get_by_text(re.compile("^y = net[(]x[)]: 5 → 10 → 2"))).to_be_visible()


def test_a_batch_size_is_picked(visit):
    """And a sum in it is shown."""
    page = opened_well(done(visit(link(BATCHES, "samples=300")), 300))
    sizes = page.get_by_test_id("stVegaLiteChart").first
    sizes.locator("[aria-roledescription='rect mark']").nth(5).click()
    expect(claim(page)).to_contain_text("batch of 16")
    expect_in_address(page, "batch=16")
    expect(page.get_by_role("heading", name=re.compile("of 16 in a batch"))).to_be_visible()
    slider = page.get_by_role("slider", name="Operation by operation")
    slider.focus()
    press(page, "Home", "ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("● .*rounded by|● .*exact"))


def test_a_point_of_the_curve_shows_its_worst_x(visit):
    """Another x replaces it."""
    page = opened_well(done(visit(link(BY_HAND, "samples=3000")), 3000))
    curve = page.get_by_test_id("stVegaLiteChart").first
    curve.locator("[aria-roledescription=point]").nth(3).click()
    expect_in_address(page, "explain=")
    x = page.get_by_role("textbox", name="x in the drawing")
    expect(x).not_to_have_value("")
    x.fill("1.5")
    press(page, "Enter")
    expect_in_address(page, "explain=1.5")
    expect(page.locator(".title")).to_contain_text("at x = 1.5")
