"""Every sentence that `lib` makes of an experiment and a tally, in every state, against the contract."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from inspect import isfunction, signature
from pkgutil import walk_packages

import pytest

import lib
from lib.derivative import sentences as derivative_sentences
from lib.discrepancy import condition_sentences
from lib.discrepancy import sentences as of_discrepancies
from lib.discrepancy import verdict_sentences as of_verdicts
from lib.display import method_sentences
from lib.display.why import Why
from lib.network.machine_sentences import environment
from lib.paste import decode_sentences
from lib.pitfall import sentences as of_pitfalls
from lib.run import progress_sentences
from lib.takeaway import data_sentences, link_sentences
from lib.variations import origin_sentences
from tests import contract_tables as tables
from tests.contract import Row, State, Table, sentences
from tests.contract_curves import SUBJECTS as OF_CURVES
from tests.contract_others import SUBJECTS as OF_OTHERS
from tests.contract_others import Subject
from tests.states import CLASSES, FOUND, OF_NETWORKS, experiments

Sayer = Callable[..., str | Why]
SUBJECTS = [*OF_OTHERS, *OF_CURVES]

FOUND_IN = {
    of_discrepancies.claim: tables.CLAIM,
    of_discrepancies.finiteness: tables.FINITENESS,
    condition_sentences.reading: tables.READING,
}
"""What is said of a discrepancy tally and an experiment."""

JUDGED_IN = {
    of_verdicts.verdict_claim: tables.VERDICT,
    of_verdicts.lean_claim: tables.LEAN,
    of_verdicts.shared_error: tables.SHARED,
    of_verdicts.reference_conditions: tables.REFERENCE,
    of_verdicts.why_right: tables.RIGHT,
}
"""What is said of who is right."""


def test_what_is_said_of_the_bound():
    """And of networks with SiLU, and so wide that a bound excludes nothing or does not exist."""
    tallies = {name: (found, found.verdict()) for name, found in FOUND.items()}
    more = [
        replace(experiment, **fields)
        for experiment in experiments(classes=CLASSES)
        for fields in ({"activation": "silu"}, {"hidden": (120,)}, {"hidden": (256, 200)})
        if experiment.hidden and experiment.outputs == 2
    ]
    check(
        tables.BOUND,
        (
            (State(experiment, found, {}), of_verdicts.bound_claim(tally, experiment))
            for experiment in (*experiments(classes=CLASSES), *more)
            for found, tally in (
                tallies[name] for name in ("none finite", "equal", "apart", "above the bound", "once above the bound")
            )
        ),
    )


CHOSEN = {
    of_discrepancies.why_apart: tables.APART,
    of_discrepancies.why_there: tables.THERE,
    origin_sentences.why_remedies: tables.REMEDIES,
    of_pitfalls.why_the_sum: tables.MEETING,
    of_discrepancies.conditions: tables.CONDITIONS,
}
"""What is said of an experiment alone."""


ELSEWHERE = {
    of_verdicts.bound_claim: "in a test of its own, with the bounds that there are",
    environment: "a list of versions",
    link_sentences.elsewhere: "true of every machine",
    link_sentences.title: "a list of what was chosen",
    link_sentences.summary: "a question",
    progress_sentences.progress: "counts, tests/run/test_progress_sentences.py",
    progress_sentences.in_queue: "likewise",
    origin_sentences.bit_classes: "a list of names",
    derivative_sentences.derivative_conditions: "of the function that was chosen, of the texts in `functions`",
    derivative_sentences.x_conditions: "likewise",
    derivative_sentences.saturation_list: "a list of the stretches that `saturation_claim` tells of",
    data_sentences.files_command: "a command",
    data_sentences.files_columns: "a list of columns",
    data_sentences.plot_columns: "likewise",
    condition_sentences.condition_claim: "within `condition_sentences.reading`",
}
"""What makes no sentence that may be true of one state and not of another, or is held against its states elsewhere."""

MODULES_ELSEWHERE = {
    method_sentences: "parts of sentences, in those of the others",
    decode_sentences: "of a paste and not of an experiment, tests/paste/test_decode.py",
}
"""Likewise, as a whole."""


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
        every_slope = {"classes": CLASSES} if sayer is of_verdicts.shared_error else {}
        for experiment in experiments(networks, **every_slope):
            for name, found in cases.items():
                arguments = (tallies[name], experiment)[: 1 + asks_for_both]
                yield State(experiment, found, {}), sayer(*arguments)
            if not asks_for_both:
                break


@pytest.mark.parametrize("sayer", CHOSEN, ids=lambda sayer: sayer.__name__)
def test_what_is_said_of_what_was_chosen(sayer):
    check(CHOSEN[sayer], ((State(experiment, None, {}), sayer(experiment)) for experiment in experiments()))


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.sayer.__name__)
def test_what_is_said_of_the_other_studies(subject: Subject):
    check(subject.table, subject.states())


def test_whoever_speaks_is_in_the_contract():
    names = [module.name for module in walk_packages(lib.__path__, "lib.") if module.name.endswith("sentences")]
    modules = {import_module(name) for name in names} - MODULES_ELSEWHERE.keys()
    public = {
        function
        for module in modules
        for name, function in vars(module).items()
        if isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
    }
    known = FOUND_IN.keys() | JUDGED_IN.keys() | CHOSEN.keys() | {subject.sayer for subject in SUBJECTS}
    assert public == known | ELSEWHERE.keys() and not known & ELSEWHERE.keys()
