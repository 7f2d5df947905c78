"""The data on the page, without a browser: what can be downloaded when, and how much of it."""

import pytest
from streamlit.testing.v1 import AppTest

from lib.takeaway.files import Files
from tests.page.visiting import arrive, tick


@pytest.fixture
def at() -> AppTest:
    """The tab with both parts open, for an experiment that takes long."""
    return arrive("tab=Check+your+own&files=true&plotted=true&inputs=64&samples=1000000")


def downloads(at: AppTest) -> dict[str, bool]:
    """The download buttons of the data by their labels: whether each can be clicked."""
    buttons = [button.proto for button in at.get("download_button") if "script" not in button.proto.label]
    return {button.label: not button.disabled for button in buttons}


def test_what_is_downloaded_is_finished_or_paused_and_bounded(at):
    assert downloads(at) == {"Download CSV": False, "Download Parquet": False, "Download this table": False}
    assert any("the first 781 of the 1,000,000 samples" in text.value for text in at.markdown)
    at.toggle(key="pause Discrepancy plot").set_value(True)
    tick(at)
    while not at.toggle(key=f"pause {Files.__name__}").disabled:
        tick(at)
    assert downloads(at) == {"Download CSV": True, "Download Parquet": True, "Download this table": True}
    assert any(heading.value.startswith("49,984 components of 781 samples: 7") for heading in at.subheader)
