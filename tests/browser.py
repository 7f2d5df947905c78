"""The browser that tests and benches drive: which one, and how it is started."""

import shutil

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
SWITCHES = [
    *(
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
    ),
    *("--disable-component-update", "--disable-sync"),
]


def find() -> str | None:
    """The path of the first browser that is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
