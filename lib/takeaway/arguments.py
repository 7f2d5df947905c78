"""The commands of `python -m lib`, their arguments, and the help.

The help is made of the tables of the query, the studies and the fields. Nothing here needs torch,
so it is printed at once.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from textwrap import fill, indent

from lib.experiment.choices import DTYPES
from lib.experiment.query import FIELDS, MOST_COST, Experiment, QueryError
from lib.experiment.studies import STUDIES, TAB_STUDIES
from lib.takeaway import glossary

COMMANDS = {
    "run": "measure random samples and print the figures as one JSON object",
    "csv": "run the study discrepancy, and write every component of every sample to a file",
    "script": "print the study as a script that needs only torch; nothing is run",
    "trace": "print how one component is computed, operation by operation",
    "decode": "say whether two values differ by rounding",
    "fields": "explain every field of the JSON and every column of the file",
}
"""What each command does."""

OLDER = {
    "--decode": ["decode"],
    "--script": ["script"],
    "--trace": ["trace"],
    "--csv": ["csv"],
    **{f"--{name}": ["run", "--study", name] for name, row in STUDIES.items() if row.option_of},
}
"""Options of older versions, and the command that does the same."""


def parse(arguments: Sequence[str], ranks: int = 1) -> argparse.Namespace:
    """Parse the arguments of the command line.

    Args:
        arguments: the words after `python -m lib`.
        ranks: the number of processes. With more than one, only the command `run` is allowed.

    Returns:
        The arguments by name, with the `command` and the `experiment` that the query names.

    Raises:
        SystemExit: with code 2, after a sentence on stderr, if the arguments are not allowed;
            with code 0 after the help.
    """
    parser = make_parser()
    options = parser.parse_args(with_command(arguments))
    if ranks > 1 and options.command != "run":
        parser.error(f"{options.command} needs a single process: only run can use torchrun")
    try:
        options.experiment = Experiment.parse(options.query)
        if study := STUDIES.get(getattr(options, "study", "")):
            options.experiment = study.adapted(options.experiment)
    except QueryError as error:
        parser.exit(2, f"{error}\n")
    return options


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments in the order that argparse reads: a command, options, values.

    Without a command, an option of older versions such as `--script` stands for one. The words
    after the older option come before the others: `QUERY --trace 4,0` becomes `trace 4 0 QUERY`.
    Without a command and without an older option, the command is `run`. Values follow `--`, since
    one may begin with a minus.
    """
    parts = [text.split("=", 1) if text.startswith("--") else [text] for text in arguments]
    words = list(chain.from_iterable(parts))
    if words and words[0] in COMMANDS:
        command, rest = words[:1], words[1:]
    elif {"-h", "--help"} & {*words}:
        return ["fields"] if "fields" in words else ["--help"]
    else:
        option = next((name for name in OLDER if name in words), None)
        command = OLDER[option] if option else ["run"]
        place = words.index(option) if option else len(words)
        rest = [*words[place + 1 :], *words[:place]]
        if option == "--trace":
            rest[:1] = rest[0].split(",") if rest else []
    options: list[str] = []
    values: list[str] = []
    remaining = iter(rest)
    for word in remaining:
        if word.startswith("--") or word == "-h":
            # Each option takes one value. The help takes none, but needs no word after it.
            options += [word, *islice(remaining, 1)]
        else:
            values.append(word)
    behind = ["--", *values] if values else []
    return [*command[:1], *options, *command[1:], *behind]


