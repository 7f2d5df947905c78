"""What a page must show once its run is finished: the figures of the command line."""

import json
import subprocess
import sys
from collections.abc import Iterable

from lib.floats.quantities import percent
from tests.server import ROOT
from tests.visitor import Visitor

_MAIN = """
import sys
from lib.__main__ import main
sys.exit(max(main([query]) for query in sys.argv[1:]))
"""


def command_line(queries: Iterable[str]) -> dict[str, dict]:
    """Return what the command line prints for each query, all run in one process."""
    queries = list(dict.fromkeys(queries))
    run = subprocess.run(
        [sys.executable, "-c", _MAIN, *queries],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(queries, map(json.loads, run.stdout.splitlines()), strict=True))


def finished(visitor: Visitor) -> bool:
    """Whether the page is drawn as a whole, with no more to come."""
    return visitor.settled and bool(visitor.drawings)


def differences(visitor: Visitor, printed: dict) -> list[str]:
    """Return the names of the sentences that are missing from a visitor's page.

    Args:
        visitor: the visitor, whose page is drawn as a whole.
        printed: what the command line prints for the query of the page.
    """
    shown = "\n".join(part.body for part in visitor.elements("heading", "markdown"))
    return [name for name, text in _figures(printed).items() if text not in shown]


def _figures(printed: dict) -> dict[str, str]:
    """Return the sentences of the page, with the figures that the command line printed."""
    finite = printed["components"] - printed["nonfinite"]
    different = percent(finite - printed["equal"], finite)
    closer = printed["closer"]
    judged = sum(closer.values())
    sides = {name: percent(count, judged) for name, count in closer.items()}
    return {
        "claim": f"{different} of components differ, by at most ",
        "card": (
            f"Of {judged:,} components, `backward()` is closer in {sides['backward']}, "
            f"the Jacobian in {sides['jacobian']}."
        ),
    }
