"""The page in a real browser, by what a visitor does."""

import re

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
MOST_WORDS = 25
MOST_SHIFT = 0.1
GRADIENTS, ROWS, OWN, BATCHES, BY_HAND = TABS


@pytest.mark.parametrize("tab", TABS)
def test_a_tab_opens_with_few_words_and_its_picture_and_nothing_shifts_or_is_too_wide(visit, tab):
    for viewport in (WIDE, PHONE):
        page = visit(link(tab, "samples=300"), viewport=viewport)
        screen = first_screen(page)
        assert 3 < len(screen.words) <= MOST_WORDS, screen.words
        assert screen.top < 0.95 * viewport["height"]
        still(page)
        assert shift(page) < MOST_SHIFT, viewport
        expect(claim(page)).to_have_count(1)
    assert_nothing_is_wider_than_the_page(page)


@pytest.mark.parametrize("tab", [GRADIENTS, BATCHES])
def test_a_run_is_seen_to_grow_and_its_chart_is_not_drawn_anew(visit, tab):
    page = visit(link(tab, "samples=1000000000&seed=1"), viewport=WIDE)
    first_screen(page)
    chart = page.locator("[data-testid=stVegaLiteChart] svg.marks").first
    chart.evaluate("chart => { chart.dataset.seen = 'yes' }")
    for _ in range(3):
        before = progress(page).inner_text()
        expect(progress(page)).not_to_have_text(before)
    expect(page.locator("[data-seen=yes]")).to_have_count(1)


def test_pause_stops_a_run_by_keyboard(visit):
    page = visit("samples=1000000&seed=9")
    page.get_by_role("button", name="Pause").press("Enter")
    go_on = page.get_by_role("button", name="Go on")
    expect(progress(page)).to_contain_text("paused")
    go_on.press("Enter")
    expect(progress(page)).not_to_contain_text("paused")


def test_a_word_of_the_sentence_is_a_control_in_the_address(visit):
    page = done(visit("samples=300"), 300)
    choose(page, "dtype", "bfloat16", "bfloat16")
    page.wait_for_function("location.search.includes('dtype=bfloat16')")
    expect(claim(page)).to_have_count(1)


def test_layer_sizes_are_typed_and_what_is_none_is_one_sentence(visit):
    page = done(visit("samples=60"), 60)
    page.locator("[class*=st-key-choose-layers-] button").first.click()
    box = page.get_by_role("textbox", name="Layer sizes")
    box.fill("5 4 3 2")
    box.press("Enter")
    page.wait_for_function(
        "decodeURIComponent(location.search).replaceAll('+', ' ').includes('layers=5 4 3 2')"
    )
    box.fill("3 10, abc 2")
    box.press("Enter")
    expect(page.get_by_text("is not allowed")).to_have_count(1)


def test_the_claim_has_the_figures_of_the_command_line(visit):
    page = done(visit("samples=300&trace_sample=1"), 300)
    tally = Stream(Discrepancy(Experiment(samples=300))).finish()
    different = percent(tally.finite - tally.equal, tally.finite)
    expect(claim(page)).to_contain_text(f"{different} of the components differ")


MARKDOWN = "[a](//b.cc) ![d](//e.cc/f) www.g.cc **h** :red[i] $j$"


def test_a_malformed_link_gives_one_sentence_in_plain_text(visit):
    page = visit(f"seed=5&dtype={MARKDOWN}&utm_source=letter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(f"dtype = {MARKDOWN} is not allowed")
    assert alert.locator("a, img, strong, .katex").count() == 0
    expect(claim(page)).to_have_count(1)
    assert "utm_source=letter" in search(page) and "seed" not in search(page)


def heading(page: Page):
    """The heading of the drawing of one component."""
    return page.locator(".results-heading")


def test_a_bar_is_picked_and_is_in_the_link_and_another_is_of_the_same(visit):
    page = done(visit("samples=300", viewport=WIDE), 300)
    chart = page.get_by_test_id("stVegaLiteChart").first
    columns = chart.locator("[aria-roledescription='rect mark']")
    columns.nth(14).click()  # two floats
    expect(heading(page)).to_contain_text("2 floats apart")
    page.wait_for_function("location.search.includes('trace_sample=')")
    first = search(page)
    reopened = done(visit(first), 300)
    expect(heading(reopened)).to_have_text(heading(page).inner_text())
    page.get_by_role("button", name="Another example").click()
    page.wait_for_function(
        "first => decodeURIComponent(location.search) !== `?${first}`", arg=first
    )
    expect(heading(page)).to_contain_text("2 floats apart")


def test_a_row_of_the_table_is_picked(visit):
    page = done(visit("samples=60&first=true", viewport=WIDE), 60)
    table = page.get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    table.click(position={"x": 18, "y": 35 * 4 - 15})  # the box of the third row
    page.wait_for_function("location.search.includes('trace_sample=0&trace_component=2')")


def test_a_flipped_bit_says_what_that_gives(visit):
    page = done(visit("samples=60"), 60)
    bits = page.locator(".bits i[role=button]")
    bits.nth(31).click()
    expect(page.locator(".flip")).to_contain_text(": 1 float away")
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
    told = page.locator(".told")
    before = told.inner_text()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(told).to_contain_text(re.compile("rounded: .* exact"))
    expect(page.locator(".network .lit, .drift .axis").first).to_be_attached()
    page.keyboard.press("End")
    expect(told).to_have_text(before)


def test_without_operations_there_is_nothing_to_play(visit):
    page = done(visit("samples=60&method=single-call"), 60)
    expect(page.locator(".component .told")).to_contain_text("is not replayed here")
    expect(page.locator(".component .clock")).to_be_hidden()


def test_a_card_opens_in_place_and_is_in_the_link(visit):
    page = done(visit("samples=300"), 300)
    card = page.locator("summary", has_text="Who is closer")
    card.click()
    expect(page.get_by_text("to the exact gradient of the rounded weights")).to_be_visible()
    page.wait_for_function("location.search.includes('right=true')")
    card.click()
    expect(page.get_by_text("to the exact gradient of the rounded weights")).to_have_count(0)


def test_the_small_example_is_played_step_by_step(visit):
    page = done(visit("samples=60&small=true"), 60)
    slider = page.get_by_role("slider", name="The steps of the small example")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("the floats"))
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("The nearest float is 0.8"))


