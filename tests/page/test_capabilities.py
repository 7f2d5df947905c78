"""Other CPUs, other builds: the part by itself, without the tab that it belongs to."""

from time import sleep

from streamlit.testing.v1 import AppTest

from lib.batch.capabilities import SideBySide, side_by_side
from lib.batch.capability_sentences import capabilities_claim
from lib.batch.fingerprint import subject
from lib.experiment.query import Experiment
from tests.page.visiting import tick


def page() -> None:
    import streamlit as st

    from lib.experiment.query import Experiment
    from lib.page import capabilities

    for name, value in {"viewer": "a", "drawing": 0.0, "drawing_seldom": 0.0}.items():
        st.session_state.setdefault(name, value)
    capabilities.show(Experiment(inputs=3, hidden=(), outputs=2, seed=5))


def opened() -> AppTest:
    at = tick(AppTest.from_function(page, default_timeout=60))
    for _ in range(100):
        if at.table or at.error:
            return at
        assert "on the way." in at.caption[0].value
        sleep(0.2)
        tick(at)
    raise AssertionError("no answer")


def test_it_waits_and_then_shows_the_table_and_what_it_says():
    at = opened()
    found = side_by_side(subject(Experiment(inputs=3, hidden=(), outputs=2)))
    assert isinstance(found, SideBySide) and at.markdown[0].value == capabilities_claim(found)
    assert list(at.table[0].value["ATEN_CPU_CAPABILITY"]) == ["default", "avx2", "avx512"]
    assert "--fingerprint there.json" in at.caption[-1].value and "seed" not in at.caption[-1].value


def test_a_host_that_starts_no_process_gets_a_sentence(monkeypatch):
    def refuse(*command: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    side_by_side.cache_clear()
    monkeypatch.setattr("subprocess.Popen", refuse)
    at = opened()
    said = "this host does not let the page start a process (Operation not permitted)."
    assert not at.table and at.error[0].value == f"The computation failed: {said}"
