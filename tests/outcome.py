"""What a page must show once its run is finished: the figures of the command line."""

import json
import subprocess
import sys
from collections.abc import Iterable

from lib.floats.quantities import percent
from tests.server import ROOT
from tests.visitor import Visitor

_MAIN = "import sys; from lib.__main__ import main; sys.exit(max(main([query]) for query in sys.argv[1:]))"


def command_line(queries: Iterable[str]) -> dict[str, dict]:
    """What the command line prints of each query; by one process."""
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


def differences(visitor: Visitor, query: str, printed: dict) -> list[str]:
    """The names of what the page of a visitor should show and does not: the figures that the command line `printed` of
    the query."""
    shown = "\n".join(visitor.texts)
    return [name for name, text in _figures(printed).items() if text not in shown]


def _figures(printed: dict) -> dict[str, str]:
    """What the page writes of the figures that the command line printed."""
    finite, closer = printed["components"] - printed["nonfinite"], printed["closer"]
    judged = sum(closer.values())
    sides = {name: percent(count, judged) for name, count in closer.items()}
    return {
        "claim": f"{percent(finite - printed['equal'], finite)} of the components differ, by at most ",
        "card": f"Of {judged:,} components, `backward()` is closer in {sides['backward']}, the Jacobian in "
        f"{sides['jacobian']}; {sides['tie']} tie.",
    }
