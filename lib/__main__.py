"""The command line: `python -m lib "QUERY"` runs an experiment without the page and prints its figures as JSON.

Exit codes: 0 after the figures, those of an interrupted run too (`"complete": false`); 2 for a bad query or paste, with
one sentence on stderr; 1 for anything else that goes wrong, with one sentence.
"""

import argparse
import json
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from lib.choices import DTYPES
from lib.experiment import Experiment, QueryError

STUDIES = ("discrepancy", "pitfall", "derivative")
OPTIONS = {
    "csv": "discrepancy",
    "parquet": "discrepancy",
    "ladder": "discrepancy",
    "methods": "discrepancy",
    "trace": "discrepancy",
    "post": "pitfall",
}
"""The study that an option belongs to."""

_SLICE = 0.1  # seconds between two looks at the progress bar and at Ctrl-C


def main(arguments: Sequence[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.dtype and options.decode is None:
        parser.error("--dtype goes with --decode: an experiment has its dtype in the query, as in dtype=float64")
    if options.decode is not None:
        return _decode(options.decode, options.dtype or Experiment.dtype)
    for option, study in OPTIONS.items():
        if getattr(options, option) and options.study != study:
            parser.error(f"--{option} is an option of the study {study}, not of {options.study}")
    for option in ("csv", "parquet"):
        if getattr(options, option) and (options.ladder or options.methods or options.trace):
            parser.error(
                f"--{option} writes what a plain run measures, so it goes without --ladder, --methods, --trace"
            )
    try:
        experiment = Experiment.parse(options.query)
    except QueryError as error:
        print(error, file=sys.stderr)
        return 2
    interrupted = _catch_interrupts()
    try:
        if options.post:
            printed = _post()
        elif options.trace:
            printed = _trace(experiment, *options.trace)
        else:
            subject = "ladder" if options.ladder else "methods" if options.methods else options.study
            figures = _run(subject, experiment, options.csv, options.parquet, interrupted)
            printed = {"study": options.study, **figures}
        print(json.dumps(printed, allow_nan=False))
    except Exception as error:
        print(str(error).partition("\n")[0] or type(error).__name__, file=sys.stderr)
        return 1
    return 0


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
    parser.add_argument("--ladder", action="store_true", help="print the discrepancy in every dtype instead")
    parser.add_argument("--methods", action="store_true", help="print which methods agree with which instead")
    parser.add_argument(
        "--trace", type=_place, metavar="SAMPLE,COMPONENT", help="print one component operation by operation instead"
    )
    parser.add_argument("--post", action="store_true", help="print the two matrices of the second post instead")
    parser.add_argument(
        "--decode", metavar="TEXT", help="print what two pasted numbers or vectors are, and how far apart"
    )
    parser.add_argument("--dtype", choices=DTYPES, help=f"of the numbers to decode; default: {Experiment.dtype}")
    parser.add_argument("--csv", metavar="FILE", help="also write every component of every sample to FILE")
    parser.add_argument("--parquet", metavar="FILE", help="the same as Parquet")
    return parser


def _catch_interrupts() -> Callable[[], bool]:
    """From here on Ctrl-C is noted rather than raised, so that the slice at work ends whole; tells if one came."""
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    return lambda: bool(came)


def _decode(text: str, dtype: str) -> int:
    from lib.decode import decode
    from lib.decode_tables import figures
    from lib.pieces import PasteError

    try:
        print(json.dumps(figures(decode(text, dtype)), allow_nan=False))
    except PasteError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _place(text: str) -> tuple[int, int]:
    """A sample and a component, as `--trace` has them."""
    if not re.fullmatch("[0-9]{1,10},[0-9]{1,4}", text):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not SAMPLE,COMPONENT: two whole numbers, as 4,0")
    sample, component = map(int, text.split(","))
    return sample, component


def _trace(experiment: Experiment, sample: int, component: int) -> dict[str, object]:
    from lib import machine
    from lib.replay import replay
    from lib.replay_tables import figures

    traced = figures(replay(experiment, sample, component))
    return {"query": experiment.query, "environment": machine.describe(), **traced}


def _post() -> dict[str, list[list[float]]]:
    from lib.fixes import post_matrices

    return post_matrices()


def _run(
    subject: str, experiment: Experiment, csv: str | None, parquet: str | None, interrupted: Callable[[], bool]
) -> dict[str, object]:
    # Here and not above: torch takes seconds to load, and neither a bad query nor Ctrl-C should wait for that.
    from tqdm import tqdm

    from lib import machine
    from lib.export import CsvFile, Export, ParquetFile
    from lib.stream import Stream
    from lib.studies.agreement import Agreement
    from lib.studies.derivative import Derivative
    from lib.studies.discrepancy import Discrepancy
    from lib.studies.ladder import Ladder
    from lib.studies.pitfall import Pitfall

    if lack := machine.lacks(experiment):
        raise RuntimeError(f"{lack} The query asks for device={experiment.device} and dtype={experiment.dtype}.")
    studies = {
        "discrepancy": Discrepancy,
        "ladder": Ladder,
        "methods": Agreement,
        "pitfall": Pitfall,
        "derivative": Derivative,
    }
    at_work = studies[subject](experiment)
    environment = machine.describe()  # after the study has made its settings
    with ExitStack() as stack:
        files = [
            kind(stack.enter_context(open(path, "wb")), experiment)
            for kind, path in ((CsvFile, csv), (ParquetFile, parquet))
            if path
        ]
        stream = Stream(at_work, stack.enter_context(Export(experiment, files)) if files else None)
        bar = stack.enter_context(tqdm(total=experiment.samples, unit="sample", unit_scale=True, disable=None))
        while not stream.complete and not interrupted():
            before = stream.samples
            stream.advance(_SLICE)
            bar.update(stream.samples - before)
    return {
        "experiment": experiment.to_dict(),
        "query": experiment.query,
        "environment": environment,
        "complete": stream.complete,
        **stream.tally.figures(),
        "seconds": round(stream.seconds, 3),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
