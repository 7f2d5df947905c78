"""Every sentence that `lib` makes of an experiment and a tally, in every state, against the contract."""

from collections.abc import Callable, Iterable, Iterator
from inspect import signature

import pytest

from lib import sentences as of_studies
from lib import verdict_sentences as of_verdicts
from lib import why_sentences as whys
from lib.why_sentences import Why
from tests import contract_tables as tables
from tests.contract import Row, State, Table, sentences
from tests.states import FOUND, OF_NETWORKS, experiments

Sayer = Callable[..., str | Why]

FOUND_IN = {
    of_studies.claim: tables.CLAIM,
    of_studies.finiteness: tables.FINITENESS,
    whys.reading: tables.READING,
}
"""What is said of a discrepancy tally and an experiment."""

JUDGED_IN = {
    of_verdicts.verdict_claim: tables.VERDICT,
    of_verdicts.lean_claim: tables.LEAN,
    of_verdicts.shared_error: tables.SHARED,
    of_verdicts.reference_conditions: tables.REFERENCE,
    whys.why_right: tables.RIGHT,
}
"""What is said of who is right."""


CHOSEN = {
    whys.why_apart: tables.APART,
    whys.why_there: tables.THERE,
    whys.why_remedies: tables.REMEDIES,
    whys.why_the_sum: tables.MEETING,
}
"""What is said of an experiment alone."""


def said(text: str | Why) -> Iterator[str]:
    yield from sentences(f"{text.why} {text.do}" if isinstance(text, Why) else text)


def check(table: Table, states: Iterable[tuple[State, str | Why]]) -> None:
    """Every sentence has a row whose condition holds, no row is of no use, and no condition but `always` is idle."""
    used: set[str] = set()
    known: dict[str, list[tuple[Row, dict[str, str]]]] = {}
    for state, text in states:
        for sentence in said(text):
            if sentence not in known:
                known[sentence] = [(row, match) for row in table if (match := row.match(sentence)) is not None]
            fits = known[sentence]
            assert fits, f"no row of the contract allows: {sentence}\n{state.e.query}\n{state.f}"
            holding = [row for row, match in fits if row.holds(State(state.e, state.f, match))]
            assert holding, f"said where it is not true: {sentence}\n{state.e.query}\n{state.f}"
            used |= {row.sentence for row in holding}
    assert {row.sentence for row in table} <= used, {row.sentence for row in table} - used


@pytest.mark.parametrize("sayer", FOUND_IN, ids=lambda sayer: sayer.__name__)
def test_what_is_said_of_a_discrepancy(sayer):
    tallies = {name: found.tally() for name, found in FOUND.items()}
    check(
        FOUND_IN[sayer],
        (
            (State(experiment, found, {}), sayer(tallies[name], experiment))
            for experiment in experiments()
            for name, found in FOUND.items()
        ),
    )


@pytest.mark.parametrize("sayer", JUDGED_IN, ids=lambda sayer: sayer.__name__)
def test_what_is_said_of_who_is_right(sayer):
    check(JUDGED_IN[sayer], judged(sayer))


def judged(sayer: Sayer) -> Iterator[tuple[State, str | Why]]:
    for networks, cases in (("one", FOUND), ("each-block", OF_NETWORKS)):
        tallies = {name: found.verdict() for name, found in cases.items()}
        asks_for_both = len(signature(sayer).parameters) == 2
        for experiment in experiments(networks):
            for name, found in cases.items():
                arguments = (tallies[name], experiment)[: 1 + asks_for_both]
                yield State(experiment, found, {}), sayer(*arguments)
            if not asks_for_both:
                break


@pytest.mark.parametrize("sayer", CHOSEN, ids=lambda sayer: sayer.__name__)
def test_what_is_said_of_what_was_chosen(sayer):
    check(CHOSEN[sayer], ((State(experiment, None, {}), sayer(experiment)) for experiment in experiments()))