def test_numbers_are_typed_and_kept_and_lead_on(visit):
    page = visit(link(OWN))
    first_screen(page)
    box = page.get_by_role("textbox")
    box.fill("0.5 vs 0.50000006")  # is answered as soon as typing stops
    expect(page.get_by_text(re.compile("1 float apart")).first).to_be_visible()
    expect(page.locator("mark")).to_have_count(2)
    for tab in (ROWS, OWN):
        page.get_by_role("tab", name=tab).click()
    expect(box).to_have_value("0.5 vs 0.50000006")
    page.get_by_role("radio", name="rows all the same").click()
    expect(page.get_by_role("heading", name="Equal rows")).to_be_visible()


def test_what_is_opened_from_another_tab_is_scrolled_to(visit):
    page = visit(link(OWN, "numbers=two+numbers+differ"), viewport=PHONE)
    first_screen(page)
    page.get_by_role("button", name="How much may rounding do?").click()
    expect(page.get_by_text("How far off are both, and how far apart?")).to_be_in_viewport()


def test_two_numbers_are_picked_by_mouse_and_by_keyboard(visit):
    page = visit(link(OWN))
    first_screen(page)
    page.get_by_role("textbox").fill("I got 0.5 and 0.50000006 or 0.375")
    marks = page.locator("mark")
    ask = page.get_by_role("heading", name="Which two do you mean?")
    expect(marks).to_have_text(["0.5", "0.50000006", "0.375"])
    expect(ask).to_be_visible()
    marks.nth(0).click()
    marks.nth(2).click()
    expect(page.get_by_role("heading", name="Open")).to_be_visible()
    expect(page.locator("mark.is-second")).to_have_text("0.375")
    clear = page.get_by_role("button", name="Clear the two presses")
    clear.click()
    expect(ask).to_be_visible()
    expect(clear).to_be_focused()
    marks.nth(1).focus()
    for key in ("Enter", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("mark.is-first")).to_have_text("0.50000006")
    expect(page.locator("mark.is-second")).to_be_focused()


def test_a_link_to_a_text_is_asked_for(visit):
    page = visit(link(OWN))
    first_screen(page)
    page.get_by_role("textbox").fill("0.5 0.50000006")
    expect(page.locator("mark")).to_have_text(["0.5", "0.50000006"])
    show = page.get_by_role("button", name="Show a link to this text")
    show.click()
    page.wait_for_function("location.search.includes('paste=')")
    expect(page.get_by_text("Whoever has this link")).to_be_visible()
    expect(show).to_be_focused()
    expect(visit(search(page)).get_by_role("textbox")).to_have_value("0.5 0.50000006")


def test_what_is_taken_along_is_there_by_keyboard(visit):
    page = done(visit("samples=60"), 60)
    page.get_by_role("button", name="Save or share").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="A script").press("Enter")
    assert "samples = 60" in download.value.path().read_text()


def test_another_tab_leads_to_what_visitors_bring(visit):
    page = done(visit("samples=60"), 60)
    page.get_by_role("button", name="Have two numbers of your own?").click()
    expect(page.locator("mark").first).to_be_visible()


def test_wrong_and_right_are_one_click_apart_and_an_output_lights_its_path(visit):
    page = done(visit(link(ROWS, "samples=60")), 60)
    page.locator(".output").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("y[1] adds [0, 2] to every row")).to_be_visible()
    page.get_by_role("button", name="Right: one call per row").click()
    expect(
        page.get_by_text("torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range(4)])")
    ).to_be_visible()
    expect(page.locator(".entry.second")).to_have_count(8)
    page.get_by_role("button", name="The network").click()
    expect(page.get_by_text(re.compile("^y = net[(]x[)]: 5 → 10 → 2"))).to_be_visible()


def test_a_batch_size_is_picked_and_the_same_sum_is_shown(visit):
    page = done(visit(link(BATCHES, "samples=300"), viewport=WIDE), 300)
    sample = re.search(r"sample \d+", page.locator(".title").inner_text())[0]
    columns = page.get_by_test_id("stVegaLiteChart").first.locator(
        "[aria-roledescription='rect mark']"
    )
    columns.nth(5).click()
    expect(claim(page)).to_contain_text("batch of 16")
    page.wait_for_function("location.search.includes('batch=16')")
    expect(page.locator(".title")).to_contain_text(sample)
    slider = page.get_by_role("slider", name="Operation by operation")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("● .*rounded by|● .*exact"))


def test_the_worst_x_is_shown(visit):
    page = done(visit(link(BY_HAND, "samples=3000"), viewport=WIDE), 3000)
    page.get_by_role("button", name="Worst x").click()
    page.wait_for_function("location.search.includes('explain=')")


def test_a_derivative_of_ones_own_is_told_wrong_in_large(visit):
    page = done(visit(link(BY_HAND, "samples=300"), viewport=WIDE), 300)
    box = page.get_by_role("textbox", name="Your derivative of it")
    box.fill("1/x")
    box.press("Enter")
    expect(claim(page)).to_have_text("1/x is not the derivative of 1/x.")
