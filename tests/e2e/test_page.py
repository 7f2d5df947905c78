"""The page in a real browser: it grows in place, its address is its state, and it can be read in any way."""

import re
import struct

import pytest
from playwright.sync_api import Page, expect

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.run.stream import Stream
from tests.e2e.looking import (
    TABS,
    assert_nothing_is_wider_than_the_page,
    choose,
    claim,
    done,
    first_screen,
    link,
    progress,
    search,
    shift,
    still,
)

WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
MOST_WORDS = 40
MOST_SHIFT = 0.05
GRADIENTS, ROWS, BATCHES, BY_HAND, OWN = TABS


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("tab", TABS)
def test_a_tab_opens_with_few_words_and_its_picture_and_nothing_shifts_or_is_too_wide(visit, tab, viewport):
    page = visit(link(tab, "samples=300"), viewport=viewport)
    screen = first_screen(page)
    assert 3 < len(screen.words) <= MOST_WORDS, screen.words
    assert screen.top < (0.72 if viewport is PHONE else 0.62 if tab == OWN else 0.45) * viewport["height"]
    still(page)
    assert shift(page) < MOST_SHIFT
    expect(claim(page)).to_have_count(1)
    assert_nothing_is_wider_than_the_page(page)


def seen(page: Page) -> str:
    return progress(page).inner_text()


@pytest.mark.parametrize("tab", [GRADIENTS, BATCHES])
def test_a_live_picture_grows_in_place(visit, tab):
    page = visit(link(tab, "samples=1000000000&seed=1"), viewport=WIDE)
    first_screen(page)
    page.evaluate("document.querySelector('.stBidiComponent').dataset.seen = 'yes'")
    before = seen(page)
    expect(progress(page)).not_to_have_text(before)
    then = seen(page)
    expect(progress(page)).not_to_have_text(then)
    assert page.locator("[data-seen=yes]").count() == 1


def test_pause_stops_a_run_and_the_focus_stays(visit):
    page = visit("samples=1000000&seed=9")
    pause = page.locator(".live .pause").first
    pause.focus()
    page.keyboard.press("Enter")
    expect(pause).to_have_text("Go on")
    expect(progress(page)).to_contain_text("paused")
    expect(pause).to_be_focused()
    page.keyboard.press("Enter")
    expect(pause).to_have_text("Pause")
    expect(progress(page)).not_to_contain_text("paused")


def test_a_word_of_the_sentence_is_a_control_in_the_address_and_back_returns(visit):
    page = done(visit("samples=300"), 300)
    choose(page, "dtype", "bfloat16", "bfloat16")
    page.wait_for_function("location.search.includes('dtype=bfloat16')")
    expect(claim(page)).to_have_count(1)
    expect(page.locator(".live path.ghost").first).to_be_attached()
    page.go_back()
    page.wait_for_function("!location.search.includes('dtype')")
    word = page.locator("[class*=st-key-choose-dtype-] button").first
    expect(word).to_contain_text("float32")
    page.keyboard.press("Tab")  # what comes now comes by keyboard
    word.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-testid=stPopoverBody] input:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(word).to_be_focused()


def test_layer_sizes_are_typed_and_what_is_none_is_one_sentence(visit):
    page = done(visit("samples=60"), 60)
    page.locator("[class*=st-key-choose-layers-] button").first.click()
    box = page.get_by_role("textbox", name="Layer sizes")
    box.fill("5 4 3 2")
    box.press("Enter")
    page.wait_for_function("location.search.includes('layers=')")
    assert "layers=5+4+3+2" in search(page) or "layers=5 4 3 2" in search(page)
    box.fill("3 10, abc 2")
    box.press("Enter")
    expect(page.get_by_text("is not allowed")).to_have_count(1)


def test_the_page_opens_with_a_small_example_that_plays_and_leads_to_the_network(visit):
    page = visit("")
    slider = page.get_by_role("slider", name="The steps of the small example")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("only the numbers on the ticks"))
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("The nearest float is 0.8"))
    page.keyboard.press("End")
    expect(page.locator(".two-results .number").first).to_have_text("2.40000010")
    expect(page.get_by_role("img", name="In float32, 3*(0.1 + 0.7)")).to_have_count(1)
    page.get_by_role("button", name="Now your network").click()
    expect(page.get_by_text("One component, computed both ways")).to_be_visible()
    whole = page.get_by_role("heading", name="How often: 10,000 components")
    expect(whole).to_be_visible()
    page.get_by_role("button", name="A small example").click()
    expect(slider).to_be_visible()


