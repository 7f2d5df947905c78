"""Every sentence that `lib` makes of what it found, in every state, against the contract."""

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import lib
from lib.floats.sentences import Sentence
from tests import sentences as rows_of
from tests.sentences import Contract
from tests.test_every_state import ROWS

MODULES = sorted(Path(__file__).parent.glob("*/*contract.py"))
CONTRACT_MODULES = [import_module(f"tests.{path.parent.name}.{path.stem}") for path in MODULES]
CONTRACTS: list[Contract] = [
    contract for module in CONTRACT_MODULES for contract in module.CONTRACTS
]
"""What each room says, in rows."""


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.rows[0].text[:40])
def test_a_sentence_is_shown_where_it_is_true(contract):
    contract.check()


def test_no_sentence_is_without_a_contract():
    """Every row at the top level of a module of `lib`, alone or in a tuple, list or dictionary.

    Rows of the tabs are checked against real runs.
    """
    found = set()
    for module in walk_packages(lib.__path__, "lib."):
        if not module.name.startswith("lib.page") and not module.name.endswith("__main__"):
            for value in vars(import_module(module.name)).values():
                found |= {row.text for row in _rows(value)}
    assert found == rows_of.texts(CONTRACTS) | {row.text for rows in ROWS for row in rows}


def _rows(value: object) -> list[Sentence]:
    if isinstance(value, Sentence):
        return [value]
    values = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, tuple | list)
        else ()
    )
    return [row for part in values for row in _rows(part)]
