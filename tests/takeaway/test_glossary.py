"""Every field that a command prints is explained, and every field that is explained is printed."""

import json
from collections.abc import Iterator

import pytest

from lib import __main__ as command
from lib.experiment.studies import STUDIES
from lib.takeaway import glossary
from lib.takeaway.components import SCHEMAS

OPEN = {"experiment", "environment"}
"""Fields that have a field for each key of the query, or for each setting of the machine."""

ALIKE = {
    "formulas.*.": "autograd.",
    "jacobian_steps.": "backward_steps.",
    "parting.step.": "backward_steps.",
    "sizes.gradient.": "sizes.output.",
    **{
        f"sizes.conditions.{name}.": "sizes.conditions.place."
        for name in ("neighbours", "order", "slice")
    },
}
"""Fields that are explained once: the path of a repetition, and the path that is explained."""


def fields(value: object, path: str = "") -> Iterator[str]:
    """The paths of all fields in a JSON value, as the glossary writes them."""
    if isinstance(value, list):
        for item in value:
            yield from fields(item, path)
    elif isinstance(value, dict):
        for key, item in value.items():
            name = f"{path}*" if path == "formulas." else f"{path}{key}"
            for repeated, explained in ALIKE.items():
                name = name.replace(repeated, explained)
            yield name
            yield from fields(item, f"{name}.")


def check(printed: dict, explained: dict[str, str]) -> None:
    """A field that is not explained by itself is named in the explanation of the field above it."""
    names = set()
    for name in fields(printed):
        above, _, last = name.rpartition(".")
        if last == "*" or above.partition(".")[0] in OPEN:
            continue
        if above in explained and name not in explained:
            assert last in explained[above], name
        else:
            names.add(name)
    assert names == explained.keys()


@pytest.fixture
def printed(capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def run(*arguments: str) -> dict:
        assert command.main(arguments) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("study", STUDIES)
def test_the_figures_of_a_study(study, printed):
    query = "samples=20&outputs=3&evaluation=batched"
    figures = printed("run", "--study", study, query)
    check(figures, glossary.EVERY_STUDY | glossary.FIELDS[study])


def test_a_replay(printed):
    about = {name: glossary.EVERY_STUDY[name] for name in ("query", "environment")}
    check(printed("trace", "4", "0", "samples=5"), about | glossary.TRACE)


PASTES = {
    "one number": "0.1",
    "two numbers": "0.0514 0.0613",
    "two vectors": "[0.1, 0.2] [0.1, 0.3]",
    "an array, or two of unlike shapes": "[[1, 2], [3, 4]]",
}


@pytest.mark.parametrize("paste", [paste for paste in glossary.DECODE if paste != "every paste"])
def test_what_is_decoded(paste, printed):
    figures = printed("decode", PASTES[paste])
    figures["cause"] = ""
    for name, like in (("components", "two numbers"), ("numbers", "one number")):
        for figure in figures.get(name, []):
            assert figure.keys() == glossary.DECODE[like].keys()
        if name in figures:
            figures[name] = []
    check(figures, glossary.DECODE["every paste"] | glossary.DECODE[paste])


def test_the_columns_of_the_files():
    for study, columns in glossary.COLUMNS.items():
        assert SCHEMAS[study].names == list(columns)
