"""Settings for all tests, and the server for tests that visit the page."""

import os

import pytest
from hypothesis import settings

from tests.server import serve
from tests.stepwise import stepwise

__all__ = ["stepwise"]

# No example has a deadline: machines are shared and noisy, and no test asserts a time. In CI the
# examples are always the same, so that a failure comes from the change. Elsewhere they are new.
settings.register_profile("shared machine", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if "CI" in os.environ else "shared machine")


@pytest.fixture(scope="session")
def server():
    with serve() as server:
        yield server


FIRST = (
    *("e2e", "page", "run"),
    *("test_script.py", "test_command_line.py", "test_readme.py", "test_project.py"),
    *("replay", "batch", "reference", "discrepancy"),
)
"""The folders and files that take longest, the longest ones first; all others take seconds."""


def pytest_make_parametrize_id(val):
    """Name an experiment by its query."""
    return getattr(val, "query", None) or None


def pytest_collection_modifyitems(items):
    """Put the files that take longest first, so that all cores finish at about the same time."""

    def rank(item):
        names = (item.path.parent.name, item.path.name)
        ranks = [rank for rank, name in enumerate(FIRST) if name in names]
        return min(ranks, default=len(FIRST))

    items.sort(key=rank)