def make_parser() -> argparse.ArgumentParser:
    """Return the parser, which has one parser for each command."""
    parser = argparse.ArgumentParser(
        prog="python -m lib",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    add = {
        name: commands.add_parser(name, help=about, description=about).add_argument
        for name, about in COMMANDS.items()
    }
    add["csv"]("file", metavar="FILE")
    for name in ("sample", "component"):
        add["trace"](name, type=int, metavar=name.upper(), help="counted from 0")
    add["decode"]("first", metavar="FIRST", help=_VALUES)
    for name in ("second", "difference"):
        add["decode"](name, metavar=name.upper(), nargs="?")
    add["decode"]("--dtype", choices=DTYPES, default=Experiment.dtype, help=_DTYPE)
    add["run"]("--checkpoint", metavar="FILE", help=_CHECKPOINT)
    studies = {"run": list(STUDIES), "script": list(TAB_STUDIES)}
    for name, names in studies.items():
        about = f"{', '.join(names)}; default: {_STUDY}"
        add[name]("--study", choices=names, default=_STUDY, metavar="STUDY", help=about)
    for name in ("run", "csv", "script", "trace"):
        add[name]("query", nargs="?", default="", metavar="QUERY", help=_QUERY)
    parser.set_defaults(query="", checkpoint=None, study=_STUDY)
    parser.epilog = _epilog()
    return parser


_WIDTH = 100
_STUDY = "discrepancy"

_DESCRIPTION = "Why two ways of computing the same gradient differ in their last bits."
_QUERY = "key=value pairs joined by &, or a link to the page; empty for the default experiment"
_CHECKPOINT = "save the progress in this file, and resume from it if it exists"
_DTYPE = "dtype of values that do not name one; default: %(default)s"
_VALUES = "a value; without SECOND, also a text, which is read as on the page"

_EXIT_CODES = {
    "0": "the output is complete, or the run was interrupted and the JSON says so",
    "1": "something else went wrong: the last line of stderr says what",
    "2": "a query, an argument or a pasted value is not allowed: the last line of stderr says why",
}


def _keys() -> str:
    default = Experiment()
    parts = []
    for name, about in glossary.KEYS.items():
        field, text = FIELDS[name], default.text(name)
        head = f"{name}: {about}; default: {text or 'empty'}"
        if not field.table:
            head += f"; allowed: {field.allowed}"
        parts.append(_wrapped(head, hanging=2))
        if field.table:
            rows = {key: row.about for key, row in field.table.items()}
            parts.append(indent(_table(rows), "  "))
    return "\n".join(parts)


def _table(rows: Mapping[str, str]) -> str:
    """Lay out names and their meanings side by side."""
    column = max(map(len, rows)) + 2
    lines = (_wrapped(f"{name:{column}}{about}", hanging=column) for name, about in rows.items())
    return "\n".join(lines)


def _wrapped(text: str, hanging: int) -> str:
    return fill(text, _WIDTH, subsequent_indent=" " * hanging, break_on_hyphens=False)


def _section(title: str, body: str) -> str:
    return f"{title}:\n{indent(body, '  ')}\n"


def _epilog() -> str:
    studies = {name: row.about.replace("`", "") for name, row in STUDIES.items()}
    limits = " and ".join(f"{product} at most {most:,}" for product, most in MOST_COST.items())
    return "\n".join(
        [
            "COMMAND --help explains its arguments; run may be left out.\n",
            _section("studies (script takes some)", _table(studies)),
            _section("keys of the query, all with a default", _keys()),
            _wrapped(
                f"The cost of a network is limited: {limits}. In a link to the page, "
                "layers=5 10 2 stands for inputs, hidden and outputs; keys not listed are ignored.",
                hanging=0,
            ),
            "",
            _section("exit codes", _table(_EXIT_CODES)),
            'example: python -m lib run "dtype=float64&samples=500"',
        ]
    )


_NULL = "A field is also null if its value is NaN or infinite.\n"


def fields() -> str:
    """Return every field of the JSON and every column of the file, with its meaning."""
    sections = {"words": glossary.WORDS, "every study": glossary.EVERY_STUDY}
    sections |= {f"run --study {name}": glossary.FIELDS[name] for name in STUDIES}
    sections |= {"trace": glossary.TRACE}
    sections |= {f"decode, {paste}": rows for paste, rows in glossary.DECODE.items()}
    columns = {name: f"{about} ({kind})" for name, (kind, about) in glossary.COLUMNS.items()}
    sections["columns of the file"] = columns
    listed = "\n".join(_section(title, _table(rows)) for title, rows in sections.items())
    return f"{listed}\n{_NULL}"
