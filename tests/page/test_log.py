"""What a faulty client makes Streamlit log is one line; an error of ours keeps its traceback."""

import logging

import pytest
from streamlit.components.v2.bidi_component.serialization import BidiComponentSerde

from lib.page import log
from lib.paste.printed import PasteError, read_number


@pytest.fixture
def logged(caplog, monkeypatch):
    log.shorten_tracebacks()
    logger = logging.getLogger("streamlit.components.v2.bidi_component.serialization")
    monkeypatch.setattr(logger, "propagate", True)
    logger.addHandler(caplog.handler)
    yield caplog
    logger.removeHandler(caplog.handler)


def test_a_state_of_a_component_that_is_not_json_is_one_line(logged):
    assert BidiComponentSerde(default=None).deserialize("{") == {}
    assert "JSONDecodeError" in logged.text and "Traceback" not in logged.text


def test_an_error_of_ours_keeps_its_traceback(logged):
    try:
        read_number("x")
    except PasteError:
        logging.getLogger("streamlit.components.v2.bidi_component.serialization").exception(
            "failed"
        )
    assert "Traceback" in logged.text
