"""`python -m tests.load`: many visitors at once, against a real server on loopback.

There are eight cases: 1, 10, 50 and 100 visitors arrive at the same moment, either all with one
link or each with their own. Each case has a new server, which has had one visit. The final figures
of every page are compared with the output of the command line. With `--soak N`, one server computes
N experiments in turn instead. It then forgets a visitor after one second, not two minutes.

The script prints a row of a table after each case, and one JSON object at the end. Times are in
seconds, memory is in MB, and the server's processor time is in cores. A page is *whole* when the
fragment that follows the run has drawn its charts. A *tick* is the time between two of its updates.
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
_LINGER = 2.0  # seconds that a visitor stays on a finished page: a late tick may draw it again
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
        """The times at which the fragment that updates most often drew its charts.

        The first time is that of the whole page, the last one that of a tick.
        """
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
    """Median, 95th percentile and maximum, without interpolation."""
    ordered = sorted(values)
    return [
        round(ordered[ceil(share * len(ordered)) - 1], 2) if ordered else None
        for share in (0.5, 0.95, 1)
    ]


def soak(experiments: int) -> dict[str, object]:
    """Measure the resident memory of a server that computes many experiments, a few at a time.

    Each experiment has its own visitor, who leaves when it is finished. The growth is the median of
    the last tenth divided by that of the second tenth, when all stores are full, minus 1.
    """
    resident = []
    faults = 0
    links = [SOAK_LINK.format(number) for number in range(experiments)]
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