def test_the_claim_has_the_figures_of_the_command_line_and_ten_times_as_many_samples_go_on_from_there(visit):
    page = done(visit("samples=300&trace_sample=1"), 300)
    tally = Stream(Discrepancy(Experiment(samples=300))).finish()
    different = percent(tally.finite - tally.equal, tally.finite)
    expect(claim(page)).to_contain_text(f" {different} of its components differ")
    page.get_by_role("button", name="10× more samples").click()
    done(page, 3000)
    expect(page.get_by_role("heading", name="How often: 15,000 components")).to_be_visible()


MARKDOWN = "[a](//b.cc) ![d](//e.cc/f) www.g.cc **h** :red[i] $j$"


def test_a_malformed_link_gives_one_sentence_in_plain_text(visit):
    page = visit(f"seed=5&dtype={MARKDOWN}&utm_source=letter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(f"dtype = {MARKDOWN} is not allowed")
    assert alert.locator("a, img, strong, .katex").count() == 0
    expect(claim(page)).to_have_count(1)
    assert "utm_source=letter" in search(page) and "seed" not in search(page)


def test_a_word_of_a_link_is_plain_text(visit):
    page = done(visit(link(BY_HAND, f"samples=60&explain={MARKDOWN}")), 60)
    word = page.locator("[class*=st-key-choose-x-] button")
    expect(word).to_contain_text(MARKDOWN)
    assert word.locator("a, img, .katex").count() == 0


def bar(page: Page, label: str):
    return page.get_by_role("button", name=re.compile(f"^{re.escape(label)}"))


def test_a_bar_is_picked_by_mouse_and_by_keyboard_and_is_in_the_link_and_another_is_of_the_same(visit):
    page = done(visit("samples=300"), 300)
    bar(page, "2 floats:").click()
    told = page.locator(".beneath p").first
    expect(told).to_contain_text("2 floats apart")
    page.wait_for_function("location.search.includes('trace_sample=')")
    first = search(page)
    reopened = done(visit(first), 300)
    expect(reopened.locator(".beneath p").first).to_have_text(told.inner_text())
    page.get_by_role("button", name="Another example").click()
    page.wait_for_function("first => decodeURIComponent(location.search) !== `?${first}`", arg=first)
    expect(told).to_contain_text("2 floats apart")
    bar(page, "2 floats:").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(told).to_contain_text("3 floats apart")
    expect(bar(page, "3 floats:")).to_be_focused()


def test_with_less_motion_the_small_example_stands_at_its_end_and_a_flipped_bit_says_what_that_gives(visit):
    page = visit("", reduced_motion="reduce")
    slider = page.get_by_role("slider", name="The steps of the small example")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("rounded to the nearest float"))  # 2.40000010
    bits = page.locator(".bits i[role=button]")
    bits.nth(31).click()
    expect(page.locator(".flip")).to_have_text("2.40000033: 1 float away")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    both = 2 * struct.unpack("<I", struct.pack("<f", 2.4))[0]
    expect(page.locator(".flip")).to_have_text(f"−2.40000010: {both:,} floats away")
    page.keyboard.press("Enter")
    expect(page.locator(".flip")).to_have_text("")


def test_an_input_of_the_network_takes_its_component(visit):
    page = done(visit("samples=60&trace_sample=7&trace_component=3"), 60)
    page.get_by_role("button", name="Component 3").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_function("location.search.includes('trace_sample=7&trace_component=2')")
    page.get_by_role("button", name="Component 4").click()
    page.wait_for_function("location.search.includes('trace_sample=7&trace_component=4')")


def test_keys_move_through_the_operations(visit):
    page = done(visit("samples=300"), 300)
    slider = page.get_by_role("slider", name="Operation by operation")
    told = page.locator(".of-network .told")
    before = told.inner_text()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text(re.compile("rounded: .* exact"))
    expect(page.locator(".network .lit, .drift .axis").first).to_be_attached()
    page.keyboard.press("End")
    expect(told).to_have_text(before)


def test_a_card_opens_in_place_and_closes(visit):
    page = done(visit("samples=300"), 300)
    page.get_by_role("button", name="Who is closer").click()
    expect(page.get_by_role("heading", name="Which one is right?")).to_be_visible()
    page.wait_for_function("location.search.includes('right=true')")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("heading", name="Which one is right?")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="Which one is right?")).to_be_visible()


def test_wrong_and_right_are_one_click_apart(visit):
    page = done(visit(link(ROWS, "samples=60")), 60)
    page.get_by_role("button", name="Right: one call per row").click()
    expect(page.get_by_text("torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(4)])")).to_be_visible()
    page.get_by_role("button", name="The network").click()
    expect(page.get_by_text(re.compile("^y = net[(]x[)]: 5 → 10 → 2"))).to_be_visible()


