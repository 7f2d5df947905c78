"""The page in a real browser: it streams in place, its address is its state, and it can be read in any way."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lib.discrepancy.study import Discrepancy
from lib.display.quantities import at_most, percent
from lib.experiment.query import FIELDS, Experiment
from lib.run.stream import Stream
from tests.e2e.looking import choose

SECTIONS = "right=true&bug=true&apart=true"
"""The sections of the first tab that hold its charts, open."""
CHARTS = {"arrivals": "Curve", "cells": "Heat map", "closer": "Bars", "units": "Histogram of both errors"}
"""What the accessible name of each chart begins with."""


def claim(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def progress(page: Page) -> Locator:
    return page.get_by_test_id("stProgress").first


def chart(page: Page, name: str) -> Locator:
    return page.locator(f'[role="graphics-document"][aria-label^="{CHARTS[name]}"] svg.marks')


def marks(page: Page, name: str) -> Locator:
    """What is drawn for the rows of a chart, other than invisible frames."""
    kind = {"cells": "rect", "arrivals": "symbol", "closer": "rect", "units": "line"}[name]
    return chart(page, name).locator(f".mark-{kind}.role-mark").last.locator("path")


def wait_for_charts(page: Page) -> None:
    for name in CHARTS:
        expect(marks(page, name).first).to_be_attached()


def wait_for_ticks(page: Page, ticks: int) -> list[int]:
    """Waits until the progress has changed so many times; the samples that it has shown since the page was opened."""
    page.wait_for_function("([before, ticks]) => watch.seen.length >= before + ticks", arg=[len(seen(page)), ticks])
    return seen(page)


def seen(page: Page) -> list[int]:
    return page.evaluate("watch.seen")


def metrics(page: Page) -> dict[str, str]:
    labels, values = page.get_by_test_id("stMetricLabel"), page.get_by_test_id("stMetricValue")
    expect(values).to_have_count(4)
    return dict(zip(labels.all_inner_texts(), values.all_inner_texts(), strict=True))


def search(page: Page) -> str:
    return page.evaluate("decodeURIComponent(location.search)")


def set_number(page: Page, label: str, value: int) -> None:
    """Sets a number that "More" opens."""
    page.get_by_role("button", name="More", exact=True).click()
    box = page.get_by_role("spinbutton", name=label, exact=True)
    box.fill(str(value))
    box.press("Enter")
    page.keyboard.press("Escape")


def command_line(query: str) -> dict[str, object]:
    """The figures that the command line prints, which its own tests hold against these."""
    return Stream(Discrepancy(Experiment.parse(query))).finish().figures()


def assert_shows(page: Page, figures: dict[str, object]) -> None:
    shown = metrics(page)
    finite = figures["components"] - figures["nonfinite"]
    assert f" {percent(finite - figures['equal'], finite)} of its components differ" in claim(page).inner_text()
    assert shown == {
        "Equal components": percent(figures["equal"], finite),
        "Equal samples": f"{figures['samples_equal']:,}",
        "Largest difference": at_most(figures["max_abs"]),
        "Longest distance": f"{figures['max_ulps']:,} floats",
    }


def test_comes_alive(finished):
    expect(claim(finished)).to_have_count(1)
    wait_for_charts(finished)
    assert finished.locator("svg.marks").count() == len(CHARTS)
    for name, least in {"cells": 10, "arrivals": 20}.items():
        assert marks(finished, name).count() >= least
    assert finished.get_by_test_id("stException").count() == finished.get_by_test_id("stAlert").count() == 0


def test_shows_the_figures_of_the_command_line(finished):
    assert_shows(finished, command_line("samples=300"))


def test_pages_of_one_link_share_a_run_and_pause_each_for_itself(visit):
    link = "samples=1000000&seed=2"
    first = visit(link)
    wait_for_ticks(first, 4)
    pause = first.get_by_role("switch", name="Pause").first
    pause.focus()
    first.keyboard.press("Space")
    expect(progress(first)).to_contain_text("paused")
    reached = seen(first)[-1]
    second = visit(link)
    wait_for_ticks(second, 1)
    assert seen(second)[0] >= reached > seen(first)[0]
    paused = seen(first)
    latest = wait_for_ticks(second, 3)[-1]
    assert seen(first) == paused
    first.keyboard.press("Space")
    first.wait_for_function("latest => watch.seen.at(-1) >= latest", arg=latest)
    expect(pause).not_to_be_checked()


def test_a_control_lands_in_a_long_run_and_its_link_gives_the_same_figures(visit):
    page = visit("samples=1000000&seed=3")
    wait_for_ticks(page, 1)
    choose(page, "dtype", "float64")
    page.wait_for_function("location.search.includes('dtype=float64')")
    expect(page.get_by_role("main")).to_contain_text("in float64")
    set_number(page, "Samples", 200)
    expect(progress(page)).to_contain_text("200 of 200 samples")
    chosen = {"samples=200", "seed=3", "dtype=float64"}
    assert {pair for pair in search(page).removeprefix("?").split("&") if pair.split("=")[0] in FIELDS} == chosen
    reopened = visit(f"{search(page).removeprefix('?')}&{SECTIONS}")
    expect(progress(reopened)).to_contain_text("200 of 200 samples")
    expect(claim(reopened)).to_have_text(claim(page).inner_text())
    assert_shows(reopened, command_line("&".join(sorted(chosen))))
    assert re.fullmatch(r"\d\.\d\de-1[678]", metrics(reopened)["Largest difference"])


COUNT_PRESETS = """() => {
  window.presets = 1;
  const seen = () => [...document.querySelectorAll('[class*=st-key-preset]')].filter(node => node.checkVisibility());
  const count = () => { presets = Math.max(presets, seen().length); };
  new MutationObserver(count).observe(document, {childList: true, subtree: true});
}"""
"""From now on, the most rows of presets that were to be seen at once."""


def test_a_preset_has_an_address_and_back_returns(visit):
    page = visit()
    expect(claim(page)).to_have_count(1)
    float32 = page.get_by_role("main").get_by_text("In float32")
    expect(float32).to_be_visible()
    page.get_by_role("button", name="Try one").click()
    page.get_by_role("radio", name="bfloat16").click()
    page.wait_for_function("location.search.includes('dtype=bfloat16')")
    expect(page.get_by_role("main").get_by_text("In bfloat16")).to_be_visible()
    page.evaluate(COUNT_PRESETS)
    page.go_back()
    page.wait_for_function("!location.search.includes('dtype')")
    expect(float32).to_be_visible()
    expect(page.get_by_role("combobox", name="dtype", exact=True)).to_have_value("float32")
    assert page.evaluate("presets") == 1


MARKDOWN = "[a](//b.cc) ![d](//e.cc/f) www.g.cc **h** :red[i] $j$"


@pytest.mark.parametrize("value", [MARKDOWN], ids=["markdown"])
def test_a_malformed_link_gives_one_sentence_in_plain_text(visit, value):
    page = visit(f"seed=5&dtype={value}&utm_source=letter")
    alert = page.get_by_test_id("stAlert")
    expect(alert).to_contain_text(f"dtype = {value} is not allowed")
    expect(alert).to_have_count(1)
    assert alert.locator("a, img, strong, .katex").count() == 0
    expect(claim(page)).to_have_count(1)
    assert not any(key in search(page) for key in ("seed=", "dtype="))
    assert "utm_source=letter" in search(page)
    expect(progress(page)).to_contain_text("of 2,000 samples")
    page.get_by_role("button", name="More", exact=True).click()
    expect(page.get_by_role("spinbutton", name="Seed")).to_have_value("0")
    assert page.get_by_test_id("stException").count() == 0
