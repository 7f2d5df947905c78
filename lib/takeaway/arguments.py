"""The arguments of `python -m lib`, the rules for combining them, and the text of its help.

The help is made of the tables of the query, the studies and the fields. Nothing here needs torch, so it comes at once.
"""

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from textwrap import fill, indent

from lib.experiment.choices import DTYPES, Choice
from lib.experiment.query import FIELDS, MOST_COST, Experiment, QueryError, pairs_of
from lib.experiment.studies import OPTIONS, SUBJECTS
from lib.experiment.views import retired
from lib.takeaway import glossary

OPTION_OF = {name: (study.option_of,) for name, study in OPTIONS.items()} | {
    "csv": tuple(glossary.COLUMNS),
    "trace": ("discrepancy",),
    "post": ("pitfall",),
}
"""The studies that an option belongs to."""

_MOST_PASTED = 3

WITHOUT_FILES = (*OPTIONS, "trace", "script", "decode")
"""Options that cannot be combined with a file, since they measure no components to write."""

RETIRED_OPTIONS = {
    "--fingerprint": "nothing takes its place",
    "--lean": "--study discrepancy prints the lean",
    "--own": "use compare of lib.own, from Python",
    "--parquet": "use --csv, which pandas reads bit for bit",
    "--report": "the JSON has the figures and the environment, and --script prints a script that repeats them",
}
"""Options of older versions, and what to use instead."""

IN_ONE_GO = ("trace", "post", "script", "decode", "csv")
"""Options that need a single process and no checkpoint."""


def parse(arguments: Sequence[str], ranks: int = 1) -> tuple[argparse.Namespace, Experiment]:
    """Return the options and the experiment for a run of `ranks` processes.

    Exit with code 2 and one sentence if the arguments are not allowed.
    """
    parser = make_parser()
    rest, pasted = _without_pasted(arguments)
    for option, instead in RETIRED_OPTIONS.items():
        if option in rest:
            parser.exit(2, f"{option} is gone: {instead}.\n")
    options = parser.parse_args(rest)
    if pasted:
        options.decode = pasted
    if len(pasted) > _MOST_PASTED:
        parser.error(
            f"--decode takes at most {_MOST_PASTED} values, FIRST SECOND DIFFERENCE: not {len(pasted)}"
        )
    if options.dtype and options.decode is None:
        parser.error(
            "--dtype needs --decode: an experiment takes its dtype from the query, as in dtype=float64"
        )
    for option, studies in OPTION_OF.items():
        if getattr(options, option) and options.study not in studies:
            parser.error(
                f"--{option} is an option of the study {' or '.join(map(str, studies))}, not of {options.study}"
            )
    if options.csv and any(getattr(options, other) for other in WITHOUT_FILES):
        *others, last = (f"--{name}" for name in WITHOUT_FILES)
        parser.error(f"--csv cannot be combined with {', '.join(others)} or {last}")
    for option in IN_ONE_GO:
        if getattr(options, option) not in (None, False) and (options.checkpoint or ranks > 1):
            parser.error(
                f"--{option} cannot be combined with --checkpoint or with several processes of torchrun"
            )
    try:
        if said := retired(key for key, _ in pairs_of(options.query)):
            print(said, file=sys.stderr)
        return options, Experiment.parse(options.query)
    except QueryError as error:
        parser.exit(2, f"{error}\n")


def _without_pasted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take the texts after `--decode` out of the arguments: a text may begin with a minus.

    Return the arguments without all texts but the first, which argparse needs, and the texts.
    """
    rest = list(arguments)
    if "--decode" not in rest:
        return rest, []
    start = rest.index("--decode") + 1
    end = next(
        (place for place in range(start + 1, len(rest)) if rest[place].startswith("--")), len(rest)
    )
    pasted = rest[start:end]
    rest[start - 1 : end] = [f"--decode={text}" for text in pasted[:1]] or ["--decode"]
    return rest, pasted


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lib",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    add = parser.add_argument
    add("query", nargs="?", default="", help="key=value pairs joined by &, or a link to the page")
    add(
        "-h",
        "--help",
        nargs="?",
        metavar="fields",
        action=_Help,
        help="print this help, or the meaning of every field",
    )
    add(
        "--study",
        choices=SUBJECTS,
        default="discrepancy",
        help="what to measure; default: %(default)s",
    )
    add("--csv", metavar="FILE", help="also write every component of every sample to FILE")
    add(
        "--checkpoint",
        metavar="FILE",
        help="save the progress in FILE, and resume from it if it exists",
    )
    add(
        "--dtype",
        choices=DTYPES,
        help=f"dtype of decoded numbers that name none; default: {Experiment.dtype}",
    )
    instead = parser.add_argument_group(
        "to print something else instead, one at a time"
    ).add_mutually_exclusive_group()
    for name, study in OPTIONS.items():
        instead.add_argument(f"--{name}", action="store_true", help=study.about)
    instead.add_argument(
        "--trace", type=_place, metavar="SAMPLE,COMPONENT", help="one component, step by step"
    )
    instead.add_argument("--post", action="store_true", help="the two matrices of the second post")
    instead.add_argument(
        "--script", action="store_true", help="a script that needs only torch; nothing is run"
    )
    instead.add_argument(
        "--decode",
        metavar="FIRST [SECOND [DIFFERENCE]]",
        help="whether two values differ by rounding; one text is read as in the box of the page",
    )
    return parser


class _Help(argparse.Action):
    """Print the help or, for `--help fields`, the meaning of every field."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: object,
        values: object,
        option_string: str | None = None,
    ) -> None:
        print(fields() if values == "fields" else parser.format_help(), end="", flush=True)
        parser.exit()


