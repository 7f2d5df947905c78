"""The command line: `python -m lib "QUERY"` runs an experiment without the page and prints its figures as JSON.

With `--script` it prints a Python script of the experiment instead, with `--report` a bug report. Under `torchrun` its
processes share out the work, and one of them prints.

Exit codes: 0 after the figures, those of an interrupted run too (`"complete": false`); 2 for a bad query or paste, with
one sentence on stderr; 1 for anything else that goes wrong, with one sentence.
"""

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr
from io import StringIO
from time import sleep

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment, QueryError
from lib.run.ranks import Ended, Ranks

STUDIES = ("discrepancy", "pitfall", "derivative")
OPTIONS = {
    "csv": "discrepancy",
    "parquet": "discrepancy",
    "ladder": "discrepancy",
    "methods": "discrepancy",
    "lean": "discrepancy",
    "trace": "discrepancy",
    "post": "pitfall",
}
"""The study that an option belongs to."""

WITHOUT_FILES = ("ladder", "methods", "lean", "trace", "script")
"""Options that leave no component to write to a file."""

IN_ONE_GO = ("trace", "post", "script", "decode", "csv", "parquet")
"""Options for one process that runs from the beginning to the end."""

_WAIT = 2.0  # seconds in which rank 0 begins and finds out too


def main(arguments: Sequence[str]) -> int:
    ranks = Ranks.of(os.environ)
    with _rank_0_first(ranks):
        options, experiment = _parse(arguments, ranks)
    if options.decode is not None:
        try:
            return _decode(options.decode, options.dtype or Experiment.dtype)
        except BrokenPipeError:
            return _without_reader()
    interrupted = _catch_interrupts()
    ended: Ended | None = None
    try:
        if options.post:
            printed = _post()
        elif options.trace:
            printed = _trace(experiment, *options.trace)
        elif options.script:
            printed = _script(options.study, experiment)
        else:
            figures, ended = _run(experiment, options, ranks, interrupted)
            printed = (
                _report(options.study, experiment, figures) if options.report else {"study": options.study, **figures}
            )
        if ranks.rank == (ended.teller if ended else 0):
            print(printed if isinstance(printed, str) else json.dumps(printed, allow_nan=False), flush=True)
        if ended:
            raise ended
    except BrokenPipeError:
        return _without_reader()
    except Exception as error:
        if getattr(error, "teller", ranks.rank) == ranks.rank:
            print(str(error).partition("\n")[0] or type(error).__name__, file=sys.stderr)
        return 1
    return 0


@contextmanager
def _rank_0_first(ranks: Ranks) -> Iterator[None]:
    """What all ranks find wrong, rank 0 alone says. torchrun ends all when the first one exits, so the others wait."""
    if ranks.rank == 0:
        yield
        return
    with redirect_stderr(StringIO()):
        try:
            yield
        except SystemExit:
            sleep(_WAIT)
            raise


