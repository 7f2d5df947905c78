"""The command line: `python -m lib "QUERY"` runs an experiment and prints its figures as JSON.

`python -m lib --help` lists the commands. Under `torchrun`, the processes share the work and one
of them prints.

Exit codes: 0 if the output is complete, or if a run was interrupted (`"complete": false`); 2 for
a query, an argument or a pasted value that is not allowed; 1 for any other failure. In both cases
the last line of stderr says why.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from lib.experiment.field_kinds import Refusal
from lib.experiment.studies import STUDIES
from lib.run.ranks import Ended, Rank
from lib.takeaway import arguments as command_line

# Functions import what needs torch: torch takes seconds to load, and neither a bad query nor
# Ctrl-C should wait for that.


def main(arguments: Sequence[str]) -> int:
    """Print what the arguments ask for and return the exit code."""
    rank = Rank.of(os.environ)
    try:
        options = command_line.parse(arguments, rank.count)
        PRINTERS[options.command](options, rank)
    except BrokenPipeError:
        # As after `head`. Python flushes stdout once more when it exits: send that to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("The output was closed before everything was written.", file=sys.stderr)
        return 1
    except Exception as error:
        # Rank 0 tells why a run ended early.
        if rank.number == 0 or not isinstance(error, Ended):
            print(str(error).partition("\n")[0] or type(error).__name__, file=sys.stderr)
        return 2 if isinstance(error, Refusal) else 1
    return 0


def _catch_interrupts() -> Callable[[], bool]:
    """Record Ctrl-C and SIGTERM instead of raising, so that the current slice can finish.

    Returns:
        A function that tells whether a signal has come.
    """
    signals: list[int] = []
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, lambda number, frame: signals.append(number))
    return lambda: bool(signals)


def _print(figures: dict[str, Any]) -> None:
    print(json.dumps(figures, allow_nan=False), flush=True)


def _decode(options: argparse.Namespace, rank: Rank) -> None:
    from lib.paste.answer import answer, answer_of
    from lib.paste.figures import figures

    if options.second is None:
        judged = answer(options.first, options.dtype)
    else:
        texts = (options.first, options.second, options.difference)
        judged = answer_of([text for text in texts if text is not None], options.dtype)
    _print(figures(judged))


def _trace(options: argparse.Namespace, rank: Rank) -> None:
    from lib.network import machine
    from lib.replay.figures import figures
    from lib.replay.replay import replay

    experiment = options.experiment
    traced = figures(replay(experiment, options.sample, options.component))
    environment = machine.describe(experiment)
    _print({"query": experiment.query, "environment": environment, **traced})


def _script(options: argparse.Namespace, rank: Rank) -> None:
    from lib.takeaway.script import script

    print(script(options.study, options.experiment), end="", flush=True)


def _fields(options: argparse.Namespace, rank: Rank) -> None:
    print(command_line.fields(), end="", flush=True)


def _run(options: argparse.Namespace, rank: Rank) -> None:
    """Run the study and print its figures, also if the run ends early.

    Raises:
        Ended: after the figures are printed, if another rank is out of reach.
    """
    interrupted = _catch_interrupts()
    from lib.run.long_run import LongRun
    from lib.takeaway.components import Export
    from lib.takeaway.study_table import CLASSES

    experiment = options.experiment
    run = LongRun(CLASSES[options.study], experiment, rank, options.checkpoint)
    with ExitStack() as stack:
        sink = None
        if options.command == "csv":
            file = stack.enter_context(open(options.file, "wb"))
            sink = stack.enter_context(Export(experiment, file))
        run.finish(interrupted, sink)
    progress = run.progress
    tally: Any = progress.tally
    if rank.number == 0:
        _print(
            {
                "study": STUDIES[options.study].option_of or options.study,
                "experiment": experiment.to_dict(),
                "query": experiment.query,
                "environment": run.environment,
                "complete": not progress.left,
                **tally.figures(),
                "seconds": round(progress.seconds, 3),
            }
        )
    if run.ended:
        raise run.ended


PRINTERS = {
    "run": _run,
    "csv": _run,
    "script": _script,
    "trace": _trace,
    "decode": _decode,
    "fields": _fields,
}
"""The function that prints the output of each command."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