def _place(text: str) -> tuple[int, int]:
    """Parse the argument of `--trace`, a sample and a component."""
    if not re.fullmatch("[0-9]{1,10},[0-9]{1,4}", text):
        raise argparse.ArgumentTypeError(
            f"{text[:60]!r} is not SAMPLE,COMPONENT: two whole numbers, such as 4,0"
        )
    sample, component = map(int, text.split(","))
    return sample, component


_WIDTH = 100

_DESCRIPTION = fill(
    "Runs a study of random samples and prints its figures as one JSON object. The studies are "
    + "; ".join(f"{name}, {study.about.replace('`', '')}" for name, study in SUBJECTS.items())
    + ".",
    _WIDTH,
)

_EXIT_CODES = {
    0: "what was asked for is printed, even if the run was interrupted or the numbers compared differ",
    1: "anything else went wrong: the last line of stderr says what",
    2: "a query, an option or a paste is not allowed: the last line of stderr says why",
}


def _keys() -> str:
    default = Experiment()
    parts = []
    for name, about in glossary.KEYS.items():
        field, text = FIELDS[name], default.text(name)
        head = f"{name}: {about}; default: {text or 'empty'}"
        if field.table:
            parts.append(
                f"{_wrapped(head, hanging=2)}\n{_table({key: _of(row) for key, row in field.table.items()})}"
            )
        else:
            parts.append(_wrapped(f"{head}; {field.allowed}", hanging=2))
    return "\n".join(parts)


def _of(row: Choice) -> str:
    return f"{row.about}. {row.note}".replace("`", "") if row.note else row.about


def _table(rows: Mapping[str, str], margin: str = "  ") -> str:
    """Lay out names and their meanings side by side."""
    column = max(map(len, rows)) + 2
    lines = (_wrapped(f"{name:{column}}{about}", hanging=column) for name, about in rows.items())
    return indent("\n".join(lines), margin)


def _wrapped(text: str, hanging: int) -> str:
    return fill(text, _WIDTH, subsequent_indent=" " * hanging, break_on_hyphens=False)


def _section(title: str, body: str) -> str:
    return f"{title}:\n{indent(body, '  ')}\n"


_LIMITS = ", ".join(f"{product} is at most {most:,}" for product, most in MOST_COST.items())

_EPILOG = "\n".join(
    [
        _section("keys of the query, all with a default", _keys()),
        _wrapped(
            f"So that no link can freeze a host, {_LIMITS}. The empty query is the first post's experiment. A link to "
            "the page is a query too: its layers=5 10 2 stands for inputs, hidden and outputs, and keys that concern "
            "only the page are ignored.",
            hanging=0,
        ),
        "",
        _section(
            "exit codes",
            _table({str(code): about for code, about in _EXIT_CODES.items()}, margin=""),
        ),
        'example: python -m lib "dtype=float64&samples=500"',
    ]
)


_NULL = "A field that has no answer because a number is NaN or infinite is null.\n"


def fields() -> str:
    """List every field of the JSON and every column of the files, with its meaning."""
    sections = {"words": glossary.WORDS, "every study": glossary.EVERY_STUDY}
    sections |= {f"--study {name}": glossary.FIELDS[name] for name in SUBJECTS}
    sections |= {f"--{name}": glossary.FIELDS[name] for name in OPTIONS}
    sections |= {"--trace": glossary.TRACE, "--study pitfall --post": glossary.POST}
    sections |= {f"--decode of {paste}": rows for paste, rows in glossary.DECODE.items()}
    for study, columns in glossary.COLUMNS.items():
        title = f"columns of --csv, --study {study}"
        sections[title] = {name: f"{about} ({kind})" for name, (kind, about) in columns.items()}
    listed = "\n".join(_section(title, _table(rows, margin="")) for title, rows in sections.items())
    return f"{listed}\n{_NULL}"
