"""The command line: `python -m lib "QUERY"` runs an experiment without the page and prints its figures as JSON.

Exit codes: 0 after the figures, those of an interrupted run too (`"complete": false`); 2 for a bad query, with one
sentence on stderr; 1 for anything else that goes wrong, with one sentence.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from lib.experiment import Experiment, QueryError

_SLICE = 0.1  # seconds between two looks at the progress bar and at Ctrl-C


def main(arguments: Sequence[str]) -> int:
    options = _parser().parse_args(arguments)
    try:
        experiment = Experiment.parse(options.query)
    except QueryError as error:
        print(error, file=sys.stderr)
        return 2
    interrupted = _catch_interrupts()
    try:
        print(json.dumps(_run(experiment, options.csv, interrupted), allow_nan=False))
    except Exception as error:
        print(str(error).partition("\n")[0] or type(error).__name__, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lib",
        description="Compares backward() with a Jacobian on random samples, and prints the figures as one JSON object.",
        epilog='Example: python -m lib "dtype=float64&samples=500". The empty query is the first post\'s experiment.',
    )
    parser.add_argument("query", nargs="?", default="", help="key=value pairs joined by &, or a link to the page")
    parser.add_argument("--csv", metavar="FILE", help="also write every component of every sample to FILE")
    return parser


def _catch_interrupts() -> Callable[[], bool]:
    """From here on Ctrl-C is noted rather than raised, so that the slice at work ends whole; tells if one came."""
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    return lambda: bool(came)


def _run(experiment: Experiment, csv: str | None, interrupted: Callable[[], bool]) -> dict[str, object]:
    # Here and not above: torch takes seconds to load, and neither a bad query nor Ctrl-C should wait for that.
    from tqdm import tqdm

    from lib import machine
    from lib.stream import Stream
    from lib.studies.discrepancy import Discrepancy, Gradients
    from lib.studies.discrepancy_tables import component_rows

    if lack := machine.lacks(experiment):
        raise RuntimeError(f"{lack} The query asks for device={experiment.device} and dtype={experiment.dtype}.")
    study = Discrepancy(experiment)
    environment = machine.describe()  # after the study has made its settings
    with ExitStack() as stack:
        sink = None
        if csv:
            file = stack.enter_context(open(csv, "w", encoding="utf-8", newline=""))
            file.write(f"# query: {experiment.query}\n")
            file.writelines(f"# {name}: {value}\n" for name, value in environment.items())
            file.write("sample,component,x,backward,jacobian,discrepancy,ulps\n")

            def sink(gradients: Gradients) -> None:
                component_rows(gradients).to_csv(file, header=False, index=False, na_rep="nan", lineterminator="\n")

        stream = Stream(study, sink)
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
