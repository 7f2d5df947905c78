"""The page without a browser: how a test visits it and what is on it. Each run is one tick."""

import json
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page.session import Session
from tests.server import ROOT

PAGE = ROOT / "streamlit_app.py"
TABS = {name: study.label for name, study in SUBJECTS.items()}
OWN = "Check your own"
LONG = Experiment(samples=10**6)
MOST_TICKS = 400


def tick(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    try:
        live(at)  # takes what the browser would keep
    except KeyError as missing:  # of a run that was cut short by the next one: a browser asks for it again
        session(at).known.remove(missing.args[0])
        return tick(at)
    return at


def visit(query: str = "", tab: str = "discrepancy") -> AppTest:
    """The page after its first run for a link."""
    at = AppTest.from_file(PAGE, default_timeout=60)
    for key, text in [*parse_qsl(query, keep_blank_values=True), ("tab", TABS.get(tab, tab))]:
        at.query_params[key] = [*at.query_params.get(key, []), text]
    return tick(at)


def watch(at: AppTest) -> AppTest:
    """The page when all its runs are finished."""
    for _ in range(MOST_TICKS):
        if all(message["over"] for message in live(at).values()):
            return at
        tick(at)
    pytest.fail(f"not finished after {MOST_TICKS} ticks: {live(at)}")


def go_back(at: AppTest, query: str, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page after its visitor went back or forward to an address, of which a browser tells with the run it asks."""
    at.query_params.clear()
    at.query_params.update(dict(parse_qsl(query, keep_blank_values=True)))
    with monkeypatch.context() as patch:
        patch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
        return tick(at)


def messages(at: AppTest) -> list[dict[str, Any]]:
    """What was sent to the live components, as it was sent."""
    return [json.loads(part.proto.json) for part in at.get("bidi_component")]


def live(at: AppTest) -> dict[str, dict[str, Any]]:
    """The same by their names, with what the browser has from former messages."""
    kept = at.session_state["kept by the test"] if "kept by the test" in at.session_state else {}
    whole = {}
    for message in messages(at):
        kept |= message["sent"]
        parts = message | {key: kept[name] for key, name in message["kept"].items()}
        drawing = {key.removeprefix("drawing "): value for key, value in parts.items() if key.startswith("drawing ")}
        whole[message["part"]] = parts | {"drawing": drawing}
    at.session_state["kept by the test"] = kept
    return whole


def session(at: AppTest) -> Session:
    return at.session_state["session"]


def chosen(at: AppTest, study: str = "discrepancy") -> Experiment:
    return session(at).of[f"chosen for {study}"]
