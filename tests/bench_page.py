"""The page as a visitor has it, for `python -m tests.bench`.

first_chart_vs_empty_page  the time from the request to the first painted picture, with an empty
                           cache, divided by that of a page that only imports the same libraries
                           and draws one chart
cold_start_vs_empty_page   the same of a server that has just started and imported nothing yet
tick_bytes                 the mean number of bytes of a tick, in the first post's experiment
"""

import tempfile
from pathlib import Path
from statistics import mean, median

from playwright.sync_api import Browser, sync_playwright

from tests.browser import SWITCHES, find
from tests.outcome import finished
from tests.server import serve
from tests.visitor import Visitor, run

ROUNDS = 5
COLD_ROUNDS = 3
LIVE = "samples=10000"
PATIENCE = 60  # seconds
EMPTY = """
import altair, flint, numpy, pandas, pyarrow, torch
import streamlit as st

table = pandas.DataFrame({"x": range(17), "y": range(17)})
st.altair_chart(altair.Chart(table).mark_bar().encode(x="x:O", y="y:Q"))
"""
PAINTED = """
function watch(root) {
  new MutationObserver((_, observer) => {
    if (window.found || !root.querySelector('svg.marks, .drawing svg')) return;
    window.found = true;
    observer.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.painted = performance.now();
    }));
  }).observe(root, {childList: true, subtree: true});
  return root;
}
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (...options) {
  return watch(attach.apply(this, options));
};
watch(document);
"""
"""A script for the page. It measures the time until the first chart or drawing is painted, in ms.

Drawings are in shadow roots, so it watches each of them."""


def figures() -> dict[str, float | None]:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        cold = median(
            cold_seconds("streamlit_app.py") / cold_seconds(script) for _ in range(COLD_ROUNDS)
        )
        with serve() as page, serve(script) as empty:
            return {
                "first_chart_vs_empty_page": round(first_chart(page.address, empty.address), 3),
                "cold_start_vs_empty_page": round(cold, 3),
                "tick_bytes": round(run(tick_bytes(page.address))),
            }


def first_chart(page: str, empty: str) -> float:
    """The ratio of both times. Each visit has a new experiment, so that nothing is in a cache."""
    ratios = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=SWITCHES)
        for seed in range(ROUNDS + 1):
            ratios.append(
                seconds_to_chart(browser, f"{page}/?seed={seed}") / seconds_to_chart(browser, empty)
            )
        browser.close()
    return median(ratios[1:])  # the first round warmed up


def cold_seconds(script: Path | str) -> float:
    """The first visit of a new server, in a new browser."""
    with serve(script) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=SWITCHES)
        return seconds_to_chart(browser, server.address)


def seconds_to_chart(browser: Browser, address: str) -> float:
    with browser.new_context() as context:
        context.add_init_script(PAINTED)
        page = context.new_page()
        page.goto(f"http://{address}")
        page.wait_for_function("window.painted", timeout=PATIENCE * 1000)
        return page.evaluate("window.painted") / 1000


async def tick_bytes(address: str) -> float:
    async with Visitor(address, LIVE) as visitor:
        await visitor.until(finished, PATIENCE)
    return mean(run.nbytes for run in visitor.runs if run.fragments)
