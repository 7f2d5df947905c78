"""The opening picture in a real browser: what the first screen shows; what pointer, keyboard and finger do in it."""

import re

from playwright.sync_api import Locator, Page, expect

WIDE = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element.getAttribute('aria-label');
}"""


def picture(page: Page, running: bool = False) -> Locator:
    """The picture, once its example is drawn and, unless it is running for long, all samples are there."""
    if not running:
        expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"\b([\d,]+) of \1 samples"))
    drawn = page.locator(".opening:not(.waiting)")
    expect(drawn.get_by_role("slider")).to_be_visible()
    return drawn


def bar(page: Page, beginning: str) -> Locator:
    return page.locator(".opening").get_by_role("button", name=re.compile(f"^{re.escape(beginning)}"))


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", name="One component, computed both ways")


def focused(page: Page) -> str:
    return page.evaluate(FOCUSED)


def test_the_bits_that_differ_are_marked_on_both_sides(visit):
    page = visit("samples=300", **WIDE)
    drawn = picture(page)
    expect(heading(page)).to_contain_text("1 float apart")
    for side in "first", "second":
        expect(drawn.locator(f".bits i.differs.{side}").first).to_be_visible()
        marked = drawn.locator(f".bits i.differs.{side}").all_inner_texts()
        assert marked and set(marked) <= {"0", "1"}
    one, other = (drawn.locator(f".bits i.differs.{side}").all_inner_texts() for side in ("first", "second"))
    assert all(a != b for a, b in zip(one, other, strict=True))
    assert drawn.locator(".bits i").count() == 2 * 32


def test_the_pointer_tells_an_operation_and_lights_its_way(visit):
    page = visit("samples=300", **WIDE)
    drawn = picture(page)
    expect(drawn.locator(".told")).to_contain_text("Point at a step")
    box = drawn.get_by_role("slider").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 120)
    expect(drawn.locator(".told")).to_contain_text("floats")
    expect(drawn.locator(".network .lit").first).to_be_attached()
    page.mouse.move(box["x"] + 60, box["y"] - 200)
    expect(drawn.locator(".told")).to_contain_text("Point at a step")
    expect(drawn.locator(".network .lit")).to_have_count(0)


def test_keys_move_through_the_operations_of_both_sides(visit):
    page = visit("samples=300", **WIDE)
    slider = picture(page).get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^backward\(\) 1/"))
    page.keyboard.press("ArrowRight")
    second = slider.get_attribute("aria-valuetext")
    assert re.match(r"backward\(\) \d+/", second) and not second.startswith("backward() 1/")
    page.keyboard.press("ArrowUp")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^Jacobian "))
    page.keyboard.press("End")
    count = slider.get_attribute("aria-valuemax")
    assert slider.get_attribute("aria-valuenow") == count
    told = slider.get_attribute("aria-valuetext")
    number, operations = re.match(r"Jacobian (\d+)/(\d+):", told).groups()
    assert number == operations


def test_while_samples_arrive_only_the_histogram_changes(visit):
    page = visit("samples=1000000", **WIDE)
    drawn = picture(page, running=True)
    for part in ".drift svg", ".network svg", ".histogram svg":
        drawn.locator(part).evaluate("svg => { svg.dataset.made = 'once'; }")
    slider = drawn.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    told, count = slider.get_attribute("aria-valuetext"), bar(page, "equal").get_attribute("aria-label")
    expect(bar(page, "equal")).not_to_have_attribute("aria-label", count)
    for part in ".drift svg", ".network svg", ".histogram svg":
        expect(drawn.locator(part)).to_have_attribute("data-made", "once")
    expect(slider).to_have_attribute("aria-valuetext", told)
    expect(drawn.locator(".told")).to_have_text(told)
    expect(slider).to_be_focused()


def test_a_finger_picks_the_next_bar(visit):
    page = visit("samples=600", **PHONE)
    picture(page)
    button = page.get_by_role("button", name="One bar to the right")
    box = button.bounding_box()
    assert min(box["width"], box["height"]) >= 44
    bars = page.locator(".opening .bar")
    names = bars.evaluate_all("bars => bars.map(bar => bar.getAttribute('aria-label'))")
    pressed = bars.evaluate_all("bars => bars.findIndex(bar => bar.getAttribute('aria-pressed') === 'true')")
    button.tap()
    expect(bars.nth(pressed + 1)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".opening .steps")).to_contain_text(names[pressed + 1].split(":")[0])
