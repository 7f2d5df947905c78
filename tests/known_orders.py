"""Where the orders of addition have to be known: what is not revealed or verified fails there, and
passes nowhere."""

import os
from pathlib import Path

import pytest

_CPU = Path("/proc/cpuinfo")
TRIED = "CI" in os.environ or (
    _CPU.exists() and any(maker in _CPU.read_text() for maker in ("AuthenticAMD", "GenuineIntel"))
)
"""CI's kind of machine, and the processors on which orders were revealed."""


def known(found, reason):
    """Ends a test whose order, or what comes of it, was not found: failed where that is known, else
    skipped."""
    if not found:
        (pytest.fail if TRIED else pytest.skip)(reason)


def replayed(done):
    known(done.verified, done.reason)
    return done