def _parse(arguments: Sequence[str], ranks: Ranks) -> tuple[argparse.Namespace, Experiment]:
    """The options and the experiment. Exits with code 2 and one sentence where they are not allowed."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.dtype and options.decode is None:
        parser.error("--dtype goes with --decode: an experiment has its dtype in the query, as in dtype=float64")
    for option, study in OPTIONS.items():
        if getattr(options, option) and options.study != study:
            parser.error(f"--{option} is an option of the study {study}, not of {options.study}")
    for option in ("csv", "parquet"):
        if getattr(options, option) and any(getattr(options, other) for other in WITHOUT_FILES):
            parser.error(f"--{option} goes without --ladder, --methods, --lean, --trace and --script")
    for option in IN_ONE_GO:
        if getattr(options, option) not in (None, False) and (options.checkpoint or ranks.count > 1):
            parser.error(f"--{option} goes neither with --checkpoint nor with several processes of torchrun")
    try:
        return options, Experiment.parse(options.query)
    except QueryError as error:
        parser.exit(2, f"{error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lib",
        description="Runs a study of random samples and prints its figures as one JSON object. The studies are "
        "discrepancy, backward() against a Jacobian; pitfall, one call of grad for all rows against the rows; and "
        "derivative, autograd against derivatives by hand.",
        epilog='Example: python -m lib "dtype=float64&samples=500". The empty query is the first post\'s experiment.',
    )
    parser.add_argument("query", nargs="?", default="", help="key=value pairs joined by &, or a link to the page")
    parser.add_argument("--study", choices=STUDIES, default="discrepancy", help="default: %(default)s")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument("--ladder", action="store_true", help="print the discrepancy in every dtype instead")
    instead.add_argument("--methods", action="store_true", help="print which methods agree with which instead")
    instead.add_argument(
        "--lean", action="store_true", help="print who is closer by number of outputs, in every dtype, and why instead"
    )
    instead.add_argument(
        "--trace", type=_place, metavar="SAMPLE,COMPONENT", help="print one component operation by operation instead"
    )
    instead.add_argument("--post", action="store_true", help="print the two matrices of the second post instead")
    instead.add_argument("--script", action="store_true", help="print a script that needs only torch, and run nothing")
    instead.add_argument("--report", action="store_true", help="print the figures as a bug report in Markdown instead")
    instead.add_argument(
        "--decode", metavar="TEXT", help="print what two pasted numbers or vectors are, and how far apart"
    )
    parser.add_argument(
        "--dtype", choices=DTYPES, help=f"of numbers to decode that name no dtype; default: {Experiment.dtype}"
    )
    parser.add_argument("--csv", metavar="FILE", help="also write every component of every sample to FILE")
    parser.add_argument("--parquet", metavar="FILE", help="the same as Parquet")
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="keep the progress in FILE, and go on from there if it exists"
    )
    return parser


def _catch_interrupts() -> Callable[[], bool]:
    """From here on Ctrl-C and SIGTERM are noted rather than raised, so that the slice at work ends whole; tells if one
    came."""
    came: list[int] = []
    for interrupt in (signal.SIGINT, signal.SIGTERM):
        signal.signal(interrupt, lambda number, frame: came.append(number))
    return lambda: bool(came)


def _decode(text: str, dtype: str) -> int:
    from lib.paste.decode import decode
    from lib.paste.decode_tables import figures
    from lib.paste.tokenizer import PasteError

    try:
        print(json.dumps(figures(decode(text, dtype)), allow_nan=False), flush=True)
    except PasteError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _without_reader() -> int:
    """After whoever read the output has gone, as `head` does. Python writes the rest as it ends: to nowhere, then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print("The output was closed before it was written whole.", file=sys.stderr)
    return 1


def _place(text: str) -> tuple[int, int]:
    """A sample and a component, as `--trace` has them."""
    if not re.fullmatch("[0-9]{1,10},[0-9]{1,4}", text):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not SAMPLE,COMPONENT: two whole numbers, as 4,0")
    sample, component = map(int, text.split(","))
    return sample, component


def _trace(experiment: Experiment, sample: int, component: int) -> dict[str, object]:
    from lib.network import machine
    from lib.replay.replay import replay
    from lib.replay.tables import figures

    traced = figures(replay(experiment, sample, component))
    return {"query": experiment.query, "environment": machine.describe(experiment), **traced}


def _script(study: str, experiment: Experiment) -> str:
    from lib.takeaway.script import script

    return script(study, experiment).removesuffix("\n")


def _report(study: str, experiment: Experiment, printed: dict[str, object]) -> str:
    from lib.takeaway.report import report

    about = ("experiment", "query", "environment", "complete", "seconds")
    figures = {name: value for name, value in printed.items() if name not in about}
    return report(study, experiment, figures, printed["environment"])


def _post() -> dict[str, list[list[float]]]:
    from lib.pitfall.fixes import post_matrices

    return post_matrices()


def _run(
    experiment: Experiment, options: argparse.Namespace, ranks: Ranks, interrupted: Callable[[], bool]
) -> tuple[dict[str, object], Ended | None]:
    """The figures, and why the ranks ended before they were complete, if they did."""
    # Here and not above: torch takes seconds to load, and neither a bad query nor Ctrl-C should wait for that.
    from lib.derivative.study import Derivative
    from lib.discrepancy.study import Discrepancy
    from lib.pitfall.study import Pitfall
    from lib.run.long_run import LongRun
    from lib.takeaway.export import CsvFile, Export, ParquetFile
    from lib.variations.agreement import Agreement
    from lib.variations.ladder import Ladder
    from lib.variations.lean import Lean

    studies = {
        "discrepancy": Discrepancy,
        "ladder": Ladder,
        "methods": Agreement,
        "lean": Lean,
        "pitfall": Pitfall,
        "derivative": Derivative,
    }
    subject = next((name for name in ("ladder", "methods", "lean") if getattr(options, name)), options.study)
    run = LongRun(studies[subject], experiment, ranks, options.checkpoint)
    with ExitStack() as stack:
        files = [
            kind(stack.enter_context(open(path, "wb")), experiment)
            for kind, path in ((CsvFile, options.csv), (ParquetFile, options.parquet))
            if path
        ]
        run.finish(interrupted, stack.enter_context(Export(experiment, files)) if files else None)
    progress = run.progress
    return {
        "experiment": experiment.to_dict(),
        "query": experiment.query,
        "environment": run.environment,
        "complete": not progress.left,
        **progress.tally.figures(),
        "seconds": round(progress.seconds, 3),
    }, run.ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
