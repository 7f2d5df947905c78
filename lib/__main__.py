"""The command line: `python -m lib "QUERY"` runs an experiment without the page and prints its figures as JSON.

With `--script` it prints the experiment as a Python script instead. Under `torchrun`, the processes share the work and
one of them prints.

Exit codes: 0 once what was asked for is printed, even if the run was interrupted (`"complete": false`); 2 for a query,
an option or a paste that is not allowed; 1 for any other failure. In both cases the last line of stderr says why.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr
from io import StringIO
from time import sleep
from typing import Any

from lib.experiment.query import Experiment
from lib.experiment.studies import OPTIONS
from lib.run.ranks import Ended, Ranks
from lib.takeaway.arguments import parse

_WAIT = 2.0  # seconds that the other ranks leave rank 0 to start up and report the same error


def main(arguments: Sequence[str]) -> int:
    """Print what the arguments ask for and return the exit code."""
    try:
        return _print(arguments)
    except BrokenPipeError:  # as after `head`
        # Python flushes stdout once more when it exits: send that to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("The output was closed before everything was written.", file=sys.stderr)
        return 1


def _print(arguments: Sequence[str]) -> int:
    ranks = Ranks.of(os.environ)
    with _rank_0_first(ranks):
        options, experiment = parse(arguments, ranks.count)
    if options.decode is not None:
        return _decode(options.decode, options.dtype or experiment.dtype)
    interrupted = _catch_interrupts()
    ended: Ended | None = None
    printed: str | Mapping[str, object]
    try:
        if options.post:
            printed = _post()
        elif options.trace:
            printed = _trace(experiment, *options.trace)
        elif options.script:
            printed = _script(options.study, experiment)
        else:
            figures, ended = _run(experiment, options, ranks, interrupted)
            printed = {"study": options.study, **figures}
        if ranks.rank == 0:
            print(
                printed if isinstance(printed, str) else json.dumps(printed, allow_nan=False),
                flush=True,
            )
        if ended:
            raise ended
    except BrokenPipeError:
        raise
    except Exception as error:
        if ranks.rank == 0 or not isinstance(error, Ended):  # rank 0 tells why a run ended early
            print(str(error).partition("\n")[0] or type(error).__name__, file=sys.stderr)
        return 1
    return 0


@contextmanager
def _rank_0_first(ranks: Ranks) -> Iterator[None]:
    """Let rank 0 alone report an error that every rank finds.

    torchrun stops all ranks as soon as one exits, so the others wait before they exit.
    """
    if ranks.rank == 0:
        yield
        return
    with redirect_stderr(StringIO()):
        try:
            yield
        except SystemExit:
            sleep(_WAIT)
            raise


def _catch_interrupts() -> Callable[[], bool]:
    """Record Ctrl-C and SIGTERM instead of raising, so that the current slice can finish.

    Return a function that tells whether one has come.
    """
    came: list[int] = []
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, lambda number, frame: came.append(number))
    return lambda: bool(came)


def _decode(texts: Sequence[str], dtype: str) -> int:
    from lib.paste.answer import answer, answer_of
    from lib.paste.figures import figures
    from lib.paste.printed import PasteError

    try:
        found = answer(texts[0], dtype) if len(texts) == 1 else answer_of(texts, dtype)
        print(json.dumps(figures(found), allow_nan=False), flush=True)
    except PasteError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _trace(experiment: Experiment, sample: int, component: int) -> dict[str, object]:
    from lib.network import machine
    from lib.replay.operations import figures
    from lib.replay.replay import replay

    traced = figures(replay(experiment, sample, component))
    return {"query": experiment.query, "environment": machine.describe(experiment), **traced}


def _script(study: str, experiment: Experiment) -> str:
    from lib.takeaway.script import script

    return script(study, experiment).removesuffix("\n")


def _post() -> dict[str, list[list[float]]]:
    from lib.pitfall.fixes import post_matrices

    return post_matrices()


def _run(
    experiment: Experiment,
    options: argparse.Namespace,
    ranks: Ranks,
    interrupted: Callable[[], bool],
) -> tuple[dict[str, object], Ended | None]:
    """Return the figures and, if the ranks stopped early, the reason."""
    # Imported here because torch takes seconds to load, and neither a bad query nor Ctrl-C should wait for that.
    from lib.run.long_run import LongRun
    from lib.takeaway.components import Export
    from lib.takeaway.study_table import CLASSES

    option = next((name for name in OPTIONS if getattr(options, name)), None)
    run = LongRun(CLASSES[option or options.study], experiment, ranks, options.checkpoint)
    with ExitStack() as stack:
        sink = None
        if options.csv:
            file = stack.enter_context(open(options.csv, "wb"))
            sink = stack.enter_context(Export(experiment, file, options.study))
        run.finish(interrupted, sink)
    progress = run.progress
    tally: Any = progress.tally
    return {
        "experiment": experiment.to_dict(),
        "query": experiment.query,
        "environment": run.environment,
        "complete": not progress.left,
        **tally.figures(),
        "seconds": round(progress.seconds, 3),
    }, run.ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
