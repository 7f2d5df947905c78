"""`python -m tests.load [SESSIONS…]`: many visitors at once, against a real server on loopback.

In each case so many visitors arrive at the same moment, either all with one link or each with their
own. Each case has a new server, which has had one visit. The final figures of every page are
compared with those of the library.

The script prints each case as JSON. Times are in seconds, memory is in MB, and the server's
processor time is in seconds. A page is *whole* when the first run of its script has ended. A *tick*
is the time between two updates of a page.
"""

import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from statistics import median
from time import perf_counter

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.run.stream import Stream
from tests.server import Server, serve
from tests.visitor import Visitor, finished, run

SESSIONS = (1, 10, 50, 100)
LINKS = "samples=20000&seed=1", "samples=500&seed={}"
"""The link that all visitors follow, or that of each by number."""
WARM_UP = "samples=100"
_LONGEST = 400.0
"""Seconds until a visitor gives up."""

_LINGER = 2.0
"""Seconds that a visitor stays on a finished page: a late tick may draw it again."""


async def follow(server: Server, link: str) -> Visitor:
    """Follow a link, and stay until its run is finished."""
    async with Visitor(server.address, link) as visitor:
        try:
            await visitor.until(finished, _LONGEST)
            await asyncio.sleep(_LINGER)
        except TimeoutError:
            visitor.faults.append(f"Gave up: {[bar.text for bar in visitor.elements('progress')]}")
    return visitor


async def follow_all(server: Server, links: Sequence[str]) -> list[Visitor]:
    """Follow all links at the same moment."""
    return await asyncio.gather(*(follow(server, link) for link in links))


def case(links: Sequence[str]) -> dict[str, object]:
    """Return the figures of a case."""
    with serve() as server:
        run(follow_all(server, [WARM_UP]))
        before, busy, start = server.resident, server.seconds, perf_counter()
        visitors = run(follow_all(server, links))
        seconds, busy = perf_counter() - start, server.seconds - busy
        resident = server.resident
        tracebacks = server.log.count("Traceback")
    sentences = {link: sentence(link) for link in set(links)}
    wrong = [
        link
        for visitor, link in zip(visitors, links, strict=True)
        if all(sentences[link] not in part.body for part in visitor.elements("markdown"))
    ]
    runs = [[run for run in visitor.runs if run.complete] for visitor in visitors]
    faults = [fault for visitor in visitors for fault in visitor.faults + visitor.errors]
    if faults or wrong:
        print(sorted({*faults, *wrong}), file=sys.stderr)
    return {
        "sessions": len(links),
        "links": len(set(links)),
        "whole": spread(first.seconds for first, *_ in runs),
        "tick": spread(
            later.seconds - earlier.seconds for ticks in runs for earlier, later in pairwise(ticks)
        ),
        "tick_kb": round(median(tick.nbytes for _, *ticks in runs for tick in ticks) / 1e3, 1),
        "processor": round(busy, 1),
        "seconds": round(seconds, 1),
        "resident": round(resident / 1e6),
        "per_session": round((resident - before) / len(links) / 1e6, 2),
        "errors": len(faults) + tracebacks,
        "wrong": len(wrong),
    }


def sentence(link: str) -> str:
    """A sentence of the page, with the figures of the library."""
    closer = Stream(Discrepancy(Experiment.parse(link))).finish().figures()["closer"]
    judged = sum(closer.values())
    sides = [percent(closer[side], judged) for side in ("backward", "jacobian")]
    return "Of {:,} components, `backward()` is closer in {}, the Jacobian in {}.".format(
        judged, *sides
    )


def spread(values: Iterable[float]) -> str:
    """Return the median, the 95th percentile and the maximum, without interpolation."""
    ordered = sorted(values)
    return " ".join(f"{ordered[ceil(share * len(ordered)) - 1]:.2f}" for share in (0.5, 0.95, 1))


def main(sessions: Sequence[int]) -> None:
    for link in LINKS:
        for count in sessions:
            row = case([link.format(1 + number) for number in range(count)])
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or SESSIONS)