def test_an_output_lights_its_path_and_a_toggle_that_is_interrupted_ends_where_it_was_sent(visit):
    page = done(visit(link(ROWS, "samples=60")), 60)
    page.locator(".output").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("y[1] adds [0, 2] to every row")).to_be_visible()
    expect(page.locator(".entry.lit")).to_have_count(2)
    right, wrong = (page.get_by_role("button", name=name) for name in ("Right: one call per row", "Wrong: one call"))
    for button in right, wrong, right:
        button.click()
    expect(page.locator(".entry.second")).to_have_count(8)


def test_both_orders_are_added_side_by_side_and_another_size_shows_the_same_sum(visit):
    page = done(visit(link(BATCHES, "samples=300"), viewport=WIDE), 300)
    slider = page.get_by_role("slider", name="Operation by operation")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("● .*rounded by|● .*exact"))
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    sample = re.search(r"sample \d+", page.locator(".title").inner_text())[0]
    page.get_by_role("button", name="batch of 1: ").click()
    expect(page.get_by_role("heading", name=re.compile("row 1 of 1 in a batch$"))).to_be_visible()
    expect(page.locator(".title")).to_contain_text(sample)  # which sum of it differs depends on the processor
    expect(page.get_by_text("on the same float")).to_be_visible()


def test_a_batch_size_is_picked_by_mouse_and_by_keyboard(visit):
    page = done(visit(link(BATCHES, "samples=300"), viewport=WIDE), 300)
    size = page.get_by_role("button", name="batch of 16: ")
    size.click()
    expect(claim(page)).to_contain_text("in a batch of 16")
    page.wait_for_function("location.search.includes('batch=16')")
    size.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(claim(page)).to_contain_text("in a batch of 32")


def test_a_range_is_dragged_and_a_place_on_the_curve_is_picked_and_both_are_in_the_link(visit):
    page = done(visit(link(BY_HAND, "samples=3000"), viewport=WIDE), 3000)
    left = page.get_by_role("slider", name="Left end of the range")
    left.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    page.wait_for_function("location.search.includes('range=24-28')")
    expect(page.locator(".answer")).to_contain_text("The nearest float, for")
    page.locator(".column").nth(14).click()
    page.wait_for_function("location.search.includes('explain=')")
    expect(page.get_by_role("heading", name="The derivative of 1/x at x =")).not_to_contain_text("1.0497569")


def test_numbers_are_pasted(visit):
    page = visit(link(OWN))
    first_screen(page)
    box = page.get_by_role("textbox")
    box.fill("0.5 vs 0.50000006")  # is answered as soon as typing stops
    expect(page.get_by_text("They are 1 float apart").first).to_be_visible()
    expect(page.locator("mark")).to_have_count(2)
    for tab in (ROWS, OWN):
        page.get_by_role("tab", name=tab).click()
    expect(box).to_have_value("0.5 vs 0.50000006")
    page.get_by_role("radio", name="rows all the same").click()
    expect(page.get_by_role("heading", name="Equal rows or columns")).to_be_visible()


def test_two_numbers_are_picked_by_mouse_and_by_keyboard(visit):
    page = visit(link(OWN))
    first_screen(page)
    page.get_by_role("textbox").fill("I got 0.5 and 0.50000006 or 0.375")
    marks, verdict = page.locator("mark"), page.locator("h2.verdict")
    expect(marks).to_have_text(["0.5", "0.50000006", "0.375"])
    expect(verdict).to_have_text("Which two do you mean?")
    marks.nth(0).click()
    marks.nth(2).click()
    expect(verdict).to_have_text("Open")
    expect(page.locator("mark.is-second")).to_have_text("0.375")
    page.get_by_role("button", name="Read it anew").click()
    expect(verdict).to_have_text("Which two do you mean?")
    marks.nth(1).focus()
    for key in ("Enter", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("mark.is-first")).to_have_text("0.50000006")
    expect(page.locator("mark.is-second")).to_be_focused()
    page.get_by_role("textbox").fill("0.5 0.50000006")  # another text is read anew
    expect(verdict).to_have_text("Rounding fits")


def test_what_is_taken_along_is_there_by_keyboard(visit):
    page = done(visit("samples=60"), 60)
    page.get_by_role("button", name="Save or share").press("Enter")
    script = page.get_by_role("button", name="A script")
    with page.expect_download() as found:
        script.press("Enter")
    assert "samples = 60" in found.value.path().read_text()
    expect(script).to_be_focused()


@pytest.mark.parametrize("tab, words", [(ROWS, "Check my matrix"), (BATCHES, "Check my batch")])
def test_the_last_card_leads_to_what_visitors_bring(visit, tab, words):
    page = done(visit(link(tab, "samples=60")), 60)
    page.get_by_role("button", name=words).click()
    expect(page.locator("mark").first).to_be_visible()
    page.wait_for_function("location.search.includes('numbers=')")
