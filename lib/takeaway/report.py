"""An experiment as a bug report in Markdown: the finding, a script that reproduces it, and the machine."""

from collections.abc import Mapping
from typing import Any

from lib.experiment.query import Experiment
from lib.takeaway.script import script
from lib.takeaway.study_table import subject_of

_COLUMNS = ("equal", "correctly_rounded", "max_ulps", "mean_ulps", "nonfinite", "zero")
"""The figures that each derivative has."""

_OF_BATCH = ("components", "nonfinite", "equal", "max_abs", "max_ulps")
"""The figures that each batch size has."""


def report(study: str, experiment: Experiment, figures: dict[str, Any], environment: Mapping[str, object]) -> str:
    """Return the report of the named study, to paste into a forum or an issue tracker.

    `figures` are the figures of the study's tally, and `environment` is the result of `machine.describe`.
    """
    samples = figures["samples"]
    unfinished = f" So far {samples:,} samples are counted." if samples < experiment.samples else ""
    return "\n\n".join(
        [
            f"{subject_of(study, experiment)}{unfinished}",
            "### Figures",
            *_tables(figures),
            "### To reproduce",
            "This script needs nothing but torch. What it prints is equal to the figures above, bit for bit on the "
            "same machine.",
            f"```python\n{script(study, experiment)}```",
            "### Environment",
            "```\n" + "".join(f"{name}: {value}\n" for name, value in environment.items()) + "```",
        ]
    )


def _tables(figures: dict[str, Any]) -> list[str]:
    """Return tables of the figures that are numbers, with several derivatives or batch sizes side by side.

    Histograms and places are left out.
    """
    numbers: dict[str, object] = {}
    for name, value in figures.items():
        parts = (
            {f"{name}, {part}": number for part, number in value.items()} if isinstance(value, dict) else {name: value}
        )
        if name not in ("autograd", "formulas") and not name.endswith("_at"):
            numbers |= {part: number for part, number in parts.items() if isinstance(number, int | float)}
    tables = [_table(("figure", "value"), list(numbers.items()))]
    if "formulas" in figures:
        ways = {"autograd": figures["autograd"], **figures["formulas"]}
        rows = [(f"`{name}`", *(way[column] for column in _COLUMNS)) for name, way in ways.items()]
        tables.append(_table(("derivative", *_COLUMNS), rows))
    if "sizes" in figures:
        sizes = [(size["batch"], name, size[name]) for size in figures["sizes"] for name in ("output", "gradient")]
        found = [(batch, name, *(part[column] for column in _OF_BATCH)) for batch, name, part in sizes]
        tables.append(_table(("batch", "of the", *_OF_BATCH), found))
    return tables


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
