"""A real server and a real browser. A page that reports an error in its console fails the test that opened it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import BROWSERS, SWITCHES, find
from tests.server import Server

PATIENCE = 60_000  # milliseconds: generous, for a busy machine
WATCH = """
window.watch = {embeds: 0, shift: 0, seen: [], hosts: 0};
new MutationObserver(records => {
  const added = records.flatMap(record => [...record.addedNodes]).filter(node => node instanceof Element);
  for (const node of added) watch.embeds += node.matches('svg.marks') + node.querySelectorAll('svg.marks').length;
  const text = document.querySelector('[data-testid="stProgress"] p')?.textContent ?? '';
  const samples = parseInt(text.replaceAll(',', ''));
  if (samples >= 0 && samples !== watch.seen.at(-1)) watch.seen.push(samples);
}).observe(document, {childList: true, subtree: true, characterData: true});
new PerformanceObserver(list => list.getEntries().forEach(entry => { watch.shift += entry.value; }))
  .observe({type: 'layout-shift', buffered: true});
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (...options) {
  const root = attach.apply(this, options);
  const hosts = node => node instanceof Element ? node.matches('.host') + node.querySelectorAll('.host').length : 0;
  new MutationObserver(records => {
    for (const record of records) for (const node of record.addedNodes) watch.hosts += hosts(node);
  }).observe(root, {childList: true, subtree: true});
  return root;
};
"""
"""In every page: charts put into the document, layout shift since the first paint, the samples that the progress has
shown, in order, and the hosts of the pieces of pictures that were made."""

Visit = Callable[..., Page]
"""Opens a link: visit(query, **options of the browser context)."""


@pytest.fixture(scope="session")
def address(server: Server) -> str:
    return f"http://{server.address}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find()
    if path is None:
        give_up = pytest.fail if "CI" in os.environ else pytest.skip
        give_up(f"no browser: none of {', '.join(BROWSERS)} is on the PATH")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield browser
        browser.close()


@contextmanager
def visits(browser: Browser, address: str) -> Iterator[Visit]:
    """Each visit is in a context of its own. At the end, none of them may have reported an error."""
    contexts, faults = [], []

    def visit(query: str = "", **options: object) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(f"{address}/?{query}")
        return page

    yield visit
    for context in contexts:
        context.close()
    assert faults == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    """The report of a failure tells what the open pages showed."""
    report = yield
    browser = item.funcargs.get("browser")
    if report.when == "call" and report.failed and browser:
        pages = [page for context in browser.contexts for page in context.pages]
        report.sections += [(page.url, page.inner_text("body")) for page in pages]
    return report


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    with visits(browser, address) as visit:
        yield visit


@pytest.fixture(scope="module")
def finished(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose run is finished, for tests that only look."""
    with visits(browser, address) as visit:
        page = visit("samples=300&right=true&bug=true&apart=true")
        expect(page.get_by_test_id("stProgress").first).to_contain_text("300 of 300 samples")
        yield page
