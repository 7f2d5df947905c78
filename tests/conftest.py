"""Settings for all tests, and the server that those share which visit the page."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.server import Server, serve
from tests.stepwise import clock, stepwise

__all__ = ["clock", "stepwise"]

# No deadline for one example: machines are shared and noisy, and nothing here asserts a time. In CI the examples are
# the same each time, so that what it says is about the change; new examples are looked for wherever else it is run.
settings.register_profile("shared machine", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if "CI" in os.environ else "shared machine")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with serve() as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with a browser or a server come first: they take longest, and all cores are to end at the same time."""
    items.sort(key=lambda item: item.path.parent.name not in ("e2e", "page", "run"))
