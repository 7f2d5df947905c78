"""The bug report: its tables are the figures, its script is the script, and nothing else in it needs the project."""

import re

import pytest

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.network import machine
from lib.takeaway.report import report
from lib.takeaway.script import script
from tests.takeaway.test_script import figures

EXPERIMENT = Experiment(samples=40, outputs=3, function="sqrt")


@pytest.fixture(scope="module", params=SUBJECTS)
def written(request) -> tuple[str, dict, str]:
    found = figures(request.param, EXPERIMENT)
    return request.param, found, report(request.param, EXPERIMENT, found, machine.describe(EXPERIMENT))


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table, the head first, without the line that rules it off."""
    found = re.findall(r"(?:^\|.*\|\n?)+", text.partition("```")[0], re.MULTILINE)
    rows = [[line.strip("| ").split(" | ") for line in table.splitlines()] for table in found]
    for table in rows:
        assert set(table.pop(1)) == {"---"} and len({len(row) for row in table}) == 1
    return rows


def test_the_first_table_has_every_number_of_the_figures_and_no_histogram(written):
    _, found, text = written
    shown = dict(tables(text)[0])
    assert shown.pop("figure") == "value"
    for name, value in found.items():
        if isinstance(value, int | float):
            assert shown.pop(name) == str(value)
    for name, value in shown.items():
        group, part = name.split(", ")
        assert str(found[group][part]) == value


def test_batch_sizes_are_one_below_the_other_and_derivatives_side_by_side(written):
    study, found, text = written
    _, *others = tables(text)
    if study == "batch":
        ((head, *rows),) = others
        assert head == ["batch", "of the", "components", "nonfinite", "equal", "max_abs", "max_ulps"]
        both = [(size, quantity) for size in found["sizes"] for quantity in ("output", "gradient")]
        for (size, quantity), row in zip(both, rows, strict=True):
            assert row == [str(size["batch"]), quantity, *(str(size[quantity][column]) for column in head[2:])]
        return
    ways = {"autograd": found["autograd"], **found["formulas"]} if study == "derivative" else {}
    rows = [row for table in others for row in table]
    assert [row[0] for row in rows] == (["derivative", *(f"`{name}`" for name in ways)] if ways else [])
    for name, row in zip(ways, rows[1:], strict=True):
        assert row[1:] == [str(ways[name][column]) for column in rows[0][1:]]


def test_the_script_and_the_environment_are_in_blocks_of_code(written):
    study, _, text = written
    (language, code), (none, environment) = re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
    assert (language, code, none) == ("python", script(study, EXPERIMENT), "")
    assert dict(line.split(": ", 1) for line in environment.splitlines()) == {
        name: str(value) for name, value in machine.describe(EXPERIMENT).items()
    }


def test_a_report_before_the_end_says_so():
    found = figures("pitfall", Experiment(samples=7))
    text = report("pitfall", Experiment(samples=1000), found, machine.describe(EXPERIMENT))
    assert "So far 7 samples are counted." in text
    assert "So far" not in report("pitfall", Experiment(samples=7), found, machine.describe(EXPERIMENT))
