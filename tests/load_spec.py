"""`python -m tests.load_spec`: the load test that Streamlit plans for itself, in its words, on its pages and on ours.

Scenarios, metrics and criteria are those of "Streamlit Server Load Testing Framework" (streamlit/streamlit, in
specs/2026-03-20-load-testing); the scripts are written here from their descriptions. Fifty users come at once. They
speak the protocol of the page in place of a browser, since two cores cannot run fifty browsers: so a load is the time
until the server has sent the page, which it can draw, and not until it is painted.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from time import perf_counter

from tests.server import ROOT, Server, serve
from tests.visitor import Visitor, run

USERS = 50
RERUNS = 3
PATIENCE = 120  # seconds
_LOOK = 0.5  # seconds between two looks at the server's memory


@dataclass(frozen=True)
class Scenario:
    """A page, the link to it, when it is whole, and the most seconds that the load of 95 % may take."""

    script: str
    most_seconds: float = 10
    query: str = ""
    whole: Callable[[Visitor], bool] = lambda visitor: True


def _viewed(visitor: Visitor) -> bool:
    """Whether the part of our page has come that comes last."""
    return any(part.component_name == "last_bit_view" for part in visitor.elements("bidi_component"))


_NUMBERS = "pandas.DataFrame(numpy.arange(100_000.0).reshape(-1, 10))"
SCENARIOS = {
    "simple_app": Scenario("st.title('Simple')\nst.button('Again')\nst.write('One line.')", 5),
    "dataframe_app": Scenario(f"import numpy, pandas\nst.dataframe({_NUMBERS})"),
    "widget_heavy_app": Scenario(
        "for k in range(30): st.slider(f's{k}'); st.text_input(f't{k}'); st.checkbox(f'c{k}')"
    ),
    "caching_app": Scenario(f"import numpy, pandas\nst.dataframe(st.cache_data(lambda: {_NUMBERS})().head(100))"),
    "fragment_app": Scenario("for k in range(5): st.fragment(lambda k=k: st.button(f'b{k}'))()"),
    "Last Bit, one link": Scenario("", query="samples=2000", whole=_viewed),
    "Last Bit, a link each": Scenario("", query="samples=2000&seed={}", whole=_viewed),
}


async def visit(address: str, scenario: Scenario, user: int) -> tuple[float, list[float]] | None:
    """The seconds of the load and of each rerun, None if the session failed."""

    def ready(visitor: Visitor) -> bool:
        return any(run.complete for run in visitor.runs) and scenario.whole(visitor)

    try:
        async with Visitor(address, scenario.query.format(1 + user)) as visitor:
            await visitor.until(ready, PATIENCE)
            load = perf_counter() - visitor.start
            reruns = [await rerun(visitor) for _ in range(RERUNS)]
            return None if visitor.faults + visitor.errors else (load, reruns)
    except (OSError, TimeoutError):
        return None


async def rerun(visitor: Visitor) -> float:
    """The seconds of a run of the whole script; its end may come as that of a fragment's run which followed it."""
    start, begun = perf_counter(), visitor.begun
    await visitor.rerun()
    await visitor.until(lambda visitor: visitor.begun > begun and visitor.ran, PATIENCE)
    return perf_counter() - start


async def crowd(server: Server, scenario: Scenario, users: int) -> tuple[list[tuple[float, list[float]] | None], int]:
    """All sessions at once, and the most memory that the server had meanwhile, in bytes."""
    visits = asyncio.gather(*(visit(server.address, scenario, user) for user in range(users)))
    most = server.resident
    while not visits.done():
        await asyncio.wait([visits], timeout=_LOOK)
        most = max(most, server.resident)
    return visits.result(), most


def figures(scenario: Scenario, script: Path | str, users: int = USERS) -> dict[str, object]:
    """The metrics of one scenario by their names in the specification."""
    with serve(script) as server:
        run(crowd(server, scenario, 1))
        before, busy, start = server.resident, server.seconds, perf_counter()
        sessions, most = run(crowd(server, scenario, users))
        seconds, busy, after = perf_counter() - start, server.seconds - busy, server.resident
    done = [session for session in sessions if session]
    loads = sorted(load for load, _ in done)
    reruns = sorted(seconds for _, each in done for seconds in each)
    return {
        "sessions_completed": len(done),
        "sessions_failed": len(sessions) - len(done),
        **{f"p{share}_load_time_ms": milliseconds(loads, share) for share in (50, 95, 99)},
        "p95_rerun_time_ms": milliseconds(reruns, 95),
        "memory_rss_mb_peak": round(most / 1e6),
        "memory_rss_mb_growth": round((after - before) / 1e6),
        "cpu_percent_avg": round(100 * busy / seconds),
        "met": len(done) == users and loads[ceil(0.95 * users) - 1] < scenario.most_seconds and after - before < 1e8,
    }


def milliseconds(ordered: list[float], share: int) -> int | None:
    """The smallest value that so large a share in per cent does not exceed."""
    return round(1e3 * ordered[ceil(share / 100 * len(ordered)) - 1]) if ordered else None


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, scenario in SCENARIOS.items():
            script = Path(folder) / f"{name}.py"
            script.write_text(f"import streamlit as st\n{scenario.script}\n")
            found = figures(scenario, script if scenario.script else ROOT / "streamlit_app.py")
            print(json.dumps({"scenario": name, **found}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
