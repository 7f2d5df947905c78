"""Fixtures for the tests of the page: a new store of runs, and the chosen experiments."""

from collections.abc import Iterator
from functools import cache

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner

from lib.experiment.query import Experiment
from lib.page import controls
from lib.run.shared_runs import Runs


@pytest.fixture(autouse=True, scope="session")
def packages_are_read_once() -> Iterator[None]:
    """Scan the installed packages for components once, not for every page.

    The scan is half of the time of a page in these tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner,
            "scan_component_manifests",
            cache(manifest_scanner.scan_component_manifests),
        )
        yield


@pytest.fixture(autouse=True)
def runs(monkeypatch) -> Iterator[Runs]:
    """Give each test a store of runs, in place of the one that all pages of a process share."""
    store = Runs()
    st.cache_resource.clear()
    monkeypatch.setattr(
        "lib.page.follow.Runs", lambda worker=None: Runs(worker) if worker else store
    )
    # timings have tests of their own
    monkeypatch.setattr("lib.pitfall.costs.ROUNDS", 1)
    yield store
    store.worker.shutdown(cancel_futures=True)


@pytest.fixture
def chosen(monkeypatch) -> list[Experiment | None]:
    """What the controls chose, run after run."""
    choices: list[Experiment | None] = []
    show = controls.show

    def spy(*arguments, **named):
        choices.append(show(*arguments, **named))
        return choices[-1]

    monkeypatch.setattr(controls, "show", spy)
    return choices
