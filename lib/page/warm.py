"""The server warms up: before its port answers, it loads the libraries and computes what the first screen shows.

A host sends visitors as soon as the port answers, so nobody waits for the seconds that loading PyTorch takes. What goes
wrong here is logged, and the page starts cold.

What is loaded stays, so the garbage collector need not look at it: a full collection goes through 300,000 objects and
holds all visitors for half a second.
"""

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    try:
        await to_thread.run_sync(_visit)
        gc.freeze()
    except Exception:  # whatever it is, a visitor's own page says it better
        logging.getLogger(__name__).exception("The page starts cold.")
    yield


def _visit() -> None:
    # Not before: what Streamlit keeps for all visitors is registered with the server, which runs only now.
    from lib.page import batch, derivative, discrepancy, own, pitfall  # noqa: F401
    from lib.page.runs import runs

    runs().request(discrepancy.PART.study, discrepancy.PLAIN).wait(1.0)
    discrepancy.first_example(discrepancy.PLAIN)
