"""What a page must show once its run is finished: the figures of the command line."""

import json
import subprocess
import sys
from collections.abc import Iterable

from lib.discrepancy.study import MOST_ULPS
from lib.floats.quantities import percent
from tests.server import ROOT
from tests.visitor import Visitor

_MAIN = "import sys; from lib.__main__ import main; sys.exit(max(main([query]) for query in sys.argv[1:]))"


def command_line(queries: Iterable[str]) -> dict[str, dict]:
    """What the command line prints of each query; by one process."""
    queries = list(dict.fromkeys(queries))
    run = subprocess.run([sys.executable, "-c", _MAIN, *queries], cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(zip(queries, map(json.loads, run.stdout.splitlines()), strict=True))


def finished(visitor: Visitor) -> bool:
    """Whether every run on the page is finished, and it was drawn as a whole since, with no more to come."""
    return visitor.settled and bool(visitor.live) and all(live["over"] for live in visitor.live.values())


def differences(visitor: Visitor, query: str, printed: dict) -> list[str]:
    """The names of what the page of a visitor should show and does not: the figures that the command line `printed` of
    the query."""
    shown, expected = _shown(visitor), _figures(printed)
    return [name for name, value in expected.items() if shown.get(name) != value]


def _shown(visitor: Visitor) -> dict[str, object]:
    live = visitor.live["discrepancy"]
    return {"claim": live["claim"], "histogram": live["drawing"]["histogram"]["shares"], "card": live["cards"][0][1]}


def _figures(printed: dict) -> dict[str, object]:
    """What the page makes of the figures that the command line printed."""
    finite, closer = printed["components"] - printed["nonfinite"], printed["closer"]
    histogram = [0] * (2 * MOST_ULPS + 1)
    for ulps, count in printed["ulps"]:
        histogram[min(max(ulps, -MOST_ULPS), MOST_ULPS) + MOST_ULPS] += count
    different, judged = percent(finite - printed["equal"], finite), sum(closer.values())
    sides = {name: percent(count, judged) for name, count in closer.items()}
    return {
        "claim": f"Two ways to one gradient: {different} of its components differ. Why?",
        "histogram": [float(f"{count / finite:.5g}") for count in histogram],
        "card": f"Of {judged:,} components, `backward()` is closer in {sides['backward']}, the Jacobian in "
        f"{sides['jacobian']}; {sides['tie']} tie.",
    }
