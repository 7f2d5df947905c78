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


FIRST = (
    *("e2e", "page", "run"),
    *(
        "test_script.py",
        "test_command_line.py",
        "test_contract.py",
        "test_readme.py",
        "test_project.py",
    ),
    *("replay", "batch", "reference", "discrepancy"),
)
"""The folders and files that take longest, the longest ones first; all others take seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first, and among them those with a browser or a server: all cores are to end together."""

    def rank(item: pytest.Item) -> int:
        found = [
            place
            for place, name in enumerate(FIRST)
            if name in (item.path.parent.name, item.path.name)
        ]
        return min(found, default=len(FIRST))

    items.sort(key=rank)
