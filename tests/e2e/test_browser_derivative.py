"""The tab of the derivatives in a real browser: its picture, its range, and what is picked."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lib.derivative.axis import axis_of
from lib.derivative.study import Derivative
from lib.display.quantities import percent
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.e2e.looking import assert_nothing_is_wider_than_the_page, choose, link, progress

TAB = "Is my derivative right?"
LEFT, RIGHT, CURSOR = "Left end of the range", "Right end of the range", "x, bin by bin"


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name)


def figures(page: Page) -> Locator:
    return page.locator(".figures")


def finished(page: Page, samples: int) -> Page:
    expect(progress(page, TAB)).to_contain_text(f"{samples:,} of {samples:,} x")
    expect(figures(page)).to_contain_text("worst seen")
    return page


def assert_figures_of(page: Page, experiment: Experiment, low: int, high: int, formula: str) -> None:
    """The figures of a range of bins are those of Python: every x is held against the ends of the range."""
    measured = Derivative(experiment).measure(0, float("inf"))
    bins = axis_of(experiment).bin_of(measured.x)
    exists = measured.reference.exists & (low <= bins) & (bins < high)
    text = figures(page).inner_text()
    assert f"{exists.sum():,} x" in text
    shares = re.findall(r"[●■] \S+ ([\d.]+%|(?:less|more) than \d+%)", text)
    sizes = re.findall(r"[●■] ([\d.]+) floats", text)
    for share, worst, name in zip(shares, sizes, ("autograd", formula), strict=True):
        right = (measured.computed[name] == measured.reference.nearest) & exists
        assert share == percent(int(right.sum()), int(exists.sum()))
        assert float(worst) == pytest.approx(measured.errors[name][exists].max(), abs=0.006)
    equal = (measured.computed[formula] == measured.computed["autograd"]) & exists
    assert f"equal for {percent(int(equal.sum()), int(exists.sum()))};" in text


def test_a_range_is_dragged_and_all_figures_are_of_it_at_once(visit):
    experiment = Experiment(samples=3000)
    page = finished(visit(link(TAB, "samples=3000"), viewport={"width": 1280, "height": 800}), 3000)
    assert_figures_of(page, experiment, 0, 56, "-1/x**2")
    box = slider(page, LEFT).bounding_box()
    page.mouse.move(box["x"] + 22, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 60, steps=4)
    low = int(slider(page, LEFT).get_attribute("aria-valuenow"))
    assert low > 5
    assert_figures_of(page, experiment, low, 56, "-1/x**2")  # while the end is still held
    page.mouse.up()
    page.wait_for_function(f"location.search.includes('range={low}-56')")
    slider(page, RIGHT).focus()
    for key in ("PageDown", "PageDown", "ArrowLeft", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_function(f"location.search.includes('range={low}-39')")
    assert_figures_of(page, experiment, low, 39, "-1/x**2")
    assert "correctly rounded at" in slider(page, RIGHT).get_attribute("aria-valuetext")
    page.keyboard.press("End")
    page.wait_for_function(f"location.search.includes('range={low}-56')")
    reopened = finished(visit(page.evaluate("location.search").removeprefix("?")), 3000)
    expect(slider(reopened, LEFT)).to_have_attribute("aria-valuenow", str(low))
    assert_figures_of(reopened, experiment, low, 56, "-1/x**2")
    slider(reopened, LEFT).focus()
    reopened.keyboard.press("Home")
    reopened.wait_for_function("!location.search.includes('range')")


def test_a_place_on_the_curve_is_picked_by_mouse_and_by_keyboard_and_is_in_the_link(visit):
    page = finished(visit(link(TAB, "samples=3000"), viewport={"width": 1280, "height": 800}), 3000)
    tally = Stream(Derivative(Experiment(samples=3000))).finish()
    box = slider(page, CURSOR).bounding_box()
    page.mouse.click(box["x"] + 28.5 / 56 * box["width"], box["y"] + 50)
    worst = max(
        (tally.series.tallies[name].by_x.worst.of_bin[28] for name in ("autograd", "-1/x**2")), key=lambda w: w.value
    )
    picked = page.get_by_role("textbox", name="x", exact=True)
    expect(picked).not_to_have_value("")
    assert float(picked.input_value()) == pytest.approx(worst.place.x, rel=1e-6)
    expect(page.get_by_role("heading", name="The derivative of 1/x at x =")).not_to_contain_text("1.0497569")
    first = picked.input_value()
    page.wait_for_function("location.search.includes('explain=')")
    slider(page, CURSOR).focus()
    for key in ("ArrowRight", "PageUp", "Enter"):
        page.keyboard.press(key)
    expect(picked).not_to_have_value(first)
    second = picked.input_value()
    expect(page.get_by_role("heading", name=f"x = {second}".replace("-", "−"))).to_be_visible()
    expect(slider(page, CURSOR)).to_be_focused()
    page.wait_for_function("second => location.search.includes(`explain=${second}`)", arg=second)
    reopened = finished(visit(page.evaluate("location.search").removeprefix("?")), 3000)
    expect(reopened.get_by_role("textbox", name="x", exact=True)).to_have_value(second)
    expect(reopened.get_by_role("heading", name=f"x = {second}".replace("-", "−"))).to_be_visible()


def test_a_click_is_not_lost_if_samples_arrive_before_the_button_is_let_go(visit):
    page = visit(link(TAB, "samples=300000000&seed=1"), viewport={"width": 1280, "height": 800})
    expect(figures(page)).to_contain_text("worst seen")
    page.wait_for_selector(".st-key-view", state="attached")
    slider(page, CURSOR).hover()
    page.mouse.down()
    page.wait_for_function("seen => watch.seen.length >= seen + 3", arg=page.evaluate("watch.seen.length"))
    held = figures(page).inner_text()
    page.mouse.up()
    expect(page.get_by_role("textbox", name="x", exact=True)).not_to_have_value("")
    expect(figures(page)).not_to_have_text(held)  # and from then on they go on


def test_an_x_is_typed_and_explained(visit):
    page = finished(visit(link(TAB, "samples=50&digits=true")), 50)
    box = page.get_by_role("textbox", name="x", exact=True)
    box.fill("0x1.8p+1")
    box.press("Enter")
    expect(page.get_by_text("-0.1111111111111111111111111111")).to_be_visible()
    expect(page.get_by_role("heading", name="The derivative of 1/x at x = 3.0")).to_be_visible()
    box.fill("three")
    box.press("Enter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text("three is not a finite number")
    expect(alert).to_have_count(1)


def test_another_function_and_formula_are_chosen_and_their_link_opens_them(visit):
    page = finished(visit(link(TAB, "samples=100")), 100)
    choose(page, "Function", "√x")
    page.wait_for_function("location.search.includes('function=sqrt')")
    expect(page.get_by_role("heading", level=1)).to_contain_text("0.5·x^−0.5")
    choose(page, "Your formula", "sqrt(x)/(2*x)")
    page.wait_for_function("location.search.includes('formula=')")
    expect(page.get_by_role("heading", level=1)).to_contain_text("sqrt(x)/(2·x)")
    reopened = visit(page.evaluate("location.search").removeprefix("?"))
    expect(reopened.get_by_role("heading", level=1)).to_contain_text("sqrt(x)/(2·x)")


def test_a_handle_keeps_its_place_and_its_focus_while_samples_arrive(visit):
    page = visit(link(TAB, "samples=300000000&seed=1"), viewport={"width": 1280, "height": 800})
    expect(figures(page)).to_contain_text("worst seen")
    slider(page, LEFT).focus()
    page.keyboard.press("PageUp")
    page.wait_for_function("location.search.includes('range=8-56')")
    before = figures(page).inner_text()
    expect(figures(page)).not_to_have_text(before)
    expect(slider(page, LEFT)).to_have_attribute("aria-valuenow", "8")
    expect(slider(page, LEFT)).to_be_focused()


def test_nothing_is_wider_than_the_page_with_everything_open(visit):
    open_ = "&".join(f"{key}=true" for key in ("formulas", "digits", "saturation", "edges", "kinks", "round_trip"))
    page = visit(link(TAB, f"samples=50&function=gelu&dtype=float64&{open_}"))
    finished(page, 50)
    expect(page.get_by_text("n / 100 * 100")).to_be_visible()
    assert_nothing_is_wider_than_the_page(page)


def test_a_function_is_typed_and_its_picture_comes(visit):
    """From the list to a text, from the text to the picture, and a mistake is one sentence that loses nothing."""
    page = finished(visit(link(TAB, "samples=500"), viewport={"width": 1280, "height": 800}), 500)
    choose(page, "Function", "your own…")
    title = page.get_by_role("heading", level=1)
    expect(title).to_contain_text("f′")
    page.get_by_role("textbox", name="f(x)", exact=True).fill("log(1+x)")
    page.get_by_role("textbox", name="f(x)", exact=True).press("Enter")
    expect(title).to_contain_text("1/(1+x)")
    page.get_by_role("textbox", name="f′(x) by hand").fill("1/x")
    page.get_by_role("textbox", name="f′(x) by hand").press("Enter")
    expect(title).to_have_text("1/x is not the derivative of log(1+x).")
    expect(page).to_have_url(re.compile(r"[?&]f=log%281%2Bx%29.*[?&]df=1%2Fx|[?&]df=1%2Fx.*[?&]f=log%281%2Bx%29"))
    page.get_by_role("textbox", name="f(x)", exact=True).fill("log(1+y)")
    page.get_by_role("textbox", name="f(x)", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("'y' at character 7 is not on the list")
    expect(title).to_have_text("1/x is not the derivative of log(1+x).")
    assert page.get_by_role("textbox", name="f(x)", exact=True).input_value() == "log(1+y)"
