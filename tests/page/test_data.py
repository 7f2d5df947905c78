"""The data on the page, without a browser: what can be downloaded when, and how much of it."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lib.run.store import Runs
from lib.takeaway.files import Files
from tests.server import ROOT

PAGE = ROOT / "streamlit_app.py"


@pytest.fixture
def at(monkeypatch) -> AppTest:
    """The tab with both parts open, for an experiment that takes long, on a store of runs of its own."""
    store = Runs()
    st.cache_resource.clear()
    monkeypatch.setattr("lib.run.store.Runs", lambda: store)
    at = AppTest.from_file(PAGE, default_timeout=60)
    at.query_params.update(tab="Check your own", files="true", plotted="true", inputs="64", samples="1000000")
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def downloads(at: AppTest) -> dict[str, bool]:
    """The download buttons of the data by their labels: whether each can be clicked."""
    buttons = [button.proto for button in at.get("download_button") if "script" not in button.proto.label]
    return {button.label: not button.disabled for button in buttons}


def test_what_is_downloaded_is_finished_or_paused_and_bounded(at):
    assert downloads(at) == {"Download CSV": False, "Download Parquet": False, "Download this table": False}
    assert any("the first 781 of the 1,000,000 samples" in text.value for text in at.markdown)
    at.button(key="pause Discrepancy plot").click()
    run(at)
    while not at.button(key=f"pause {Files.__name__}").disabled:
        run(at)
    assert downloads(at) == {"Download CSV": True, "Download Parquet": True, "Download this table": True}
    assert any(heading.value.startswith("49,984 components of 781 samples: 7") for heading in at.subheader)
