"""`python -m tests.load`: many visitors at once, against a real server on loopback.

Eight cases: 1, 10, 50 and 100 visitors who come at the same moment, either all on one link or each on a link of their
own, to a server that is fresh but for one visit. What every page shows in the end is compared with the command line,
and its charts with the tables of a tally that was never sliced, bit for bit. With `--soak N` one server
has N experiments instead, one after another, and forgets who is gone after a second and not after two minutes.

It prints a row of a table as each case ends, and one JSON object in the end. Times are in seconds, memory in MB, the
server's time on the processor in cores. A page shows its first chart before it is whole; a tick is the time between two
drawings of the first section's charts on a page that is whole.
"""

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import dropwhile, pairwise
from math import ceil
from statistics import median
from time import perf_counter

from lib.experiment.query import Experiment
from lib.network import machine
from tests import outcome
from tests.server import Server, serve
from tests.visitor import Visitor, run

SESSIONS = (1, 10, 50, 100)
LINKS = {"one": "samples=20000&seed=1", "own": "samples=500&seed={}"}
"""The link that all visitors follow, or that of each by number."""
COLUMNS = {
    "sessions": 8,
    "links": 5,
    "first_chart": 19,
    "whole": 19,
    "tick": 19,
    "tick_kb": 7,
    "cores": 5,
    "seconds": 7,
    "resident": 8,
    "per_session": 11,
    "errors": 6,
    "wrong": 5,
}
WARM_UP = "samples=100"
SOAK_LINK = "samples=50&seed={}"
_AT_A_TIME = 4  # visitors in the soak
_LONGEST = 400.0  # seconds until a visitor gives up
_MORE_CHARTS = 1  # from which on a page is whole
_LINGER = 2.0  # seconds that a visitor looks at the finished page, since a late tick may draw a part of it again
_LOOK = 0.2  # seconds between two looks at the server's memory
_MOST_SHOWN = 5  # faults
_SWEPT = 1  # seconds for which the server remembers who is gone, where memory is measured


@dataclass(frozen=True)
class Visit:
    """How a visit went: the page in the end, and what was wrong with it."""

    link: str
    visitor: Visitor
    faults: list[str]

    @property
    def drawn(self) -> list[float]:
        """When the charts of the part that draws most often came: first when the page was whole, last by its timer."""
        runs = [run for run in self.visitor.runs if run.charts]
        often = Counter(fragment for run in runs for fragment in run.fragments).most_common(1)
        ticks = {fragment for fragment, _ in often}
        whole = (run for run in runs if not run.fragments or ticks.intersection(run.fragments))
        whole = list(dropwhile(lambda run: run.charts < _MORE_CHARTS, whole))
        while whole and not whole[-1].fragments:
            whole.pop()
        return [run.drawn for run in whole]

    @property
    def ticks(self) -> list[float]:
        return [later - earlier for earlier, later in pairwise(self.drawn)]

    @property
    def whole(self) -> float | None:
        """Seconds from the beginning of the visit until the page was whole."""
        return self.drawn[0] - self.visitor.start if self.drawn else None


async def follow(address: str, link: str) -> Visit:
    """Follows a link, and stays until its run is finished."""
    visitor = Visitor(address, link)
    try:
        async with visitor:
            await visitor.until(outcome.finished, _LONGEST)
            await asyncio.sleep(_LINGER)
    except TimeoutError:
        shown = [part.text for part in visitor.elements("progress")]
        last = f"the last of {len(visitor.runs)} at {visitor.runs[-1]}" if visitor.runs else "none"
        return Visit(
            link,
            visitor,
            [f"Gave up at {perf_counter()}: {shown}, ticking {visitor.ticking}, runs: {last}"],
        )
    except OSError as error:
        return Visit(link, visitor, [f"{type(error).__name__}: {error}"])
    return Visit(link, visitor, visitor.faults + visitor.errors)


async def follow_all(server: Server, links: Sequence[str]) -> tuple[list[Visit], int]:
    """All links at the same moment; and the most memory that the server had meanwhile, in bytes."""
    visits = asyncio.gather(*(follow(server.address, link) for link in links))
    most = server.resident
    while not visits.done():
        await asyncio.wait([visits], timeout=_LOOK)
        most = max(most, server.resident)
    return visits.result(), most


