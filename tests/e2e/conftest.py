"""A real server and a real browser. A page that reports an error in its console fails the test that opened it."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 60_000  # milliseconds: generous, for a busy machine
WATCH = """
window.watch = {embeds: 0, shift: 0, seen: []};
new MutationObserver(records => {
  const added = records.flatMap(record => [...record.addedNodes]).filter(node => node instanceof Element);
  for (const node of added) watch.embeds += node.matches('svg.marks') + node.querySelectorAll('svg.marks').length;
  const text = document.querySelector('[data-testid="stProgress"] p')?.textContent ?? '';
  const samples = parseInt(text.replaceAll(',', ''));
  if (samples >= 0 && samples !== watch.seen.at(-1)) watch.seen.push(samples);
}).observe(document, {childList: true, subtree: true, characterData: true});
new PerformanceObserver(list => list.getEntries().forEach(entry => { watch.shift += entry.value; }))
  .observe({type: 'layout-shift'});
"""
"""In every page: charts put into the document, layout shift, and the samples that the progress has shown, in order."""

Visit = Callable[..., Page]
"""Opens a link: visit(query, **options of the browser context)."""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def healthy(port: int) -> bool:
    with suppress(OSError), closing(HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    return False


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page on a server of its own."""
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    options = {"headless": "true", "port": port, "address": "127.0.0.1", "fileWatcherType": "none"}
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    command += [part for name, value in options.items() for part in (f"--server.{name}", str(value))]
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            for _ in range(300):
                if healthy(port):
                    break
                with suppress(subprocess.TimeoutExpired):
                    pytest.fail(f"the server ended with code {server.wait(0.2)}:\n{log.read_text()}")
            else:
                pytest.fail(f"the server does not answer:\n{log.read_text()}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
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


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    with visits(browser, address) as visit:
        yield visit


@pytest.fixture(scope="module")
def finished(browser: Browser, address: str) -> Iterator[Page]:
    """A page whose run is finished, for tests that only look."""
    with visits(browser, address) as visit:
        page = visit("samples=300")
        expect(page.get_by_test_id("stProgress")).to_contain_text("300 of 300 samples")
        yield page
