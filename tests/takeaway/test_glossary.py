"""Every field that a study or an option prints is explained, and every one that is explained is printed."""

import json
from collections.abc import Iterator

import pytest

from lib import __main__ as command
from lib.experiment.studies import OPTIONS, SUBJECTS
from lib.takeaway import glossary
from lib.takeaway.components import SCHEMAS

OPEN = {"experiment", "environment", "settings"}
"""Fields with one of their own for each key of the query, or each setting of the machine."""

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
"""What is explained once, by where it is printed again and where it is explained."""


def fields(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every field in a JSON value by its path, as the glossary writes it, and what is in it."""
    if isinstance(value, list):
        for one in value:
            yield from fields(one, path)
    elif isinstance(value, dict):
        for key, one in value.items():
            name = f"{path}*" if path == "formulas." else f"{path}{key}"
            for again, where in ALIKE.items():
                name = name.replace(again, where)
            yield name, one
            yield from fields(one, f"{name}.")


def check(printed: dict, explained: dict[str, str]) -> None:
    """A field within one that is not explained by itself is named in the explanation of that one."""
    found = {}
    for name, value in fields(printed):
        above, _, last = name.rpartition(".")
        if last == "*" or above.partition(".")[0] in OPEN:
            continue
        if above in explained and name not in explained:
            assert last in explained[above], name
            continue
        found[name] = value
    assert found.keys() == explained.keys()


@pytest.fixture
def printed(capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def run(*arguments: str) -> dict:
        assert command.main(arguments) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize("study", SUBJECTS)
def test_the_figures_of_a_study(study, printed):
    check(
        printed("--study", study, "samples=20&outputs=3"),
        glossary.EVERY_STUDY | glossary.FIELDS[study],
    )


@pytest.mark.parametrize("option", OPTIONS)
def test_the_figures_of_an_option(option, printed):
    check(
        printed(f"--{option}", "samples=20&evaluation=batched"),
        glossary.EVERY_STUDY | glossary.FIELDS[option],
    )


def test_a_replay_and_the_matrices_of_the_post(printed):
    about = {name: glossary.EVERY_STUDY[name] for name in ("query", "environment")}
    check(printed("--trace", "4,0", "samples=5"), about | glossary.TRACE)
    check(printed("--study", "pitfall", "--post"), glossary.POST)


PASTES = {
    "one number": "0.1",
    "two numbers": "0.0514 0.0613",
    "two vectors": "[0.1, 0.2] [0.1, 0.3]",
    "a matrix, a shape, or two of unlike shapes": "[[1, 2], [3, 4]]",
}


@pytest.mark.parametrize("paste", [paste for paste in glossary.DECODE if paste != "every paste"])
def test_what_is_decoded(paste, printed):
    found = printed("--decode", PASTES[paste])
    found["cause"] = ""
    number, pair = glossary.DECODE["one number"], glossary.DECODE["two numbers"]
    for vector in found.pop("components", []):
        assert {*vector} == {*pair}
        found["components"] = []
    for one in found.pop("numbers", []):
        assert {*one} == {*number}
        found["numbers"] = []
    check(found, glossary.DECODE["every paste"] | glossary.DECODE[paste])


def test_the_columns_of_the_files():
    assert {study: list(columns) for study, columns in glossary.COLUMNS.items()} == {
        study: schema.names for study, schema in SCHEMAS.items()
    }