def case(links: Sequence[str]) -> dict[str, object]:
    """One row of the table."""
    with serve() as server:
        run(follow_all(server, [WARM_UP]))
        before, busy, start = server.resident, server.seconds, perf_counter()
        visits, most = run(follow_all(server, links))
        seconds, busy = perf_counter() - start, server.seconds - busy
        tracebacks = server.log.count("Traceback")
    printed = outcome.command_line(links)
    wrong = {
        visit.link: outcome.differences(visit.visitor, visit.link, printed[visit.link])
        for visit in visits
    }
    ticks = [
        run.nbytes
        for visit in visits
        for run in visit.visitor.runs
        if run.fragments and run.complete
    ]
    return {
        "sessions": len(links),
        "links": len(set(links)),
        "first_chart": spread(
            visit.visitor.first_chart for visit in visits if visit.visitor.first_chart
        ),
        "whole": spread(visit.whole for visit in visits if visit.whole),
        "tick": spread(tick for visit in visits for tick in visit.ticks),
        "tick_kb": round(median(ticks) / 1e3, 1) if ticks else None,
        "cores": round(busy / seconds, 2),
        "seconds": round(seconds, 1),
        "resident": round(most / 1e6),
        "per_session": round((most - before) / len(links) / 1e6, 2),
        "errors": sum(bool(visit.faults) for visit in visits) + tracebacks,
        "wrong": sum(map(bool, wrong.values())),
        "faults": sorted({fault for visit in visits for fault in visit.faults})[:_MOST_SHOWN],
        "differences": sorted({name for names in wrong.values() for name in names}),
    }


def spread(values: Iterable[float]) -> list[float | None]:
    """Median, 95th percentile and maximum: the smallest value that so large a share does not exceed."""
    ordered = sorted(values)
    return [
        round(ordered[ceil(share * len(ordered)) - 1], 2) if ordered else None
        for share in (0.5, 0.95, 1)
    ]


def soak(experiments: int) -> dict[str, object]:
    """Resident memory of a server over so many experiments, a few at a time, each with a visitor of its own who leaves
    when it is finished; the growth is that of the last tenth over the second, when all stores are full."""
    resident, faults, links = [], 0, [SOAK_LINK.format(n) for n in range(experiments)]
    with serve(server_disconnectedSessionTTL=_SWEPT) as server:
        for first in range(0, experiments, _AT_A_TIME):
            visits, _ = run(follow_all(server, links[first : first + _AT_A_TIME]))
            faults += sum(bool(visit.faults) for visit in visits)
            resident.append(server.resident)
        faults += server.log.count("Traceback")
    tenth = max(1, len(resident) // 10)
    return {
        "experiments": experiments,
        "resident": [round(value / 1e6) for value in resident[::tenth]],
        "growth": round(median(resident[-tenth:]) / median(resident[tenth : 2 * tenth]) - 1, 3),
        "errors": faults,
    }


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.load", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--sessions", type=int, nargs="*", default=SESSIONS, help="default: %(default)s"
    )
    parser.add_argument(
        "--links", nargs="+", choices=LINKS, default=list(LINKS), help="default: %(default)s"
    )
    parser.add_argument(
        "--soak", type=int, metavar="N", help="only N experiments, one after another"
    )
    options = parser.parse_args(arguments)
    figures: dict[str, object] = {}
    if options.soak:
        figures["soak"] = soak(options.soak)
    else:
        print(" ".join(f"{name:>{width}}" for name, width in COLUMNS.items()), flush=True)
        figures["cases"] = []
        for links in options.links:
            for sessions in options.sessions:
                row = case([LINKS[links].format(1 + n) for n in range(sessions)])
                figures["cases"].append(row)
                print(
                    " ".join(f"{cell(row[name]):>{width}}" for name, width in COLUMNS.items()),
                    flush=True,
                )
    print(json.dumps(figures | {"environment": machine.describe(Experiment())}))


def cell(value: object) -> str:
    return (
        " ".join("-" if part is None else f"{part:.2f}" for part in value)
        if isinstance(value, list)
        else str(value)
    )


if __name__ == "__main__":
    main(sys.argv[1:])
