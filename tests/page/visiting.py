"""The page without a browser: how a test visits it and what is on it. Each run is one tick."""

from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from lib.experiment.query import Experiment
from lib.experiment.studies import TAB_STUDIES
from lib.page.controls import OPENED
from lib.page.follow import runs
from tests.server import ROOT

PAGE = ROOT / "streamlit_app.py"
TABS = {name: study.label for name, study in TAB_STUDIES.items()} | {"own": "Check your own"}
LONG = Experiment(samples=10**6)
MOST_TICKS = 400


def tick(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception, [error.value for error in at.exception]
    return at


def visit(query: str = "", tab: str = "discrepancy", opened: bool = True) -> AppTest:
    """The page after its first run for a link, with *Change more* opened before, or not."""
    at = AppTest.from_file(PAGE, default_timeout=60)
    at.session_state[OPENED] = opened
    for key, text in [*parse_qsl(query, keep_blank_values=True), ("tab", TABS[tab])]:
        at.query_params[key] = [*at.query_params.get(key, []), text]
    return tick(at)


def watch(at: AppTest) -> AppTest:
    """The page when all its runs are finished."""
    for _ in range(MOST_TICKS):
        if not pauses(at):
            return at
        while runs().count_at_work:
            # after a slice of each run
            runs().worker.submit(int).result()
        tick(at)
    pytest.fail(f"not finished after {MOST_TICKS} ticks: {texts(at)}")


def pauses(at: AppTest) -> list[Any]:
    """The buttons that pause a run at work."""
    return [button for button in at.button if str(button.key).startswith("pause")]


def claim(at: AppTest) -> str:
    return at.header[0].value


def texts(at: AppTest) -> str:
    """All Markdown on the page."""
    return "\n".join(part.value for part in at.markdown)


def in_address(at: AppTest, key: str) -> str | None:
    """What the address has for a key."""
    value = at.query_params.get(key)
    return value[0] if isinstance(value, list) else value
