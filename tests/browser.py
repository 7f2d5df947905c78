"""The browser that tests and benches drive."""

import shutil

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]


def find() -> str | None:
    """The path of the first browser that is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
