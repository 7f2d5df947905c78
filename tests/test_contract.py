"""Every sentence that `lib` makes of an experiment and a tally, in every state, against the contract."""

from importlib import import_module
from inspect import isfunction
from pathlib import Path
from pkgutil import walk_packages

import pytest

import lib
from lib.display import sentences as display_sentences
from lib.display.sentences import Sentence
from lib.display.why import Why
from lib.run import sentences as run_sentences
from tests import sentences as rows_of
from tests.contract import Row, Said, State, Subject, Table, sentences
from tests.sentences import Contract

MODULES = sorted(Path(__file__).parent.glob("*/*contract.py"))
CONTRACT_MODULES = [import_module(f"tests.{path.parent.name}.{path.stem}") for path in MODULES]
SUBJECTS: list[Subject] = [subject for module in CONTRACT_MODULES for subject in getattr(module, "SUBJECTS", [])]
"""What each room says, from its own contract."""

CONTRACTS: list[Contract] = [contract for module in CONTRACT_MODULES for contract in getattr(module, "CONTRACTS", [])]
"""What each room says in rows."""

ELSEWHERE = {}
"""What makes no sentence that may be true of one state and not of another, or is held against its states elsewhere."""

MODULES_ELSEWHERE = {run_sentences: "counts, tests/run/test_sentences.py"}
"""Likewise, as a whole."""


def check(table: Table, states: Said) -> None:
    """Every sentence has a row whose condition holds, every such row has its sentence, and no row is of no use."""
    used: set[str] = set()
    known: dict[str, list[tuple[Row, dict[str, str]]]] = {}
    due = [row for row in table if row.always_said]
    for state, text in states:
        said = sentences(f"{text.why} {text.do}" if isinstance(text, Why) else text)
        for row in due:
            silent = row.sentence not in said and row.holds(state)
            assert not silent, f"true, and not said: {row.sentence}\n{state.e.query}\n{state.f}"
        for sentence in said:
            if sentence not in known:
                known[sentence] = [(row, match) for row in table if (match := row.match(sentence)) is not None]
            fits = known[sentence]
            assert fits, f"no row of the contract allows: {sentence}\n{state.e.query}\n{state.f}"
            holding = [row for row, match in fits if row.holds(State(state.e, state.f, match))]
            assert holding, f"said where it is not true: {sentence}\n{state.e.query}\n{state.f}"
            used |= {row.sentence for row in holding}
    assert {row.sentence for row in table} <= used, {row.sentence for row in table} - used


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.sayer.__name__)
def test_what_is_said_is_true_where_it_is_said(subject):
    check(subject.table, subject.states(subject.sayer))


def test_whoever_speaks_is_in_the_contract():
    names = [module.name for module in walk_packages(lib.__path__, "lib.") if module.name.endswith("sentences")]
    modules = {import_module(name) for name in names} - {display_sentences} - MODULES_ELSEWHERE.keys()
    public = {
        function
        for module in modules
        for name, function in vars(module).items()
        if isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }
    known = {subject.sayer for subject in SUBJECTS}
    assert public == known | ELSEWHERE.keys() and not known & ELSEWHERE.keys()


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.rows[0].text[:40])
def test_a_sentence_is_shown_where_it_is_true(contract):
    contract.check()


def test_no_sentence_is_without_a_contract():
    """Every row that a module of `lib` has at its top level, alone or in a tuple, list or dictionary."""
    found = set()
    for module in walk_packages(lib.__path__, "lib."):
        if not module.name.startswith("lib.page") and not module.name.endswith("__main__"):
            for value in vars(import_module(module.name)).values():
                found |= {row.text for row in _rows(value)}
    assert found == rows_of.texts(CONTRACTS)


def _rows(value: object) -> list[Sentence]:
    if isinstance(value, Sentence):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return [row for part in values for row in _rows(part)]
