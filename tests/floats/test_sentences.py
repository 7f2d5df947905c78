from dataclasses import dataclass

import pytest

from lib.floats.sentences import Sentence, said
from tests.sentences import Contract


@dataclass(frozen=True)
class Counted:
    equal: int
    all: int


ROWS = [
    Sentence("{f.equal:,} of {f.all:,} are equal."),
    Sentence("All are.", lambda f: f.equal == f.all),
    Sentence("None is.", lambda f: f.equal == 0),
]
ORACLES = [
    lambda s: {"equal": f"{s.equal:,}", "all": lambda text: int(text.replace(",", "")) == s.all},
    lambda s: {} if s.equal == s.all else None,
    lambda s: None if s.equal else {},
]
STATES = [Counted(2000, 2000), Counted(0, 7), Counted(3, 7)]


def contract(rows=ROWS, oracles=ORACLES, states=STATES) -> Contract:
    return Contract(rows, lambda state: state, lambda: states, oracles)


def test_the_sentences_that_hold_are_one_paragraph():
    assert said(ROWS, Counted(2000, 2000)) == "2,000 of 2,000 are equal. All are."
    assert said(ROWS, Counted(0, 7)) == "0 of 7 are equal. None is."


def test_a_contract_holds():
    contract().check()


@pytest.mark.parametrize(
    "broken",
    [
        contract(oracles=[lambda s: {"equal": "3", "all": "7"}, *ORACLES[1:]]),  # a wrong figure
        contract(oracles=[lambda s: {"all": str}, *ORACLES[1:]]),  # a figure without an oracle
        contract(oracles=[ORACLES[0], lambda s: {}, ORACLES[2]]),  # hidden where it is true
        contract(oracles=[ORACLES[0], lambda s: None, ORACLES[2]]),  # shown where it is false
        contract(oracles=ORACLES[:2]),  # a row without an oracle
        contract(states=STATES[:1]),  # a row that no state shows
        contract(rows=[ROWS[0], Sentence("All are.", lambda f: True)], oracles=[ORACLES[0], lambda s: {}]),
    ],
)
def test_a_contract_that_is_broken_says_so(broken):
    with pytest.raises((AssertionError, ValueError)):
        broken.check()
