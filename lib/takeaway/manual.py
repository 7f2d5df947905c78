"""The text of `--help` and `--help fields`, built from the same tables as the query, the parser and the figures.

Nothing here needs torch, so the help appears at once.
"""

from collections.abc import Mapping
from textwrap import fill, indent

from lib.experiment.choices import Choice, complete
from lib.experiment.query import FIELDS, MOST_COST, Experiment
from lib.experiment.studies import OPTIONS, SUBJECTS
from lib.takeaway import column_glossary, decode_glossary, glossary

_WIDTH = 100

DESCRIPTION = fill(
    "Runs a study of random samples and prints its figures as one JSON object. The studies are "
    + "; ".join(f"{name}, {study.about.replace('`', '')}" for name, study in SUBJECTS.items())
    + ".",
    _WIDTH,
)

KEYS = complete(
    "key",
    FIELDS,
    {
        "inputs": "inputs of the network",
        "hidden": "widths of its hidden layers",
        "outputs": "outputs of the network",
        "activation": "activation of the hidden layers",
        "output_activation": "activation of the outputs",
        "dtype": "dtype of weights, samples and gradients; weights and samples are drawn in float64 and rounded once",
        "device": "where the gradients are computed",
        "method": "how the Jacobian is computed",
        "evaluation": "how many samples go through the network in one call",
        "distribution": "distribution of the samples",
        "samples": "number of samples",
        "seed": "seed of weights and samples",
        "function": "function of the derivative study",
        "x_from": "where the x of that study come from",
        "networks": "whether all samples share one network",
        "matmul": "how a graphics card may round within a matrix product",
        "step": "exponent of the step of finite differences, 2^step·max(1, abs(x))",
        "gradient": "which gradient the study batch compares",
        "f": "function of x of your own for the derivative study, in place of function",
        "df": "its derivative as you wrote it by hand; for f without it, the rules of a textbook make one",
    },
)
"""The meaning of each key of the query."""

_EXIT_CODES = {
    0: "the figures were printed, even if the run was interrupted, or what was compared differs",
    1: "anything else went wrong: one sentence on stderr",
    2: "a bad query, option, paste, network or input of one's own: one sentence on stderr",
}


def _keys() -> str:
    default = Experiment()
    parts = []
    for name, about in KEYS.items():
        field, text = FIELDS[name], default.text(name)
        head = f"{name}: {about}; default: {text or 'empty'}"
        if field.table:
            parts.append(f"{_wrapped(head, hanging=2)}\n{_table({key: _of(row) for key, row in field.table.items()})}")
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

EPILOG = "\n".join(
    [
        _section("keys of the query, all with a default", _keys()),
        _wrapped(
            f"So that no link can freeze a host, {_LIMITS}. The empty query is the first post's experiment. A link to "
            "the page is a query too: its layers=5 10 2 stands for inputs, hidden and outputs, and keys that concern "
            "only the page are ignored.",
            hanging=0,
        ),
        "",
        _section("exit codes", _table({str(code): about for code, about in _EXIT_CODES.items()}, margin="")),
        'example: python -m lib "dtype=float64&samples=500"',
    ]
)


_NULL = "A field that has no answer because a number is NaN or infinite is null.\n"


def fields() -> str:
    """List every field of the JSON and every column of the files, with its meaning."""
    sections = {"every study": glossary.EVERY_STUDY}
    sections |= {f"--study {name}": glossary.FIELDS[name] for name in SUBJECTS}
    sections |= {f"--{name}": glossary.FIELDS[name] for name in OPTIONS}
    sections |= {"--trace": glossary.TRACE, "--study pitfall --post": glossary.POST}
    sections |= {f"--decode of {paste}": rows for paste, rows in decode_glossary.DECODE.items()}
    for study, columns in column_glossary.COLUMNS.items():
        title = f"columns of --csv, --study {study}"
        sections[title] = {name: f"{about} ({kind})" for name, (kind, about) in columns.items()}
    listed = "\n".join(_section(title, _table(rows, margin="")) for title, rows in sections.items())
    return f"{listed}\n{_NULL}"
